// Messages for invalid YAML: the slips that people make, with what they probably meant. Any other fault has libyaml's words.

/// The message for a fault that libyaml found.
func syntaxMistake(_ fault: SyntaxFault, in source: SourceText) -> Mistake {
  if let offset = fault.badByte { return unreadableByte(at: offset, fault.problem, in: source) }
  let here = FaultyLine(fault.location, source)
  let began = FaultyLine(fault.contextLocation, source)
  func mistake(_ what: String, _ cure: String) -> Mistake { Mistake(at: fault.location, what, cure: cure) }
  func mistakeAtBegin(_ what: String, _ cure: String) -> Mistake {
    Mistake(at: fault.contextLocation, what, cure: cure)
  }
  switch fault.problem {
  case let problem where problem.contains("tab character") || here.character == "\t":
    return mistake("YAML cannot be indented with tabs", "indent with spaces")
  case "found character that cannot start any token":
    return mistake("unquoted text cannot begin with \"\(here.sign)\"", "quote it: \(here.quotedRest)")
  case "did not find expected alphabetic or numeric character":
    let (sign, thing) = fault.context.contains("anchor") ? ("&", "an anchor") : ("*", "an alias")
    return mistakeAtBegin(
      "unquoted text that begins with \"\(sign)\" is \(thing) in YAML", "quote it: \(began.quotedRest)")
  case "mapping values are not allowed in this context":
    guard let value = here.value, here.column > value.start else {
      return mistake(
        "this line continues the value above, and unquoted text cannot contain \": \"",
        "indent all keys of a mapping equally, with a colon after each")
    }
    return mistake("a second \": \" in unquoted text", "quote the value: \(value.quoted)")
  case "found unknown escape character":
    return mistake(
      "\"\\\(here.next)\" is not an escape in double quotes",
      "write the text in single quotes, where \"\\\" is an ordinary character")
  case "found unexpected end of stream":
    return mistakeAtBegin("the quoted text that begins here has no closing quote", "close it")
  case let problem where problem.hasPrefix("did not find expected") && here.before == "}":
    return mistake(
      "text after \"}\": unquoted text that begins with \"{\" is a mapping",
      "quote the whole text: \(here.value.flatMap { $0.isMapping ? $0.quoted : nil } ?? "\"{feed}/…\"")")
  case "did not find expected ',' or ']'", "did not find expected ',' or '}'":
    let (thing, end) = fault.problem.contains("]") ? ("list", "]") : ("mapping", "}")
    return mistake(
      "the \(thing) that begins on line \(fault.contextLocation.line) is not closed here",
      "add \",\" before the next entry or \"\(end)\" at the end")
  case "block sequence entries are not allowed in this context":
    return mistake(
      "\"- \" cannot be on the line of its key", "move it to a new line, or write the list as [a, b]")
  case "did not find expected node content":
    return mistake("a list or mapping in brackets is not complete", "close it, or quote the text in it")
  case "could not find expected ':'":
    return mistakeAtBegin("this line is neither a key nor part of the value above", "write key: value")
  case "did not find expected key", "did not find expected '-' indicator",
    "did not find expected <document start>":
    return mistake(
      "this is neither a key nor part of the value before it",
      "quote the whole value, or indent all keys of a mapping equally")
  default: return Mistake(at: fault.location, "invalid YAML: \(fault.problem)")
  }
}

private func unreadableByte(at offset: Int, _ problem: String, in source: SourceText) -> Mistake {
  if source.isUTF16 { return Mistake(at: .start, "the file is UTF-16", cure: "save it as UTF-8") }
  if problem.contains("control characters"), let character = source.character(atByte: offset) {
    let number = String(character.value, radix: 16, uppercase: true)
    return Mistake(
      at: source.location(ofByte: offset),
      "a control character (U+\(String(repeating: "0", count: max(0, 4 - number.count)))\(number))",
      cure: "remove it, or write it as an escape in double quotes")
  }
  return Mistake(
    at: source.location(ofByte: source.characterStart(ofByte: offset)), "this is not UTF-8",
    cure: "save the file as UTF-8")
}

/// The line with the fault, and the location in it.
private struct FaultyLine {
  private let line: [Character]
  /// The column, from 0.
  let column: Int

  init(_ location: Location, _ source: SourceText) {
    line = source.line(location.line).map { Character($0) }
    column = max(0, Int(location.column) - 1)
  }

  var character: Character? { line.indices.contains(column) ? line[column] : nil }
  var sign: String { character.map { shown(String($0)) } ?? "" }
  /// The character after a backslash.
  var next: String { line.indices.contains(column + 1) ? shown(String(line[column + 1])) : "" }
  /// The nearest character before the column that is not a blank.
  var before: Character? { line.prefix(column).last { $0 != " " } }

  /// The text from here to the end of the value, in quotes.
  var quotedRest: String {
    let isInside = line.prefix(column).contains { $0 == "[" || $0 == "{" }
    return quoted(line.dropFirst(column).prefix { !isInside || !",]}".contains($0) })
  }

  /// The value of the key that begins the line: where it starts, and its text in quotes.
  var value: (start: Int, isMapping: Bool, quoted: String)? {
    guard let colon = line.firstIndex(of: ":"), colon + 1 < line.count else { return nil }
    let rest = line[(colon + 1)...].drop { $0 == " " }
    return (rest.startIndex, rest.first == "{", quoted(rest))
  }

  /// A piece of the line up to its comment, in quotes; a secret is not repeated.
  private func quoted(_ piece: ArraySlice<Character>) -> String {
    let words = ["password", "bearer", "authorization", "cookie", "token", "secret", "key"]
    guard !words.contains(where: String(line).lowercased().contains) else { return "\"…\"" }
    let comment = piece.indices.dropFirst().first { piece[$0] == "#" && piece[$0 - 1] == " " }
    var text = piece[..<(comment ?? piece.endIndex)]
    while text.last == " " { text = text.dropLast() }
    let quote = text.contains { $0 == "\"" || $0 == "\\" } ? "'" : "\""
    return quote + shown(String(text)) + quote
  }
}

/// The bytes of the file and the positions of its lines.
struct SourceText {
  private let bytes: [UInt8]
  /// The offset of the text, after a byte order mark if there is one.
  let contentStart: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    contentStart = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The characters of a line, without its end; empty if there is no such line.
  func line(_ number: Int32) -> String.UnicodeScalarView {
    let lines = bytes[contentStart...].split(
      separator: UInt8(ascii: "\n"), maxSplits: Int(max(1, number)), omittingEmptySubsequences: false)
    guard lines.count >= number, number > 0 else { return "".unicodeScalars }
    return String(decoding: lines[Int(number) - 1].prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
      .unicodeScalars
  }

  /// The location of the byte at an offset from the beginning of the text.
  func location(ofByte offset: Int) -> Location {
    let before = bytes[contentStart...].prefix(max(0, offset))
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? contentStart
    let column = String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1
    return Location(
      line: Int32(clamping: 1 + before.count { $0 == UInt8(ascii: "\n") }), column: Int32(clamping: column))
  }

  /// The character that begins with the byte at an offset.
  func character(atByte offset: Int) -> Unicode.Scalar? {
    String(decoding: bytes.dropFirst(contentStart + offset).prefix(4), as: UTF8.self).unicodeScalars.first
  }

  /// The offset of the first byte of an invalid character.
  ///
  /// libyaml points at the invalid byte, which may come up to three bytes later.
  func characterStart(ofByte offset: Int) -> Int {
    let before = bytes.dropFirst(contentStart).prefix(max(0, offset)).suffix(3)
    // From the invalid byte back over continuation bytes to a first byte.
    for (distance, byte) in before.reversed().enumerated() {
      if byte >= 0xC0 { return offset - distance - 1 }
      if byte < 0x80 { break }
    }
    return offset
  }

  /// Whether the file is UTF-16, by its byte order mark.
  var isUTF16: Bool { bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) }
}

// Messages for invalid YAML: the mistake and what was probably meant, from the lines of the file. libyaml reports only
// the rule.

/// The message for a fault that libyaml found.
func syntaxMistake(_ fault: SyntaxFault, in source: SourceText) -> Mistake {
  if let offset = fault.badByte { return unreadableByte(at: offset, fault.problem, in: source) }
  let here = FaultyLine(fault.place, source)
  let began = FaultyLine(fault.contextPlace, source)
  switch fault.problem {
  case "did not find expected alphabetic or numeric character":
    let sign = fault.context.contains("anchor") ? "&" : "*"
    let thing = sign == "&" ? "an anchor" : "an alias"
    return Mistake(
      at: fault.contextPlace, "unquoted text that begins with \"\(sign)\" is \(thing) in YAML",
      cure: "quote it: \(began.quotedRest)")
  case "found character that cannot start any token":
    if here.character == "\t" { return tab(at: fault.place) }
    return Mistake(
      at: fault.place, "unquoted text cannot begin with \"\(here.characterText)\"",
      cure: "quote it: \(here.quotedRest)")
  case "found a tab character that violates indentation",
    "found a tab character where an indentation space is expected":
    return tab(at: fault.place)
  case "mapping values are not allowed in this context": return strayColon(here, fault)
  case "found unknown escape character": return unknownEscape(here, fault)
  case "found unexpected end of stream":
    return Mistake(
      at: fault.contextPlace, "the quoted text that begins here has no closing quote", cure: "close it")
  case "could not find expected ':'":
    return Mistake(
      at: fault.contextPlace, "this line is neither a key nor part of the value above",
      cure: "write key: value")
  case "block sequence entries are not allowed in this context":
    return Mistake(
      at: fault.place, "\"- \" cannot be on the line of its key",
      cure: "move it to a new line, or write the list as [a, b]")
  case "mapping keys are not allowed in this context":
    return Mistake(
      at: fault.place, "\"? \" begins a key in YAML", cure: "quote text that begins with it")
  case "did not find expected key" where here.character == ":":
    return Mistake(at: fault.place, "a key is missing before \":\"", cure: "write key: value")
  case "did not find expected node content" where here.characterText.isEmpty:
    return Mistake(
      at: fault.place, "the file ends within a list or mapping", cure: "close it with ] or }")
  case "did not find expected node content":
    return Mistake(
      at: fault.place, "unquoted text cannot begin with \"\(here.characterText)\"",
      cure: "quote it, or complete the list or mapping")
  case "did not find expected ',' or ']'", "did not find expected ',' or '}'", "did not find expected key",
    "did not find expected '-' indicator":
    return brokenCollection(here, fault)
  case "did not find expected <document start>":
    return textAfterTheEnd(here, fault, in: source)
  default:
    return Mistake(at: fault.place, "invalid YAML: \(fault.problem)")
  }
}

private func tab(at place: Place) -> Mistake {
  Mistake(at: place, "YAML cannot be indented with tabs", cure: "indent with spaces")
}

/// The message for text after the end of the document.
private func textAfterTheEnd(_ here: FaultyLine, _ fault: SyntaxFault, in source: SourceText) -> Mistake {
  let before = (1..<max(1, fault.place.line)).map { FaultyLine(Place(line: $0, column: 1), source) }
  if before.contains(where: \.endsDocument) {
    return Mistake(
      at: fault.place, "text after the end of the document (\"...\")", cure: "remove the \"...\"")
  }
  if let first = before.first(where: \.hasContent), here.isFirst, first.indent > here.indent {
    return Mistake(
      at: fault.place, "this line is indented less than the first one",
      cure: "indent it by \(first.indent) as well, or begin the first key at the margin")
  }
  return Mistake(
    at: fault.place, "unexpected text after the end of the document",
    cure: "write the file as one mapping (key: value)")
}

private func unreadableByte(at offset: Int, _ problem: String, in source: SourceText) -> Mistake {
  if source.isUTF16 { return Mistake(at: .start, "the file is UTF-16", cure: "save it as UTF-8") }
  if problem.contains("control characters"), let character = source.character(atByte: offset) {
    let number = String(character.value, radix: 16, uppercase: true)
    return Mistake(
      at: source.place(ofByte: offset),
      "a control character (U+\(String(repeating: "0", count: max(0, 4 - number.count)))\(number))",
      cure: "remove it, or write it as an escape in double quotes")
  }
  return Mistake(
    at: source.place(ofByte: source.characterStart(ofByte: offset)), "this is not UTF-8",
    cure: "save the file as UTF-8")
}

/// The message for a wrong colon: the second one of a line, or one in a line that continues a value.
private func strayColon(_ here: FaultyLine, _ fault: SyntaxFault) -> Mistake {
  guard let value = here.value, here.column > value.start else {
    return Mistake(
      at: fault.place, "this line continues the value above, and unquoted text cannot contain \": \"",
      cure: "indent all keys of a mapping equally, with a colon after each")
  }
  if value.key == "run", !here.mayContainSecret {
    let words = value.text.split(separator: " ", omittingEmptySubsequences: true).map { word in
      word.contains(":") ? "\"\(word)\"" : String(word)
    }
    return Mistake(
      at: fault.place, "a second \": \" in unquoted text",
      cure: "run is a list, and text with \": \" needs quotes: run: ["
        + shown(words.joined(separator: ", "), limit: 200) + "]")
  }
  return Mistake(
    at: fault.place, "a second \": \" in unquoted text", cure: "quote the value: \(value.quoted)")
}

private func unknownEscape(_ here: FaultyLine, _ fault: SyntaxFault) -> Mistake {
  let escape = shown(here.text(from: here.column, count: 2))
  return Mistake(
    at: fault.place, "\"\(escape)\" is not an escape in double quotes",
    cure: "write the text in single quotes, where \"\\\" is an ordinary character")
}

/// The message for text where an entry of a list or mapping is expected.
private func brokenCollection(_ here: FaultyLine, _ fault: SyntaxFault) -> Mistake {
  let isFlow = fault.problem.contains("'") && !fault.problem.contains("'-'")
  switch here.characterBefore {
  case "}" where !here.isFirst:
    return Mistake(
      at: fault.place, "text after \"}\": unquoted text that begins with \"{\" is a mapping",
      cure:
        "quote the whole text: \(here.value.flatMap { $0.text.hasPrefix("{") ? $0.quoted : nil } ?? "\"{feed}/…\"")"
    )
  case "'" where here.character != " " && here.character != nil && !here.isFirst:
    return Mistake(
      at: fault.place, "text after the closing quote", cure: "write ' twice inside single quotes")
  default:
    break
  }
  if isFlow {
    let (thing, end) = fault.problem.contains("']'") ? ("list", "]") : ("mapping", "}")
    return Mistake(
      at: fault.place, "the \(thing) that begins on line \(fault.contextPlace.line) is not closed here",
      cure: "add \",\" before the next entry or \"\(end)\" at the end")
  }
  guard here.isFirst else {
    return Mistake(at: fault.place, "unexpected text after the value", cure: "quote the whole value")
  }
  if fault.problem == "did not find expected '-' indicator" {
    return Mistake(
      at: fault.place, "a key is mixed with list entries", cure: "begin it with \"- \", or indent it")
  }
  if here.character == "-" {
    return Mistake(at: fault.place, "a list entry is mixed with keys", cure: "indent it below its key")
  }
  return Mistake(
    at: fault.place, "the indentation matches no mapping above",
    cure: "indent all keys of a mapping equally")
}

/// The line with the fault, and the place in it.
private struct FaultyLine {
  private let characters: [Unicode.Scalar]
  /// The column, from 0.
  let column: Int

  init(_ place: Place, _ source: SourceText) {
    characters = source.line(place.line)
    column = Int(place.column) - 1
  }

  var character: Unicode.Scalar? { characters.indices.contains(column) ? characters[column] : nil }

  var characterText: String { character.map { shown(String(Character($0))) } ?? "" }

  /// The nearest character before the column that is not a blank.
  var characterBefore: Unicode.Scalar? { characters.prefix(max(0, column)).last { $0 != " " } }

  var indent: Int { characters.prefix { $0 == " " }.count }

  /// Whether the line has content, not only directives or comments.
  var hasContent: Bool {
    guard let first = characters.first(where: { $0 != " " }) else { return false }
    return first != "#" && first != "%" && !begins(with: "---")
  }

  var endsDocument: Bool { begins(with: "...") }

  private func begins(with sign: String) -> Bool {
    characters.starts(with: sign.unicodeScalars)
      && (characters.count == 3 || characters[3] == " " || characters[3] == "\t")
  }

  /// Whether there are only blanks before the column.
  var isFirst: Bool { characterBefore == nil }

  func text(from start: Int, count: Int) -> String {
    string(characters.dropFirst(max(0, start)).prefix(count))
  }

  /// Whether the line may contain a secret, which no message may repeat.
  var mayContainSecret: Bool {
    let line = string(characters[...]).lowercased()
    return ["password", "bearer", "authorization", "cookie", "token", "secret", "key"].contains {
      line.contains($0)
    }
  }

  /// The text from here to the end of the value, in quotes.
  var quotedRest: String {
    guard !mayContainSecret else { return "\"…\"" }
    var rest = characters.dropFirst(max(0, column))
    let before = characters.prefix(max(0, column))
    if before.contains("[") || before.contains("{") {
      rest = rest.prefix { !",]}".unicodeScalars.contains($0) }
    }
    return quoted(rest)
  }

  /// The value of the key that begins the line: the key, where the value starts, its text.
  var value: (key: String, start: Int, text: String, quoted: String)? {
    guard let colon = characters.firstIndex(of: ":"), colon + 1 < characters.count else { return nil }
    let rest = characters[(colon + 1)...].drop { $0 == " " }
    let key = string(characters[..<colon].drop { $0 == " " || $0 == "-" })
    return (key, rest.startIndex, string(rest), mayContainSecret ? "\"…\"" : quoted(rest))
  }

  /// A piece of the line up to its comment, in double quotes.
  private func quoted(_ piece: ArraySlice<Unicode.Scalar>) -> String {
    var end = piece.startIndex
    while end < piece.endIndex, !(piece[end] == "#" && end > piece.startIndex && piece[end - 1] == " ") {
      end += 1
    }
    var text = piece[..<end]
    while text.last == " " { text = text.dropLast() }
    let quote = text.contains("\"") || text.contains("\\") ? "'" : "\""
    return quote + shown(string(text)) + quote
  }

  private func string(_ piece: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: piece)
    return String(view)
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
  func line(_ number: Int32) -> [Unicode.Scalar] {
    var rest = bytes[contentStart...]
    for _ in 1..<max(1, number) {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return [] }
      rest = rest[(end + 1)...]
    }
    let line = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    return Array(String(decoding: line, as: UTF8.self).unicodeScalars)
  }

  /// The place of the byte at an offset from the beginning of the text.
  func place(ofByte offset: Int) -> Place {
    let before = bytes[contentStart...].prefix(max(0, offset))
    let line = before.reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? contentStart
    let column = String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1
    return Place(line: Int32(clamping: line), column: Int32(clamping: column))
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

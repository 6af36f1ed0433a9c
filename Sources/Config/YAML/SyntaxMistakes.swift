// Messages for invalid YAML: the slips that people make, with what they probably meant. Any other fault has libyaml's words.

import Core

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
    return mistake("a second \": \" in unquoted text", value.cure)
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
    if let comment = source.mistakenComment(from: fault.contextLocation.line, to: fault.location.line) {
      return comment
    }
    if let value = here.enclosingValue, let sign = here.character, ":{[".contains(sign) {
      return mistake(
        "unquoted text in brackets cannot contain \"\(sign == ":" ? ": " : here.sign)\"", value.cure)
    }
    let (thing, end) = fault.problem.contains("]") ? ("list", "]") : ("mapping", "}")
    return mistake(
      "the \(thing) that begins on line \(fault.contextLocation.line) is not closed here",
      "add \",\" before the next entry or \"\(end)\" at the end")
  case "block sequence entries are not allowed in this context":
    return mistake(
      "\"- \" cannot be on the line of its key", "move it to a new line, or write the list as [a, b]")
  case "did not find expected node content":
    // The comment ends with its line, so the fault is behind it.
    if let comment = source.mistakenComment(from: max(1, fault.location.line - 3), to: fault.location.line) {
      return comment
    }
    return mistake("a list or mapping in brackets is not complete", "close it, or quote the text in it")
  case "could not find expected ':'":
    return mistakeAtBegin("this line is neither a key nor part of the value above", "write key: value")
  case let problem
  where problem.hasPrefix("did not find expected") && here.character == "-" && here.next == " ":
    return mistake(
      "an entry of a list among the keys of a mapping", "write key: value; feeds and hooks are not lists")
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

  /// A value on the line: where it starts, its text in quotes, and how to write it.
  struct Value {
    var start: Int
    var isMapping: Bool
    var quoted: String
    var cure: String
  }

  /// The value of the key that begins the line.
  var value: Value? {
    guard let colon = line.firstIndex(of: ":"), colon + 1 < line.count else { return nil }
    return value(line[(colon + 1)...])
  }

  /// The value in brackets that has the column in it, or before it.
  var enclosingValue: Value? {
    let isEnd = { (index: Int) in
      "[{,".contains(line[index]) || line[index] == ":" && index + 1 < line.count && line[index + 1] == " "
    }
    guard column < line.count, let start = line.indices.prefix(column).last(where: isEnd) else { return nil }
    // A key after a blank begins the next entry: only a comma is missing.
    let words = line[(start + 1)..<column].split(separator: " ")
    guard words.count < 2 || KeyTable.homes[String(words[words.count - 1])] == nil else { return nil }
    var depth = 0
    let end = line.indices.dropFirst(column).first { index in
      if "[{".contains(line[index]) { depth += 1 }
      if "]}".contains(line[index]) { depth -= 1 }
      return depth < 0 || depth == 0 && line[index] == ","
    }
    return value(line[(start + 1)..<(end ?? line.endIndex)])
  }

  private func value(_ piece: ArraySlice<Character>) -> Value {
    let rest = piece.drop { $0 == " " }
    let quoted = quoted(rest)
    // A quoted command would only be the next mistake.
    let isCommand = String(line[..<piece.startIndex]).hasSuffix("run:") && !quoted.contains("…")
    return Value(
      start: rest.startIndex, isMapping: rest.first == "{", quoted: quoted,
      cure: isCommand ? listCure(ofCommand: String(rest)) : "quote the value: \(quoted)")
  }

  /// The column and the text, in quotes, of a comment such as `#id` behind a key, a comma or a bracket.
  var mistakenComment: (column: Int, quoted: String)? {
    let hash = line.indices.dropFirst().first { index in
      line[index] == "#" && line[index - 1] == " " && index + 1 < line.count
        && (line[index + 1].isLetter || "-_".contains(line[index + 1]))
    }
    guard let hash, hash > column, let before = line[..<hash].last(where: { $0 != " " }),
      ":,[{-".contains(before)
    else { return nil }
    let isInside = line.prefix(hash).contains { $0 == "[" || $0 == "{" }
    return (hash, quoted(line[hash...].prefix { !isInside || !",]}".contains($0) }))
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

extension SourceText {
  /// The mistake that a text of these lines begins with `#`, and is a comment; nil if there is none.
  func mistakenComment(from first: Int32, to last: Int32) -> Mistake? {
    for line in (first...max(first, last)).prefix(20) {
      if let mistake = mistakenComment(after: Location(line: line, column: 1)) { return mistake }
    }
    return nil
  }

  /// The mistake that the text on this line, after this location, is a comment; nil if it is none.
  func mistakenComment(after location: Location) -> Mistake? {
    FaultyLine(location, self).mistakenComment.map { column, quoted in
      Mistake(
        at: Location(line: location.line, column: Int32(clamping: column + 1)),
        "\"#\" after a blank begins a comment", cure: "quote the text: \(quoted)")
    }
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
      separator: "\n", maxSplits: Int(max(1, number)), omittingEmptySubsequences: false)
    guard lines.count >= number, number > 0 else { return "".unicodeScalars }
    return String(decoding: lines[Int(number) - 1].prefix { $0 != "\r" }, as: UTF8.self)
      .unicodeScalars
  }

  /// The location of the byte at an offset from the beginning of the text.
  func location(ofByte offset: Int) -> Location {
    let before = bytes[contentStart...].prefix(max(0, offset))
    let lineStart = before.lastIndex(of: "\n").map { $0 + 1 } ?? contentStart
    let column = String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1
    return Location(
      line: Int32(clamping: 1 + before.count { $0 == "\n" }), column: Int32(clamping: column))
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

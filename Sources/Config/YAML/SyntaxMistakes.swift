// Messages for invalid YAML: the slips that people make, with what they probably meant. Any other fault has libyaml's words.

import Core

/// The message for a fault that libyaml found.
func syntaxMistake(_ fault: SyntaxFault, in source: SourceText) -> Mistake {
  if let offset = fault.badByte { return unreadableByte(at: offset, fault.problem, in: source) }
  let line = Array(source.line(fault.location.line))
  let column = Int(fault.location.column) - 1
  let character = line.indices.contains(column) ? String(line[column]) : ""
  let before = String(String.UnicodeScalarView(line.prefix(max(0, column))))
  // A command in quotes would only be the next mistake.
  let command = before.firstRange(of: "run: ").map { before[$0.upperBound...] }
  let cure =
    command?.hasPrefix("[") == false
    ? "write a list, such as run: [notify-send, \"{title}\"]" : "quote the value"
  func mistake(_ what: String, _ cure: String) -> Mistake { Mistake(at: fault.location, what, cure: cure) }
  func mistakeAtBegin(_ what: String, _ cure: String) -> Mistake {
    Mistake(at: fault.contextLocation, what, cure: cure)
  }
  let isInBrackets = fault.problem.hasPrefix("did not find expected ','")
  switch fault.problem {
  case let problem where problem.contains("tab character") || character == "\t":
    return mistake("YAML cannot be indented with tabs", "indent with spaces")
  case "found character that cannot start any token":
    return mistake("unquoted text cannot begin with \"\(shown(character))\"", cure)
  case "did not find expected alphabetic or numeric character":
    return mistakeAtBegin("unquoted text that begins with \"*\" or \"&\" is a reference in YAML", cure)
  case "mapping values are not allowed in this context":
    let what = "unquoted text cannot contain \": \""
    guard !before.contains(": ") else {
      return mistake(what, command == nil ? cure + ", or write a mapping in braces: {key: value}" : cure)
    }
    return source.mistakenKey(above: fault.location.line)
      ?? mistake(what, "indent the key like those above, or quote the value that it continues")
  case "found unexpected ':'":
    return mistake(
      "a colon in braces without a blank after it", "write a blank after the colon, or quote the text")
  case "found unknown escape character":
    return mistake(
      "this is not an escape in double quotes",
      "write the text in single quotes, where \"\\\" is an ordinary character")
  case "found unexpected end of stream":
    return mistakeAtBegin("the quoted text that begins here has no closing quote", "close it")
  case "block sequence entries are not allowed in this context":
    return mistake(
      "\"- \" cannot be on the line of its key", "move it to a new line, or write the list as [a, b]")
  case "could not find expected ':'":
    return source.mistakenKey(on: fault.contextLocation.line)
      ?? mistakeAtBegin("this line is neither a key nor part of the value above", "write key: value")
  case let problem where problem.hasPrefix("did not find expected"):
    if before.last(where: { $0 != " " }) == "}" {
      return mistake("text after \"}\": unquoted text that begins with \"{\" is a mapping", cure)
    }
    guard isInBrackets || problem.hasSuffix("node content") else {
      return mistake(
        "this is neither a key nor part of the value before it",
        "quote the whole value, or indent all keys of a mapping equally; feeds and hooks are not lists")
    }
    let isInText = isInBrackets && before.contains { "[{,:".contains($0) }
    return mistakeInBrackets(fault, in: source, at: isInText ? character : "", cure)
  default: return Mistake(at: fault.location, "invalid YAML: \(fault.problem)")
  }
}

/// The message for a list or mapping in brackets, at a character of its text.
private func mistakeInBrackets(
  _ fault: SyntaxFault, in source: SourceText, at character: String, _ cure: String
) -> Mistake {
  let (begin, end) = (fault.contextLocation.line, fault.location.line)
  // A comment ends with its line, so the fault is behind it.
  let first = fault.problem.hasPrefix("did not find expected ','") ? begin : max(1, end - 3)
  if let comment = source.mistakenComment(from: first, to: end) { return comment }
  if [":", "{", "["].contains(character) {
    return Mistake(
      at: fault.location,
      "unquoted text in brackets cannot contain \"\(character == ":" ? ": " : character)\"",
      cure: cure + ", or add \",\" before the next key")
  }
  return Mistake(
    at: fault.location, "the list or mapping in brackets from line \(begin) on is not complete",
    cure: "close it, add a missing \",\", or quote the text in it")
}

private func unreadableByte(at offset: Int, _ problem: String, in source: SourceText) -> Mistake {
  if source.isUTF16 { return Mistake(at: .start, "the file is UTF-16", cure: "save it as UTF-8") }
  let location = source.location(ofByte: offset)
  return problem.contains("control characters")
    ? Mistake(
      at: location, "a control character", cure: "remove it, or write it as an escape in double quotes")
    : Mistake(at: location, "this is not UTF-8", cure: "save the file as UTF-8")
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
    let characters = String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars
    // libyaml points at an invalid byte in a character, not at its beginning.
    let isInside = characters.last == "\u{FFFD}"
    return Location(
      line: Int32(clamping: 1 + before.count { $0 == "\n" }),
      column: Int32(clamping: characters.count + (isInside ? 0 : 1)))
  }

  /// The mistake that a text of these lines begins with `#`, and is a comment; nil if there is none.
  func mistakenComment(from first: Int32, to last: Int32) -> Mistake? {
    for line in (first...max(first, last)).prefix(20) {
      if let mistake = mistakenComment(after: Location(line: line, column: 1)) { return mistake }
    }
    return nil
  }

  /// The mistake that the text on this line, after this location, is a comment such as `#id`; nil if it is none.
  func mistakenComment(after location: Location) -> Mistake? {
    let line = Array(line(location.line))
    let hash = line.indices.dropFirst(Int(location.column)).first { index in
      line[index] == "#" && line[index - 1] == " " && index + 1 < line.count
        && (line[index + 1].properties.isAlphabetic || "-_".unicodeScalars.contains(line[index + 1]))
    }
    guard let hash, let before = line[..<hash].last(where: { $0 != " " }),
      ":,[{-".unicodeScalars.contains(before)
    else { return nil }
    return Mistake(
      at: Location(line: location.line, column: Int32(clamping: hash + 1)),
      "\"#\" after a blank begins a comment", cure: "quote the text: \"#…\"")
  }

  /// The mistake that a line is a key without its colon, or without the blank after it; nil if it may be other text.
  func mistakenKey(on number: Int32) -> Mistake? {
    let text = content(of: number)
    let key = text.prefix { $0.isLetter || $0.isNumber || "-_".contains($0) }
    guard key.first?.isLetter == true else { return nil }
    let column = line(number).prefix { $0 == " " }.count
    func mistake(_ what: String, write cure: String) -> Mistake {
      Mistake(
        at: Location(line: number, column: Int32(clamping: column + 1)), what, cure: "write \"\(cure)\"")
    }
    let word = shown(String(key))
    let rest = text.dropFirst(key.count)
    let blanks = rest.count { $0 == " " }
    if rest.hasPrefix(":"), !rest.hasPrefix("://"), rest.count > 1, blanks == 0 {
      return mistake("no blank after \"\(word):\"", write: "\(word): …")
    }
    let what = "no colon after \"\(word)\""
    if rest.hasPrefix(" "), blanks == 1 { return mistake(what, write: "\(word): …") }
    guard rest.isEmpty else { return nil }
    let next = (number + 1..<number + 20).first { !content(of: $0).isEmpty } ?? number
    if line(next).prefix(while: { $0 == " " }).count > column { return mistake(what, write: "\(word):") }
    return KeyTable.homes[word] == nil ? nil : mistake(what, write: "\(word): …")
  }

  /// The mistake in the text above a line that begins where a mapping must be; nil if that text is a value.
  func mistakenKey(above number: Int32) -> Mistake? {
    var first = number
    for line in (max(1, number - 20)..<number).reversed() {
      let text = content(of: line)
      if text.hasSuffix(":") { break }
      if text.contains(": ") { return nil }
      if !text.isEmpty, text != "---" { first = line }
    }
    return first == number ? nil : mistakenKey(on: first)
  }

  /// The characters of a line between its indentation and a comment.
  private func content(of number: Int32) -> String {
    let text = String(line(number))
    let comment = text.hasPrefix("#") ? text.startIndex : text.firstRange(of: " #")?.lowerBound
    return trimmedOfBlanks(text[..<(comment ?? text.endIndex)])
  }

  /// Whether the file is UTF-16, by its byte order mark.
  var isUTF16: Bool { bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) }
}

// Reads JSON text into a JSONValue (RFC 8259).

/// Parses one JSON document.
struct JSONParser {
  /// The maximum depth of objects and arrays; a document with deeper ones is refused, because they could exhaust the stack.
  static let deepest = 100

  private let source: [Unicode.Scalar]
  private var position = 0
  /// The document read so far, on one line, without white space between its tokens.
  ///
  /// Numbers, strings and their escapes stay as they are written, so that it is never longer than the
  /// document.
  private(set) var compact = ""

  init(_ text: String) {
    source = Array(text.unicodeScalars)
  }

  /// The document's value; nil if the text is not exactly one JSON value.
  mutating func parse() -> JSONValue? {
    let value = parseValue(depth: 0)
    return next() == nil ? value : nil
  }

  private mutating func parseValue(depth: Int) -> JSONValue? {
    guard depth < Self.deepest else { return nil }
    if parseToken("[") {
      var elements: [JSONValue] = []
      while !parseToken("]") {
        guard elements.isEmpty || parseToken(","), let value = parseValue(depth: depth + 1) else {
          return nil
        }
        elements.append(value)
      }
      return .array(elements)
    }
    guard parseToken("{") else { return parseScalar() }
    var members: [(name: String, value: JSONValue)] = []
    while !parseToken("}") {
      guard members.isEmpty || parseToken(","), next() == "\"", let name = parseString(), parseToken(":"),
        let value = parseValue(depth: depth + 1)
      else { return nil }
      members.append((name, value))
    }
    return .object(members)
  }

  private mutating func parseScalar() -> JSONValue? {
    switch next() {
    case "\"": parseString().map(JSONValue.string)
    case "t": parseWord("true") ? .bool(true) : nil
    case "f": parseWord("false") ? .bool(false) : nil
    case "n": parseWord("null") ? .null : nil
    default: parseNumber()
    }
  }

  private mutating func parseWord(_ word: String) -> Bool {
    word.unicodeScalars.allSatisfy { parse($0) }
  }

  private mutating func parseNumber() -> JSONValue? {
    let start = position
    _ = parse("-")
    guard parse("0") || parseDigits() else { return nil }
    var isWhole = true
    if parse(".") {
      isWhole = false
      guard parseDigits() else { return nil }
    }
    if parse("e") || parse("E") {
      isWhole = false
      _ = parse("+") || parse("-")
      guard parseDigits() else { return nil }
    }
    let text = String(String.UnicodeScalarView(source[start..<position]))
    // -0 is no number of its own.
    guard isWhole, let number = Int64(text), String(number) == text else { return .literal(text) }
    return .number(number)
  }

  private mutating func parseDigits() -> Bool {
    let start = position
    while let scalar = here, ("0"..."9").contains(scalar) { advance() }
    return position > start
  }

  private mutating func parseString() -> String? {
    guard parse("\"") else { return nil }
    var text = String.UnicodeScalarView()
    while let scalar = here {
      advance()
      switch scalar {
      case "\"": return String(text)
      case "\\":
        guard let escaped = parseEscaped() else { return nil }
        text.append(escaped)
      case ..<" ": return nil
      default: text.append(scalar)
      }
    }
    return nil
  }

  /// Reads an escape after its backslash; an unpaired surrogate becomes U+FFFD.
  private mutating func parseEscaped() -> Unicode.Scalar? {
    guard let mark = here else { return nil }
    advance()
    switch mark {
    case "\"", "\\", "/": return mark
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      guard let unit = unit(at: position) else { return nil }
      advance(4)
      guard (0xD800...0xDBFF).contains(unit), source[position...].starts(with: ["\\", "u"]),
        let low = self.unit(at: position + 2), (0xDC00...0xDFFF).contains(low)
      else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
      advance(6)
      return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    default: return nil
    }
  }

  /// The number that four hexadecimal digits write; nil if they are not there.
  private func unit(at index: Int) -> UInt32? {
    guard index + 4 <= source.count else { return nil }
    return source[index..<(index + 4)].reduce(0 as UInt32?) { unit, scalar in
      guard let unit, scalar.isASCII, let digit = Character(scalar).hexDigitValue else { return nil }
      return unit << 4 | UInt32(digit)
    }
  }

  private var here: Unicode.Scalar? { position < source.count ? source[position] : nil }

  /// The next character behind white space; nil at the end.
  private mutating func next() -> Unicode.Scalar? {
    while let scalar = here, [" ", "\n", "\t", "\r"].contains(scalar) { position += 1 }
    return here
  }

  private mutating func advance(_ count: Int = 1) {
    compact.unicodeScalars.append(contentsOf: source[position..<(position + count)])
    position += count
  }

  /// Takes the character here if it is the expected one.
  private mutating func parse(_ expected: Unicode.Scalar) -> Bool {
    guard here == expected else { return false }
    advance()
    return true
  }

  private mutating func parseToken(_ token: Unicode.Scalar) -> Bool {
    next() == token && parse(token)
  }
}

// Reads JSON text into a JSONValue (RFC 8259).

/// Parses one JSON document without recursion, so that deep nesting cannot exhaust the stack.
struct JSONParser {
  /// The depth to which the contents of objects and arrays are kept; deeper ones are empty.
  static let deepest = 8

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

  /// An object or array that is still open.
  private struct Container {
    let isObject: Bool
    /// The name of the member whose value comes next.
    var name = ""
    /// The members; those of an array have no names.
    var members: [(name: String, value: JSONValue)] = []

    var value: JSONValue { isObject ? .object(members) : .array(members.map(\.value)) }
  }

  /// The document's value; nil if the text is not exactly one JSON value.
  mutating func parse() -> JSONValue? {
    var open: [Container] = []
    while true {
      var value: JSONValue
      if parseToken("{") || parseToken("[") {
        let isObject = compact.unicodeScalars.last == "{"
        if !parseToken(isObject ? "}" : "]") {
          open.append(Container(isObject: isObject))
          guard !isObject || parseName(for: &open) else { return nil }
          continue
        }
        value = Container(isObject: isObject).value
      } else if let scalar = parseScalar() {
        value = scalar
      } else {
        return nil
      }
      // Add the value to its container, and close every container that ends after it.
      while true {
        // A copy of the container would copy its members at each of them.
        guard let (isObject, name) = open.last.map({ ($0.isObject, $0.name) }) else {
          return next() == nil ? value : nil
        }
        if open.count <= Self.deepest { open[open.count - 1].members.append((name, value)) }
        if parseToken(",") {
          guard !isObject || parseName(for: &open) else { return nil }
          break
        }
        guard parseToken(isObject ? "}" : "]") else { return nil }
        value = open.removeLast().value
      }
    }
  }

  private mutating func parseName(for open: inout [Container]) -> Bool {
    guard next() == "\"", let name = parseString(), parseToken(":") else { return false }
    open[open.count - 1].name = name
    return true
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

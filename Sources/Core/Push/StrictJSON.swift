// Strict JSON (RFC 8259), for push payloads: their senders should learn of mistakes.
// Feeds are read by JSONScanner in Formats, which tolerates what is found on the web.

/// A JSON value, reduced to what pushes need.
enum StrictJSON {
  case string(String)
  /// A number without fraction and exponent, as it is written.
  case wholeNumber(String)
  case bool(Bool)
  case null
  /// An object's members in their order, with repeated names.
  case object([(name: String, value: StrictJSON)])
  /// An array, any other number, or an object nested deeper than `StrictJSONParser.deepest`.
  case other
}

/// Parses one JSON document without recursion, so that deep nesting cannot exhaust the stack.
struct StrictJSONParser {
  /// The depth to which the members of objects are kept: the root, `aps` and `aps.alert`.
  static let deepest = 3

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
    var members: [(name: String, value: StrictJSON)] = []
  }

  /// The document's value; nil if the text is not exactly one JSON value.
  mutating func parse() -> StrictJSON? {
    var open: [Container] = []
    while true {
      var value: StrictJSON
      if takeToken("{") || takeToken("[") {
        let isObject = compact.unicodeScalars.last == "{"
        if !takeToken(isObject ? "}" : "]") {
          open.append(Container(isObject: isObject))
          guard !isObject || takeName(for: &open) else { return nil }
          continue
        }
        value = isObject && open.count < Self.deepest ? .object([]) : .other
      } else if let scalar = takeScalar() {
        value = scalar
      } else {
        return nil
      }
      // Add the value to its container, and close every container that ends after it.
      while true {
        guard let container = open.last else { return next() == nil ? value : nil }
        if container.isObject, open.count <= Self.deepest {
          open[open.count - 1].members.append((container.name, value))
        }
        if takeToken(",") {
          guard !container.isObject || takeName(for: &open) else { return nil }
          break
        }
        guard takeToken(container.isObject ? "}" : "]") else { return nil }
        let members = open.removeLast().members
        value = container.isObject && open.count < Self.deepest ? .object(members) : .other
      }
    }
  }

  private mutating func takeName(for open: inout [Container]) -> Bool {
    guard next() == "\"", let name = takeString(), takeToken(":") else { return false }
    open[open.count - 1].name = name
    return true
  }

  private mutating func takeScalar() -> StrictJSON? {
    switch next() {
    case "\"": takeString().map(StrictJSON.string)
    case "t": takeWord("true") ? .bool(true) : nil
    case "f": takeWord("false") ? .bool(false) : nil
    case "n": takeWord("null") ? .null : nil
    default: takeNumber()
    }
  }

  private mutating func takeWord(_ word: String) -> Bool {
    word.unicodeScalars.allSatisfy { take($0) }
  }

  private mutating func takeNumber() -> StrictJSON? {
    let start = position
    _ = take("-")
    guard take("0") || takeDigits() else { return nil }
    var isWhole = true
    if take(".") {
      isWhole = false
      guard takeDigits() else { return nil }
    }
    if take("e") || take("E") {
      isWhole = false
      _ = take("+") || take("-")
      guard takeDigits() else { return nil }
    }
    return isWhole ? .wholeNumber(String(String.UnicodeScalarView(source[start..<position]))) : .other
  }

  private mutating func takeDigits() -> Bool {
    let start = position
    while let scalar = here, ("0"..."9").contains(scalar) { advance() }
    return position > start
  }

  private mutating func takeString() -> String? {
    guard take("\"") else { return nil }
    var text = String.UnicodeScalarView()
    while let scalar = here {
      advance()
      switch scalar {
      case "\"": return String(text)
      case "\\":
        guard let escaped = takeEscaped() else { return nil }
        text.append(escaped)
      case ..<" ": return nil
      default: text.append(scalar)
      }
    }
    return nil
  }

  /// Reads an escape after its backslash; an unpaired surrogate becomes U+FFFD.
  private mutating func takeEscaped() -> Unicode.Scalar? {
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
  private func unit(at place: Int) -> UInt32? {
    guard place + 4 <= source.count else { return nil }
    return source[place..<(place + 4)].reduce(0 as UInt32?) { unit, scalar in
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
  private mutating func take(_ expected: Unicode.Scalar) -> Bool {
    guard here == expected else { return false }
    advance()
    return true
  }

  private mutating func takeToken(_ token: Unicode.Scalar) -> Bool {
    next() == token && take(token)
  }
}

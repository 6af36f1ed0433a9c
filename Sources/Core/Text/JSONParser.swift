// Reads JSON text into a JSONValue (RFC 8259): strictly, or as documents are found on the web.

/// The reason why a document is not read.
public enum JSONFailure: Error, Equatable, Sendable {
  /// It is cut off, is not JSON, or is too deep or too large.
  case broken
  case stopped
}

/// Reads a document as it is found on the web: superfluous or missing commas, words such as `NaN`, unknown escapes, and control
/// characters in strings do no harm.
///
/// - Returns: the value, and the index after it.
public func readJSON(
  _ source: UnsafeBufferPointer<UInt8>, shouldStop: @escaping ShouldStop = { false }
) throws(JSONFailure) -> (value: JSONValue, end: Int) {
  var parser = JSONParser(source, isTolerant: true, shouldStop: shouldStop)
  let value = try parser.parseValue()
  return (value, parser.position)
}

extension JSONValue {
  /// The value of a JSON document; nil if the text is not exactly one JSON value.
  public init?(parsing text: String) {
    var text = text
    let value = text.withUTF8 { source -> JSONValue? in
      var parser = JSONParser(source, isTolerant: false, shouldStop: { false })
      guard let value = try? parser.parseValue(), parser.next() == nil else { return nil }
      return value
    }
    guard let value else { return nil }
    self = value
  }
}

/// Parses one JSON document.
private struct JSONParser {
  /// The maximum depth of objects and arrays; a document with deeper ones is refused, because they could exhaust the stack.
  static let deepest = 100
  /// The maximum number of values, far more than any document has: each takes more memory than its text.
  static let mostValues = 2_000_000

  private let source: UnsafeBufferPointer<UInt8>
  private let isTolerant: Bool
  private var stopCheck: StopCheck
  private(set) var position = 0
  private var valuesLeft = mostValues

  init(_ source: UnsafeBufferPointer<UInt8>, isTolerant: Bool, shouldStop: @escaping ShouldStop) {
    (self.source, self.isTolerant, stopCheck) = (source, isTolerant, StopCheck(shouldStop))
  }

  mutating func parseValue(depth: Int = 0) throws(JSONFailure) -> JSONValue {
    if stopCheck.stops(at: position) { throw .stopped }
    valuesLeft -= 1
    guard depth < Self.deepest, valuesLeft >= 0 else { throw .broken }
    switch next() {
    case "[":
      position += 1
      var elements: [JSONValue] = []
      while try hasMore(before: "]", isFirst: elements.isEmpty) {
        elements.append(try parseValue(depth: depth + 1))
      }
      return .array(elements)
    case "{":
      position += 1
      var members: [(name: String, value: JSONValue)] = []
      while try hasMore(before: "}", isFirst: members.isEmpty) {
        guard next() == "\"", case let name = try parseString(), takeToken(":") else { throw .broken }
        members.append((name, try parseValue(depth: depth + 1)))
      }
      return .object(members)
    case "\"": return .string(try parseString())
    case _ where isTolerant: return try parseWrittenWord()
    case "t": return try parseWord("true", .bool(true))
    case "f": return try parseWord("false", .bool(false))
    case "n": return try parseWord("null", .null)
    default: return try parseNumber()
    }
  }

  /// Whether an object or array goes on; its end is taken.
  private mutating func hasMore(before end: UInt8, isFirst: Bool) throws(JSONFailure) -> Bool {
    while isTolerant, takeToken(",") {}
    if takeToken(end) { return false }
    guard isTolerant || isFirst || takeToken(",") else { throw .broken }
    return true
  }

  /// Parses a number or a word as programs write them: `NaN`, `Infinity` and other words that are none of JSON count as null.
  private mutating func parseWrittenWord() throws(JSONFailure) -> JSONValue {
    let start = position
    while let byte = here, byte.isASCIILetterOrDigit || "+-.".utf8.contains(byte) {
      position += 1
    }
    let text = String(decoding: source[start..<position], as: UTF8.self)
    guard let first = text.utf8.first else { throw .broken }
    if let number = Int64(text), String(number) == text { return .number(number) }
    switch text {
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      return first.isASCIIDigit || text.dropFirst().utf8.first?.isASCIIDigit ?? false ? .literal(text) : .null
    }
  }

  private mutating func parseWord(_ word: String, _ value: JSONValue) throws(JSONFailure) -> JSONValue {
    guard source[position...].starts(with: word.utf8) else { throw .broken }
    position += word.utf8.count
    return value
  }

  private mutating func parseNumber() throws(JSONFailure) -> JSONValue {
    let start = position
    _ = take("-")
    guard take("0") || takeDigits() else { throw .broken }
    var isWhole = true
    if take(".") {
      isWhole = false
      guard takeDigits() else { throw .broken }
    }
    if take("e") || take("E") {
      isWhole = false
      _ = take("+") || take("-")
      guard takeDigits() else { throw .broken }
    }
    let text = String(decoding: source[start..<position], as: UTF8.self)
    // -0 is no number of its own.
    guard isWhole, let number = Int64(text), String(number) == text else { return .literal(text) }
    return .number(number)
  }

  private mutating func takeDigits() -> Bool {
    let start = position
    while let byte = here, byte.isASCIIDigit { position += 1 }
    return position > start
  }

  // MARK: Strings

  private mutating func parseString() throws(JSONFailure) -> String {
    position += 1
    var start = position
    /// The text before the last escape.
    var text: [UInt8] = []
    while let byte = here {
      position += 1
      switch byte {
      case "\"":
        let end = source[start..<(position - 1)]
        return text.isEmpty
          ? String(decoding: end, as: UTF8.self) : String(decoding: text + end, as: UTF8.self)
      case "\\":
        text += source[start..<(position - 1)]
        if let scalar = try parseEscape() { text += UTF8.encode(scalar) ?? .init() }
        start = position
      case ..<0x20: guard isTolerant else { throw .broken }
      default: break
      }
    }
    throw .broken
  }

  /// Reads an escape after its backslash; an unpaired surrogate becomes U+FFFD, and a backslash before a letter of another
  /// alphabet means nothing.
  private mutating func parseEscape() throws(JSONFailure) -> Unicode.Scalar? {
    guard let mark = here else { throw .broken }
    position += 1
    switch mark {
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      if let unit = takeUnit() { return scalar(of: unit) }
    case "\"", "\\", "/": return Unicode.Scalar(mark)
    default: break
    }
    guard isTolerant else { throw .broken }
    guard mark < 0x80 else {
      position -= 1
      return nil
    }
    return Unicode.Scalar(mark)
  }

  /// The character of a unit of UTF-16, with the second surrogate of a pair.
  private mutating func scalar(of unit: UInt32) -> Unicode.Scalar {
    let end = position
    if (0xD800...0xDBFF).contains(unit), take("\\"), take("u"), let low = takeUnit(),
      (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    {
      return scalar
    }
    position = end
    return Unicode.Scalar(unit) ?? "\u{FFFD}"
  }

  /// Takes the number that four hexadecimal digits write; nil if they are not there.
  private mutating func takeUnit() -> UInt32? {
    let digits = source[position...].prefix(4).compactMap(\.hexDigitValue)
    guard digits.count == 4 else { return nil }
    position += 4
    return digits.reduce(0) { $0 << 4 | UInt32($1) }
  }

  // MARK: Tokens

  private var here: UInt8? { position < source.count ? source[position] : nil }

  /// The next byte behind white space; nil at the end.
  mutating func next() -> UInt8? {
    while let byte = here, byte <= 0x20, [0x20, 0x0A, 0x09, 0x0D].contains(byte) { position += 1 }
    return here
  }

  /// Takes the byte here if it is the expected one.
  private mutating func take(_ expected: UInt8) -> Bool {
    guard here == expected else { return false }
    position += 1
    return true
  }

  private mutating func takeToken(_ token: UInt8) -> Bool { next() == token && take(token) }
}

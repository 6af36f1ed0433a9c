// JSON to write, ordered, on one line or indented; and to read (RFC 8259), strictly: push payloads, whose senders should learn
// of mistakes, and texts that bgfetch wrote. Feeds are read by JSONScanner in Formats, which tolerates what is on the web.

/// A JSON value whose objects keep their order.
///
/// Equality compares the written text.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Int64)
  /// Another number, as it is written.
  case literal(String)
  case string(String)
  case array([JSONValue])
  /// The names should be unique.
  case object([(name: String, value: JSONValue)])

  public static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  public static func == (left: JSONValue, right: JSONValue) -> Bool { left.text == right.text }

  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// One line of JSON (RFC 8259).
  public var text: String {
    var output = ""
    write(to: &output)
    return output
  }

  private func write(to output: inout String) {
    switch self {
    case .null: output += "null"
    case .bool(let value): output += value ? "true" : "false"
    case .number(let value): output += String(value)
    case .literal(let text): output += text
    case .string(let value): Self.write(value, to: &output)
    case .array(let values):
      output += "["
      for (index, value) in values.enumerated() {
        if index > 0 { output += "," }
        value.write(to: &output)
      }
      output += "]"
    case .object(let members):
      output += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { output += "," }
        Self.write(member.name, to: &output)
        output += ":"
        member.value.write(to: &output)
      }
      output += "}"
    }
  }

  private static func write(_ text: String, to output: inout String) {
    output += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      case _ where scalar.controlsTerminal: output += scalar.jsonEscape
      default: output.unicodeScalars.append(scalar)
      }
    }
    output += "\""
  }
}

extension JSONValue {
  /// JSON (RFC 8259) for people: one member a line, indented by two blanks a level.
  public var indentedText: String { text(indentedBy: 0) }

  private func text(indentedBy depth: Int) -> String {
    let indent = String(repeating: " ", count: depth * 2)
    switch self {
    case .array(let values) where values.contains(where: \.isContainer):
      let lines = values.map { indent + "  " + $0.text(indentedBy: depth + 1) }
      return "[\n" + lines.joined(separator: ",\n") + "\n" + indent + "]"
    case .object(let members) where !members.isEmpty:
      let lines = members.map { member in
        "\(indent)  \(JSONValue.string(member.name).text): \(member.value.text(indentedBy: depth + 1))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n" + indent + "}"
    default:
      return text
    }
  }

  private var isContainer: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }
}

extension JSONValue {
  /// The value of a JSON document; nil if the text is not exactly one JSON value.
  public init?(parsing text: String) {
    var parser = JSONParser(text)
    guard let value = parser.parse() else { return nil }
    self = value
  }

  /// The members of an object, in their order and with repeated names; none of another value.
  public var members: [(name: String, value: JSONValue)] {
    if case .object(let members) = self { members } else { [] }
  }

  /// The values of an array; none of another value.
  public var elements: [JSONValue] {
    if case .array(let values) = self { values } else { [] }
  }

  /// The value of a member; nil if there is none, or this is not an object.
  public subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

  /// The text of a string; nil for another value.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// A whole number; nil for another value.
  public var whole: Int64? {
    if case .number(let number) = self { number } else { nil }
  }
}

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

/// A value that is written as JSON in one way only.
public protocol JSONConvertible {
  /// The value as JSON.
  var json: JSONValue { get }
}

/// The members of an object in their order; nil is `null`.
public typealias JSONMembers = KeyValuePairs<String, (any JSONConvertible)?>

extension JSONValue: JSONConvertible {
  public var json: JSONValue { self }

  /// An object with these members.
  public init(_ members: JSONMembers) { self = .object(members.map { ($0.key, $0.value?.json ?? .null) }) }

  /// The object with the members of another one after its own.
  public func adding(_ other: JSONValue) -> JSONValue { .object(members + other.members) }
}

extension String: JSONConvertible { public var json: JSONValue { .string(self) } }
extension Bool: JSONConvertible { public var json: JSONValue { .bool(self) } }
extension BinaryInteger where Self: JSONConvertible {
  public var json: JSONValue { .number(Int64(clamping: self)) }
}
extension Int: JSONConvertible {}
extension Int32: JSONConvertible {}
extension Int64: JSONConvertible {}
extension Timestamp: JSONConvertible { public var json: JSONValue { .string(rfc3339) } }
extension Instant: JSONConvertible { public var json: JSONValue { .string(rfc3339) } }
extension FeedName: JSONConvertible { public var json: JSONValue { .string(text) } }
extension Array: JSONConvertible where Element: JSONConvertible {
  public var json: JSONValue { .array(map(\.json)) }
}

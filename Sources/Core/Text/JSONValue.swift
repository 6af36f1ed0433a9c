// JSON: its values, in their order; written on one line or indented. JSONParser reads it.

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
    var rest = text.unicodeScalars[...]
    while let index = rest.firstIndex(where: { $0 == "\"" || $0 == "\\" || $0.controlsTerminal }) {
      output += String(rest[..<index])
      switch rest[index] {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      case let scalar: output += scalar.jsonEscape
      }
      rest = rest[index...].dropFirst()
    }
    output += String(rest)
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

  /// The values to which a pointer leads, in their order.
  public func values(at pointer: JSONPointer) -> [JSONValue] { values(at: pointer.tokens[...]) }

  /// The values to which the tokens of a pointer lead, in their order.
  public func values(at tokens: ArraySlice<JSONPointer.Token>) -> [JSONValue] {
    guard let token = tokens.first else { return [self] }
    let next: [JSONValue] =
      switch (self, token) {
      case (.object(let members), .every): members.map(\.value)
      case (.object(let members), .member(let name, _)): members.filter { $0.name == name }.map(\.value)
      case (.array(let elements), .every): elements
      case (.array(let elements), .member(_, let index?)) where index < elements.count: [elements[index]]
      default: []
      }
    return next.flatMap { $0.values(at: tokens.dropFirst()) }
  }

  /// A whole number; nil for another value.
  public var whole: Int64? {
    if case .number(let number) = self { number } else { nil }
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

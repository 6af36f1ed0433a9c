// JSON to write: ordered, on one line or indented. JSONParser reads it.

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

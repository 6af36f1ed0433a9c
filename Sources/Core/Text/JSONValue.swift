// JSON as it is written: ordered, compact, one line. Reading JSON is FeedReading's business.

/// A JSON value whose objects keep their order.
public enum JSONValue: Hashable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number.
  case number(Int64)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object; names are expected to be different.
  case object([(name: String, value: JSONValue)])

  /// A string, or `null` for nil.
  public static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  /// Whether two values would be written alike.
  public static func == (left: JSONValue, right: JSONValue) -> Bool { left.text == right.text }

  /// Hashes the written form.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// The value as one line of JSON (RFC 8259).
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
      case _ where scalar.isSteering: output += scalar.jsonEscape
      default: output.unicodeScalars.append(scalar)
      }
    }
    output += "\""
  }
}

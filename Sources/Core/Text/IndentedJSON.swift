// JSON for people: one member a line.

extension JSONValue {
  /// The value as lines of JSON (RFC 8259), indented by two blanks a level.
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

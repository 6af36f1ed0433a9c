// A configuration as a bug report may show it: its keys, numbers and fixed words, without names, addresses and texts of a person.

import Core

/// The configuration as YAML, with `…` in place of each name and text that is not a word of the schema; nil if it is not YAML.
///
/// Numbers, durations and sizes stay. No key takes a secret as a text, but addresses, headers and commands can hold some.
public func maskedConfiguration(_ bytes: [UInt8]) -> String? {
  guard let tree = composeTree(bytes, ConfigurationPass(), mayBeEmpty: true)
  else { return nil }
  let mask = Mask()
  return mask.lines(of: tree, by: mask.alternatives(mask.schema), indent: "").joined(separator: "\n")
}

/// Shows of each value what the schema has at its place: keys, fixed words, and quantities where a quantity belongs.
private struct Mask {
  let schema = configurationSchema()

  /// A schema, with its alternatives and those of its references.
  func alternatives(_ schema: JSONValue?) -> [JSONValue] {
    guard let schema else { return [] }
    if let path = schema["$ref"]?.string {
      return alternatives(path.split(separator: "/").dropFirst().reduce(self.schema) { $0?[String($1)] })
    }
    return [schema] + (schema["anyOf"]?.elements ?? []).flatMap(alternatives)
  }

  /// The lines of a value below its key.
  func lines(of node: Node, by schemas: [JSONValue], indent: String) -> [String] {
    switch node.content {
    case .scalar(let scalar): return [indent + masked(scalar.text, by: schemas)]
    case .unusable: return [indent + "…"]
    case .sequence(let values):
      let schemas = schemas.flatMap { alternatives($0["items"]) }
      return values.flatMap { value in
        value.text.map { [indent + "- " + masked($0, by: schemas)] } ?? [indent + "-"]
          + lines(of: value, by: schemas, indent: indent + "  ")
      }
    case .mapping(let entries):
      return entries.enumerated().flatMap { number, entry in
        let known = schemas.flatMap { alternatives($0["properties"]?[entry.key]) }
        let key = indent + (known.isEmpty ? "…\(number + 1)" : entry.key) + ":"
        let schemas = known.isEmpty ? schemas.flatMap { alternatives($0["additionalProperties"]) } : known
        return entry.value.text.map { [key + " " + masked($0, by: schemas)] }
          ?? [key] + lines(of: entry.value, by: schemas, indent: indent + "  ")
      }
    }
  }

  private func masked(_ text: String, by schemas: [JSONValue]) -> String {
    var isQuantity: Bool {
      let size = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
      return Int64(text) != nil || Interval(text: text) != nil || ByteCount(text: size) != nil
    }
    let isShown = schemas.contains { schema in
      schema["enum"]?.elements.contains(wordValue(text)) == true
        || quantitySchemas.contains { $0["type"] == schema["type"] && $0["pattern"] == schema["pattern"] }
          && isQuantity
    }
    return isShown || text.isEmpty ? text : "…"
  }
}

// A configuration as a bug report may show it: its keys, numbers and fixed words, without names, addresses and texts of a person.

import Core

/// The configuration as YAML, with `…` in place of each name and text that is not a word of the schema; nil if it is not YAML.
///
/// Numbers, durations and sizes stay. No key takes a secret as a text, but addresses, headers and commands can hold some.
public func maskedConfiguration(_ bytes: [UInt8]) -> String? {
  let context = ConfigurationContext(environment: [:], home: "", isZone: { _ in false })
  let pass = ConfigurationPass(file: "", path: "/", context: context)
  guard bytes.count <= context.limits.largest.bytes, let tree = composeTree(bytes, pass, mayBeEmpty: true)
  else { return nil }
  let mask = Mask(configurationSchema())
  return mask.lines(of: tree, indent: "").joined(separator: "\n")
}

/// The texts that may be shown: the keys and fixed words of the schema, and quantities.
private struct Mask {
  private var keys: Set<String> = []
  private var words: Set<String> = ["none", "true", "false", "null", "~", ""]

  init(_ schema: JSONValue) { add(schema) }

  /// Adds the names of keys and the values of enumerations.
  private mutating func add(_ schema: JSONValue) {
    switch schema {
    case .object(let members):
      for (name, value) in members {
        switch (name, value) {
        case ("properties", .object(let keys)): self.keys.formUnion(keys.map(\.name))
        case ("enum", .array(let values)):
          for case .string(let word) in values { words.insert(word) }
        default: break
        }
        add(value)
      }
    case .array(let values): for value in values { add(value) }
    default: break
    }
  }

  /// The lines of a value below its key.
  func lines(of node: Node, indent: String) -> [String] {
    switch node.content {
    case .scalar(let scalar): [indent + masked(scalar.text)]
    case .unusable: [indent + "…"]
    case .sequence(let values):
      values.flatMap { value in
        value.text.map { [indent + "- " + masked($0)] } ?? [indent + "-"]
          + lines(of: value, indent: indent + "  ")
      }
    case .mapping(let entries):
      entries.enumerated().flatMap { number, entry in
        let key = indent + (keys.contains(entry.key) ? entry.key : "…\(number + 1)") + ":"
        return entry.value.text.map { [key + " " + masked($0)] }
          ?? [key] + lines(of: entry.value, indent: indent + "  ")
      }
    }
  }

  private func masked(_ text: String) -> String { words.contains(text) || isQuantity(text) ? text : "…" }

  /// Whether a text is a number, a duration such as `1h30m` or a size such as `20 MiB`.
  private func isQuantity(_ text: String) -> Bool {
    let units: Set<Substring> = [
      "", "s", "m", "h", "d", "w", "%", "B", "kB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB",
    ]
    var rest = Substring(text)
    guard text.utf8.count <= 12 else { return false }
    while let first = rest.first, first.isASCII, first.isNumber {
      rest = rest.drop { $0.isASCII && $0.isNumber || $0 == "." }
      let unit = rest.drop { $0 == " " }.prefix { $0.isLetter || $0 == "%" }
      guard units.contains(unit) else { return false }
      rest = rest[unit.endIndex...]
    }
    return rest.isEmpty
  }
}

// The fingerprints of the sections that must be the same on all machines that share a state.

import Core

/// The sections of all files without what may differ between machines: places, budgets, and the keys of
/// `KeyTable.keysOfMachine`.
///
/// - Parameter feeds: the sum of the fingerprints of all feeds.
func sharedSections(_ parts: [ConfigurationPart], feeds: UInt64) -> SharedSections {
  var fingerprints = ["feeds": feeds]
  for key in ["timezone", "network", "defaults", "profiles", "hooks"] {
    for part in parts {
      guard let entry = part.top.entry(key) else { continue }
      fingerprints[key, default: 0] &+= fingerprint(of: entry, below: key)
    }
  }
  return SharedSections(fingerprints)
}

/// The fingerprint of a key with its value, in which neither comments nor the order of keys count.
///
/// - Parameter path: the path of the key in the table; below a key without machine's keys it is not needed.
func fingerprint(of entry: Node.Entry, below path: String = "") -> UInt64 {
  var fingerprint = Fingerprint(of: entry.key)
  fingerprint.add(entry.value, below: path)
  return fingerprint.value
}

extension Fingerprint {
  fileprivate mutating func add(_ node: Node, below path: String) {
    switch node.content {
    case .scalar(let scalar):
      // `none` removes a value, "none" is a text.
      add(byte: node.isNull || node.isNone ? 0 : 1)
      add(scalar.text)
    case .sequence(let nodes):
      add(byte: 2)
      for node in nodes { add(node, below: "") }
      add(byte: 3)
    case .mapping(let entries):
      add(byte: 4)
      let left = KeyTable.keysOfMachine[path] ?? []
      let kept = entries.filter { !left.contains($0.key) }
      let inner = path == "hooks" ? "hooks.*" : ""
      add(String(kept.reduce(0) { $0 &+ fingerprint(of: $1, below: inner) }))
    case .unusable: add(byte: 5)
    }
  }
}

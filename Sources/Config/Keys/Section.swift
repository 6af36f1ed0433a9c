// A mapping of known keys: checks the keys against the table, and gives their values.

/// A mapping whose keys are those of one path of the table.
struct Section {
  let place: Place
  /// The keys that are probably meant by unknown ones.
  private(set) var misspelt: Set<String> = []
  private let entries: [Node.Entry]
  let pass: ConfigurationPass

  /// The mapping of a field, with known keys only; nil, with a mistake, if it is not a mapping.
  ///
  /// A missing value counts as an empty mapping, because every line in it may be commented out. Keys that the caller
  /// refuses are not suggested.
  init?(
    _ field: Field, path: String, expecting expected: String = "a mapping", refusing refused: Set<String> = []
  ) {
    guard let entries = field.entries(expecting: expected) else { return nil }
    self.init(entries, at: field.node.place, path: path, refusing: refused, field.pass)
  }

  /// The mapping of a whole file, which may be restricted to some of the keys.
  init(
    _ entries: [Node.Entry], at place: Place, path: String, only: Set<String>? = nil,
    refusing refused: Set<String> = [], _ pass: ConfigurationPass
  ) {
    self.entries = entries
    self.place = place
    self.pass = pass
    let known = only ?? KeyTable.children[path] ?? []
    for entry in entries where !known.contains(entry.key) && !entry.key.hasPrefix("x-") {
      let unknown = UnknownKey(entry, in: path, among: known.subtracting(refused))
      pass.report(unknown.mistake)
      if let meant = unknown.meant { misspelt.insert(meant) }
    }
  }

  /// The field of a key, if it is present.
  subscript(key: String) -> Field? {
    entry(key).map { Field($0, pass) }
  }

  /// A key with its value, if it is present.
  func entry(_ key: String) -> Node.Entry? { entries.first { $0.key == key } }

  /// Reads a key into a value, which stays unchanged if the key is missing.
  func read<Value>(_ key: String, into value: inout Value, _ read: (Field) -> Value?) {
    if let field = self[key], let new = read(field) { value = new }
  }

  /// Reads a key of a feed into a value; `none` removes what `defaults` set.
  func read<Value>(_ key: String, into value: inout Value, unset: Value, _ read: (Field) -> Value?) {
    guard let field = self[key] else { return }
    if field.node.isNone { value = unset } else if let new = read(field) { value = new }
  }
}

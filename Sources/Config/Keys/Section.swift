// A mapping of known keys: checks the keys against the table, and hands out their values one by one.

/// A mapping whose keys are those of one path of the table.
struct Section {
  /// Where the mapping begins.
  let place: Place
  /// Keys that are probably there, misspelt.
  private(set) var misspelt: Set<String> = []
  private let entries: [Node.Entry]
  private let pass: ConfigurationPass

  /// The mapping of a field, every key of it known; nil if it is no mapping, which is reported.
  ///
  /// Nothing at all counts as an empty mapping: that is what is left when every line in it is commented out.
  /// Keys that are refused here by the caller are not proposed for one that is unknown.
  init?(
    _ field: Field, path: String, expecting expected: String = "a mapping", refusing refused: Set<String> = []
  ) {
    guard let entries = field.entries(expecting: expected) else { return nil }
    self.init(entries, at: field.node.place, path: path, refusing: refused, field.pass)
  }

  /// A mapping that is no field: the whole file, which may be restricted to some of the keys.
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

  /// The field of a key; nil if it does not stand there.
  subscript(key: String) -> Field? {
    entries.first { $0.key == key }.map { Field($0, pass) }
  }

  /// Reads a key into a value, which stays as it is where the key does not stand.
  func read<Value>(_ key: String, into value: inout Value, _ read: (Field) -> Value?) {
    if let field = self[key], let new = read(field) { value = new }
  }

  /// Reads a key of a feed into a value; `none` takes back what `defaults` gave.
  func read<Value>(_ key: String, into value: inout Value, unset: Value, _ read: (Field) -> Value?) {
    guard let field = self[key] else { return }
    if field.node.isNone { value = unset } else if let new = read(field) { value = new }
  }
}

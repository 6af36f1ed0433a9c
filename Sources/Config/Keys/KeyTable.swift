// The table of keys: one row a key gives its values and how they are read into a setting, its default, and its purpose. The
// default is the setting's own; `none` in a feed gives it back.

import Core

/// One key of the configuration.
public struct ConfigurationKey: Sendable {
  /// The dotted path, such as `feeds.*.notify.title`; `*` is a name that the user chooses.
  public let path: String
  /// The allowed values, in the words that ConfigurationSchema reads.
  public let type: String
  /// The default as one would write it; nil if there is none.
  public let defaultText: String?
  /// The purpose, in one line.
  public let help: String
  /// Whether its mapping must have it.
  public let isRequired: Bool
}

/// The keys of one mapping, which are read into a `Target`.
struct Keys<Target>: Sendable {
  /// Reads a field over earlier values.
  typealias Reader = @Sendable (_ field: Field, _ target: inout Target) throws(Mistake) -> Void

  /// The path of the mapping in the table; empty for a whole file.
  let path: String
  /// The names of these keys, without names that the user chooses.
  fileprivate(set) var names: [String] = []
  fileprivate var readers: [(name: String, read: Reader)] = []
  /// The rows of each key, and of each mapping below: only who wants the whole table has them made.
  fileprivate var lists: [@Sendable () -> [ConfigurationKey]] = []

  /// The rows of these keys and of those below them.
  var rows: [ConfigurationKey] { lists.flatMap { $0() } }

  /// The keys that a function lists; a value of `standard` is the default of its key.
  init(_ path: String, _ standard: Target, _ list: (inout KeyList<Target>) -> Void) {
    var keys = KeyList(keys: Keys(path), standard: standard)
    list(&keys)
    self = keys.keys
  }

  private init(_ path: String) { self.path = path }

  /// Reads the keys of a mapping over earlier values.
  func read(_ section: Section, into target: inout Target) {
    for (name, read) in readers {
      if let field = section[name] { section.pass.reported(try read(field, &target)) }
    }
  }

  /// Reads a field that must be a mapping of these keys over earlier values.
  @discardableResult
  func read(
    _ field: Field, into target: inout Target, expecting expected: String = "a mapping"
  ) throws(Mistake) -> Section {
    let section = try Section(field, self, expecting: expected)
    read(section, into: &target)
    return section
  }
}

/// The keys of a mapping while they are listed.
struct KeyList<Target> {
  fileprivate var keys: Keys<Target>
  fileprivate let standard: Target

  typealias Path<Value> = any WritableKeyPath<Target, Value> & Sendable

  /// Whether `none` gives back the default of a key.
  private var isUnderFeed: Bool { keys.path.hasPrefix("feeds.*") }

  /// A key with a value of a common type.
  mutating func key<Value>(
    _ name: String, _ path: Path<Value>, _ type: ValueType<Value>,
    isRequired: Bool = false, _ help: String
  ) {
    key(
      name, path, type, default: type.write(standard[keyPath: path]), isRequired: isRequired, help)
  }

  /// A key whose default is written in another way than its value, or not at all.
  mutating func key<Value>(
    _ name: String, _ path: Path<Value>, _ type: ValueType<Value>,
    default text: String?, isRequired: Bool = false, _ help: String
  ) {
    let builtIn = isUnderFeed ? standard[keyPath: path] : nil
    row(name, type.words, text, help, isRequired: isRequired) { field, target throws(Mistake) in
      if field.node.isNone, let none = type.none ?? builtIn {
        target[keyPath: path] = none
      } else {
        target[keyPath: path] = try type.read(field)
      }
    }
  }

  /// A key whose value is nil without it, or with `none`.
  mutating func optional<Value>(
    _ name: String, _ path: Path<Value?>, _ type: ValueType<Value>, default text: String? = "none",
    isRequired: Bool = false, _ help: String
  ) {
    key(name, path, type.optional, default: text, isRequired: isRequired, help)
  }

  /// A key with a mapping of keys, which merges with earlier values.
  mutating func mapping<Value: Sendable>(
    _ name: String, _ path: Path<Value>, _ keys: @autoclosure @escaping @Sendable () -> Keys<Value>,
    expecting expected: String = "a mapping", default text: String = "{}", _ help: String
  ) {
    let builtIn = isUnderFeed ? standard[keyPath: path] : nil
    row(name, "mapping", text, help) { field, target throws(Mistake) in
      if field.node.isNone, let builtIn {
        target[keyPath: path] = builtIn
      } else {
        try keys().read(field, into: &target[keyPath: path], expecting: expected)
      }
    }
    below(keys())
  }

  /// A key with a mapping of keys or `none`, which is nothing.
  mutating func mappingOrNone<Value>(
    _ name: String, _ path: Path<Value?>, _ blank: @escaping @Sendable () -> Value,
    _ keys: @autoclosure @escaping @Sendable () -> Keys<Value>,
    expecting expected: String, default text: String = "none", _ help: String
  ) {
    row(name, "mapping or none", text, help) { field, target throws(Mistake) in
      guard !field.node.isNone else { return target[keyPath: path] = nil }
      var value = target[keyPath: path] ?? blank()
      try keys().read(field, into: &value, expecting: expected)
      target[keyPath: path] = value
    }
    below(keys())
  }

  /// A key that is read by a function of its own, or with other keys if there is none.
  mutating func row(
    _ name: String, _ type: String, _ defaultText: String?, _ help: String, isRequired: Bool = false,
    _ read: Keys<Target>.Reader? = nil
  ) {
    if !name.hasSuffix(".*") { keys.names.append(name) }
    keys.lists.append { [path = keys.path] in
      [
        ConfigurationKey(
          path: path.isEmpty ? name : path + "." + name, type: type, defaultText: defaultText, help: help,
          isRequired: isRequired)
      ]
    }
    if let read { keys.readers.append((name, read)) }
  }

  /// The rows of a mapping, after the key that has it.
  mutating func below<Nested>(_ nested: @autoclosure @escaping @Sendable () -> Keys<Nested>) {
    keys.lists.append { [path = keys.path] in
      let nested = nested()
      return nested.path.hasPrefix(path) ? nested.rows : []
    }
  }
}

// MARK: Reading

/// A mapping whose keys are those of one path of the table.
struct Section {
  let location: Location
  /// Whether a key is unknown, and perhaps a misspelling of one that seems to be missing.
  private(set) var hasUnknownKeys = false
  private let entries: [Node.Entry]
  let pass: ConfigurationPass

  /// The mapping of a field, with known keys only.
  ///
  /// A missing value counts as an empty mapping, because every line in it may be commented out.
  init<Target>(
    _ field: Field, _ keys: Keys<Target>, expecting expected: String = "a mapping"
  ) throws(Mistake) {
    let entries = try field.entries(expecting: expected)
    self.init(entries, at: field.node.location, keys.names, of: keys.path, field.pass)
  }

  /// A mapping with known keys only, whose path the table has.
  init(
    _ entries: [Node.Entry], at location: Location, _ known: [String], of path: String,
    _ pass: ConfigurationPass
  ) {
    (self.entries, self.location, self.pass) = (entries, location, pass)
    for entry in entries where !known.contains(entry.key) && !entry.key.hasPrefix("x-") {
      hasUnknownKeys = true
      pass.report(unknownKey(entry, in: path, among: known))
    }
  }

  /// The field of a key, if it is present.
  subscript(key: String) -> Field? {
    entry(key).map { Field($0, pass) }
  }

  /// A key with its value, if it is present.
  func entry(_ key: String) -> Node.Entry? { entries.first { $0.key == key } }

  /// Whether a key is present and not `none`.
  func has(_ key: String) -> Bool { self[key].map { !$0.node.isNone } ?? false }

  /// Reports keys that do not apply to a thing, unless they are `none`; those of a mapping are written as `push.url`.
  func refuse(_ keys: [String], of thing: String, cure: String = "remove it") {
    for key in keys {
      let parts = key.split(separator: ".").map(String.init)
      let field = parts.count == 1 ? self[key] : self[parts[0]]?.entry(under: parts[1])?.named(key)
      guard let field, !field.node.isNone else { continue }
      pass.report("\(key) does not apply to \(thing)", at: field.keyLocation, cure: cure)
    }
  }
}

// MARK: The whole table

/// Every key, in the order of its lists.
///
/// A row is in the list of its mapping: `Settings.keys` for the top level, `FeedDraft.keys` for a feed, and so on.
/// CONTRIBUTING.md lists the other places of a new key. The schema follows from the words of its type. `defaults` takes the
/// `keysOfDefaults` of `feeds.*`, and `feeds.*.network` some of `network`: they are not written twice.
public let configurationKeys: [ConfigurationKey] = Settings.keys.rows

/// The keys of a secret, which has exactly one of them.
public let secretKeys: [ConfigurationKey] = Keys("", ()) { keys in
  keys.row("env", "name", nil, "the secret is in this environment variable")
  keys.row("file", "path", nil, "the secret is the first line of this file")
  keys.row("credential", "name", nil, "the secret is this systemd credential")
  keys.row("command", "list of text", nil, "the secret is the first line of this program's output")
}.rows

/// The keys of a condition of `filter`.
public let conditionKeys: [ConfigurationKey] = ItemCondition.keys.rows

/// The table, indexed for the readers.
enum KeyTable {
  /// The mappings that have a key of this name, in the order of the table.
  static let homes = Dictionary(grouping: configurationKeys.filter { $0.name != "*" }, by: \.name)
    .mapValues { $0.map(\.parent) }

  /// The keys of a file that another one includes.
  static let keysOfIncludes = ["defaults", "feeds", "hooks"]

  /// The keys of a feed that are allowed in `defaults`.
  static let keysOfDefaults = FeedDraft.keys.names.filter { !["url", "command"].contains($0) }

  /// The keys that may differ between machines that share a state, by the path of their mapping.
  static let keysOfMachine: [String: Set<String>] = [
    "network": ["connections", "rate-limit", "proxy", "ca-file"],
    "hooks.*": ["run", "webhook", "environment"],
  ]

  /// The rows of a mapping, in the order of the table.
  static func rows(under path: String) -> [ConfigurationKey] {
    configurationKeys.filter { $0.parent == path }
  }

  /// The smallest configuration, as a cure.
  static let feedsExample = "write feeds: {planet: https://…}"
}

extension ConfigurationKey {
  /// The path of the mapping that has the key; empty for the whole file.
  var parent: String { dot.map { String(path[..<$0]) } ?? "" }

  var name: String { dot.map { String(path[path.utf8.index(after: $0)...]) } ?? path }

  private var dot: String.Index? { path.utf8.lastIndex(of: ".") }
}

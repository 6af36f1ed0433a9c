// The key table as a JSON Schema, with which editors complete, explain and check a configuration. A new kind of value is one
// case of `ValuePhrase` and one line in its `schema`.

public import Core

/// The JSON Schema (draft 2020-12) of a configuration or of an included file.
///
/// It accepts values that a schema cannot check, such as names that must exist. `check` refuses everything that the
/// schema refuses, except numbers in quotes. Apart from `$defs` it uses only keywords of older drafts, which
/// more editors know.
public func configurationSchema() -> JSONValue {
  var members: [(name: String, value: JSONValue)] = [
    ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
    ("title", .string("bgfetch.yaml")),
    ("description", .string("the configuration of bgfetch, see bgfetch.yaml(5)")),
  ]
  members += mappingSchema(of: "", allowsNull: false)
  // The required keys depend on the other files; a file with none of these is useless.
  let some: [JSONValue] = ["feeds", "include", "hooks", "defaults"].map(required)
  let feed = JSONValue.object(mappingSchema(of: "feeds.*", allowsNull: false))
  members += [("anyOf", .array(some)), ("$defs", .object([("feed", feed), ("secret", secretSchema)]))]
  return .object(members)
}

private typealias Members = [(name: String, value: JSONValue)]

// MARK: One key

/// The schema of a key's value.
private func schema(of key: ConfigurationKey, underFeed: Bool = false) -> JSONValue {
  var members: Members = [("description", .string(key.help))]
  if let text = key.defaultText, !underFeed { members.append(("default", writtenValue(text))) }
  guard let type = TypeWords(key.type) else { return .object(members) }
  let isFeeds = underFeed || key.path.hasPrefix("feeds.*.")
  let parts = schemas(of: type, of: key, isFeeds: isFeeds, underFeed: underFeed)
  if parts.count == 1, case .object(let only) = parts[0], only.first?.name != "$ref" {
    members += only
  } else {
    members.append(("anyOf", .array(parts)))
  }
  return .object(members)
}

/// Keys of a feed that `none` does not unset: `url` is required, and `hooks: none` would read as "no
/// hooks".
private let keysWithoutNone: Set = ["feeds.*.url", "feeds.*.notify.hooks"]

/// The schemas of a key's alternatives; its literal words share one schema.
private func schemas(
  of type: TypeWords, of key: ConfigurationKey, isFeeds: Bool, underFeed: Bool
) -> [JSONValue] {
  let alsoNone = isFeeds && !keysWithoutNone.contains(key.path)
  let words = type.words + (alsoNone && !type.words.contains("none") ? ["none"] : [])
  let others = type.alternatives.compactMap { schema(of: $0, of: key, underFeed: underFeed) }
  return (words.isEmpty ? [] : [.object([("enum", .array(words.map(wordValue)))])]) + others
}

private func schema(
  of alternative: TypeWords.Alternative, of key: ConfigurationKey, underFeed: Bool
) -> JSONValue? {
  switch alternative {
  case .word: return nil
  case .phrase(let phrase): return phrase.schema
  case .number(let range):
    return .object([
      ("type", .string("integer")), ("minimum", .number(Int64(range.lowerBound))),
      ("maximum", .number(Int64(range.upperBound))),
    ])
  case .list(let entries):
    let schemas = entries.compactMap { schema(of: $0, of: key, underFeed: underFeed) }
    let entry = schemas.count == 1 ? schemas[0] : .object([("anyOf", .array(schemas))])
    return .object([("type", .string("array")), ("items", entry)])
  case .mapping:
    if key.path == "feeds.*" { return .object([("$ref", .string("#/$defs/feed"))]) }
    // A mapping may be empty, since all its lines may be comments; a hook may not.
    return .object(mappingSchema(of: key.path, allowsNull: !key.path.hasSuffix("*"), underFeed: underFeed))
  }
}

private func wordValue(_ word: String) -> JSONValue {
  switch word {
  case "true": .bool(true)
  case "false": .bool(false)
  default: .string(word)
  }
}

// MARK: Mappings

private func mappingSchema(of path: String, allowsNull: Bool, underFeed: Bool = false) -> Members {
  let object: JSONValue = .string("object")
  var members: Members = [("type", allowsNull ? .array([object, .string("null")]) : object)]
  switch path {
  case "defaults", "profiles.*":
    let properties = KeyTable.rows(under: "feeds.*").filter { $0.name != "url" }.map { row in
      (name: row.name, value: JSONValue.object([("$ref", .string("#/$defs/feed/properties/" + row.name))]))
    }
    return members + closed(properties)
  case "feeds.*.network":
    let rows = KeyTable.rows(under: "network").filter { !KeyTable.keysOfRun.contains($0.name) }
    return members + closed(rows.map { ($0.name, schema(of: $0, underFeed: true)) })
  default: break
  }
  let rows = KeyTable.rows(under: path)
  if let any = rows.first(where: { $0.name == "*" }) {
    if let pattern = namePatterns[path] {
      members.append(("propertyNames", .object([("pattern", .string(pattern))])))
    }
    members.append(("additionalProperties", schema(of: any)))
    return members
  }
  members += closed(rows.map { ($0.name, schema(of: $0, underFeed: underFeed)) })
  if path == "feeds.*" { members.append(("anyOf", .array([required("url"), required("command")]))) }
  if path == "hooks.*" { members.append(("anyOf", .array([required("run"), required("webhook")]))) }
  let needed = rows.filter(\.isRequired)
  if !needed.isEmpty { members.append(("required", .array(needed.map { .string($0.name) }))) }
  return members
}

/// The members of a mapping with these keys, the user's own `x-` keys, and no others.
private func closed(_ properties: Members) -> Members {
  [
    ("properties", .object(properties)), ("patternProperties", .object([("^x-", .bool(true))])),
    ("additionalProperties", .bool(false)),
  ]
}

private func required(_ key: String) -> JSONValue {
  .object([("required", .array([.string(key)]))])
}

/// The patterns of the user's own names.
private let namePatterns = [
  "feeds": "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$", "hooks": "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$",
  "feeds.*.headers": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
  "hooks.*.environment": "^(?!BGFETCH_)[A-Za-z_][A-Za-z0-9_]*$",
]

/// A secret: exactly one of its keys.
private let secretSchema: JSONValue = .object(
  [
    ("description", .string("the source of a secret value")),
    ("type", .string("object")),
  ]
    + closed(secretKeys.map { ($0.path, schema(of: $0)) }) + [
      ("oneOf", .array(secretKeys.map { required($0.path) }))
    ])

// MARK: Defaults

/// A default of the table as a value.
private func writtenValue(_ text: String) -> JSONValue {
  let context = ConfigurationContext(environment: [:], home: "", isZone: { _ in true })
  let pass = ConfigurationPass(file: "", path: "/", context: context)
  return composeTree(Array(text.utf8), pass).map(value) ?? .string(text)
}

private func value(_ node: Node) -> JSONValue {
  switch node.content {
  case .scalar(let scalar) where scalar.isPlain:
    Int64(scalar.text).map(JSONValue.number) ?? wordValue(scalar.text)
  case .scalar(let scalar): .string(scalar.text)
  case .sequence(let nodes): .array(nodes.map(value))
  case .mapping(let entries): .object(entries.map { ($0.key, value($0.value)) })
  case .unusable: .null
  }
}

// MARK: Words of types

/// The allowed values of a key.
///
/// The words are a small language: alternatives with `,` and `or` between them. Each is
/// - a phrase of `ValuePhrase`, such as `duration`;
/// - `1 to 1000`, a number within bounds;
/// - `mapping`, whose keys have rows of their own (`mapping of …` is for names that the user chooses);
/// - `list of …`, where the rest of the text describes the entries; `list` alone, a list of what comes before it;
/// - any other single word, which is written literally: `none`, `same-as-feed`.
struct TypeWords: Hashable {
  indirect enum Alternative: Hashable {
    case phrase(ValuePhrase)
    case word(String)
    case number(ClosedRange<Int>)
    case list([Alternative])
    case mapping
  }

  /// The allowed values, in the order of the words.
  private(set) var alternatives: [Alternative] = []

  /// The literal words.
  var words: [String] {
    alternatives.compactMap { if case .word(let word) = $0 { word } else { nil } }
  }

  init?(_ text: String) {
    var rest = text[...]
    while !rest.isEmpty {
      if rest.hasPrefix("mapping of ") {
        alternatives.append(.mapping)
        return
      }
      if let entries = rest.after("list of ") ?? rest.after("lists of ") {
        guard let types = TypeWords(String(entries)) else { return nil }
        alternatives.append(.list(types.alternatives))
        return
      }
      let (piece, others) = rest.splitAtAlternative()
      guard let alternative = Alternative(piece, after: alternatives) else { return nil }
      alternatives.append(alternative)
      rest = others
    }
  }
}

extension TypeWords.Alternative {
  fileprivate init?(_ text: Substring, after earlier: [Self]) {
    if let phrase = ValuePhrase(words: String(text.after("a ") ?? text)) {
      self = .phrase(phrase)
      return
    }
    switch text {
    case "mapping": self = .mapping
    case "list":
      guard !earlier.isEmpty else { return nil }
      self = .list(earlier)
    default:
      let bounds = text.split(separator: " ")
      if bounds.count == 3, bounds[1] == "to", let least = Int(bounds[0]), let most = Int(bounds[2]),
        least <= most
      {
        self = .number(least...most)
      } else if text.allSatisfy({ $0.isASCII && $0.isLetter || $0 == "-" }) {
        self = .word(String(text))
      } else {
        return nil
      }
    }
  }
}

extension Substring {
  /// The text after a prefix; nil without it.
  fileprivate func after(_ beginning: String) -> Substring? {
    hasPrefix(beginning) ? dropFirst(beginning.count) : nil
  }

  /// The text before and after the first `, ` or ` or `.
  fileprivate func splitAtAlternative() -> (piece: Substring, rest: Substring) {
    var end = startIndex
    while end != endIndex {
      for separator in [", ", " or "] {
        if let rest = self[end...].after(separator) { return (self[..<end], rest) }
      }
      end = index(after: end)
    }
    return (self, "")
  }
}

/// A kind of value that several keys have.
enum ValuePhrase: String, CaseIterable {
  case text, path, template, size, tag, hook, event, network, secret, number, glob, duration
  case url = "URL"
  case urlTemplate = "URL template"
  case proxy = "proxy URL"
  case rate = "size per second"
  case numberInTime = "number in a duration"
  case cronExpression = "cron expression"
  case regularExpression = "regular expression"
  case timeZone = "time zone"
  case hoursOfTheWeek = "hours of the week"
  case mediaType = "media type"
  case name, pointer, selector, percentage
  /// Any YAML, which becomes JSON.
  case json = "JSON"

  /// The phrase, in the singular or in the plural.
  init?(words: String) {
    guard
      let phrase = Self(rawValue: words)
        ?? (words.hasSuffix("s") ? Self(rawValue: String(words.dropLast())) : nil)
    else { return nil }
    self = phrase
  }

  /// The schema of such a value; it accepts what only the program can check.
  var schema: JSONValue {
    switch self {
    // YAML reads words such as 2024 and true as numbers and booleans; bgfetch uses them as text.
    case .text, .template: .object([("type", .array(["string", "number", "boolean"].map(JSONValue.string)))])
    case .path, .regularExpression, .timeZone, .hoursOfTheWeek, .glob, .hook, .name, .selector:
      .text(matching: nil)
    case .json: .object([])
    case .pointer: .text(matching: "^(/.*)?$")
    case .mediaType: .text(matching: "^[^/\\s]+/[^/\\s]+$")
    case .tag: .object([("type", .textOrNumber), ("pattern", .string("^[^\\s@,]+$"))])
    case .network: .text(matching: "^[0-9A-Fa-f:.]+(/[0-9]+)?$")
    case .url: .text(matching: "^([Hh][Tt][Tt][Pp][Ss]?://|file:)\\S+$")
    case .urlTemplate: .text(matching: "^[Hh][Tt][Tt][Pp][Ss]?://\\S+$")
    case .proxy: .text(matching: "^([Hh][Tt][Tt][Pp][Ss]?|[Ss][Oo][Cc][Kk][Ss](4a?|5h?))://.")
    case .duration: .text(matching: "^(?=[0-9])([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$")
    case .numberInTime: .text(matching: "^[0-9]+/(?=[0-9])([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$")
    case .size: .text(matching: "^[0-9]+([KMGT]i?)?B$")
    case .rate: .text(matching: "^[0-9]+([KMGT]i?)?B/s$")
    case .cronExpression: .text(matching: "^\\s*(@[A-Za-z]+|\\S+(\\s+\\S+){4})\\s*$")
    case .percentage: .text(matching: "^(100|[1-9]?[0-9])%$")
    case .number: .object([("type", .string("integer")), ("minimum", .number(0))])
    case .event: .object([("enum", .array(EventKind.subscribable.map { .string($0.rawValue) }))])
    case .secret: .object([("$ref", .string("#/$defs/secret"))])
    }
  }
}

extension JSONValue {
  /// The types of text that may look like a number.
  fileprivate static let textOrNumber: JSONValue = .array([.string("string"), .string("number")])

  /// Non-empty text that matches a pattern if there is one (the common part of ECMA-262).
  fileprivate static func text(matching pattern: String?) -> JSONValue {
    guard let pattern else { return .object([("type", textOrNumber), ("minLength", .number(1))]) }
    return .object([("type", .string("string")), ("pattern", .string(pattern))])
  }
}

// The key table as a JSON Schema, with which editors complete, explain and check a configuration. A new kind of value is one
// line of `phrases`.

public import Core

/// The JSON Schema (draft 2020-12) of a configuration or of an included file.
///
/// It accepts what depends on other keys or files, such as names that must exist. `check` refuses everything that the
/// schema refuses, except numbers in quotes. Apart from `$defs` it uses only keywords of older drafts, which
/// more editors know.
public func configurationSchema() -> JSONValue {
  var members: [(name: String, value: JSONValue)] = [
    ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
    ("title", .string("bgfetch.yaml")),
    ("description", .string("the configuration of bgfetch, see bgfetch.yaml(5)")),
  ]
  members += mappingSchema(of: "", allowsNull: false)
  let feed = JSONValue.object(mappingSchema(of: "feeds.*", allowsNull: false))
  members += [
    ("$defs", .object([("feed", feed), ("secret", secretSchema), ("condition", conditionSchema)]))
  ]
  return .object(members)
}

private typealias Members = [(name: String, value: JSONValue)]

// MARK: One key

/// The schema of a key's value.
private func schema(of key: ConfigurationKey) -> JSONValue {
  var members: Members = [("description", .string(key.help))]
  // A feed has the network of the run.
  if let text = key.defaultText, key.parent != "feeds.*.network" {
    members.append(("default", writtenValue(text)))
  }
  let parts = schemas(of: key)
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

/// The schemas of a key's values; all words share one.
private func schemas(of key: ConfigurationKey) -> [JSONValue] {
  var (words, others) = alternatives(key.type, of: key)
  if key.path.hasPrefix("feeds.*."), !keysWithoutNone.contains(key.path), !words.contains("none") {
    words.append("none")
  }
  return (words.isEmpty ? [] : [JSONValue(["enum": words.map(wordValue)])]) + others
}

/// The words that stand for themselves, such as `none`, and the schemas of the other alternatives of a type.
///
/// The words of types are a small language: alternatives with `,` and `or` between them. Each is
/// - a key of `phrases`, such as `duration`, in the singular or the plural;
/// - `1 to 1000`, a number within bounds;
/// - `mapping`, whose keys have rows of their own (`mapping of …` is for names that the user chooses);
/// - `list of …`, where the rest of the text describes the entries; `list` alone, a list of what comes before it;
/// - any other single word.
private func alternatives(
  _ type: String, of key: ConfigurationKey
) -> (words: [String], schemas: [JSONValue]) {
  var (words, schemas): ([String], [JSONValue]) = ([], [])
  let list = type.firstRange(of: "list of ")
  let pieces =
    type.hasPrefix("mapping of ")
    ? ["mapping"]
    : type[..<(list?.lowerBound ?? type.endIndex)].replacing(", ", with: " or ").split(separator: " or ")
  for piece in pieces {
    let bounds = piece.split(separator: " to ").compactMap { Int64($0) }
    if let phrase = phrases[String(piece)] ?? phrases[String(piece.dropLast())] {
      schemas.append(phrase)
    } else if piece == "mapping" {
      schemas.append(valueSchema(of: key))
    } else if piece == "list" {
      schemas.append(listSchema(of: schemas))
    } else if bounds.count == 2 {
      schemas.append(JSONValue(["type": "integer", "minimum": bounds[0], "maximum": bounds[1]]))
    } else {
      words.append(String(piece))
    }
  }
  if let list {
    let entries = alternatives(String(type[list.upperBound...]), of: key).schemas
    schemas.append(listSchema(of: entries))
  }
  return (words, schemas)
}

private func listSchema(of schemas: [JSONValue]) -> JSONValue {
  JSONValue(["type": "array", "items": schemas.count == 1 ? schemas[0] : JSONValue(["anyOf": schemas])])
}

private func valueSchema(of key: ConfigurationKey) -> JSONValue {
  if key.path == "feeds.*" { return JSONValue(["$ref": "#/$defs/feed"]) }
  // A mapping may be empty, since all its lines may be comments; a hook may not.
  return .object(mappingSchema(of: key.path, allowsNull: !key.path.hasSuffix("*")))
}

func wordValue(_ word: String) -> JSONValue {
  switch word {
  case "true": .bool(true)
  case "false": .bool(false)
  default: .string(word)
  }
}

// MARK: Mappings

private func mappingSchema(of path: String, allowsNull: Bool) -> Members {
  let object: JSONValue = .string("object")
  var members: Members = [("type", allowsNull ? .array([object, .string("null")]) : object)]
  switch path {
  case "defaults", "catalog.*":
    let properties = KeyTable.keysOfDefaults.map { key in
      (name: key, value: JSONValue(["$ref": "#/$defs/feed/properties/" + key]))
    }
    return members + closed(properties)
  case "feeds.*.network":
    let rows = NetworkSettings.keysOfFeed(NetworkSettings()).rows
    return members + closed(rows.map { ($0.name, schema(of: $0)) })
  default: break
  }
  let rows = KeyTable.rows(under: path)
  if let any = rows.first(where: { $0.name == "*" }) {
    return members + [("additionalProperties", schema(of: any))]
  }
  members += closed(rows.map { ($0.name, schema(of: $0)) })
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

/// A secret: exactly one of its keys.
private let secretSchema: JSONValue = .object(
  [
    ("description", .string("the source of a secret value")),
    ("type", .string("object")),
  ]
    + closed(secretKeys.map { ($0.path, schema(of: $0)) }) + [
      ("oneOf", .array(secretKeys.map { JSONValue(["required": [$0.path]]) }))
    ])

/// A condition of `filter`.
private let conditionSchema: JSONValue = .object(
  [("description", .string("a condition, all of whose parts must be met")), ("type", .string("object"))]
    + closed(conditionKeys.map { ($0.name, schema(of: $0)) }))

// MARK: Defaults

/// A default of the table as a value.
private func writtenValue(_ text: String) -> JSONValue {
  composeTree(Array(text.utf8), ConfigurationPass())?.json ?? .string(text)
}

// MARK: Kinds of values

private let duration = "(?=[0-9])([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?"
private let size = "[0-9]+([KMGT]i?)?B"

/// The schemas of the values that several keys have; they accept what only the program can check.
private let phrases: [String: JSONValue] = [
  // YAML reads words such as 2024 and true as numbers and booleans; bgfetch uses them as text.
  "text": .anyText, "template": .anyText,
  "path": .someText, "regular expression": .someText, "time zone": .someText, "hours of the week": .someText,
  "glob": .someText, "hook": .someText, "name": .someText, "selector": .someText,
  // Any YAML, which becomes JSON.
  "JSON": .object([]),
  "pointer": .text(matching: "^(/.*)?$"), "media type": .text(matching: "^[^/\\s]+/[^/\\s]+$"),
  "tag": JSONValue(["type": JSONValue.textOrNumber, "pattern": "^[^\\s@,]+$"]),
  "network": .text(matching: "^[0-9A-Fa-f:.]+(/[0-9]+)?$"),
  "URL": .text(matching: "^([Hh][Tt][Tt][Pp][Ss]?://|file:)\\S+$"),
  "URL template": .text(matching: "^[Hh][Tt][Tt][Pp][Ss]?://\\S+$"),
  "proxy URL": .text(matching: "^([Hh][Tt][Tt][Pp][Ss]?|[Ss][Oo][Cc][Kk][Ss](4a?|5h?))://."),
  "duration": .text(matching: "^\(duration)$"),
  "number in a duration": .text(matching: "^[0-9]+/\(duration)$"),
  "size": .text(matching: "^\(size)$"),
  "size per second": .text(matching: "^\(size)/s$"),
  "cron expression": .text(matching: "^\\s*(@[A-Za-z]+|\\S+(\\s+\\S+){4})\\s*$"),
  "number": JSONValue(["type": "integer", "minimum": 0]),
  "event": JSONValue(["enum": EventKind.subscribable.map(\.rawValue)]),
  "bound of time": .text(matching: "^(under|over) \(duration)$"),
  "bound of size": .text(matching: "^(under|over) \(size)$"),
  "secret": JSONValue(["$ref": "#/$defs/secret"]),
  "condition": JSONValue(["$ref": "#/$defs/condition"]),
]

/// The schemas of numbers, durations and sizes.
let quantitySchemas = ["number", "duration", "size", "size per second"].compactMap { phrases[$0] }

extension JSONValue {
  /// The types of text that may look like a number.
  fileprivate static let textOrNumber = ["string", "number"].json

  /// Text, or what YAML reads as something else.
  fileprivate static let anyText = JSONValue(["type": ["string", "number", "boolean"]])
  fileprivate static let someText = JSONValue(["type": textOrNumber, "minLength": 1])

  /// Text that matches a pattern (the common part of ECMA-262).
  fileprivate static func text(matching pattern: String) -> JSONValue {
    JSONValue(["type": "string", "pattern": pattern])
  }
}

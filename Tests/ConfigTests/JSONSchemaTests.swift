// The JSON Schema, compared with the table of keys and with the readers.

import Config
import Core
import Foundation
import Testing

@Suite struct JSONSchemaTests {
  private let schema: [String: Any]

  init() throws {
    let text = configurationSchema().indentedText
    schema = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// The schema of a key, through the definitions that feeds share.
  private func subschema(_ path: String) -> [String: Any]? {
    var place: [String: Any]? = schema
    for part in path.split(separator: ".") {
      place = mapping(in: place)
      place =
        part == "*"
        ? place?["additionalProperties"] as? [String: Any]
        : (place?["properties"] as? [String: Any])?[String(part)] as? [String: Any]
    }
    return place
  }

  /// The alternative of a schema that is a mapping, or the schema itself.
  private func mapping(in place: [String: Any]?) -> [String: Any]? {
    guard let place else { return nil }
    if let pointer = place["$ref"] as? String {
      let name = pointer.split(separator: "/").last.map(String.init) ?? ""
      return (schema["$defs"] as? [String: Any])?[name] as? [String: Any]
    }
    if place["properties"] != nil || place["additionalProperties"] is [String: Any] { return place }
    let alternatives = place["anyOf"] as? [[String: Any]] ?? []
    return alternatives.lazy.compactMap { mapping(in: $0) }.first
  }

  @Test func `every key of the table is in the schema at its place, with its help`() throws {
    for key in configurationKeys {
      let found = try #require(subschema(key.path), "\(key.path)")
      #expect(found["description"] as? String == key.help, "\(key.path)")
      #expect(found["default"] != nil || key.defaultText == nil, "\(key.path)")
      // Without one of these the words of its type were not understood.
      #expect(
        ["type", "enum", "anyOf", "pattern", "$ref"].contains { found[$0] != nil },
        "\(key.path): type \"\(key.type)\"")
    }
  }

  @Test func `the schema has no keys that the table has not`() throws {
    let known = Set(configurationKeys.map(\.path))
    func keys(_ path: String) -> [String] {
      let properties = mapping(in: path.isEmpty ? schema : subschema(path))?["properties"] as? [String: Any]
      return (properties ?? [:]).keys.map { path.isEmpty ? $0 : path + "." + $0 }
    }

    for path in [""] + known.filter({ !["defaults", "catalog.*", "feeds.*.network"].contains($0) }) {
      let isSecret = keys(path).contains { $0.hasSuffix(".credential") }
      let isCondition =
        Set(keys(path).map { "condition" + $0.dropFirst(path.count) }) == Set(conditionKeys.map(\.path))
      #expect(isSecret || isCondition || Set(keys(path)).subtracting(known) == [], "\(path)")
    }
  }

  @Test
  func `defaults take the keys of a feed, and a feed's network those of network, with few exceptions`() {
    func names(_ path: String) -> Set<String> {
      Set((mapping(in: subschema(path))?["properties"] as? [String: Any] ?? [:]).keys)
    }

    #expect(names("defaults") == names("feeds.*").subtracting(["url", "command"]))
    #expect(names("feeds.*.network") == ["timeout", "private-addresses", "proxy"])
    #expect(names("network").isSuperset(of: names("feeds.*.network")))
  }

  @Test func `mappings allow the user's own names and no unknown keys`() {
    for path in ["", "network", "feeds.*", "feeds.*.notify", "hooks.*", "defaults"] {
      let found = mapping(in: path.isEmpty ? schema : subschema(path))
      #expect(found?["additionalProperties"] as? Bool == false, "\(path)")
      #expect((found?["patternProperties"] as? [String: Any])?["^x-"] != nil, "\(path)")
    }
  }

  /// The words of a schema that are written as they are.
  private func words(_ path: String) -> [String] {
    let found = subschema(path) ?? [:]
    let parts = [found] + (found["anyOf"] as? [[String: Any]] ?? [])
    return parts.flatMap { $0["enum"] as? [Any] ?? [] }.compactMap { $0 as? String }
  }

  @Test func `a word of the schema is one that is read`() {
    for key in configurationKeys {
      for word in words(key.path) {
        let said = problems(KeyTableTests.configuration(key.path, word))
        // A word may need another key beside it, such as a kind; that is not an unknown word.
        #expect(
          !said.contains { text in
            ["\"\(word)\" is ", "unknown value \"\(word)\"", "cannot be"].contains(where: text.contains)
          },
          "\(key.path): \(said)")
      }
    }
  }

  /// The types that the schema of a key, or of the entries of its list, allows for text.
  private func textTypes(_ path: String) -> Set<String> {
    func alternatives(_ found: [String: Any]) -> [[String: Any]] {
      [found] + (found["anyOf"] as? [[String: Any]] ?? [])
    }
    let parts = alternatives(subschema(path) ?? [:])
    let entries = parts.compactMap { $0["items"] as? [String: Any] }.flatMap(alternatives)
    return (parts + entries).reduce(into: []) { $0.formUnion($1["type"] as? [String] ?? []) }
  }

  @Test(arguments: [
    "feeds.*.tags", "feeds.*.filter.include", "feeds.*.title", "hooks.*.feeds", "hooks.*.run",
    "hooks.*.environment.*", "feeds.*.notify.title", "state",
  ])
  func `text that YAML takes for a number, or where it is read for a truth value, is text`(path: String) {
    #expect(textTypes(path).isSuperset(of: ["string", "number"]))
    if ["hooks.*.environment.*", "hooks.*.run"].contains(path) {
      #expect(textTypes(path).contains("boolean"))
    }
  }

  @Test func `none is offered for a budget and for the keys of a feed that it can unset`() {
    for (path, offered) in [
      ("budget", ["none"]), ("feeds.*.minimum-interval", ["every-run", "never", "none"]),
      ("feeds.*.filter", ["none"]), ("feeds.*.network", ["none"]), ("feeds.*.download", ["none"]),
      ("feeds.*.download.limit", ["none"]), ("feeds.*.notify.hooks", ["all"]), ("network.timeout", []),
    ] { #expect(words(path) == offered, "\(path)") }
  }
}

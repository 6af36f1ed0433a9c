// The table of keys, compared with the readers: each key is read, and its default is the actual one.

import Config
import Core
import Testing

@Suite struct KeyTableTests {
  private static let feed = "url: \"https://planet.example/\""
  private static let hook = "events: [failed], run: [\"true\"]"
  private static let bucket = "s3: \"https://s3.example/news\", access-key: {env: K}, secret-key: {env: S}"

  /// A configuration in which one key of the table has a value.
  static func configuration(_ path: String, _ value: String) -> String {
    var parts = path.split(separator: ".").map { $0 == "*" ? "planet" : String($0) }
    let innermost = parts.removeLast()
    var text = "\(innermost): \(value)"
    // Beside it are the required keys of a feed, a hook and a bucket.
    for (depth, part) in parts.enumerated().reversed() {
      let isEntry =
        depth == 1 && (parts[0] == "feeds" || parts[0] == "hooks") || depth == 0 && part == "documents"
      let needed = parts[0] == "feeds" ? feed : part == "documents" ? bucket : hook
      let others =
        isEntry
        ? needed.split(separator: ", ").filter { !$0.hasPrefix("\(innermost):") || parts.count > 2 } : []
      text = "\(part): {" + (others.map(String.init) + [text]).joined(separator: ", ") + "}"
    }
    return text + (path.hasPrefix("feeds") ? "\n" : "\nfeeds: {planet: {\(feed)}}\n")
  }

  // A body is any YAML.
  @Test(arguments: configurationKeys.map(\.path).filter { $0 != "feeds.*.body" })
  func `a key of the table is read`(path: String) {
    // No key allows an empty list in a list in a list.
    let said = problems(Self.configuration(path, "[[[]]]"))

    #expect(!said.isEmpty)
    #expect(!said.contains { $0.contains("unknown key") })
  }

  /// Keys whose default cannot be written as a value, and templates, whose default depends on the group of the hook.
  private static let indescribable: Set = [
    "network.user-agent", "feeds.*.notify.title", "feeds.*.notify.body", "feeds.*.notify.item",
    "feeds.*.notify.identifier",
  ]

  @Test(
    arguments: configurationKeys.filter { key in
      key.defaultText != nil && !indescribable.contains(key.path)
    })
  func `the default in the table is the actual default`(key: ConfigurationKey) throws {
    // The presence of the mapping around it may have a meaning.
    let around = configurationKeys.last {
      ["none", "silent"].contains($0.defaultText) && key.path.hasPrefix($0.path + ".")
    }
    let hooks = "hooks: {planet: {\(Self.hook)}}\n"
    let plain =
      key.path.hasPrefix("documents.")
      ? Self.configuration("documents.access-key", "{env: K}") + hooks
      : around.map { Self.configuration($0.path, "{}") + hooks }
        ?? Self.configuration("hooks", "{planet: {\(Self.hook)}}")
    let written =
      key.path.hasPrefix("hooks.")
      ? Self.configuration(key.path, key.defaultText ?? "")
      : key.path == "hooks"
        ? plain : Self.configuration(key.path, key.defaultText ?? "") + hooks

    let (reading, expected) = (Self.reading(written), Self.reading(plain))

    #expect(reading.problems.map(\.text) == [])
    #expect(reading.settings == expected.settings)
  }

  /// The reading of a text as the configuration of a user, without the fingerprints of feeds.
  private static func reading(_ text: String) -> ConfigurationReading {
    var reading = ConfigTests.reading(text, path: "/home/me/bgfetch.yaml")
    let feeds = reading.settings?.feeds.map(\.withoutFingerprint) ?? []
    reading.settings?.feeds = FeedList(feeds)
    reading.settings?.catalog.standard?.fingerprint = 0
    return reading
  }

  @Test func `a key is in the table once, after its mapping`() {
    var seen: Set<Substring> = [""]
    for key in configurationKeys {
      #expect(seen.contains(key.path.lastIndex(of: ".").map { key.path[..<$0] } ?? ""), "\(key.path)")
      #expect(seen.insert(key.path[...]).inserted, "\(key.path)")
      #expect(!key.help.hasSuffix("."), "\(key.path)")
      #expect(!key.type.isEmpty, "\(key.path)")
    }
  }

  @Test func `every kind of secret in the table is read`() {
    for key in secretKeys {
      let value = key.path == "command" ? "[pass]" : "name"
      #expect(problems("feeds: {planet: {url: {\(key.path): \(value)}}}") == [], "\(key.path)")
    }
  }
}

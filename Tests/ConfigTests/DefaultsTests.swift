// `defaults`, and how a feed overrides them: mappings merge, lists replace, and `none` unsets.

import Config
import Core
import Testing

@Suite struct DefaultsTests {
  /// The one feed of a configuration with these defaults and these keys of its own.
  private func feed(defaults: String, own: String = "") throws -> FeedSpec {
    try ConfigTests.feed(own, defaults: defaults)
  }

  @Test func `a feed without a key has the value of defaults, wherever they are in the file`() throws {
    let feed = try feed(defaults: "{minimum-interval: 2h, updated: notify, first-run: 3}")
    func interval(_ text: String) -> MinimumInterval? { reading(text).settings?.feeds.first?.minimumInterval }

    #expect(feed.minimumInterval == .every(.hours(2)))
    #expect(feed.updated == .notify)
    #expect(feed.firstRun == .newest(3))
    // Also one that is just its URL, but a key of its own counts more.
    #expect(
      interval("defaults: {minimum-interval: never}\nfeeds: {planet: \"https://planet.example/\"}") == .never)
    #expect(
      interval(
        "feeds: {planet: {url: \"https://planet.example/\", minimum-interval: every-run}}\ndefaults: {minimum-interval: 2h}"
      ) == .everyRun)
  }

  @Test func `the maximum content of an item is 1 MiB, another size, or none`() throws {
    #expect(try feed(defaults: "{}").contentLimit == ByteCount(1 << 20))
    #expect(try feed(defaults: "{content: 64KiB}").contentLimit == ByteCount(64 << 10))
    #expect(try feed(defaults: "{content: 64KiB}", own: "content: none").contentLimit == nil)
    #expect(try feed(defaults: "{content: none}", own: "content: 4MiB").contentLimit == ByteCount(4 << 20))
  }

  @Test func `mappings merge key by key, and lists replace`() throws {
    let feed = try feed(
      defaults:
        "{notify: {urgency: low, failures: 7}, filter: {include: [linux], exclude: [a, b]}, schedule: [\"0 7 * * *\"]}",
      own: "notify: {failures: 0}, filter: {exclude: [ad]}, schedule: \"0 9 * * *\"")

    #expect(feed.notify?.urgency == .low)
    #expect(feed.notify?.failures == 0)
    #expect(feed.filter.include == ["linux"])
    #expect(feed.filter.exclude == ["ad"])
    #expect(feed.schedule.map(\.text) == ["0 9 * * *"])
  }

  @Test func `headers merge by name without regard to case`() throws {
    let feed = try feed(
      defaults: "{headers: {Accept-Language: de, X-A: b, X-C: d}}",
      own: "headers: {accept-language: en, X-C: none, X-E: \"none\"}")

    #expect(
      feed.headers == [
        HeaderSpec(name: "X-A", value: .plain("b")), HeaderSpec(name: "accept-language", value: .plain("en")),
        HeaderSpec(name: "X-E", value: .plain("none")),
      ])
  }

  /// A value other than the default for each key of a feed that `none` unsets.
  private static let samples = [
    "title": "T", "tags": "[a]", "minimum-interval": "2h", "schedule": "\"0 7 * * *\"", "hours": "sat",
    "adapt": "habits", "headers": "{X-A: b}", "body": "a=b", "cookies": "/c.txt", "identity": "link",
    "filter.include": "[a]", "filter.exclude": "[b]", "updated": "notify", "auth": "{netrc: true}",
    "download.types": "[audio/mpeg]",
    "download.filter.include": "[a]", "download.filter.exclude": "[b]", "download.name": "\"{id}{ext}\"",
    "download.limit": "3", "download.max-size": "1MiB", "download.keep": "[5, 9d, 9MiB]",
    "notify.title": "T", "notify.body": "B", "notify.item": "I", "notify.identifier": "J",
    "notify.sound": "bell", "notify.urgency": "low", "notify.delay": "1h",
    "notify.when": "at-once", "notify.hours": "sun", "notify.failures": "7",
    "push.url": "\"https://p.example/{a}\"", "push.description": "\"E {a}\"", "push.limit": "3/1d",
    "network.timeout": "5s", "when.power": "ac",
    "when.network": "unmetered", "when.command": "[at-home]",
    "when.at-latest": "1h", "download.when.power": "ac", "download.when.network": "unmetered",
    "network.private-addresses": "allow",
  ]

  /// Keys by their paths as one mapping in braces.
  private func mapping(_ keys: [String: String]) -> String {
    let groups = Dictionary(grouping: keys.keys.sorted()) { String($0.prefix { $0 != "." }) }
    let entries = groups.sorted { $0.key < $1.key }.map { name, paths in
      if let value = keys[name] { return "\(name): \(value)" }
      let inner = paths.map { (String($0.dropFirst(name.count + 1)), keys[$0] ?? "") }
      return "\(name): " + mapping(Dictionary(uniqueKeysWithValues: inner))
    }
    return "{" + entries.joined(separator: ", ") + "}"
  }

  @Test(arguments: samples.keys.sorted())
  func `none unsets the value of defaults, key by key`(key: String) throws {
    let full = try feed(defaults: mapping(Self.samples)).withoutFingerprint
    var others = Self.samples
    others[key] = nil
    let unset = try feed(
      defaults: mapping(Self.samples), own: String(mapping([key: "none"]).dropFirst().dropLast()))

    #expect(unset.withoutFingerprint == (try feed(defaults: mapping(others)).withoutFingerprint))
    #expect(unset.withoutFingerprint != full)
  }

  @Test func `notify none announces nothing, a mapping announces again, and a quoted none is text`() throws {
    #expect(try feed(defaults: "{}", own: "notify: none").notify == nil)
    #expect(try feed(defaults: "{notify: none}").notify == nil)
    #expect(try feed(defaults: "{notify: none}", own: "notify: {failures: 5}").notify?.failures == 5)
    #expect(try feed(defaults: "{title: Planet}", own: "title: \"none\"").title == "none")
  }

  @Test(
    arguments: [
      ("", .password(username: "me", password: .environment("A"))),
      ("auth: {netrc: true}", .netrc),
      ("auth: {bearer: {file: token}}", .bearer(.file("/etc/bgfetch/token"))),
      (
        "auth: {certificate: me.pem}",
        .certificate(file: "/etc/bgfetch/me.pem", key: "/etc/bgfetch/me.pem", password: nil)
      ),
      (
        "auth: {certificate: [me.pem, me.key], password: {env: A}}",
        .certificate(file: "/etc/bgfetch/me.pem", key: "/etc/bgfetch/me.key", password: .environment("A"))
      ),
      ("auth: {password: {credential: b}}", .password(username: "me", password: .credential("b"))),
    ] as [(String, Authentication)])
  func `credentials of another kind replace those of defaults`(own: String, kind: Authentication) throws {
    let defaults = "{auth: {username: me, password: {env: A}}}"

    #expect(try feed(defaults: defaults, own: own).authentication == kind)
    #expect(
      try feed(defaults: "{auth: {certificate: me.pem}}", own: "auth: {certificate: none}").authentication
        == nil)
    #expect(
      try feed(defaults: "{auth: {bearer: {env: A}}}", own: "auth: {username: me, password: {env: B}}")
        .authentication == .password(username: "me", password: .environment("B")))
  }

  @Test func `the hooks a feed names are kept by name`() throws {
    #expect(try feed(defaults: "{notify: {hooks: [desktop]}}").notify?.hooks == ["desktop"])
    #expect(
      try feed(defaults: "{notify: {hooks: [desktop]}}", own: "notify: {hooks: all}").notify?.hooks == nil)
    #expect(try feed(defaults: "{}", own: "notify: {hooks: []}").notify?.hooks == [])
  }
}

// `defaults`, and how a feed overrides them: mappings merge, lists replace, and `none` unsets.

import Config
import Core
import Testing

@Suite struct DefaultsTests {
  /// The one feed of a configuration with these defaults and these keys of its own.
  private func feed(defaults: String, own: String = "") throws -> FeedSpec {
    let reading = reading(
      "defaults: \(defaults)\nfeeds: {planet: {url: \"https://planet.example/atom.xml\"\(own.isEmpty ? "" : ", " + own)}}\n"
        + "hooks: {desktop: {events: [notification], run: [\"true\"]}}")
    #expect(reading.problems.map(\.text) == [])
    return try #require(reading.settings?.feeds.first)
  }

  @Test func `a feed without a key has the value of defaults`() throws {
    let feed = try feed(defaults: "{minimum-interval: 2h, updated: notify, first-run: 3}")

    #expect(feed.minimumInterval == .every(.hours(2)))
    #expect(feed.updated == .notify)
    #expect(feed.firstRun == .newest(3))
  }

  @Test func `the maximum content of an item is 64 KiB, another size, or none`() throws {
    #expect(try feed(defaults: "{}").contentLimit == ByteCount(64 << 10))
    #expect(try feed(defaults: "{content: 1MiB}").contentLimit == ByteCount(1 << 20))
    #expect(try feed(defaults: "{content: 1MiB}", own: "content: none").contentLimit == nil)
    #expect(try feed(defaults: "{content: none}", own: "content: 4MiB").contentLimit == ByteCount(4 << 20))
  }

  @Test(
    arguments: [
      ("64", "content \"64\" has no unit; write 64B, 64KiB or 64MiB"),
      ("0B", "content 0B is too small; write 1B or more, or none"),
      ("5MiB", "content 5MiB is too large; write 4MiB or less, or none"),
      ("all", "content \"all\" is not a size; write a size such as 512KiB, 2MiB, 1GB or none"),
    ])
  func `another limit of content is a mistake`(value: String, problem: String) {
    let text = "feeds: {planet: {url: \"https://planet.example/\", content: \(value)}}"

    #expect(problems(text).map { $0.split(separator: " ", maxSplits: 1).last.map(String.init) } == [problem])
  }

  @Test func `a feed that is just its URL also has the values of defaults`() throws {
    let settings = reading(
      "defaults: {minimum-interval: never}\nfeeds: {planet: \"https://planet.example/\"}"
    ).settings

    #expect(settings?.feeds.first?.minimumInterval == .never)
  }

  @Test func `a key of the feed overrides defaults, wherever they are in the file`() throws {
    let settings = reading(
      "feeds: {planet: {url: \"https://planet.example/\", minimum-interval: every-run}}\ndefaults: {minimum-interval: 2h}"
    ).settings

    #expect(settings?.feeds.first?.minimumInterval == .everyRun)
  }

  @Test func `mappings merge key by key`() throws {
    let feed = try feed(
      defaults: "{notify: {urgency: low, failures: 7}, filter: {include: [linux]}}",
      own: "notify: {failures: 0}, filter: {exclude: [ad]}")

    #expect(feed.notify?.urgency == .low)
    #expect(feed.notify?.failures == 0)
    #expect(feed.filter.include == ["linux"])
    #expect(feed.filter.exclude == ["ad"])
  }

  @Test func `lists replace`() throws {
    let feed = try feed(
      defaults: "{schedule: [\"0 7 * * *\", \"0 8 * * *\"], filter: {exclude: [a, b]}}",
      own: "schedule: \"0 9 * * *\", filter: {exclude: [c]}")

    #expect(feed.schedule.map(\.text) == ["0 9 * * *"])
    #expect(feed.filter.exclude == ["c"])
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
    "filter.include": "[a]", "filter.exclude": "[b]", "updated": "notify",
    "auth": "{netrc: true}", "download.select": "images", "download.directory": "/mnt/x",
    "download.types": "[audio/mpeg]",
    "download.filter.include": "[a]", "download.filter.exclude": "[b]", "download.name": "\"{id}{ext}\"",
    "download.limit": "3", "download.max-size": "1MiB", "download.keep.count": "5", "download.keep.age": "9d",
    "download.keep.size": "9MiB", "download.priority": "7", "download.insecure-redirects": "allow",
    "notify.title": "T", "notify.body": "B", "notify.item": "I", "notify.identifier": "J",
    "notify.group": "run",
    "notify.sound": "bell", "notify.urgency": "low", "notify.delay": "1h", "notify.when": "at-once",
    "notify.hours": "sun", "notify.failures": "7", "push.url": "\"https://p.example/{a}\"",
    "push.description": "\"E {a}\"", "push.limit": "3/1d", "network.timeout": "5s",
    "network.max-redirects": "3",
    "network.stall.for": "9s", "network.ca-file": "/x.pem", "network.user-agent": "U",
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

  @Test func `a quoted none is text`() throws {
    #expect(try feed(defaults: "{title: Planet}", own: "title: \"none\"").title == "none")
  }

  @Test func `notify none announces nothing, and a mapping announces again`() throws {
    #expect(try feed(defaults: "{}", own: "notify: none").notify == nil)
    #expect(try feed(defaults: "{notify: none}").notify == nil)
    #expect(try feed(defaults: "{notify: none}", own: "notify: {group: item}").notify?.group == .item)
  }

  @Test func `credentials of another kind replace those of defaults`() throws {
    let defaults = "{auth: {username: me, password: {env: A}}}"

    #expect(
      try feed(defaults: defaults).authentication == .basic(username: "me", password: .environment("A")))
    #expect(
      try feed(defaults: defaults, own: "auth: {scheme: digest}").authentication
        == .digest(username: "me", password: .environment("A")))
    #expect(try feed(defaults: defaults, own: "auth: {netrc: true}").authentication == .netrc)
    #expect(
      try feed(defaults: defaults, own: "auth: {bearer: {file: token}}").authentication
        == .bearer(.file("/etc/bgfetch/token")))
    #expect(
      try feed(defaults: defaults, own: "auth: {certificate: me.pem}").authentication
        == .certificate(file: "/etc/bgfetch/me.pem", key: "/etc/bgfetch/me.pem", password: nil))
    #expect(
      try feed(defaults: defaults, own: "auth: {certificate: me.pem, key: me.key, password: {env: A}}")
        .authentication
        == .certificate(file: "/etc/bgfetch/me.pem", key: "/etc/bgfetch/me.key", password: .environment("A")))
    #expect(
      try feed(defaults: "{auth: {certificate: me.pem}}", own: "auth: {certificate: none}").authentication
        == nil)
    #expect(
      try feed(defaults: defaults, own: "auth: {password: {credential: b}}").authentication
        == .basic(username: "me", password: .credential("b")))
    #expect(
      try feed(defaults: "{auth: {bearer: {env: A}}}", own: "auth: {username: me, password: {env: B}}")
        .authentication
        == .basic(username: "me", password: .environment("B")))
  }

  @Test func `a template in defaults may use placeholders that only some groups have`() throws {
    let feed = try feed(defaults: "{notify: {title: \"{item.title}\"}}", own: "notify: {group: item}")

    #expect(feed.notify?.title == (try Template(parsing: "{item.title}")))
  }

  @Test func `the hooks a feed names are kept by name`() throws {
    #expect(try feed(defaults: "{notify: {hooks: [desktop]}}").notify?.hooks == ["desktop"])
    #expect(
      try feed(defaults: "{notify: {hooks: [desktop]}}", own: "notify: {hooks: all}").notify?.hooks == nil)
    #expect(try feed(defaults: "{}", own: "notify: {hooks: []}").notify?.hooks == [])
  }
}

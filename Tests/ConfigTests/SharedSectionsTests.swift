// Fingerprints of what is written: of feeds, and of the sections that must be the same on all machines that share a state.

import Core
import Testing

@testable import Config

@Suite struct SharedSectionsTests {
  private static let text = """
    state: {postgres: dbname=bgfetch}
    network: {connections: 8, timeout: 30s, proxy: none}
    timezone: UTC
    defaults: {minimum-interval: 1h, tags: [a, b]}
    catalog: {podcasts: {minimum-interval: 2h}}
    hooks: {say: {events: [new-item], run: [/bin/say, "{item.title}"], retries: 3}}
    feeds: {planet: https://planet.example/, moon: {url: https://moon.example/, schedule: 0 * * * *}}
    """

  private func sections(_ text: String) throws -> SharedSections {
    let reading = reading(text)
    return try #require(reading.settings, "\(reading.problems.map(\.text))").sharedSections
  }

  @Test(arguments: [
    ("connections: 8", "connections: 9, rate-limit: 1MiB/s"), ("proxy: none", "ca-file: system"),
    ("run: [/bin/say, \"{item.title}\"]", "run: [/usr/bin/say], environment: {A: b}"),
    ("dbname=bgfetch", "dbname=bgfetch user=me"), ("timezone: UTC", "timezone: \"UTC\" # ours"),
    ("{minimum-interval: 1h, tags: [a, b]}", "{tags: [a, b], minimum-interval: 1h}"),
    ("feeds: {", "documents: /srv/news\nbudget: 1m\nfeeds: {"),
  ])
  func `what may differ between machines does not count`(part: String, other: String) throws {
    let changed = Self.text.replacing(part, with: other)

    #expect(changed != Self.text)
    #expect(try sections(changed).differences(from: sections(Self.text)) == [])
  }

  @Test(arguments: [
    ("timeout: 30s", "timeout: 31s", "network"), ("timezone: UTC", "timezone: Asia/Tokyo", "timezone"),
    ("[a, b]", "[b, a]", "defaults"), ("interval: 2h", "interval: 3h", "catalog"),
    ("retries: 3", "retries: 4", "hooks"), ("say: {", "tell: {", "hooks"), ("moon: {", "sun: {", "feeds"),
    ("https://planet.example/", "https://planet.example/2", "feeds"), ("0 * * * *", "1 * * * *", "feeds"),
    ("{minimum-interval: 1h,", "{schedule: none, minimum-interval: 1h,", "defaults"),
  ])
  func `each change of what is fetched or told counts`(part: String, other: String, section: String) throws {
    let changed = Self.text.replacing(part, with: other)

    #expect(changed != Self.text)
    #expect(try sections(changed).differences(from: sections(Self.text)) == [section])
  }

  @Test(arguments: [
    ("https://planet.example/", "https://planet.example/2", true), ("interval: 1h", "interval: 61m", true),
    ("planet: https://planet.example/", "planet: {url: https://planet.example/, title: none}", true),
    ("timeout: 30s", "timeout: 31s", true), ("defaults:", "x-defaults:", true),
    ("timezone: UTC", "timezone: \"UTC\" # ours", false), ("connections: 8", "connections: 9", false),
    ("{minimum-interval: 1h, tags: [a, b]}", "{tags: [a, b], minimum-interval: 1h}", false),
    ("moon: {", "sun: {", false), ("retries: 3", "retries: 4", false),
    ("interval: 2h", "interval: 3h", false),
  ])
  func `each change of what is written for a feed changes its fingerprint`(
    part: String, other: String, counts: Bool
  ) throws {
    let changed = Self.text.replacing(part, with: other)
    let prints = [Self.text, changed].map { reading($0).settings?.feeds.first?.fingerprint }

    #expect(!prints.contains(nil))
    #expect((prints[0] != prints[1]) == counts)
  }

  @Test func `a feed of the catalog has the fingerprint of its tag's settings and of its address`() throws {
    func fingerprint(_ text: String, _ address: String, _ tags: String...) throws -> UInt64 {
      let settings = try #require(reading(text).settings).catalog
      return settings.spec(try CatalogFeed(name: "sun", url: address, tags: tags)).fingerprint
    }
    let changed = Self.text.replacing("interval: 2h", with: "interval: 3h")
    let prints = try [
      fingerprint(Self.text, "https://sun.example/", "podcasts"),
      fingerprint(changed, "https://sun.example/", "podcasts"),
      fingerprint(Self.text, "https://sun.example/2", "podcasts"),
      fingerprint(Self.text, "https://sun.example/"),
    ]

    #expect(Set(prints).count == 4)
    #expect(try fingerprint(changed, "https://sun.example/", "news") == prints[3])
  }

  @Test func `a feed that moves to a file with other defaults counts`() throws {
    func sections(_ files: [String: String]) throws -> SharedSections {
      var context = surroundings()
      context.files = ConfigurationFiles(
        matching: { _ in .success(files.keys.sorted()) }, identity: { $0 },
        read: { path, _ in .success(ConfigurationFile(bytes: Array((files[path] ?? "").utf8))) })
      let reading = reading("state: {postgres: dbname=bgfetch}\ninclude: \"/etc/*.yaml\"\n", context)
      return try #require(reading.settings, "\(reading.problems.map(\.text))").sharedSections
    }
    let slow = "defaults: {minimum-interval: 6h}\nfeeds:\n  moon: https://moon.example/\n"
    let quick = "defaults: {minimum-interval: 5m}\nfeeds:\n  mars: https://mars.example/\n"
    let feed = "  planet: https://planet.example/\n"

    let one = try sections(["/etc/a.yaml": slow + feed, "/etc/b.yaml": quick])
    let other = try sections(["/etc/a.yaml": slow, "/etc/b.yaml": quick + feed])

    #expect(other.differences(from: one) == ["feeds"])
  }

  @Test func `one machine has no such sections`() throws {
    #expect(try sections("feeds: {planet: https://planet.example/}").fingerprints.isEmpty)
  }
}

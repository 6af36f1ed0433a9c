// Traps of YAML in configurations, and how they are read.

import Config
import Core
import Testing

@Suite struct YAMLTrapTests {
  /// A configuration with one feed that has these keys.
  private func feed(_ keys: String) -> String {
    "feeds:\n  planet:\n    url: https://planet.example/atom.xml\n"
      + keys.split(separator: "\n").map { "    \($0)\n" }.joined()
  }

  private func title(_ text: String) -> String? {
    reading(feed("title: " + text)).settings?.feeds.first?.title
  }

  @Test(arguments: [
    "yes", "no", "on", "off", "y", "1:30", "0123", "1e3", "1.10", "2024", "0x1F", "2024-01-02",
  ])
  func `unquoted text is taken as written, whatever YAML 1.1 made of it`(text: String) {
    #expect(title(text) == text)
  }

  @Test(arguments: ["true", "False"])
  func `a boolean where text is expected is refused, and quoted it is text`(text: String) {
    let problems = reading(feed("title: " + text)).problems.map(\.text)

    #expect(
      problems == [
        "bgfetch.yaml:4:12: title is the boolean \(text); write text, or \"\(text)\" in quotes if you mean the word"
      ])
    #expect(title("\"\(text)\"") == text)
  }

  @Test func `the message for a list without an end says so`() {
    #expect(
      problems("feeds:\n  a: [\n") == [
        "bgfetch.yaml:3:1: the file ends within a list or mapping; close it with ] or }"
      ])
  }

  @Test func `a path cannot be none`() {
    #expect(reading("badge: none\n" + feed("title: x")).problems.first?.what == "badge cannot be none")
  }

  @Test func `a long number keeps its digits`() {
    #expect(title("12345678901234567890123456789") == "12345678901234567890123456789")
  }

  @Test func `a key named on is a key like any other`() {
    #expect(
      problems("on: x\nfeeds: {planet: \"https://planet.example/\"}").first?
        .hasPrefix("bgfetch.yaml:1:1: unknown key \"on\"") == true)
  }

  @Test func `feeds may be called yes and 2024`() {
    let settings = reading("feeds: {yes: \"https://a.example/\", 2024: \"https://b.example/\"}").settings

    #expect(settings?.feeds.map(\.name.text) == ["yes", "2024"])
  }

  @Test(arguments: ["~", "null", "Null", "NULL", ""])
  func `a missing value is not text`(nothing: String) {
    #expect(
      problems(feed("title: \(nothing)")) == [
        "bgfetch.yaml:4:5: title has no value; write text, or remove it"
      ])
  }

  @Test func `quoted words are text`() {
    #expect(title("\"null\"") == "null")
    #expect(title("'~'") == "~")
  }

  @Test(arguments: [("60", "60s, 60m or 1h"), ("15", "15s, 15m or 15h"), ("3600", "3600s, 3600m or 60h")])
  func `a bare number is not a duration`(number: String, cure: String) {
    #expect(
      problems(feed("minimum-interval: \(number)")) == [
        "bgfetch.yaml:4:23: minimum-interval \"\(number)\" has no unit; write \(cure)"
      ])
  }

  @Test(
    arguments: [
      ("network: {rate-limit: 0}", "rate-limit 0 is too small; write 1B/s or more, or none"),
      ("network: {rate-limit: -5}", "rate-limit -5 is too small; write 1B/s or more, or none"),
      ("network: {max-feed-size: 0}", "max-feed-size 0 is too small; write 1B or more"),
      ("free-space: -1", "free-space -1 is too small; write 0B or more"),
      ("free-space: 0", "free-space \"0\" has no unit; write 0B, 0KiB or 0MiB"),
      ("network: {timeout: -1}", "timeout -1 is too short; write 1s or more"),
      ("network: {timeout: 0}", "timeout 0 is too short; write 1s or more"),
      ("budget: 0", "budget 0 is too short; write 1s or more, or none"),
      ("defaults: {notify: {delay: -1}}", "delay -1 is too short; write 0s or more"),
      ("defaults: {notify: {delay: 0}}", "delay \"0\" has no unit; write 0s"),
      ("defaults: {minimum-interval: 0}", "minimum-interval cannot be 0; write every-run"),
      ("network: {delay-per-host: 90}", "delay-per-host \"90\" has no unit; write 90s"),
      ("network: {delay-per-host: 9000}", "delay-per-host 9000 is too long; write 1h or less"),
      (
        "network: {delay-per-host: 2 hours}",
        "delay-per-host \"2 hours\" is not a duration; write a duration such as 90s, 15m, 1h30m, 2d"
      ),
    ])
  func `the proposal for a number without a unit is valid itself`(line: String, said: String) {
    let told = reading(line + "\nfeeds: {a: \"https://a.example/\"}").problems.map(\.text)

    #expect(told.count == 1)
    #expect(told.first?.hasSuffix(": " + said) == true, "\(told)")
  }

  @Test(arguments: [("KiB", 1 << 10), ("MiB", 1 << 20), ("KB", 1000), ("MB", 1_000_000), ("B", 1)])
  func `the unit of a size is a power of 1000 or of 1024`(unit: String, factor: Int64) {
    let settings = reading("network: {max-feed-size: 10\(unit)}\nfeeds: {a: \"https://a.example/\"}").settings

    #expect(settings?.network.maxFeedSize == ByteCount(10 * factor))
  }

  @Test func `keys that begin with x- are the user's own, wherever keys are known`() {
    let text = """
      x-anchors: {whatever: [1, 2]}
      budget: {x-note: why, fetch: 1m}
      network: {x-a: b, stall: {x-c: d}}
      defaults: {x-note: [text]}
      feeds:
        planet: {url: "https://planet.example/", x-note: mine, notify: {x-a: b}, filter: {x-a: b}, auth: {x-a: b, netrc: true}}
      hooks:
        bar: {events: [failed], run: ["true"], x-why: because}
      """

    #expect(problems(text) == [])
  }

  @Test func `an anchor can be below an x- key and be used twice`() {
    let settings = reading(
      """
      x-quiet: &quiet {urgency: low}
      feeds:
        planet: {url: "https://planet.example/", notify: *quiet}
        moon: {url: "https://moon.example/", notify: *quiet}
      """
    ).settings

    #expect(settings?.feeds.map { $0.notify?.urgency } == [.low, .low])
  }

  @Test func `a mistake in an anchored value is reported once, at the anchor`() {
    let text = """
      x-quiet: &quiet {urgency: lowest}
      feeds:
        planet: {url: "https://planet.example/", notify: *quiet}
        moon: {url: "https://moon.example/", notify: *quiet}
      """

    #expect(
      problems(text) == [
        "bgfetch.yaml:1:27: unknown value \"lowest\" for urgency; write low, normal or critical"
      ])
  }

  @Test func `a repeated key is a mistake in a large mapping too`() {
    let feeds = (0..<100).map { "  f\($0): https://f.example/\($0)\n" }.joined()

    #expect(
      problems("feeds:\n" + feeds + "  f7: https://f.example/x\n") == [
        "bgfetch.yaml:102:3: duplicate key \"f7\"; first used on line 9; keep one of them"
      ])
  }

  @Test func `a relative path is relative to the file, never to where cron runs`() {
    #expect(
      reading("documents: podcasts\nfeeds: {a: \"https://a.example/\"}").settings?.documents
        == "/etc/bgfetch/podcasts")
  }

  @Test func `variables are expanded in paths and nowhere else`() {
    let text = "documents: $NAS/x\nfeeds: {a: {url: \"https://a.example/$NAS\", title: $NAS}}"

    let settings = reading(text, surroundings(["NAS": "/mnt/nas"])).settings

    #expect(settings?.documents == "/mnt/nas/x")
    #expect(settings?.feeds.first?.url == .plain("https://a.example/$NAS"))
    #expect(settings?.feeds.first?.title == "$NAS")
  }

  @Test func `two names with one address cause a warning`() {
    let reading = reading("feeds: {a: \"https://a.example/\", b: \"https://a.example/#top\"}")

    #expect(reading.settings?.feeds.count == 2)
    #expect(
      reading.problems.map(\.text) == [
        "bgfetch.yaml:1:34: warning: feed \"b\" has the same url as feed \"a\" on line 1; keep one of them"
      ])
  }

  @Test func `a byte order mark and line ends of Windows change nothing`() {
    let text = feed("title: Planet\nshedule: x")
    let windows = Array("\u{FEFF}".utf8) + Array(text.replacing("\n", with: "\r\n").utf8)

    let plain = reading(text).problems
    let reading = readConfiguration(
      windows, file: "bgfetch.yaml", path: "/etc/bgfetch/bgfetch.yaml", context: surroundings())

    #expect(reading.problems == plain)
  }

  @Test func `columns count characters, not bytes`() {
    #expect(
      problems("feeds: {a: {title: Zürich 日本, url: x}}").first?.hasPrefix("bgfetch.yaml:1:36: url \"x\"")
        == true)
  }

  @Test func `block text is text`() {
    #expect(title("|\n  two\n  lines") == "two\nlines\n")
    #expect(title(">-\n  one\n  line") == "one line")
  }

  @Test func `the tag of text makes text`() {
    #expect(title("!!str null") == "null")
  }

  @Test func `empty defaults and hooks are like missing ones`() {
    #expect(problems("defaults:\n  # minimum-interval: 2h\nhooks:\nfeeds: {a: \"https://a.example/\"}") == [])
  }

  @Test func `the same file always gives the same words in the same order`() {
    let text = "b: 1\na: 2\nfeeds: {z: x, y: {urk: 1}}\nhooks: {q: {events: [x, y], run: []}}"

    #expect(Set((0..<20).map { _ in problems(text) }).count == 1)
  }
}

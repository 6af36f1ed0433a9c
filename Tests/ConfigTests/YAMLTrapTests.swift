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
    "12345678901234567890123456789",
  ])
  func `unquoted text is taken as written, whatever YAML 1.1 made of it`(text: String) {
    #expect(title(text) == text)
  }

  @Test(arguments: [
    ("\"null\"", "null"), ("'~'", "~"), ("!!str null", "null"), ("\"true\"", "true"), ("\"False\"", "False"),
    ("|\n  two\n  lines", "two\nlines\n"), (">-\n  one\n  line", "one line"),
  ])
  func `quoted words, blocks and the tag of text make text`(written: String, text: String) {
    #expect(title(written) == text)
  }

  @Test func `feeds may be called yes and 2024`() {
    let settings = reading("feeds: {yes: \"https://a.example/\", 2024: \"https://b.example/\"}").settings

    #expect(settings?.feeds.map(\.name.text) == ["yes", "2024"])
  }

  @Test(arguments: [("KiB", 1 << 10), ("MiB", 1 << 20), ("KB", 1000), ("MB", 1_000_000), ("B", 1)])
  func `the unit of a size is a power of 1000 or of 1024`(unit: String, factor: Int64) {
    let settings = reading("free-space: 10\(unit)\nfeeds: {a: \"https://a.example/\"}").settings

    #expect(settings?.freeSpace == ByteCount(10 * factor))
  }

  @Test func `keys that begin with x- are the user's own, wherever keys are known`() {
    let text = """
      x-anchors: {whatever: [1, 2]}
      network: {x-a: b}
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

  @Test func `a byte order mark and line ends of Windows change nothing`() {
    let text = feed("title: Planet\nshedule: x")
    let windows = Array("\u{FEFF}".utf8) + Array(text.replacing("\n", with: "\r\n").utf8)

    let plain = reading(text).problems
    let reading = readConfiguration(
      windows, file: "bgfetch.yaml", path: "/etc/bgfetch/bgfetch.yaml", context: surroundings())

    #expect(reading.problems == plain)
  }

  @Test func `empty defaults and hooks are like missing ones`() {
    #expect(problems("defaults:\n  # minimum-interval: 2h\nhooks:\nfeeds: {a: \"https://a.example/\"}") == [])
  }

  @Test func `the same file always gives the same words in the same order`() {
    let text = "b: 1\na: 2\nfeeds: {z: x, y: {urk: 1}}\nhooks: {q: {events: [x, y], run: []}}"

    #expect(Set((0..<20).map { _ in problems(text) }).count == 1)
  }
}

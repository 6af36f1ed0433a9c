// `include`: several files as one configuration, every mistake with its own file.

import Core
import Testing

@testable import Config

@Suite struct IncludeTests {
  /// The reading of a main file in `/etc/bgfetch/bgfetch.yaml`, named `conf/bgfetch.yaml`, beside further files there.
  private func reading(
    _ main: String, _ files: [String: String] = [:], warnings: [Refusal] = [],
    largest: ByteCount = largestConfiguration
  ) -> ConfigurationReading {
    let files = Dictionary(
      uniqueKeysWithValues: files.map { ($0.hasPrefix("/") ? $0 : "/etc/bgfetch/" + $0, $1) })
    let ways = ConfigurationFiles(
      matching: { pattern in .success(files.keys.filter { glob(matches: $0, pattern: pattern) }.sorted()) },
      // Here the name identifies a link.
      identity: { $0.hasSuffix("link.yaml") ? "/etc/bgfetch/a.yaml" : $0 },
      read: { path, limit in
        guard let text = files[path] else {
          return .failure(Refusal("\(path): there is no such file", cure: "write it"))
        }
        guard text.utf8.count <= limit.bytes else {
          return .failure(Refusal("\(path): is too large", cure: nil))
        }
        return .success(ConfigurationFile(bytes: Array(text.utf8), warnings: warnings))
      })
    var context = ConfigurationContext(
      environment: ["CONF": "/srv/conf"], home: "/home/me", files: ways, isZone: { _ in true })
    context.largest = largest
    return readConfiguration(
      Array(main.utf8), file: "conf/bgfetch.yaml", path: "/etc/bgfetch/bgfetch.yaml", context: context)
  }

  private func problems(_ main: String, _ files: [String: String] = [:]) -> [String] {
    reading(main, files).problems.map(\.text)
  }

  private let z = "feeds: {z: https://z.example/}\n"

  private let a = "feeds: {a: https://a.example/}\n"
  private let b = "feeds: {b: https://b.example/}\n"

  @Test func `feeds and hooks of all files count, in the order of the files`() throws {
    let hooks = "hooks: {say: {events: [notification], run: [\"true\"], feeds: [a]}}\n"
    let reading = reading(
      "include: [feeds.d/*.yaml, more.yaml]\n" + z,
      ["feeds.d/b.yaml": b, "feeds.d/a.yaml": a, "more.yaml": hooks])

    #expect(reading.problems.map(\.text) == [])
    let settings = try #require(reading.settings)
    #expect(settings.feeds.map(\.name.text) == ["z", "a", "b"])
    #expect(settings.hooks.map(\.name) == ["say"])
    #expect(reading.files == ["bgfetch", "feeds.d/a", "feeds.d/b", "more"].map { "conf/\($0).yaml" })
  }

  @Test func `a file name with control characters is escaped in messages`() {
    let wrong = "feeds: {a: {url: https://a.example/, kind: x}}\n"
    let found = problems(
      "include: \"*.yaml\"\n", ["\u{1b}[31m.yaml": wrong, "b.yaml": "feeds: {a: https://b.example/}\n"])

    #expect(found.count == 2)
    for text in found {
      #expect(text.contains("conf/\\u{1b}[31m.yaml:1:"))
      #expect(!text.unicodeScalars.contains("\u{1b}"))
    }
  }

  @Test func `a single path needs no list and may have ~ and variables`() {
    #expect(reading("include: ~/feeds.yaml\n", ["/home/me/feeds.yaml": a]).settings?.feeds.count == 1)
    #expect(reading("include: $CONF/feeds.yaml\n", ["/srv/conf/feeds.yaml": a]).settings?.feeds.count == 1)
  }

  @Test func `defaults of the main file hold everywhere, those of a file over them for its own feeds`() throws
  {
    let main = """
      include: [a.yaml, b.yaml]
      defaults: {minimum-interval: 2h, notify: {urgency: low}, network: {timeout: 5s}}
      feeds: {z: https://z.example/}
      """
    let files = [
      "a.yaml": "defaults: {notify: {failures: 7}, minimum-interval: 3h}\n" + a,
      "b.yaml": "defaults: {minimum-interval: none, network: none}\n" + b,
    ]
    let feeds = try #require(reading(main, files).settings).feeds

    #expect(feeds.map(\.minimumInterval) == [.every(.hours(2)), .every(.hours(3)), nil])
    #expect(feeds.map { $0.notify?.urgency } == [.low, .low, .low])
    #expect(feeds.map { $0.notify?.failures } == [3, 7, 3])
    #expect(feeds.map(\.network.timeout) == [.seconds(5), .seconds(5), .seconds(60)])
  }

  @Test func `a relative path is relative to the file that contains it`() throws {
    let file =
      "feeds: {a: {url: {file: secret}, cookies: me.txt}}\nhooks: {h: {events: [failed], run: [./tell]}}\n"
    let settings = try #require(reading("include: sub/a.yaml\n", ["sub/a.yaml": file]).settings)

    #expect(settings.feeds.all[0].url == .secret(.file("/etc/bgfetch/sub/secret")))
    #expect(settings.feeds.all[0].cookies == "/etc/bgfetch/sub/me.txt")
    #expect(settings.hooks[0].run == [.one(Template(literal: "/etc/bgfetch/sub/tell"))])
  }

  @Test func `hooks and feeds may refer to each other across files`() {
    let feeds = "feeds: {a: {url: https://a.example/, tags: [x], notify: {hooks: [say]}}}\n"
    let hooks = "hooks: {say: {events: [notification], run: [\"true\"], feeds: [a, \"@x\"]}}\n"

    #expect(problems("include: [a.yaml, b.yaml]\n", ["a.yaml": feeds, "b.yaml": hooks]) == [])
  }

  @Test func `a file that is not YAML hides no mistakes of the others, and an empty one is none`() {
    let said = problems("include: [a.yaml, b.yaml]\n", ["a.yaml": "feeds: {a: [\n", "b.yaml": "feeds: 3\n"])

    #expect(said.count == 2)
    #expect(said.first?.hasPrefix("conf/a.yaml:") == true)
    #expect(said.last?.hasPrefix("conf/b.yaml:1:8:") == true)
    for empty in ["", "# feeds: {a: https://a.example/}\n", "\u{FEFF}\n"] {
      #expect(problems("include: a.yaml\n" + z, ["a.yaml": empty]) == [])
    }
  }

  @Test func `the mistakes of all files are reported at once, each with its file`() {
    #expect(
      problems(
        "include: [a.yaml, b.yaml]\nfeeds: {z: {url: https://z.example/, titel: Z}}\nbudgett: 3m\n",
        [
          "a.yaml": "feeds:\n  a: {url: ftp://a.example/}\n",
          "b.yaml": "feeds: {b: https://b.example/, notify: {hooks: [nobody]}}\nhooks: [x]\n",
        ]) == [
          "conf/bgfetch.yaml:2:38: unknown key \"titel\"; did you mean \"title\"?",
          "conf/bgfetch.yaml:3:1: unknown key \"budgett\"; did you mean \"budget\"?",
          "conf/a.yaml:2:12: url is not an http, https or file URL; write a URL such as https://planet.example/atom.xml",
          "conf/b.yaml:1:41: unknown key \"hooks\"; it belongs in notify of a feed or the top level of the file",
          "conf/b.yaml:2:8: hooks must be a mapping, not a list; write a mapping of names such as desktop: {events: […], run: […]}",
        ])
  }

  @Test(arguments: ["feeds: {a: [\n", "- a\n", "a\n"])
  func `unknown names are not reported if a file is missing or broken`(text: String) {
    let main = "include: a.yaml\nhooks: {h: {events: [failed], run: [\"true\"], feeds: [a, \"@x\"]}}\n"
    let feeds = "feeds: {z: {url: https://z.example/, notify: {hooks: [other]}}}\n"

    #expect(problems(main, ["a.yaml": text]).count == 1)
    #expect(problems(main + feeds, ["a.yaml": text]).count == 1)
    #expect(problems(main + feeds).count == 1)
    #expect(problems(main + feeds, ["a.yaml": a]).count == 2)
  }

  @Test func `keys of the main file are refused in an included one`() {
    #expect(
      problems("include: a.yaml\n", ["a.yaml": a + "state: /x\ninclude: [c.yaml]\nfeedz: {}\nx-note: 1\n"])
        == [
          "conf/a.yaml:2:1: unknown key \"state\"; it belongs in the main file",
          "conf/a.yaml:3:1: unknown key \"include\"; it belongs in the main file",
          "conf/a.yaml:4:1: unknown key \"feedz\"; did you mean \"feeds\"?",
        ])
    #expect(
      problems("include: a.yaml\n" + b, ["a.yaml": "nonsense: 1\nplanet: https://planet.example/\n"]) == [
        "conf/a.yaml:1:1: unknown key \"nonsense\"; allowed here: defaults, feeds, hooks",
        "conf/a.yaml:2:1: unknown key \"planet\"; write feeds under feeds:, as in feeds: {planet: https://…}",
      ])
  }

  @Test func `a name in two files is a mistake that names both places, one address a warning`() {
    let hook = "hooks: {h: {events: [failed], run: [\"true\"]}}\n"
    #expect(
      problems(
        "include: [a.yaml, b.yaml]\nfeeds:\n  a: https://z.example/\n" + hook,
        ["a.yaml": a, "b.yaml": b + hook])
        == [
          "conf/a.yaml:1:9: duplicate feed \"a\"; the first is at conf/bgfetch.yaml:3:3; keep one of them, or rename it",
          "conf/b.yaml:2:9: duplicate hook \"h\"; the first is at conf/bgfetch.yaml:4:9; keep one of them, or rename it",
        ])
    #expect(
      problems("include: b.yaml\nfeeds: {a: https://b.example/}\n", ["b.yaml": b]) == [
        "conf/b.yaml:1:9: warning: feed \"b\" has the same url as feed \"a\" in conf/bgfetch.yaml:2:9; keep one of them"
      ])
  }

  @Test func `a file counts once, by whatever pattern or link, and the main file never again`() {
    let reading = reading(
      "include: [a.yaml, \"*.yaml\", link.yaml]\n" + z,
      ["a.yaml": a, "link.yaml": a, "bgfetch.yaml": "feeds: {}\n"])

    #expect(reading.problems.map(\.text) == [])
    #expect(reading.settings?.feeds.map(\.name.text) == ["z", "a"])
  }

  @Test func `a path without a wildcard must be there, a glob may match nothing`() {
    #expect(
      problems("include: [feeds.yaml, feeds.d/*.yaml]\n" + z) == [
        "conf/bgfetch.yaml:1:11: /etc/bgfetch/feeds.yaml: there is no such file; write it"
      ])
    #expect(problems("include: feeds.d/*.yaml\n" + z) == [])
    #expect(
      problems("include: feeds.d/*.yaml\n") == [
        "conf/bgfetch.yaml:1:1: warning: there are no feeds, so nothing is ever fetched"
      ])
  }

  @Test func `warnings about a file are reported where it is included`() {
    let writable = Refusal("/etc/bgfetch/a.yaml: the group 7 can write to it", cure: "chmod go-w it")
    let reading = reading("include: a.yaml\n", ["a.yaml": a], warnings: [writable])

    #expect(reading.settings != nil)
    #expect(
      reading.problems.map(\.text) == [
        "conf/bgfetch.yaml:1:10: warning: /etc/bgfetch/a.yaml: the group 7 can write to it; chmod go-w it"
      ])
  }

  @Test func `all files together have a limit`() {
    let large = a + String(repeating: "#", count: 5000)
    let files = ["a.yaml": large, "b.yaml": large]

    let reading = reading("include: [a.yaml, b.yaml]\n", files, largest: ByteCount(8000))

    #expect(
      reading.problems.map(\.text) == ["conf/bgfetch.yaml:1:19: /etc/bgfetch/b.yaml: is too large"])
  }

  @Test func `incomplete credentials in defaults are reported in their file`() {
    #expect(
      problems("include: a.yaml\ndefaults:\n  auth: {username: me}\n", ["a.yaml": a]) == [
        "conf/bgfetch.yaml:3:3: auth has a username but no password; write password: {env: NAME}"
      ])
  }

  @Test(arguments: [
    ("include: 3.5.yaml/*\ninclude: x\n", "duplicate key \"include\""),
    ("include: {a: b}\nfeeds: {z: https://z.example/}\n", "include must be a list, not a mapping"),
    ("include: $NOPE/a.yaml\nfeeds: {z: https://z.example/}\n", "$NOPE is not set"),
    ("include: none\nfeeds: {z: https://z.example/}\n", "cannot be none"),
    ("include: [[a.yaml]]\nfeeds: {z: https://z.example/}\n", "must not be a list"),
  ])
  func `an invalid include is a mistake`(text: String, expected: String) {
    #expect(problems(text).contains { $0.contains(expected) }, "\(problems(text))")
  }
}

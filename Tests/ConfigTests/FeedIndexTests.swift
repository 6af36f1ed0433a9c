// The index of a configuration: feeds that are read one by one are the same as feeds that are read together.

import Core
import TestKit
import Testing

@testable import Config

@Suite struct FeedIndexTests {
  private func context(_ files: [String: String] = [:]) -> ConfigurationContext {
    ConfigurationContext(
      environment: [:], home: "/home/me",
      files: ConfigurationFiles(
        matching: { pattern in .success(files.keys.filter { glob(matches: $0, pattern: pattern) }.sorted()) },
        identity: { $0 },
        read: { path, _ in
          files[path].map { .success(ConfigurationFile(bytes: Array($0.utf8))) }
            ?? .failure(ConfigurationFileRefusal("\(path): there is no such file", cure: nil))
        }), isZone: { _ in true })
  }

  /// The same configuration read in full and by its index; nil if it cannot be indexed.
  private func both(_ text: String, _ files: [String: String] = [:]) throws -> (
    full: Settings, lazy: Settings
  )? {
    let full = readConfiguration(
      Array(text.utf8), file: "c.yaml", path: "/etc/c.yaml", context: context(files))
    let settings = try #require(full.settings, "\(full.problems.map(\.text))")
    var inParts = context(files)
    inParts.limits = .smallest
    let parts = readConfiguration(Array(text.utf8), file: "c.yaml", path: "/etc/c.yaml", context: inParts)
    #expect(parts.settings == settings && parts.problems == full.problems)
    guard let index = parts.index, let stored = FeedIndex(stored: index.stored) else {
      return nil
    }
    let lazy = readConfiguration(
      Array(text.utf8), file: "c.yaml", path: "/etc/c.yaml", context: context(files), index: stored,
      facts: settings.feeds.facts)
    #expect(lazy?.files == full.files && lazy?.sources == full.sources && lazy?.texts == full.texts)
    return (settings, try #require(lazy?.settings))
  }

  @Test func `words that select feeds are not mistakes while a feed has one`() {
    let text = """
      feeds:
        work: {url: "a b"}
        yt: https://video.example/feed
      hooks:
        video: {events: [new-item], feeds: ["y*", work, nobody], run: [a]}
      outputs: {/tmp/out.atom: {feeds: ["y*", "@tag"]}}
      """
    for limits in [ReadingLimits(), .smallest] {
      var context = context()
      context.limits = limits
      let reading = readConfiguration(
        Array(text.utf8), file: "c.yaml", path: "/etc/c.yaml", context: context)

      #expect(reading.problems.map(\.line) == [2])
    }
  }

  @Test func `a file with two keys feeds has no index`() {
    let text = "feeds:\n  a: {u: x}\nfeeds:\n  b: {v: x}\n  c: {w: y}\n"

    #expect(FeedIndex(of: Array(text.utf8)) == nil)
  }

  private func expectSame(_ text: String, _ files: [String: String] = [:]) throws {
    let (full, lazy) = try #require(try both(text, files), "not indexed")
    #expect(lazy.feeds.areIndexed && lazy.feeds.count == full.feeds.count)
    for feed in full.feeds {
      #expect(lazy.feeds[feed.name] == feed)
      #expect(lazy.feedNames.contains(feed.name))
    }
    let half = full.feeds.map(\.name).enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    #expect(try #require(try both(text, files)).lazy.feeds.named(half.reversed()) == full.feeds.named(half))
    #expect(lazy.feeds.all == full.feeds.all)
    #expect(lazy == full)
    for name in ["nobody", "plane", "planets"].compactMap(FeedName.init) where full.feeds[name] == nil {
      #expect(lazy.feeds[name] == nil && !lazy.feedNames.contains(name))
    }
  }

  @Test(arguments: [
    "feeds:\n  planet: https://planet.example/atom\n",
    "feeds:\r\n  planet: https://planet.example/atom\r\n  other:\r\n    url: https://o.example/\r\n    tags: [x]\r\n",
    "\u{FEFF}feeds:\n  planet: https://planet.example/ü?a=1&b=*2\n  \"quoted\": https://q.example/\n  'single': https://s.example/",
    """
    # the head
    budget: 3m
    defaults: {minimum-interval: 2h, tags: [all], headers: {Accept-Language: de}}
    feeds: # my feeds
      # a comment: with a colon
      a: {url: https://a.example/, tags: [one, two]} # behind it
      b:
        # within
        url: >-
          https://b.example/
        title: |
          two
          lines

        notify:
          {urgency: critical,
           group: item}

      c:   https://c.example/

      # planet: https://planet.example/commented-out
      d:
          url: https://d.example/f.json
          kind: json
          json: {items: /a, id: /id, title: "{name} {version}"}
          download: {types: ["audio/*"], keep: {count: 3}}
    hooks:
      say: {events: [notification], run: ["true"], feeds: [a, "@one"]}
    outputs:
      /tmp/news.html: {feeds: [a]}
    """,
    "feeds:\n  a: https://a.example/\t\n  b: https://b.example/\t# a comment after a tab\nhooks: {}\n",
    "feeds:\n  a: {url: https://a.example/}\t",
    "feeds:\n  a:\n    url: https://a.example/\n    body: |\n      ends in blanks \n        \n  b: https://b.example/\n",
    "feeds:\n  a:\n    url: https://a.example/\n    body: |+\n      ends in lines\n\n\n# c\n\n  b: https://b.example/\n",
    "feeds:\n  a:\n    url: https://a.example/\n    body: |\n      has no line end",
    "feeds:\n  a:\n    url: https://a.example/\n    tags:\n    - one\n    -  two\n\n  b: https://b.example/\n",
  ]) func `feeds read one by one are the same`(text: String) throws {
    try expectSame(text)
  }

  @Test func `included files keep their own defaults`() throws {
    let files = [
      "/etc/d/1.yaml":
        "defaults: {tags: [first]}\nfeeds:\n  a: https://a.example/\n  b: https://b.example/\n",
      "/etc/d/2.yaml": "# nothing here\n",
      "/etc/d/3.yaml": "feeds:\n  c: {url: https://c.example/, network: {timeout: 5s}}\nhooks: {}\n",
    ]
    try expectSame(
      "include: [d/*.yaml]\ndefaults: {minimum-interval: 3h}\nfeeds:\n  z: https://z.example/\n", files)
    try expectSame("include: [d/*.yaml]\ndefaults: {minimum-interval: 3h}\n", files)
  }

  @Test(arguments: [
    "feeds: {a: https://a.example/}\n",
    "feeds:\n  a: &a {url: https://a.example/}\n",
    "x-all: &tags [one]\nfeeds:\n  a: {url: https://a.example/, tags: *tags}\n",
    "feeds:\n  ? a\n  : https://a.example/\n",
    "feeds:\n  \"\\u0061\": https://a.example/\n",
    "x-a: 1\rfeeds:\n  a: https://a.example/\n",
    "# one\u{2028}\nfeeds:\n  a: https://a.example/\n",
  ]) func `feeds that need the rest of their file are not indexed`(text: String) throws {
    #expect(try both(text) == nil)
  }

  @Test func `an index of other files is refused`() throws {
    let text = "feeds:\n  a: https://a.example/\n  b: https://b.example/\n"
    let index = try #require(FeedIndex(of: Array(text.utf8)))
    let other = Array((text + "  c: https://c.example/\n").utf8)

    #expect(
      readConfiguration(
        other, file: "c", path: "/etc/c", context: context(), index: index,
        facts: FeedListFacts()) == nil)
    for count in 0..<index.stored.count {
      #expect(FeedIndex(stored: Array(index.stored.prefix(count))) == nil)
    }
    // Whatever the bytes of an index are, reading ends, with the right feeds or with fewer.
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var stored = index.stored
      stored[Int.random(in: stored.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      guard let changed = FeedIndex(stored: stored) else { continue }
      let reading = readConfiguration(
        Array(text.utf8), file: "c", path: "/etc/c", context: context(), index: changed,
        facts: FeedListFacts())
      for name in ["a", "b"].compactMap(FeedName.init) {
        if let feed = reading?.settings?.feeds[name] {
          #expect(feed.url == .plain("https://\(name).example/"))
        }
      }
    }
  }

  @Test func `random configurations are the same by their index`() throws {
    var random = RandomNumbers(seed: 42)
    for _ in 0..<40 {
      var text = random.one(of: ["", "# head\n", "budget: 2m\n\n"]) + "feeds:\n"
      for number in 0..<Int.random(in: 1...30, using: &random) {
        let name = random.one(of: ["n\(number)", "a.\(number)", "x_\(number)-y"])
        text += random.one(of: ["", "", "\n", "  # note\n", "\n\n  # two\n  # lines\n"])
        text += random.one(of: [
          "  \(name): https://h\(number).example/f\n",
          "  \(name): {url: \"https://h\(number).example/f\", tags: [t\(number % 3)]}  # why\n",
          "  \(name):\n    url: https://h\(number).example/f\n    minimum-interval: \(number + 1)m\n",
          "  \"\(name)\":\n    url: 'https://h\(number).example/f'\n    filter:\n      exclude: [\"a#b: c\"]\n",
        ])
      }
      text += random.one(of: ["", "hooks: {}\n", "defaults:\n  minimum-interval: 5h\n"])
      try expectSame(text)
    }
  }
}

extension RandomNumbers {
  fileprivate mutating func one(of values: [String]) -> String { values.randomElement(using: &self) ?? "" }
}

// The text that the program writes is read again as the same feeds, without a problem.

import Core
import Testing

@testable import Config

@Suite struct FeedsTextTests {
  /// Titles that a reader of YAML could mistake for something else.
  static let traps = [
    "yes", "No", "on", "null", "~", "true", "none", "1.10", "1e3", "0x1F", "1:30", "2024-01-02", ".nan", "-",
    "--", "---", "- a", "-1", "*x", "&x", "!x", "%x", "@x", "`x`", "{x}", "[x]", "a: b", "a:", ": a", "a #b",
    "#a", "'", "\"", "a'b\"c\\d", "a\nb", "a\tb", "a\u{0}b".replacing("\u{0}", with: ""), "\u{7}", "\u{85}",
    "\u{2028}", "\u{FEFF}a", "\u{FFFE}", "😀", "日本語", " a ", "x-a", "<<", "=", "? a", "| a", "> a", "a, b",
    "a]", "a}", "{feed.title}", "{{", "https://a.example/", "$HOME", "~/x", "\u{E000}", "\u{10FFFF}",
    "In Our Time", "a-b_c.d/e+f@g=h", "/path",
  ]

  /// The text of one feed, `planet` by default.
  private func written(_ subscription: Subscription, as name: String = "planet") throws -> String {
    feedsText([NamedSubscription(name: try #require(FeedName(name)), subscription: subscription)])
  }

  @Test(arguments: traps)
  func `any title is read back as it was`(title: String) throws {
    let text = try written(Subscription(url: "https://a.example/?a=1&b=[2]", title: title))

    #expect(problems(text) == [])
    #expect(reading(text).settings?.feeds.map(\.title) == [title])
    #expect(reading(text).settings?.feeds.map(\.url) == [.plain("https://a.example/?a=1&b=[2]")])
  }

  @Test(arguments: ["\u{202E}", "\u{2066}", "\u{200F}", "\u{61C}", "\u{9B}", "\u{2029}"])
  func `bidirectional marks are written as escapes`(mark: String) throws {
    let text = try written(Subscription(url: "https://a.example/\(mark)lmx", title: "a\(mark)b", tags: []))

    #expect(!text.unicodeScalars.contains { mark.unicodeScalars.contains($0) })
    #expect(reading(text).settings?.feeds.map(\.title) == ["a\(mark)b"])
  }

  @Test(arguments: [
    "yes", "null", "1.10", "none", "true", "x-planet", "0x10", "a.b", "_", "1e3", "defaults", "on",
  ])
  func `any name is read back as it was`(name: String) throws {
    let text = try written(Subscription(url: "https://a.example/"), as: name)

    #expect(problems(text) == [])
    #expect(reading(text).settings?.feeds.map(\.name.text) == [name])
  }

  @Test(arguments: [
    "https://a.example/", "https://a.example:", "https://a.example/#", "https://пример.example/ü",
    "http://a.example/?a='b\"c\\d&e={f}[g],h", "https://a.example/%20:", "HTTPS://A.example/*&!|>%@`",
    "file:///home/me/a%20b.xml",
  ])
  func `any address is read back as it was, alone, beside a title and with tags`(url: String) throws {
    let address = try url.hasPrefix("file") ? url : #require(WebAddress(url)).text
    let tags = ["linux", "no", "2024", "a_b-c"]
    for (title, tags) in [(nil, []), ("A title", []), (nil, tags)] as [(String?, [String])] {
      let text = try written(Subscription(url: address, title: title, tags: tags))

      #expect(problems(text) == [], "\(title)")
      #expect(reading(text).settings?.feeds.map(\.url) == [.plain(address)], "\(title)")
      #expect(reading(text).settings?.feeds.map(\.tags) == [tags])
    }
  }

  @Test func `random text is read back as it was`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let scalars = (0..<6).compactMap { _ in
        Unicode.Scalar(
          Bool.random() ? UInt32.random(in: 1...0x7F, using: &generator) : .random(in: 1...0x10_FFFF))
      }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      let title = String(text)
      guard !title.isEmpty else { continue }
      let yaml = "feeds: {planet: {url: \"https://a.example/\", title: \(yamlText(title))}}\n"

      #expect(reading(yaml).settings?.feeds.first?.title == title, "\(yaml)")
    }
  }

  @Test func `feeds are written in the shortest form, and tags as a list`() {
    let feeds = [
      ("planet", Subscription(url: "https://planet.example/atom.xml")),
      ("lwn", Subscription(url: "https://lwn.example/rss", title: "LWN: weekly", tags: ["linux", "no"])),
      ("yes", Subscription(url: "file:///tmp/x", title: "In Our Time")),
    ].compactMap { name, subscription in
      FeedName(name).map { NamedSubscription(name: $0, subscription: subscription) }
    }

    #expect(
      feedsText(feeds) == """
        feeds:
          planet: https://planet.example/atom.xml
          lwn: {url: "https://lwn.example/rss", title: "LWN: weekly", tags: [linux, "no"]}
          "yes": {url: "file:///tmp/x", title: In Our Time}

        """)
  }
}

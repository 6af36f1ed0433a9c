// Configurations whose feeds are read part by part: mistakes have their places, and everything that needs all feeds holds.

import Core
import Testing

@testable import Config

@Suite struct LargeConfigurationTests {
  /// More than two parts of a thousand feeds, with other keys before and after them.
  private func text(changing changes: [Int: String] = [:], after: String = "") -> String {
    var text = "# the head\ndefaults: {tags: [all]}\nfeeds:\n"
    for number in 0..<2500 { text += changes[number] ?? "  f\(number): https://host.example/\(number)\n" }
    return text + after
  }

  private func problems(_ text: String) -> [String] { reading(text).problems.map(\.text) }

  /// Surroundings in which a file with a mistake is not read again as a whole, as a very large one is not.
  private var onlyInParts: ConfigurationContext {
    var context = surroundings()
    context.limits.largestAgain = 0
    return context
  }

  @Test func `all feeds are read, in order`() throws {
    let read = reading(
      text(changing: [1700: "  # a comment\n  f1700: {url: https://a.example/, tags: [b]}\n"]))
    let settings = try #require(read.settings)

    #expect(read.index != nil && settings.feeds.areIndexed)
    #expect(settings.feeds.count == 2500)
    #expect(settings.feeds.map(\.name.text) == (0..<2500).map { "f\($0)" })
    #expect(settings.feeds.names.map(\.text) == (0..<2500).map { "f\($0)" })
    #expect(settings.feeds.parts.map(\.count) == [1000, 1000, 500])
    #expect(settings.feeds.all.map(\.tags) == (0..<2500).map { $0 == 1700 ? ["b"] : ["all"] })
    #expect(settings.feeds[try #require(FeedName("f1700"))]?.tags == ["b"])
  }

  @Test func `a mistake in any part has its line`() {
    let wrong = text(
      changing: [
        3: "  f3: https://\n", 1500: "\n  # why\n  f1500: {url: https://a.example/, titel: x}\n",
        2499: "  f2499:\n    url: https://b.example/\n    budget: 3s\n",
      ], after: "hooks:\n  say: {events: [new-dta], run: [\"true\"], feeds: [nobody]}\n")
    let places = reading(wrong, onlyInParts).problems.map { "\($0.line):\($0.column)" }

    #expect(reading(wrong).problems == reading(wrong, onlyInParts).problems)
    #expect(places == ["7:7", "1506:36", "2507:5", "2509:18"], "\(problems(wrong))")
    #expect(reading(wrong).settings == nil)
  }

  @Test func `a mistake in the language of the file has its line`() {
    let wrong = text(changing: [2000: "  f2000: \"https://a.example/\n"])

    #expect(reading(wrong).settings == nil)
    #expect(reading(wrong).problems.first?.line == 2004, "\(problems(wrong))")
    #expect(reading(wrong, onlyInParts).problems.first?.line == 2004)
  }

  @Test func `a mistake that changes what a part means reads as in a small file`() {
    let start = "feeds:\n !tag:\n  b: e\n   x}\n c: {w: y}\n"
    let filling = String(repeating: "# a comment\n", count: 4000)

    #expect(problems(start + filling) == problems(start))
    #expect(problems(start).count == 2)
  }

  @Test func `a name that is used twice is a mistake`() {
    let wrong = text(changing: [2000: "  f7: https://a.example/\n"])

    #expect(problems(wrong).first?.contains("duplicate key \"f7\"; first used on line 11") == true)
  }

  @Test func `two feeds with one address are a warning`() {
    let twice = text(changing: [2000: "  f2000: https://host.example/7\n"])

    #expect(reading(twice).settings != nil)
    #expect(
      problems(twice) == [
        "bgfetch.yaml:2004:3: warning: feed \"f2000\" has the same url as feed \"f7\" on line 11; keep one of them"
      ])
  }

  @Test func `words of hooks select among all feeds`() throws {
    let hook = "hooks: {say: {events: [new-data], run: [\"true\"], feeds: [\"f24*\", \"@late\"]}}\n"
    let settings = reading(
      text(changing: [2400: "  f2400: {url: https://a.example/, tags: [late]}\n"], after: hook)
    ).settings

    #expect(settings?.hooks.first?.feeds == ["f24*", "@late"])
  }

  @Test func `what feeds use is collected`() throws {
    let read = reading(
      text(changing: [
        5: "  f5: {url: https://a.example/, download: {directory: /srv/a}}\n",
        1005: "  f1005: {url: https://b.example/, download: {directory: /srv/a}}\n",
        2005: "  f2005: {command: [git, log], network: {proxy: none}}\n",
        2006:
          "  f2006: {url: https://c.example/, auth: {bearer: {env: TOKEN}}, network: {ca-file: /etc/ca.pem}}\n",
      ]))
    let facts = try #require(read.settings).feeds.facts

    #expect(read.uses.directories.map { "\($0.feed) \($0.path)" } == ["f5 /srv/a"])
    #expect(read.uses.programs.map { "\($0.feed) \($0.path)" } == ["f2005 git"])
    #expect(read.uses.proxies == [.environment, .none])
    #expect(facts.secretVariables == ["TOKEN"] && facts.certificateFiles == ["/etc/ca.pem"])
  }

  @Test func `a block has the empty lines after it`() throws {
    let settings = try #require(
      reading(text(changing: [9: "  f9:\n    url: https://a.example/\n    body: |+\n      t\n\n\n"]))
        .settings)

    #expect(settings.feeds.areIndexed)
    #expect(settings.feeds.count == 2500)
    #expect(settings.feeds[try #require(FeedName("f9"))]?.body == RequestBody(text: "t\n\n\n"))
  }
}

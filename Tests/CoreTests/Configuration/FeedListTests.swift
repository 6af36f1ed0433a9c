// The configured feeds: feeds of the files, and feeds of a catalog, which are read when they are asked for.

import Core
import Testing

@Suite struct FeedListTests {
  /// A catalog in memory, in pages of at most three feeds.
  private final class Catalog: FeedCatalog {
    let version: Int64 = 7
    let all: [CatalogFeed]

    init(_ names: [String]) throws {
      all = try names.sorted().map {
        try CatalogFeed(name: $0, url: "https://\($0).example/", tags: ["slow"])
      }
    }

    var count: Int { all.count }
    func feeds(named names: [FeedName]) -> [CatalogFeed] { all.filter { names.contains($0.name) } }
    func known(among names: [FeedName]) -> Set<FeedName> { Set(feeds(named: names).map(\.name)) }
    func page(after name: String?, limit: Int) -> (feeds: [CatalogFeed], end: String?) {
      let page = Array(all.drop { $0.name.text <= name ?? "" }.prefix(3))
      return (page, page.last?.name.text)
    }
  }

  private func name(_ text: String) throws -> FeedName { try #require(FeedName(text)) }

  private func list(_ own: [String], _ catalog: [String]) throws -> FeedList {
    var settings = CatalogSettings()
    var slow = FeedSpec(name: try name("slow"), url: .plain(""))
    slow.tags = ["rare"]
    settings.byTag["slow"] = slow
    return FeedList(try own.map { FeedSpec(name: try name($0), url: .plain("https://own.example/\($0)")) })
      .joined(with: try Catalog(catalog), settings)
  }

  @Test func `feeds of the files come first and hide those of the catalog`() throws {
    let feeds = try list(["z", "c", "x"], ["a", "b", "c", "d", "e", "f", "z"])
    let order = ["z", "c", "x", "a", "b", "d", "e", "f"]

    #expect(feeds.map(\.name.text) == order)
    #expect(feeds.names.map(\.text) == order)
    #expect(feeds.all == feeds.map(\.self))
    #expect(feeds.count == order.count)
    #expect(!feeds.isEmpty)
    #expect(feeds[try name("c")]?.url == .plain("https://own.example/c"))
    #expect(feeds[try name("b")]?.tags == ["rare", "slow"])
    #expect(feeds[try name("q")] == nil)
    #expect(feeds.named(try ["f", "x", "q", "a", "z"].map(name)).map(\.name.text) == ["z", "x", "a", "f"])
    #expect(feeds.parts(of: try ["f", "x"].map(name)).map { $0.map(\.name.text) } == [["x", "f"]])
  }

  @Test func `names are known whether they are in a file or in the catalog`() throws {
    let names = try list(["z"], ["a", "z"]).names

    #expect(try ["a", "z"].map(name).allSatisfy(names.contains))
    #expect(!names.contains(try name("q")))
    #expect(names.known(among: try ["a", "q", "z"].map(name)) == Set(try ["a", "z"].map(name)))
    #expect(names.fingerprint != FeedNames([try name("z")]).fingerprint)
  }

  @Test(arguments: ["z", "a"]) func `a feed is replaced wherever it is`(text: String) throws {
    let feed = with(FeedSpec(name: try name(text), url: .plain("file:/x"))) { $0.title = "other" }

    let feeds = try list(["z"], ["a", "b"]).replacing(feed)

    #expect(feeds[feed.name] == feed)
    #expect(feeds.count == 3)
  }

  /// The tags of a feed of the catalog, and the title and interval that it gets.
  @Test(arguments: [
    ([], "defaults", 1), (["other"], "defaults", 1), (["slow"], "slow", 6), (["news", "slow"], "news", 2),
    (["slow", "news"], "slow", 6), (["other", "news"], "news", 2),
  ])
  func `the first tag with settings has those of a feed`(tags: [String], title: String, hours: Int64) throws {
    let spec = try settings().spec(CatalogFeed(name: "sun", url: "https://sun.example/", tags: tags))

    #expect(spec.title == title)
    #expect(spec.minimumInterval == .every(.hours(hours)))
    #expect(spec.tags == tags)
    #expect(spec.name == (try name("sun")))
    #expect(spec.url == .plain("https://sun.example/"))
  }

  @Test func `a feed without settings is fetched only when it is named`() throws {
    let settings = try with(settings()) { $0.standard = nil }
    let (plain, tagged) = try (
      CatalogFeed(name: "sun", url: "https://sun.example/", tags: ["other"]),
      CatalogFeed(name: "sun", url: "https://sun.example/", tags: ["slow"])
    )

    #expect(!settings.haveSettings(of: plain))
    #expect(settings.spec(plain).minimumInterval == .never)
    #expect(settings.haveSettings(of: tagged))
    #expect(settings.spec(tagged).title == "slow")
  }

  /// Settings of the tags `slow` and `news`, and defaults.
  private func settings() throws -> CatalogSettings {
    func spec(_ title: String, _ hours: Int64) throws -> FeedSpec {
      with(FeedSpec(name: try name("x"), url: .plain(""))) {
        ($0.title, $0.minimumInterval) = (title, .every(.hours(hours)))
      }
    }
    var settings = CatalogSettings()
    settings.standard = try spec("defaults", 1)
    settings.byTag = ["slow": try spec("slow", 6), "news": try spec("news", 2)]
    return settings
  }
}

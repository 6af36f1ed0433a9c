// The list that export writes.

import Core
import Testing

@Suite struct ExportedFeedsTests {
  @Test func `an exported feed has the configured title, else the learned one, else its name`() throws {
    let names = ["planet", "learned", "bare"].compactMap(FeedName.init)
    var feeds = names.map { FeedSpec(name: $0, url: .plain("https://\($0).example/?key=value")) }
    feeds[0].title = "Planet"
    let state = with(FeedState()) { ($0.title, $0.link) = ("Its own", "https://site.example/") }

    let exported = ExportedFeeds(feeds, [names[0]: state, names[1]: state])

    #expect(
      exported.subscriptions == [
        Subscription(
          url: "https://planet.example/?key=value", title: "Planet", link: "https://site.example/"),
        Subscription(
          url: "https://learned.example/?key=value", title: "Its own", link: "https://site.example/"),
        Subscription(url: "https://bare.example/?key=value", title: "bare"),
      ])
    #expect(exported.leftOut == [])
  }

  @Test func `feeds that no reader can read and secret addresses are left out with the reason`() throws {
    let names = try ["patron", "releases", "report"].map { try #require(FeedName($0)) }
    var feeds = names.map { FeedSpec(name: $0, url: .plain("https://\($0).example/")) }
    feeds[0].url = .secret(.environment("PATRON"))
    feeds[1].kind = .json(JSONMapping(items: [], parts: [:]))
    feeds[2].kind = .asset

    let exported = ExportedFeeds(feeds, [:])

    #expect(exported.subscriptions == [])
    #expect(
      exported.leftOut.map { "\($0.feed) \($0.reason)" } == [
        "patron its url is a secret", "releases is no feed that other feed readers can read",
        "report is no feed that other feed readers can read",
      ])
  }
}

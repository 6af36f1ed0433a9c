import Model
import Planning
import Testing

@Suite struct ExportedFeedsTests {
  @Test func `a feed has the configured title, else the learned one, else its name`() throws {
    let names = ["planet", "learned", "bare"].compactMap(FeedName.init)
    var feeds = names.map { FeedSpec(name: $0, url: .plain("https://\($0).example/?key=value")) }
    feeds[0].title = "Planet"
    var state = FeedState()
    state.title = "Its own"
    state.link = "https://site.example/"

    let exported = ExportedFeeds(feeds, [names[0]: state, names[1]: state])

    #expect(
      exported.subscriptions == [
        Subscription(
          url: "https://planet.example/?key=value", title: "Planet", link: "https://site.example/"),
        Subscription(
          url: "https://learned.example/?key=value", title: "Its own", link: "https://site.example/"),
        Subscription(url: "https://bare.example/?key=value", title: "bare"),
      ])
    #expect(exported.secret == [])
  }

  @Test func `a feed whose address is a secret is left out and named`() throws {
    let name = try #require(FeedName("patron"))

    let exported = ExportedFeeds([FeedSpec(name: name, url: .secret(.environment("PATRON")))], [:])

    #expect(exported.subscriptions == [])
    #expect(exported.secret == [name])
  }
}

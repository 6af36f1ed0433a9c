// Feeds of one run with the same request.

import Core
import Testing

@Suite struct SharedRequestsTests {
  /// The names of the feeds that wait for each feed's response.
  private func groups(_ feeds: [FeedSpec], _ states: [FeedName: FeedState] = [:]) -> [String: [String]] {
    let due = with(PlannedFeeds()) { _ = $0.add(feeds, states, context()) }.due
    var shared = SharedRequests(due)
    let asking = due.filter { !shared.isWaiting($0.name) }
    return Dictionary(
      uniqueKeysWithValues: asking.map { ($0.name.text, shared.release(after: $0.name).map(\.name.text)) })
  }

  @Test(arguments: [
    ("http://planet.example/feed", true), ("HTTP://Planet.Example/feed", true),
    ("http://planet.example:80/feed", true), ("http://planet.example/feed#top", true),
    ("https://planet.example/feed", false), ("http://planet.example/Feed", false),
    ("http://planet.example/feed?", false), ("http://planet.example:8080/feed", false),
    ("http://me@planet.example/feed", false), ("http://planet.example/feed/", false),
  ])
  func `one address in two spellings is requested once, another one has its own request`(
    url: String, isSame: Bool
  ) throws {
    let feeds = [try feed("one", url: "http://planet.example/feed"), try feed("two", url: url)]

    #expect(groups(feeds) == (isSame ? ["one": ["two"]] : ["one": [], "two": []]))
  }

  @Test func `headers, credentials, secrets and learned addresses are part of a request`() throws {
    let plain = with(try feed("plain")) { $0.title = "Not a part of it" }
    let cookie = with(try feed("cookie")) {
      $0.headers = [HeaderSpec(name: "Cookie", value: .secret(.environment("COOKIE")))]
    }
    let bearers = try ["bearer", "same"].map {
      with(try feed($0)) { $0.authentication = .bearer(.environment("TOKEN")) }
    }
    let three = [try feed("one"), try feed("two"), try feed("three")]
    let secrets = zip(three, ["URL", "URL", "OTHER"]).map { feed, place in
      with(feed) { $0.url = .secret(.environment(place)) }
    }
    let move = with(Move(address: "https://new.example/", firstSeen: now)) { $0.isLearned = true }
    let moved = with(FeedState()) { $0.moves = [move] }
    let crashed = with(FeedState()) { $0.crashes = 2 }

    #expect(groups([plain, cookie] + bearers) == ["plain": [], "cookie": [], "bearer": ["same"]])
    #expect(groups(secrets) == ["one": ["two"], "three": []])
    #expect(
      groups(three, [try name("one"): moved, try name("three"): moved]) == ["one": ["three"], "two": []])
    #expect(groups(three, [try name("one"): crashed]) == ["two": ["three"], "one": []])
  }
}

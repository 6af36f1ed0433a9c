// Feeds of one run with the same request.

import Core
import Testing

@Suite struct SharedRequestsTests {
  private func due(_ feeds: [FeedSpec], _ states: [FeedName: FeedState] = [:]) -> [QueuedFeed] {
    var plan = RoundPlan()
    _ = plan.add(feeds, states, context())
    return plan.due
  }

  /// The names of the feeds that wait for each feed's response.
  private func groups(_ feeds: [FeedSpec], _ states: [FeedName: FeedState] = [:]) -> [String: [String]] {
    let due = due(feeds, states)
    var shared = SharedRequests(due)
    let asking = due.filter { !shared.isWaiting($0.name) }
    var groups: [String: [String]] = [:]
    for feed in asking { groups[feed.name.text] = shared.release(after: feed.name).map(\.name.text) }
    return groups
  }

  @Test(
    arguments: [
      "http://planet.example/feed", "HTTP://Planet.Example/feed", "http://planet.example:80/feed",
      "http://planet.example/feed#top",
    ])
  func `one address in two spellings is requested once`(url: String) throws {
    let feeds = [try feed("one", url: "http://planet.example/feed"), try feed("two", url: url)]

    #expect(groups(feeds) == ["one": ["two"]])
  }

  @Test(
    arguments: [
      "https://planet.example/feed", "http://planet.example/Feed", "http://planet.example/feed?",
      "http://planet.example:8080/feed", "http://me@planet.example/feed", "http://planet.example/feed/",
    ])
  func `another address has its own request`(url: String) throws {
    let feeds = [try feed("one", url: "http://planet.example/feed"), try feed("two", url: url)]

    #expect(groups(feeds) == ["one": [], "two": []])
  }

  @Test func `headers and credentials are part of a request`() throws {
    var plain = try feed("plain")
    var cookie = try feed("cookie")
    cookie.headers = [HeaderSpec(name: "Cookie", value: .secret(.environment("COOKIE")))]
    var bearer = try feed("bearer")
    bearer.authentication = .bearer(.environment("TOKEN"))
    var same = try feed("same")
    same.authentication = bearer.authentication
    plain.title = "Not a part of it"

    #expect(
      groups([plain, cookie, bearer, same]) == ["plain": [], "cookie": [], "bearer": ["same"]])
  }

  @Test func `secret addresses are the same if they come from the same place`() throws {
    var feeds = [try feed("one"), try feed("two"), try feed("three")]
    feeds[0].url = .secret(.environment("URL"))
    feeds[1].url = .secret(.environment("URL"))
    feeds[2].url = .secret(.environment("OTHER"))

    #expect(groups(feeds) == ["one": ["two"], "three": []])
  }

  @Test func `a learned address is another request than the configured one`() throws {
    var moved = FeedState()
    var move = Move(address: "https://new.example/", firstSeen: now)
    move.isLearned = true
    moved.moves = [move]
    let feeds = [try feed("one"), try feed("two"), try feed("three")]

    let groups = groups(feeds, [try name("one"): moved, try name("three"): moved])

    #expect(groups == ["one": ["three"], "two": []])
  }

  @Test func `a feed that crashed two runs shares no request`() throws {
    var crashed = FeedState()
    crashed.crashes = 2
    let feeds = [try feed("one"), try feed("two"), try feed("three")]

    let groups = groups(feeds, [try name("one"): crashed])

    #expect(groups == ["two": ["three"], "one": []])
  }
}

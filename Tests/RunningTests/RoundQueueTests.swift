// The feeds of a run: started, sharing a response, or left.

import Core
import Testing

@testable import Running

@Suite struct RoundQueueTests {
  private let now = Instant(secondsSince1970: 1_793_613_600)

  /// Two feeds of one address and one of another host.
  private func feeds() throws -> [FeedSpec] {
    try [("one", "planet"), ("two", "planet"), ("other", "moon")].map { name, host in
      FeedSpec(name: try #require(FeedName(name)), url: .plain("https://\(host).example/feed"))
    }
  }

  private func work() throws -> RoundQueue {
    var plan = PlannedFeeds()
    _ = plan.add(try feeds(), [:], PlanningContext(now: now, zone: .utc, machine: "test"))
    return RoundQueue(plan.due, queue(NetworkSettings(), until: nil))
  }

  private func queue(_ network: NetworkSettings, until warning: Int64?) -> HostQueue {
    HostQueue(network: network, hosts: [:], roundStart: now, start: 0, warning: warning)
  }

  /// The feeds `f0`, `f1` and so on with these addresses, in a run that ends after a second.
  private func work(connections: Int, _ urls: [String]) throws -> RoundQueue {
    var network = NetworkSettings()
    network.connections = connections
    let due = try urls.enumerated().map { index, url in
      let feed = FeedSpec(name: try name("f\(index)"), url: .plain(url))
      var queued = QueuedFeed(name: feed.name, host: feed.host ?? feed.name.text, isPublicHost: false)
      queued.isLocal = feed.isLocal
      return queued
    }
    return RoundQueue(due, queue(network, until: 1000))
  }

  private func name(_ text: String) throws -> FeedName { try #require(FeedName(text)) }

  /// Released feeds with their states.
  private func withStates(_ released: [QueuedFeed]) throws -> [DueFeed] {
    let feeds = try feeds().filter { feed in released.contains { $0.name == feed.name } }
    return feeds.map { DueFeed($0, FeedState()) }
  }

  /// The record of a fetch of the first feed that got a document.
  private func trace() throws -> FetchTrace {
    let due = DueFeed(try feeds()[0], FeedState())
    var trace = FetchTrace(due: due, state: FeedState(), started: now)
    trace.result = RequestResult.document(Response(status: 200, fields: [], body: []))
    return trace
  }

  @Test func `the second of two feeds with one address shares the response of the first`() throws {
    var work = try work()

    let starting = work.dequeue(at: 0)
    work.end(starting[0], at: 500)
    let released = work.release(after: starting[0])
    let sharing = work.share(
      try trace(), with: try withStates(released), of: released, machine: "test", at: now)

    #expect(starting.map(\.text) == ["one", "other"])
    #expect(sharing.map(\.feed.name.text) == ["two"])
    #expect(work.underWay == 2)
    #expect(Set(work.unfinishedHosts) == ["planet.example", "moon.example"])
    #expect(work.dequeue(at: 5000) == [])
    for feed in [sharing[0].feed.name, starting[1]] { work.end(feed, at: 6000) }
    #expect(work.unfinishedHosts == [])
    #expect(work.isFinished)
  }

  @Test func `if a feed gets no response, the feeds that waited for it send their own request`() throws {
    var work = try work()

    let starting = work.dequeue(at: 0)
    for feed in starting { work.end(feed, at: 500) }
    let released = work.release(after: starting[0])
    let sharing = work.share(nil, with: try withStates(released), of: released, machine: "test", at: now)

    #expect(sharing.isEmpty)
    #expect(!work.isFinished)
    #expect(work.dequeue(at: 5000).map(\.text) == ["two"])
  }

  @Test func `a response is shared only with the same request, whatever the hashes say`() throws {
    var work = try work()
    let starting = work.dequeue(at: 0)
    work.end(starting[0], at: 500)
    let released = work.release(after: starting[0])
    var feed = try #require(try withStates(released).first).feed
    feed.headers = [HeaderSpec(name: "Cookie", value: .plain("mine"))]

    let other = [DueFeed(feed, FeedState())]
    let sharing = work.share(try trace(), with: other, of: released, machine: "test", at: now)

    #expect(sharing.isEmpty)
    #expect(work.dequeue(at: 5000).map(\.text) == ["two"])
  }

  @Test func `a feed that cannot be read is left, with the feeds that wait for its response`() throws {
    var work = try work()
    let starting = work.dequeue(at: 0)

    #expect(work.leave(starting[0], at: 0) == 2)
    #expect(work.unfinishedHosts == ["moon.example"])
    work.end(starting[1], at: 500)
    #expect(work.isFinished)
  }

  @Test func `a feed that waits for a left feed is left too`() throws {
    var work = try work()

    #expect(work.leaveAll() == 3)
    #expect(work.isFinished)
    #expect(work.dequeue(at: 5000) == [])
  }

  // MARK: Files beside feeds of servers

  @Test func `a file needs no connection`() throws {
    var work = try work(
      connections: 1, ["https://a.example/", "https://b.example/", "file:///1", "file:///2"])

    #expect(Set(work.dequeue(at: 0).map(\.text)) == ["f0", "f2", "f3"])
    work.end(try name("f2"), at: 0)
    #expect(work.dequeue(at: 0) == [])
    work.end(try name("f0"), at: 0)
    #expect(work.dequeue(at: 0).map(\.text) == ["f1"])
    work.end(try name("f1"), at: 0)
    #expect(!work.isFinished)
    work.end(try name("f3"), at: 0)
    #expect(work.isFinished)
  }

  @Test func `connections that other rounds use are not free, except for files`() throws {
    var work = try work(connections: 2, ["https://a.example/", "https://b.example/", "file:///1"])

    #expect(work.dequeue(at: 0, beside: 2).map(\.text) == ["f2"])
    #expect(work.nextStart == nil)
    #expect(work.dequeue(at: 0, beside: 1).map(\.text) == ["f0"])
    #expect(work.connections == 1)
    #expect(work.dequeue(at: 0, beside: 1) == [])
    #expect(work.dequeue(at: 0).map(\.text) == ["f1"])
  }

  @Test func `the hosts of feeds are known until the feeds have ended`() throws {
    var work = try work(connections: 1, ["https://a.example/", "https://b.example/", "file:///1"])
    #expect(Set(work.unfinishedHosts) == ["a.example", "b.example", "f2"])

    for name in work.dequeue(at: 0) { work.end(name, at: 0) }
    #expect(work.unfinishedHosts == ["b.example"])
    #expect(work.leaveAll() == 1)
    #expect(work.unfinishedHosts == [])
  }

  @Test func `only a few files are read at one time`() throws {
    var work = try work(connections: 32, (0..<10).map { "file:///\($0)" })

    #expect(work.dequeue(at: 0).count == 4)
    work.end(try name("f0"), at: 0)
    #expect(work.nextStart == 0)
    #expect(work.dequeue(at: 0).count == 1)
  }

  @Test func `nothing starts after the end of the budget`() throws {
    var work = try work(connections: 1, ["https://a.example/", "file:///1"])

    #expect(work.dequeue(at: 1000) == [])
    #expect(work.leaveAll() == 2)
    #expect(work.isFinished)
  }
}

// The feeds of a run: started, sharing a response, or left.

import Core
import Testing

@testable import bgfetch

@Suite struct FetchWorkTests {
  private let now = Instant(secondsSince1970: 1_793_613_600)

  /// Two feeds of one address and one of another host.
  private func feeds() throws -> [FeedSpec] {
    try [("one", "planet"), ("two", "planet"), ("other", "moon")].map { name, host in
      FeedSpec(name: try #require(FeedName(name)), url: .plain("https://\(host).example/feed"))
    }
  }

  private func work() throws -> FetchWork {
    var plan = RoundPlan()
    _ = plan.add(try feeds(), [:], PlanningContext(now: now, zone: .utc, machine: "test"))
    return FetchWork(
      plan.due,
      queues: FetchQueues(
        network: NetworkSettings(), hosts: [:], runStart: now, start: 0, deadline: nil))
  }

  /// The turns of released feeds.
  private func turns(_ released: [QueuedFeed]) throws -> [FetchWork.Turn] {
    let feeds = try feeds()
    return released.compactMap { feed in feeds.first { $0.name == feed.name } }.map {
      FetchWork.Turn($0, FeedState())
    }
  }

  /// The record of a fetch with this result.
  private func trace(of feed: FeedSpec, _ result: RequestResult) -> FetchTrace {
    var trace = FetchTrace(turn: FetchWork.Turn(feed, FeedState()), state: FeedState(), started: now)
    trace.result = result
    return trace
  }

  private let document = RequestResult.document(Response(status: 200, fields: [], body: []))

  @Test func `the second of two feeds with one address shares the response of the first`() throws {
    var work = try work()

    let starting = work.dequeue(at: 0)
    work.end(starting[0], at: 500)
    let released = work.release(after: starting[0])
    let sharing = work.share(
      trace(of: try feeds()[0], document), with: try turns(released), of: released, machine: "test", at: now)

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
    let sharing = work.share(nil, with: try turns(released), of: released, machine: "test", at: now)

    #expect(sharing.isEmpty)
    #expect(!work.isFinished)
    #expect(work.dequeue(at: 5000).map(\.text) == ["two"])
  }

  @Test func `a response is shared only with the same request, whatever the hashes say`() throws {
    var work = try work()
    let starting = work.dequeue(at: 0)
    work.end(starting[0], at: 500)
    let released = work.release(after: starting[0])
    var feed = try #require(try turns(released).first).feed
    feed.headers = [HeaderSpec(name: "Cookie", value: .plain("mine"))]

    let sharing = work.share(
      trace(of: try feeds()[0], document), with: [FetchWork.Turn(feed, FeedState())], of: released,
      machine: "test", at: now)

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
}

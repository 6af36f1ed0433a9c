// The feeds of a run: started, sharing a response, or left.

import Core
import Testing

@testable import Sync

@Suite struct FetchWorkTests {
  private let now = Instant(secondsSince1970: 1_793_613_600)

  /// Two feeds of one address and one of another host.
  private func work() throws -> FetchWork {
    let feeds = try [("one", "planet"), ("two", "planet"), ("other", "moon")].map { name, host in
      FeedSpec(name: try #require(FeedName(name)), url: .plain("https://\(host).example/feed"))
    }
    let due = duePlan(feeds, [:], PlanningContext(now: now, zone: .utc, machine: "test")).due
    return FetchWork(
      due, states: [:],
      queues: FetchQueues(
        network: NetworkSettings(), hosts: [:], runStart: now, start: 0, deadline: nil))
  }

  private func names(_ turns: [FetchWork.Turn]) -> [String] { turns.map(\.feed.name.text) }

  /// The record of a fetch with this result.
  private func trace(_ turn: FetchWork.Turn, _ result: RequestResult) -> FetchTrace {
    var trace = FetchTrace(feed: turn.feed, state: turn.state, started: now)
    trace.result = result
    return trace
  }

  @Test func `the second of two feeds with one address shares the response of the first`() throws {
    var work = try work()

    let starting = work.take(at: 0)
    work.end(starting[0].feed.name, at: 500)
    let answer = trace(starting[0], .document(Response(status: 200, fields: [], body: [])))
    let sharing = work.release(after: starting[0].feed.name, answer, machine: "test", at: now)

    #expect(names(starting) == ["one", "other"])
    #expect(names(sharing) == ["two"])
    #expect(work.underWay == 2)
    #expect(names(work.take(at: 5000)) == [])
  }

  @Test func `if a feed gets no response, the feeds that waited for it send their own request`() throws {
    var work = try work()

    let starting = work.take(at: 0)
    for turn in starting { work.end(turn.feed.name, at: 500) }
    let sharing = work.release(after: starting[0].feed.name, nil, machine: "test", at: now)

    #expect(names(sharing) == [])
    #expect(!work.isFinished)
    #expect(names(work.take(at: 5000)) == ["two"])
  }

  @Test func `a feed that waits for a left feed is left too`() throws {
    var work = try work()

    #expect(work.leaveAll() == 3)
    #expect(work.isFinished)
    #expect(names(work.take(at: 5000)) == [])
  }
}

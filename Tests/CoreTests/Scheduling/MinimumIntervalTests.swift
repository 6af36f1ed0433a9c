// The minimum interval: when it ends, its slack, and its defaults.

import Core
import Testing

@Suite struct MinimumIntervalTests {
  @Test func `a feed never fetched is due at once`() throws {
    let decision = dueDecision(try feed(), FeedState(), context())

    #expect(decision.isDue)
    #expect(decision.reason == .neverFetched)
    #expect(decision.waitUntil == nil)
  }

  @Test func `a feed never fetched is due at once whatever its schedule`() throws {
    let decision = dueDecision(try feed(schedule: ["0 3 * * *"]), FeedState(), context())

    #expect(decision.reason == .neverFetched)
  }

  @Test func `a feed checked less than its minimum interval ago is skipped, and says until when`() throws {
    let decision = dueDecision(try feed(interval: .every(.hours(2))), fetched(.hours(1)), context())

    #expect(!decision.isDue)
    #expect(decision.dueAt == now + .minutes(58))
    #expect(decision.reason == .postponed(.minimumInterval, until: now + .minutes(58)))
  }

  @Test func `a feed checked longer ago than its minimum interval is due since its end`() throws {
    let decision = dueDecision(try feed(interval: .every(.hours(1))), fetched(.hours(3)), context())

    #expect(decision.reason == .reached(.minimumInterval, at: now - .hours(2) - .minutes(2)))
    #expect(decision.overdueBy == .hours(2) + .minutes(2))
  }

  @Test func `without an interval the default is one hour`() throws {
    #expect(dueDecision(try feed(), fetched(.zero), context()).dueAt == now + .minutes(58))
  }

  @Test func `without an interval and validators the default is a day`() throws {
    var state = fetched(.zero)
    state.validators.entityTag = nil

    #expect(dueDecision(try feed(), state, context()).dueAt == now + .hours(24) - .minutes(2))
  }

  @Test func `a configured interval also applies to a server without validators`() throws {
    var state = fetched(.zero)
    state.validators.entityTag = nil

    let decision = dueDecision(try feed(interval: .every(.hours(1))), state, context())

    #expect(decision.dueAt == now + .minutes(58))
  }

  @Test func `every-run is due in the very next run`() throws {
    let decision = dueDecision(try feed(interval: .everyRun), fetched(.seconds(1)), context())

    #expect(decision.isDue)
  }

  @Test func `every-run does not override freshness`() throws {
    var state = fetched(.seconds(1))
    state.freshness = ServerFreshness(notBefore: now + .hours(1), source: "ttl")

    #expect(!dueDecision(try feed(interval: .everyRun), state, context()).isDue)
  }

  @Test func `never is not due by itself, fetched or not`() throws {
    for state in [FeedState(), fetched(.days(400))] {
      let decision = dueDecision(try feed(interval: .never), state, context())

      #expect(!decision.isDue)
      #expect(decision.dueAt == nil)
      #expect(decision.reason == .onlyWhenNamed)
    }
  }

  @Test func `a failure does not use up the interval`() throws {
    var state = failing(1, .transient, .hours(1))
    state.lastCounted = now - .hours(3)

    let decision = dueDecision(try feed(interval: .every(.hours(2))), state, context())

    #expect(decision.isDue)
  }

  @Test(arguments: [
    // Interval and slack in seconds: 5 %, from 5 m up at least 60 s, at most 2 min.
    (0, 0), (19, 0), (60, 3), (299, 14), (300, 60), (1200, 60), (1800, 90), (2400, 120), (3600, 120),
    (604_800, 120),
  ])
  func `slack is 5 percent, at least a minute from 5 m up, at most two`(interval: Int64, slack: Int64) throws
  {
    let feed = try feed(interval: .every(.seconds(interval)))

    let decision = dueDecision(feed, fetched(.zero), context())

    #expect(decision.dueAt == now + .seconds(interval - slack))
  }

  @Test func `the longest possible interval never ends`() throws {
    let feed = try feed(interval: .every(.seconds(.max)))

    #expect(!dueDecision(feed, fetched(.days(10_000)), context()).isDue)
  }

  @Test func `jitter never falls on the plain interval`() throws {
    let moments = try (0..<50).map {
      dueDecision(try feed("feed\($0)"), fetched(.zero), context()).dueAt
    }

    #expect(Set(moments) == [now + .minutes(58)])
  }
}

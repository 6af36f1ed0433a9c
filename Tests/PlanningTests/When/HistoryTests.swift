// Feeds fetched over weeks of made-up answers: no rule is undercut, and no feed is forgotten.

import Model
import Planning
import Testing
import Timing

/// A feed and a state of any kind that one clock can have made, for rules that must hold for all.
func randomFeed(_ numbers: inout SeededNumbers) throws -> (FeedSpec, FeedState) {
  func maybe<Value>(_ value: @autoclosure () throws -> Value) rethrows -> Value? {
    Bool.random(using: &numbers) ? try value() : nil
  }
  func past() -> Instant { now - .seconds(.random(in: 0...259_200, using: &numbers)) }
  func end() -> Instant { past() + .seconds(.random(in: 0...432_000, using: &numbers)) }
  var feed = try feed()
  feed.minimumInterval = maybe(
    [.every(.minutes(5)), .every(.hours(1)), .every(.days(2)), .everyRun].randomElement(using: &numbers)
      ?? .everyRun)
  if Int.random(in: 0..<3, using: &numbers) == 0 {
    feed.schedule = [
      try CronExpression(parsing: "*/20 6-22 * * *"), try CronExpression(parsing: "5 3 * * mon"),
    ]
  }
  var state = FeedState()
  state.lastAsked = maybe(past())
  state.lastCounted = maybe(past())
  state.lastSuccess = state.lastCounted
  state.hasBaseline = state.lastCounted != nil
  state.wish = maybe(ServerWish(notBefore: end(), source: "ttl"))
  state.rateLimit = maybe(RateLimit(until: end(), unnamed: 0, status: 429))
  state.hints.skipHours = maybe([9, 10]) ?? []
  state.failures = maybe(Int.random(in: 1...9, using: &numbers)) ?? 0
  state.backoffClass = [.transient, .refused, .gone, nil].randomElement(using: &numbers) ?? nil
  return (feed, state)
}

@Suite struct HistoryTests {
  /// One feed on its own timer, with a server that answers as it likes.
  private struct History {
    var numbers: SeededNumbers
    let feed: FeedSpec
    let timer: Int64
    var state = FeedState()
    var host = HostState()
    /// What the server asked for last: not before this moment.
    var asked: Instant?
    /// The start of the last run that fetched without failing.
    var counted: Instant?
    var lastStart: Instant?
    var longestGap: Int64 = 0
    var fetches = 0

    init(seed: UInt64) throws {
      numbers = SeededNumbers(state: seed)
      let interval = [5, 10, 60, 240].randomElement(using: &numbers) ?? 60 as Int64
      feed = try PlanningTests.feed("feed\(seed)", interval: .every(.minutes(interval)))
      timer = [60, 300, 900, 3600].randomElement(using: &numbers) ?? 60
    }

    mutating func live(for days: Int64) throws {
      for tick in stride(from: 0, to: days * 86_400, by: Int64.Stride(timer)) {
        let run = now + .seconds(tick + .random(in: 0...40, using: &numbers))
        let hosts = ["planet.example": host]
        let decision = dueDecision(feed, state, context(now: run, hosts: hosts))
        if decision.isDue { try fetch(run, decision) }
      }
    }

    private mutating func fetch(_ run: Instant, _ decision: DueDecision) throws {
      let start = max(run, decision.waitUntil ?? run)
      fetches += 1
      if let asked { #expect(start >= asked, "\(feed.name) undercut the server") }
      if let counted, case .every(let interval)? = feed.minimumInterval {
        let slack = Interval.seconds(min(max(interval.seconds / 20, 60), 120))
        #expect(run >= counted + (interval - slack), "\(feed.name) undercut its interval")
      }
      #expect(start.since(run) <= .seconds(60))
      if let lastStart { longestGap = max(longestGap, start.since(lastStart).seconds) }
      lastStart = start

      let seconds = Int64.random(in: 1...20_000, using: &numbers)
      let end = start + .seconds(.random(in: 0...5, using: &numbers))
      var fetch = attempt(feed, at: run, host: host)
      fetch.ended = end
      let change: StateChange
      switch Int.random(in: 0..<10, using: &numbers) {
      case 0:
        fetch.response = reply(429, [("Retry-After", String(seconds))])
        asked = end + .seconds(seconds)
        change = stateAfterFailure(
          state, fetch, failure: .rateLimited(status: 429, retryAfter: .seconds(seconds)), reason: "")
      case 1:
        change = stateAfterFailure(state, fetch, failure: .timeout(.seconds(60)), reason: "")
      case 2:
        fetch.response = reply(404)
        change = stateAfterFailure(state, fetch, failure: .status(404), reason: "")
      case 3...6:
        fetch.response = reply(304, [("Cache-Control", "max-age=\(seconds)")])
        asked = end + .seconds(seconds)
        counted = run
        change = stateAfterSuccess(state, fetch, result: .noData, reason: "", hints: nil)
      default:
        fetch.response = reply(200)
        asked = nil
        counted = run
        change = stateAfterSuccess(state, fetch, result: .newData, reason: "", hints: FeedHints())
      }
      state = change.state
      host = change.host
    }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `no history of a feed undercuts its interval or its server, and none ends`(seed: UInt64) throws {
    var history = try History(seed: seed)

    try history.live(for: 21)

    #expect(history.fetches > 20)
    // The longest wait there is: a day of backoff and its jitter, and the next tick of an hourly timer.
    #expect(history.longestGap <= 86_400 + 600 + 3700)
  }

  @Test func `what is not due now says when, and is due then`() throws {
    var numbers = SeededNumbers(state: 11)
    for _ in 0..<2000 {
      let (feed, state) = try randomFeed(&numbers)
      let decision = dueDecision(feed, state, context())
      guard !decision.isDue else { continue }

      let dueAt = try #require(decision.dueAt)
      #expect(dueAt > now)
      #expect(dueDecision(feed, state, context(now: dueAt)).isDue)
      // The caps: 7 d, and 30 d for what is gone.
      #expect(dueAt.since(now) <= .days(31))
    }
  }
}

// Feeds in states of every kind: a feed that is not due has a moment at which it is. Whole histories are in Histories.

import Core
import Testing

/// A random feed, and a random state that is possible under one clock, for rules that apply to all.
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
  state.freshness = maybe(ServerFreshness(notBefore: end(), source: "ttl"))
  state.rateLimit = maybe(RateLimit(until: end(), withoutRetryAfter: 0, status: 429))
  state.hints.skipHours = maybe([9, 10]) ?? []
  state.failures = maybe(Int.random(in: 1...9, using: &numbers)) ?? 0
  state.backoffClass = [.transient, .refused, .gone, nil].randomElement(using: &numbers) ?? nil
  return (feed, state)
}

@Suite struct AnyStateTests {
  @Test func `a feed that is not due says when, and is due then`() throws {
    var numbers = SeededNumbers(state: 11)
    for _ in 0..<2000 {
      let (feed, state) = try randomFeed(&numbers)
      let decision = dueDecision(feed, state, context())
      guard !decision.isDue else { continue }

      let dueAt = try #require(decision.dueAt)
      #expect(dueAt > now)
      #expect(dueDecision(feed, state, context(now: dueAt)).isDue)
      // The longest waits: 7 d, and 30 d for a feed that is gone.
      #expect(dueAt.since(now) <= .days(31))
    }
  }
}

// Scheduling after the clock was set back or forward.

import Testing

@testable import Core

@Suite struct ClockTests {
  /// A state that was stored in the future, because the clock was set back since.
  private func ahead(_ interval: Interval) -> FeedState { fetched(.zero, before: now + interval) }

  @Test func `a clock set back makes a feed due at once, and no time stored before postpones it`() throws {
    let feed = try feed()
    func limited(_ days: Int64, ahead: Int64) -> FeedState {
      with(self.ahead(.days(ahead))) { $0.rateLimit = limit(until: now + .days(days)) }
    }
    let postponed = with(ahead(.days(3))) {
      $0.freshness = freshness(until: now + .days(4))
      ($0.failures, $0.backoffClass, $0.hints.skipHours) = (3, .refused, [10])
    }
    let hosts = ["planet.example": limitedHost(until: now + .days(300))]

    expect("a year: due, not a year's wait", feed, ahead(.days(365)), .because(.clockSetBack))
    try expect(
      "schedule, freshness and backoff start again", CoreTests.feed(schedule: ["0 3 * * *"]), postponed,
      .because(.clockSetBack))
    expect("a rate limit beyond its cap is ignored", feed, limited(365, ahead: 365), .yes)
    expect("it applies up to its cap", feed, limited(3, ahead: 2), .waits(.rateLimit, .days(3)))
    expect("a host's limit beyond its cap is ignored", feed, FeedState(), .yes, context(hosts: hosts))
    expect(
      "a correction by seconds makes none due", feed, ahead(.seconds(2)),
      .waits(.minimumInterval, .minutes(58) + .seconds(2)))
  }

  @Test func `one fetch under another clock is enough, then interval and backoff count again`() throws {
    let feed = try feed()
    func success(_ before: FeedState, at moment: Instant = now) -> FeedState {
      stateAfterSuccess(before, attempt(feed, at: moment), result: .noData, reason: "", hints: nil).state
    }
    let later = now + .days(365)
    let forward = success(fetched(.minutes(1)), at: later)

    expect(
      "set back", feed, success(ahead(.days(365))), .after(.minutes(58)), context(now: now + .minutes(1)))
    expect("set forward a year", feed, fetched(.minutes(1)), .yes, context(now: later))
    expect("once", feed, forward, .no, context(now: later + .minutes(1)))
  }

  @Test(arguments: [(0, true), (365, false), (-365, false)])
  func `validators stored far from now in either direction are left out once`(days: Int64, areSent: Bool)
    throws
  {
    let state = fetched(.zero) {
      $0.requestFingerprint = 7
      $0.validators.since = Instant(secondsSince1970: now.secondsSince1970 + days * 86_400)
    }

    let sent = validatorsToSend(state, fingerprint: 7, feed: try name("planet"), machine: "m", at: now)

    #expect(!sent.isEmpty == areSent)
  }

  @Test func `a feed that fails under a clock set back is not fetched at every run`() throws {
    let feed = try feed()
    for (failure, rule, wait) in [
      (.status(404), .backoff, .hours(4)), (.status(410), .gone, .hours(24)),
      (.cut(""), .backoff, .minutes(15)), (.truncated, .backoff, .minutes(15)),
    ] as [(FetchFailure, DueRule, Interval)] {
      let state = stateAfterFailure(ahead(.days(365)), attempt(feed), failure: failure, reason: "").state
      let decision = dueDecision(feed, state, context(now: now + wait - .seconds(1)))
      #expect(try decision.reason == .postponed(rule, until: #require(decision.dueAt)), "\(failure)")
      expect("\(failure)", feed, state, .yes, context(now: now + wait + .minutes(10)))
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 1 << 40, .max - 1, .max])
  func `no stored moment, however wrong, postpones a feed for longer than its cap`(seconds: Int64) throws {
    let moment = Instant(secondsSince1970: seconds)
    let state = fetched(.zero, before: moment) {
      ($0.failures, $0.backoffClass, $0.freshness) = (.max, .transient, freshness(until: moment))
      $0.rateLimit = RateLimit(until: moment, withoutRetryAfter: .max, status: 429)
    }

    try expect("due", feed(), state, .yes)
  }
}

// Scheduling after the clock was set back or forward.

import Core
import Testing

@Suite struct ClockTests {
  /// A state that was stored in the future, because the clock was set back since.
  private func ahead(_ interval: Interval) -> FeedState {
    fetched(.zero, before: now + interval)
  }

  @Test func `a clock set back a year makes a feed due, not wait a year`() throws {
    let decision = dueDecision(try feed(), ahead(.days(365)), context())

    #expect(decision.isDue)
    #expect(decision.reason == .clockSetBack)
  }

  @Test func `after the clock was set back, schedule, freshness and backoff start again`() throws {
    var state = ahead(.days(3))
    state.freshness = ServerFreshness(notBefore: now + .days(4), source: "ttl")
    state.failures = 3
    state.backoffClass = .refused
    state.hints.skipHours = [10]

    #expect(dueDecision(try feed(schedule: ["0 3 * * *"]), state, context()).reason == .clockSetBack)
  }

  @Test func `a rate limit further away than its cap is ignored`() throws {
    var state = ahead(.days(365))
    state.rateLimit = RateLimit(until: now + .days(365), withoutRetryAfter: 0, status: 429)

    #expect(dueDecision(try feed(), state, context()).isDue)
  }

  @Test func `a rate limit applies up to its cap even if the clock was set back`() throws {
    var state = ahead(.days(2))
    state.rateLimit = RateLimit(until: now + .days(3), withoutRetryAfter: 0, status: 429)

    #expect(dueDecision(try feed(), state, context()).reason == .postponed(.rateLimit, until: now + .days(3)))
  }

  @Test func `a limit on a host further away than its cap is ignored`() throws {
    var host = HostState()
    host.limitedUntil = now + .days(300)

    let decision = dueDecision(try feed(), FeedState(), context(hosts: ["planet.example": host]))

    #expect(decision.isDue)
  }

  @Test func `a clock corrected by seconds does not make all feeds due`() throws {
    let decision = dueDecision(try feed(), ahead(.seconds(2)), context())

    #expect(decision.reason == .postponed(.minimumInterval, until: now + .minutes(58) + .seconds(2)))
  }

  @Test func `after one fetch under a clock set back the interval counts again`() throws {
    let feed = try feed()
    let state = stateAfterSuccess(
      ahead(.days(365)), attempt(feed), result: .noData, reason: "", hints: nil
    ).state

    #expect(dueDecision(feed, state, context(now: now + .minutes(1))).dueAt == now + .minutes(58))
  }

  @Test func `a failure after the clock was set back is followed by its wait`() throws {
    let feed = try feed()
    let failed = stateAfterFailure(ahead(.days(365)), attempt(feed), failure: .truncated, reason: "").state

    let decision = dueDecision(feed, failed, context(now: now + .minutes(1)))

    guard case .postponed(.backoff, _) = decision.reason else {
      Issue.record("not held by backoff: \(decision.reason)")
      return
    }
    #expect(dueDecision(feed, failed, context(now: now + .minutes(20))).isDue)
  }

  @Test(arguments: [(0, true), (365, false), (-365, false)])
  func `validators stored far from now in either direction are left out once`(days: Int64, areSent: Bool)
    throws
  {
    var state = fetched(.zero)
    state.requestFingerprint = 7
    state.validators.since = Instant(secondsSince1970: now.secondsSince1970 + days * 86_400)

    let sent = validatorsToSend(state, fingerprint: 7, feed: try name("planet"), machine: "m", at: now)

    #expect(!sent.isEmpty == areSent)
  }

  @Test func `a feed that fails under a clock set back is not fetched at every run`() throws {
    let feed = try feed()
    for (failure, wait) in [(.status(404), .hours(4)), (.status(410), .hours(24)), (.cut(""), .minutes(15))]
      as [(FetchFailure, Interval)]
    {
      let state = stateAfterFailure(ahead(.days(365)), attempt(feed), failure: failure, reason: "").state

      #expect(!dueDecision(feed, state, context(now: now + wait - .seconds(1))).isDue)
      #expect(dueDecision(feed, state, context(now: now + wait + .minutes(10))).isDue)
    }
  }

  @Test func `a clock set forward a year makes a feed due once`() throws {
    let feed = try feed()
    let later = now + .days(365)
    let before = fetched(.minutes(1))
    let state = stateAfterSuccess(
      before, attempt(feed, at: later), result: .noData, reason: "", hints: nil
    ).state

    #expect(dueDecision(feed, before, context(now: later)).isDue)
    #expect(!dueDecision(feed, state, context(now: later + .minutes(1))).isDue)
  }

  @Test func `no stored moment, however wrong, postpones a feed for longer than its cap`() throws {
    for stored in [Int64.min, -1, 0, 1 << 40, .max - 1, .max] {
      let moment = Instant(secondsSince1970: stored)
      var state = FeedState()
      state.lastAsked = moment
      state.lastCounted = moment
      state.lastSuccess = moment
      state.failures = .max
      state.backoffClass = .transient
      state.freshness = ServerFreshness(notBefore: moment, source: "")
      state.rateLimit = RateLimit(until: moment, withoutRetryAfter: .max, status: 429)

      #expect(dueDecision(try feed(), state, context()).isDue)
    }
  }
}

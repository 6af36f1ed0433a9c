// How a success or failure changes the state that decides when a feed is due.

import Core
import Testing

@Suite struct AfterFetchTests {
  private func success(_ before: FeedState, _ feed: FeedSpec, _ response: Response = reply()) -> StateChange {
    stateAfterSuccess(before, attempt(feed, response), result: .noData, reason: "not modified", hints: nil)
  }

  private func failure(
    _ before: FeedState, _ feed: FeedSpec, _ failure: FetchFailure, at moment: Instant = now,
    response: Response? = nil
  ) -> StateChange {
    stateAfterFailure(before, attempt(feed, at: moment, response), failure: failure, reason: "why")
  }

  @Test func `a success counts from the start of its run`() throws {
    var fetch = attempt(try feed(), reply())
    fetch.ended = now + .minutes(2)

    let state = stateAfterSuccess(FeedState(), fetch, result: .newData, reason: "3 new", hints: nil).state

    #expect(state.lastAsked == now && state.lastCounted == now)
    #expect(state.lastSuccess == now + .minutes(2))
    #expect(state.lastResult == .newData && state.lastReason == "3 new")
    #expect(state.hasBaseline)
  }

  @Test func `a success ends failures, backoff and limits`() throws {
    var before = failing(7, .refused, .hours(1))
    before.rateLimit = RateLimit(until: now, withoutRetryAfter: 3, status: 429)
    before.goneSince = now
    before.crashes = 1

    let state = success(before, try feed()).state

    #expect(state.failures == 0 && state.backoffClass == nil && state.rateLimit == nil)
    #expect(state.goneSince == nil && state.crashes == 0)
  }

  @Test func `freshness lasts until the next response without it`() throws {
    let wished = success(FeedState(), try feed(), reply(200, [("Cache-Control", "max-age=60")])).state

    #expect(wished.freshness?.notBefore == now + .seconds(61))
    #expect(success(wished, try feed()).state.freshness == nil)
  }

  @Test func `a 304 keeps the hints of the last document`() throws {
    var before = fetched(.hours(1))
    before.hints.timeToLive = .hours(3)

    #expect(success(before, try feed(), reply(304)).state.freshness?.source == "ttl: 3h")
  }

  @Test func `a document replaces the hints of the last one`() throws {
    var before = fetched(.hours(1))
    before.hints.timeToLive = .hours(3)

    let state = stateAfterSuccess(
      before, attempt(try feed(), reply()), result: .noData, reason: "", hints: FeedHints()
    ).state

    #expect(state.hints == FeedHints() && state.freshness == nil)
  }

  @Test func `validators, title and link are left as they were`() throws {
    var before = fetched(.hours(1))
    before.title = "Planet"

    for state in [success(before, try feed()).state, failure(before, try feed(), .truncated).state] {
      #expect(state.validators == before.validators && state.title == "Planet")
    }
  }

  @Test func `a failure does not move the start of the interval`() throws {
    let before = fetched(.hours(2))

    let state = failure(before, try feed(), .status(500)).state

    #expect(state.lastCounted == before.lastCounted && state.lastSuccess == before.lastSuccess)
    #expect(state.lastAsked == now && state.failures == 1 && state.lastResult == .failed)
  }

  @Test func `failing is reported once, after three failures in a row`() throws {
    var state = FeedState()
    let feed = try feed()
    var health: [HealthChange?] = []
    for _ in 1...5 {
      let change = failure(state, feed, .status(500))
      state = change.state
      health.append(change.health)
    }

    #expect(health == [nil, nil, .failing, nil, nil])
  }

  @Test func `recovered is reported once, at the first success after failing`() throws {
    var before = failing(3, .transient, .hours(1))
    before.failingAnnounced = true
    let change = success(before, try feed())

    #expect(change.health == .recovered)
    #expect(success(change.state, try feed()).health == nil)
  }

  @Test func `recovered is reported only after failing`() throws {
    #expect(success(failing(2, .transient, .hours(1)), try feed()).health == nil)
  }

  @Test func `failing is never reported with failures: 0`() throws {
    var feed = try feed()
    feed.notify?.failures = 0

    #expect(failure(failing(99, .transient, .hours(1)), feed, .status(500)).health == nil)
  }

  @Test func `rate limits in a row are reported as failing too`() throws {
    var state = FeedState()
    var health: HealthChange?
    for _ in 1...3 {
      let change = failure(state, try feed(), .rateLimited(status: 429, retryAfter: .hours(1)))
      state = change.state
      health = change.health
    }

    #expect(health == .failing)
  }

  @Test func `after a first 410 a feed is fetched again a day later`() throws {
    let feed = try feed()
    let state = failure(fetched(.hours(2)), feed, .status(410), response: reply(410)).state

    let wait = try #require(dueDecision(feed, state, context()).dueAt).since(now)

    #expect(state.goneSince == now && !state.isGone)
    #expect(wait >= .hours(24) && wait <= .hours(24) + .minutes(10))
  }

  @Test func `two 410s a day apart are believed, and reported once`() throws {
    let feed = try feed()
    var state = FeedState()
    var health: [HealthChange?] = []
    for hours in [0, 23, 24, 800] as [Int64] {
      let change = failure(state, feed, .status(410), at: now + .hours(hours), response: reply(410))
      state = change.state
      health.append(change.health)
    }

    #expect(health == [nil, nil, .gone, nil])
    #expect(state.isGone)
  }

  @Test func `another response between two 410s starts the count again`() throws {
    let feed = try feed()
    let first = failure(FeedState(), feed, .status(410), response: reply(410)).state
    let between = failure(first, feed, .status(500), at: now + .hours(24), response: reply(500)).state
    let second = failure(between, feed, .status(410), at: now + .hours(25), response: reply(410))

    #expect(second.health != .gone)
    #expect(second.state.goneSince == now + .hours(25))
  }

  @Test func `a timeout between two 410s is not a response`() throws {
    let feed = try feed()
    let first = failure(FeedState(), feed, .status(410), response: reply(410)).state
    let between = failure(first, feed, .timeout(.seconds(60)), at: now + .hours(24)).state
    let second = failure(between, feed, .status(410), at: now + .hours(25), response: reply(410))

    #expect(second.health == .gone)
  }

  @Test(arguments: [FetchFailure.offline, .suspended])
  func `offline and suspended count nothing`(uncounted: FetchFailure) throws {
    var before = failing(2, .transient, .hours(3))
    before.crashes = 1

    let change = failure(before, try feed(), uncounted)

    var expected = before
    expected.lastResult = .failed
    expected.lastReason = "why"
    expected.crashes = 0
    #expect(change.state == expected && change.health == nil)
  }

  @Test func `a fetch that ends ends the count of crashes`() throws {
    var crashed = FeedState()
    crashed.crashes = 2

    #expect(failure(crashed, try feed(), .truncated).state.crashes == 0)
  }
}

@Suite struct ConfigurationChangeTests {
  private var stored: FeedState {
    var state = failing(5, .gone, .minutes(1))
    state.isGone = true
    state.failingAnnounced = true
    state.configurationFingerprint = 1
    state.requestFingerprint = 1
    state.freshness = ServerFreshness(notBefore: now + .days(1), source: "ttl")
    state.rateLimit = RateLimit(until: now + .days(1), withoutRetryAfter: 0, status: 429)
    return state
  }

  @Test func `an unchanged configuration changes nothing`() {
    #expect(stateUnderConfiguration(stored, configuration: 1, request: 1) == stored)
  }

  @Test func `any change of a feed's configuration clears its backoff`() {
    let state = stateUnderConfiguration(stored, configuration: 2, request: 1)

    #expect(state.failures == 0 && state.backoffClass == nil && !state.isGone)
    #expect(state.freshness == stored.freshness && state.validators == stored.validators)
    #expect(state.configurationFingerprint == 2)
  }

  @Test func `a feed reported as failing can still recover after a change`() {
    #expect(stateUnderConfiguration(stored, configuration: 2, request: 1).failingAnnounced)
  }

  @Test func `a changed request has no validators and no freshness, and is due at once`() throws {
    var stored = stored
    stored.rateLimit = nil
    stored.lastCounted = now - .minutes(1)

    let state = stateUnderConfiguration(stored, configuration: 2, request: 2)

    #expect(state.validators.isEmpty && state.freshness == nil)
    #expect(dueDecision(try feed(), state, context()).isDue)
  }

  @Test func `a change does not pass a rate limit`() {
    #expect(stateUnderConfiguration(stored, configuration: 2, request: 2).rateLimit == stored.rateLimit)
  }

  @Test func `a request that is not known yet changes nothing`() {
    #expect(stateUnderConfiguration(stored, configuration: 1, request: nil) == stored)
  }
}

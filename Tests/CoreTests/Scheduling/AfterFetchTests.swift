// How a success or failure changes the state that decides when a feed is due.

import Testing

@testable import Core

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
    let fetch = with(attempt(try feed(), reply())) { $0.ended = now + .minutes(2) }

    let state = stateAfterSuccess(FeedState(), fetch, result: .newData, reason: "3 new", hints: nil).state

    #expect(state.lastAsked == now)
    #expect(state.lastCounted == now)
    #expect(state.lastSuccess == now + .minutes(2))
    #expect(state.lastResult == .newData)
    #expect(state.lastReason == "3 new")
    #expect(state.hasBaseline)
  }

  @Test func `a success ends failures, backoff and limits`() throws {
    var before = failing(7, .refused, .hours(1))
    before.rateLimit = RateLimit(until: now, withoutRetryAfter: 3, status: 429)
    before.goneSince = now
    before.crashes = 1

    let state = success(before, try feed()).state

    #expect(state.failures == 0)
    #expect(state.backoffClass == nil)
    #expect(state.rateLimit == nil)
    #expect(state.goneSince == nil)
    #expect(state.crashes == 0)
  }

  @Test func `freshness lasts until the next response without it, and hints until the next document`() throws
  {
    let wished = success(FeedState(), try feed(), reply(200, [("Cache-Control", "max-age=60")])).state
    let hinted = fetched(.hours(1)) { $0.hints.timeToLive = .hours(3) }
    let replaced = stateAfterSuccess(
      hinted, attempt(try feed(), reply()), result: .noData, reason: "", hints: FeedHints()
    ).state

    #expect(wished.freshness?.notBefore == now + .seconds(61))
    #expect(success(wished, try feed()).state.freshness == nil)
    #expect(success(hinted, try feed(), reply(304)).state.freshness?.source == "ttl: 3h")
    #expect(replaced.hints == FeedHints())
    #expect(replaced.freshness == nil)
  }

  @Test func `a failure does not move the start of the interval, nor any fetch validators and title`() throws
  {
    let before = fetched(.hours(2)) { $0.title = "Planet" }

    let state = failure(before, try feed(), .status(500)).state

    #expect(state.lastCounted == before.lastCounted)
    #expect(state.lastSuccess == before.lastSuccess)
    #expect(state.lastAsked == now)
    #expect(state.failures == 1)
    #expect(state.lastResult == .failed)
    for state in [success(before, try feed()).state, state] {
      #expect(state.validators == before.validators)
      #expect(state.title == "Planet")
    }
  }

  @Test(arguments: [FetchFailure.status(500), .rateLimited(status: 429, retryAfter: .hours(1))])
  func `failing is reported once, after three failures or rate limits in a row`(failure: FetchFailure) throws
  {
    var state = FeedState()
    let feed = try feed()
    let health = (1...5).map { _ in
      let change = self.failure(state, feed, failure)
      state = change.state
      return change.health
    }

    #expect(health == [nil, nil, .failing, nil, nil])
  }

  @Test func `recovered is reported once, at the first success after failing was reported`() throws {
    let change = success(with(failing(3, .transient, .hours(1))) { $0.failingAnnounced = true }, try feed())

    #expect(change.health == .recovered)
    #expect(success(change.state, try feed()).health == nil)
    #expect(success(failing(2, .transient, .hours(1)), try feed()).health == nil)
  }

  @Test func `failing is never reported with failures: 0`() throws {
    let feed = with(try feed()) { $0.notify?.failures = 0 }

    #expect(failure(failing(99, .transient, .hours(1)), feed, .status(500)).health == nil)
  }

  @Test func `after a first 410 a feed is fetched again a day later`() throws {
    let feed = try feed()
    let state = failure(fetched(.hours(2)), feed, .status(410), response: reply(410)).state

    let wait = try #require(dueDecision(feed, state, context()).dueAt).since(now)

    #expect(state.goneSince == now)
    #expect(!state.isGone)
    #expect(wait >= .hours(24))
    #expect(wait <= .hours(24) + .minutes(10))
  }

  @Test(
    arguments: [
      ("alone: reported once", [(0, 410), (23, 410), (24, 410), (800, 410)], [nil, nil, .gone, nil], 0),
      ("another response between them", [(0, 410), (24, 500), (25, 410)], [nil, nil, .failing], 25),
      ("a timeout is no response", [(0, 410), (24, nil), (25, 410)], [nil, nil, .gone], 0),
    ] as [(String, [(Int64, Int?)], [HealthChange?], Int64)])
  func `two 410s a day apart are believed`(
    between: String, answers: [(hour: Int64, status: Int?)], health: [HealthChange?], since: Int64
  ) throws {
    var state = FeedState()
    let feed = try feed()
    let told = answers.map { hour, status in
      let failed = status.map(FetchFailure.status) ?? .timeout(.seconds(60))
      let change = failure(state, feed, failed, at: now + .hours(hour), response: status.map { reply($0) })
      state = change.state
      return change.health
    }

    #expect(told == health, "\(between)")
    #expect(state.isGone == health.contains(.gone), "\(between)")
    #expect(state.goneSince == now + .hours(since), "\(between)")
  }

  @Test(arguments: [FetchFailure.offline, .suspended])
  func `offline and suspended count nothing, and any end ends the count of crashes`(uncounted: FetchFailure)
    throws
  {
    let before = with(failing(2, .transient, .hours(3))) { $0.crashes = 1 }
    let expected = with(before) { ($0.lastResult, $0.lastReason, $0.crashes) = (.failed, "why", 0) }

    let change = failure(before, try feed(), uncounted)

    #expect(change.state == expected)
    #expect(change.health == nil)
    #expect(failure(before, try feed(), .truncated).state.crashes == 0)
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
    state.planned = now + .days(1)
    return state
  }

  @Test func `an unchanged configuration, and a request that is not known yet, change nothing`() {
    #expect(stateUnderConfiguration(stored, configuration: 1, request: 1) == stored)
    #expect(stateUnderConfiguration(stored, configuration: 1, request: nil) == stored)
  }

  @Test func `any change of a feed's configuration clears backoff and plan, and keeps limits and reports`() {
    let state = stateUnderConfiguration(stored, configuration: 2, request: 1)

    #expect(state.failures == 0)
    #expect(state.backoffClass == nil)
    #expect(!state.isGone)
    #expect(state.planned == nil)
    #expect(state.freshness == stored.freshness)
    #expect(state.validators == stored.validators)
    #expect(state.configurationFingerprint == 2)
    #expect(state.failingAnnounced)
    #expect(stateUnderConfiguration(stored, configuration: 2, request: 2).rateLimit == stored.rateLimit)
  }

  @Test func `a changed request has no validators and no freshness, and is due at once`() throws {
    var stored = stored
    stored.rateLimit = nil
    stored.lastCounted = now - .minutes(1)

    let state = stateUnderConfiguration(stored, configuration: 2, request: 2)

    #expect(state.validators.isEmpty)
    #expect(state.freshness == nil)
    #expect(dueDecision(try feed(), state, context()).isDue)
  }
}

@Suite struct FeedHealthTests {
  @Test func `failures, gone feeds and feeds that crashed runs are problems, and nothing else is`() {
    let problems = [
      failing(1, .transient, .zero), fetched(.zero) { $0.isGone = true }, fetched(.zero) { $0.crashes = 2 },
    ]

    for state in problems { #expect(state.isProblem) }
    for state in [fetched(.zero) { $0.crashes = 1 }, fetched(.zero), FeedState()] {
      #expect(!state.isProblem)
    }
  }

  @Test(arguments: [
    (FetchFailure.offline, false), (.captivePortal("portal.example"), false), (.suspended, false),
    (.refused(host: "planet.example"), true), (.status(404), true),
  ])
  func `a failure counts unless it is about this machine or the run`(failure: FetchFailure, isCounted: Bool)
    throws
  {
    let change = stateAfterFailure(
      failing(3, .transient, .zero), attempt(try feed()), failure: failure, reason: "")

    #expect(change.isCounted == isCounted)
  }

  @Test func `a run looks at more old rows than it can add`() {
    for fetches in [0, 1, 1000, 100_000] { #expect(Retention.pruned(after: fetches) > fetches) }
  }
}

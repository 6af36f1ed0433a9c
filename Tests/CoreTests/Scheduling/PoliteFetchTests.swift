// The timing rules of a polite client, each as the sentence it proves. Those about validators, redirects
// and requests are in the tests of the files that decide them.

import Core
import Testing

@Suite struct PoliteFetchTests {
  private func success(
    _ before: FeedState, _ feed: FeedSpec, _ response: Response = reply(304), at moment: Instant = now
  ) -> FeedState {
    var state = stateAfterSuccess(
      before, attempt(feed, at: moment, response), result: .noData, reason: "", hints: nil
    ).state
    state.validators.entityTag = "\"1\""
    return state
  }

  /// The moments within a week at which a timer every minute fetches a feed, if the server answers always
  /// the same.
  private func fetches(_ feed: FeedSpec, from state: FeedState, _ response: Response) -> [Instant] {
    var state = state
    var moments: [Instant] = []
    for minute in 0..<(7 * 1440) as Range<Int64> {
      let run = now + .minutes(minute)
      let decision = dueDecision(feed, state, context(now: run))
      guard decision.isDue else { continue }
      let start = decision.waitUntil ?? run
      moments.append(start)
      var fetch = attempt(feed, at: run, response)
      fetch.ended = start
      let validators = state.validators
      state = stateAfterSuccess(state, fetch, result: .noData, reason: "", hints: nil).state
      state.validators = validators
    }
    return moments
  }

  private func shortestGap(_ moments: [Instant]) -> Interval {
    zip(moments.dropFirst(), moments).map { $0.since($1) }.min() ?? .days(999)
  }

  @Test func `a conditional client asks about once an hour by default`() throws {
    let moments = fetches(try feed(), from: fetched(.days(1)), reply(304))

    #expect(shortestGap(moments) >= .minutes(58))
  }

  @Test func `without validators from the server it asks about once a day`() throws {
    let moments = fetches(try feed(), from: FeedState(), reply(200))

    #expect(moments.count == 8)
    #expect(shortestGap(moments.dropFirst().map { $0 }) >= .hours(24) - .minutes(2))
  }

  @Test(arguments: [200, 304])
  func `max-age less Age is waited out on 200 and 304`(status: Int) throws {
    let fields = [
      ("Cache-Control", "max-age=43200"), ("Age", "200"), ("Date", "Mon, 02 Nov 2026 10:00:00 GMT"),
    ]

    let moments = fetches(try feed(), from: fetched(.days(1)), reply(status, fields))

    #expect(shortestGap(moments) >= .seconds(43_000))
    #expect(shortestGap(moments) <= .seconds(43_060))
  }

  @Test(arguments: ["no-cache", "no-store", "no-cache, no-store, max-age=0, must-revalidate"])
  func `no-cache and no-store do not mean to ask faster`(control: String) throws {
    let moments = fetches(try feed(), from: fetched(.days(1)), reply(304, [("Cache-Control", control)]))

    #expect(shortestGap(moments) >= .minutes(58))
  }

  @Test func `an Expires that is past does not mean to ask faster`() throws {
    let moments = fetches(try feed(), from: fetched(.days(1)), reply(304, [("Expires", "0")]))

    #expect(shortestGap(moments) >= .minutes(58))
  }

  @Test func `ttl and sy lengthen and never shorten`() throws {
    for (wished, gap) in [(.minutes(1), .minutes(58)), (.hours(6), .hours(6))] as [(Interval, Interval)] {
      var ttl = fetched(.days(1))
      ttl.hints.timeToLive = wished
      var period = fetched(.days(1))
      period.hints.updateInterval = wished

      #expect(shortestGap(fetches(try feed(), from: ttl, reply(304))) >= gap)
      #expect(shortestGap(fetches(try feed(), from: period, reply(304))) >= gap)
    }
  }

  @Test func `skipHours and skipDays prevent fetches of the timer`() throws {
    var state = fetched(.days(1))
    state.hints.skipHours = [12, 13]
    state.hints.skipDays = [3]

    let civil = fetches(try feed(interval: .every(.minutes(5))), from: state, reply(304)).map {
      CivilTime(secondsSince1970: $0.secondsSince1970)
    }

    #expect(!civil.contains { [12, 13].contains($0.hour) || $0.weekday == 3 })
    #expect(Set(civil.map(\.hour)).count == 22 && Set(civil.map(\.weekday)).count == 6)
  }

  @Test func `a restart makes nothing due: the plan depends on stored state alone`() throws {
    let feeds = try (0..<100).map { try feed("feed\($0)") }
    let states = Dictionary(uniqueKeysWithValues: feeds.map { ($0.name, fetched(.minutes(30))) })

    #expect(duePlan(feeds, states, context()).due.isEmpty)
  }

  @Test func `requests to one host are serial and spaced`() throws {
    var queue = HostQueue(network: NetworkSettings(), hosts: [:], runStart: now, start: 0, deadline: nil)
    for number in 1...3 {
      queue.add(QueuedFeed(name: try name("f\(number)"), host: "a.example", isPublicHost: true))
    }

    #expect(queue.take(at: 0).count == 1)
    #expect(queue.take(at: 5000).isEmpty)
    queue.finished(try name("f1"), at: 100)
    #expect(queue.nextStart == 1000)
  }

  @Test func `feeds that failed together do not come back together`() throws {
    let ends = try (0..<100).map {
      try #require(dueDecision(try feed("feed\($0)"), failing(4, .transient, .zero), context()).dueAt)
    }

    #expect(Set(ends).count > 50)
  }

  @Test func `after a long sleep each feed is fetched once`() throws {
    let feed = try feed(interval: .every(.minutes(10)))
    let awake = fetched(.days(14))

    #expect(dueDecision(feed, awake, context()).isDue)
    #expect(!dueDecision(feed, success(awake, feed), context(now: now + .minutes(1))).isDue)
  }

  @Test func `a 429 with Retry-After 3600 stops its feed and host for an hour, across runs`() throws {
    let feed = try feed()
    let other = try CoreTests.feed("other")
    let change = stateAfterFailure(
      fetched(.hours(2)), attempt(feed, reply(429, [("Retry-After", "3600")])),
      failure: .rateLimited(status: 429, retryAfter: .hours(1)), reason: "")
    let hosts = ["planet.example": change.host]

    for seconds in [0, 60, 1800, 3539] as [Int64] {
      let run = context(now: now + .seconds(seconds), hosts: hosts)
      #expect(!dueDecision(feed, change.state, run).isDue)
      #expect(!dueDecision(other, FeedState(), run).isDue)
    }
    let later = context(now: now + .seconds(3600 + 360 + 1), hosts: hosts)
    #expect(dueDecision(feed, change.state, later).isDue)
    #expect(dueDecision(other, FeedState(), later).isDue)
  }

  @Test func `a 404, 403 or 401 is left alone for hours`() throws {
    for status in [401, 403, 404] {
      let state = stateAfterFailure(
        fetched(.hours(2)), attempt(try feed(), reply(status)), failure: .status(status), reason: ""
      ).state

      #expect(!dueDecision(try feed(), state, context(now: now + .hours(4) - .seconds(1))).isDue)
      #expect(dueDecision(try feed(), state, context(now: now + .hours(4) + .minutes(10))).isDue)
    }
  }

  @Test func `a feed with 410 is fetched twice, a day apart, and then once in 30 days`() throws {
    let feed = try feed()
    var state = fetched(.hours(2))
    var requests: [Instant] = []
    for hour in 0..<(90 * 24) as Range<Int64> {
      let run = now + .hours(hour)
      guard dueDecision(feed, state, context(now: run)).isDue else { continue }
      requests.append(run)
      state =
        stateAfterFailure(
          state, attempt(feed, at: run, reply(410)), failure: .status(410), reason: ""
        ).state
    }

    #expect(requests.count == 4)
    #expect(requests[1].since(requests[0]) >= .hours(24) && requests[1].since(requests[0]) <= .hours(26))
    #expect(requests[2].since(requests[1]) >= .days(30))
  }

  @Test func `a server error is never tried again within minutes`() throws {
    let state = stateAfterFailure(
      fetched(.hours(2)), attempt(try feed(), reply(500)), failure: .status(500), reason: ""
    ).state

    #expect(!dueDecision(try feed(), state, context(now: now + .minutes(14))).isDue)
  }

  @Test func `offline counts no failure, and the feeds are due again in the next run`() throws {
    let before = fetched(.hours(2))
    let state = stateAfterFailure(before, attempt(try feed()), failure: .offline, reason: "offline").state

    #expect(state.failures == 0)
    #expect(dueDecision(try feed(), state, context(now: now + .minutes(1))).isDue)
  }
}

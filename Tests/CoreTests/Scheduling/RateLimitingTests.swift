// Rate limits by 429 and 503: how long they last, and which feeds of the host they postpone.

import Core
import Testing

@Suite struct RateLimitingTests {
  private func limited(
    _ feed: FeedSpec, _ fields: [(String, String)] = [], status: Int = 429, before: FeedState = FeedState(),
    host: HostState = HostState(), at moment: Instant = now, freshnessLimit: Interval = .days(7)
  ) -> StateChange {
    let response = reply(status, fields)
    let failure = FetchFailure.rateLimited(
      status: status, retryAfter: response["Retry-After"].flatMap { retryAfter($0, at: moment) })
    return stateAfterFailure(
      before, attempt(feed, at: moment, response, host: host, freshnessLimit: freshnessLimit),
      failure: failure,
      reason: "")
  }

  /// Whether a moment ends a wait: not sooner, and with jitter at most a tenth or 10 min later.
  private func ends(_ moment: Instant?, _ wait: Interval, from start: Instant = now) -> Bool {
    guard let moment else { return false }
    let late = moment.since(start + wait).seconds
    return moment > start + wait && late <= min(wait.seconds / 10, 600) + 1
  }

  @Test(
    arguments: [
      ("86400", .days(1)), ("31536000", .days(7)), ("Sun, 01 Nov 2026 11:00:00 GMT", .hours(1)),
    ] as [(String, Interval)])
  func `a Retry-After, by the server's own clock, postpones its feed in full, or 7 days`(
    value: String, wait: Interval
  ) throws {
    let fields = [("Retry-After", value), ("Date", "Sun, 01 Nov 2026 10:00:00 GMT")]

    #expect(ends(limited(try feed(), fields).state.rateLimit?.until, wait))
  }

  @Test(arguments: [301, 400, 401, 403, 404, 408, 410, 413, 500, 502, 503, 504, 599])
  func `a Retry-After is obeyed at every status of a failure`(status: Int) throws {
    let response = reply(status, [("Retry-After", "172800")])
    let attempt = attempt(try feed(), at: now, response)

    let state = stateAfterFailure(FeedState(), attempt, failure: .status(status), reason: "").state

    #expect(ends(state.rateLimit?.until, .days(2)))
    #expect(state.rateLimit?.status == status)
    let due = try #require(nextDue(feed(), state, context(now: now + .hours(47))))
    #expect(due >= now + .days(2))
  }

  @Test(arguments: [200, 304])
  func `a Retry-After is obeyed after a success too`(status: Int) throws {
    let limited = attempt(try feed(), at: now, reply(status, [("Retry-After", "172800")]))
    let free = attempt(try feed(), at: now, reply(status, []))

    let state = stateAfterSuccess(FeedState(), limited, result: .noData, reason: "", hints: nil).state

    #expect(ends(state.rateLimit?.until, .days(2)))
    #expect(stateAfterSuccess(state, free, result: .noData, reason: "", hints: nil).state.rateLimit == nil)
  }

  @Test(
    arguments: [
      (302, "60", false, 60), (301, "Sun, 01 Nov 2026 11:00:00 GMT", false, 3600), (308, "60", true, nil),
      (304, "60", false, nil), (503, "60", false, nil), (302, "soon", false, nil),
    ] as [(Int, String, Bool, Int64?)])
  func `a redirect may ask to wait once`(status: Int, value: String, hasWaited: Bool, seconds: Int64?) {
    let response = reply(status, [("Retry-After", value), ("Date", "Sun, 01 Nov 2026 10:00:00 GMT")])

    #expect(
      redirectWait(of: response, receivedAt: now, hasWaited: hasWaited) == seconds.map(Interval.seconds))
  }

  @Test func `a 429 without Retry-After is 10 min, doubling up to a day`() throws {
    let feed = try feed()
    var state = FeedState()
    for minutes in [10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440] as [Int64] {
      state = limited(feed, before: state).state

      #expect(ends(state.rateLimit?.until, .minutes(minutes)))
    }
  }

  @Test func `a success ends the doubling`() throws {
    let feed = try feed()
    let twice = limited(feed, before: limited(feed).state).state
    let success = stateAfterSuccess(twice, attempt(feed), result: .noData, reason: "", hints: nil).state

    #expect(success.rateLimit == nil)
    #expect(ends(limited(feed, before: success).state.rateLimit?.until, .minutes(10)))
  }

  @Test func `a max-age on the 429 counts where it is longer`() throws {
    let feed = try feed()
    let age = ("Cache-Control", "max-age=172800")

    #expect(ends(limited(feed, [age]).state.rateLimit?.until, .days(2)))
    #expect(ends(limited(feed, [age, ("Retry-After", "60")]).state.rateLimit?.until, .days(2)))
    #expect(ends(limited(feed, [age, ("Retry-After", "259200")]).state.rateLimit?.until, .days(3)))
  }

  @Test func `a freshness limit of zero ignores max-age and never Retry-After`() throws {
    let fields = [("Cache-Control", "max-age=172800"), ("Retry-After", "3600")]

    #expect(ends(limited(try feed(), fields, freshnessLimit: .zero).state.rateLimit?.until, .hours(1)))
  }

  @Test func `a 429 postpones its public host for an hour, and in full after another feed's`() throws {
    func host(_ name: String, _ seconds: String, after earlier: StateChange? = nil) throws -> StateChange {
      limited(
        try feed(name), [("Retry-After", seconds)],
        before: name == "one" ? earlier?.state ?? FeedState() : FeedState(),
        host: earlier?.host ?? HostState())
    }
    let first = try host("one", "86400")

    #expect(ends(first.host.limitedUntil, .hours(1)))
    #expect(ends(try host("one", "60").host.limitedUntil, .seconds(60)))
    #expect(ends(try host("one", "86400", after: first).host.limitedUntil, .hours(1)))
    #expect(ends(try host("two", "86400", after: host("one", "60")).host.limitedUntil, .days(1)))
    // A shorter limit never shortens the host's.
    #expect(try host("two", "60", after: first).host.limitedUntil == first.host.limitedUntil)
  }

  @Test(arguments: ["http://192.168.1.5/feed", "http://rsshub/feed", "http://localhost:1200/feed"])
  func `a 429 of a private host postpones only its feed`(url: String) throws {
    let change = limited(try feed(url: url), [("Retry-After", "3600")])

    #expect(change.host.limitedUntil == nil)
    #expect(change.state.rateLimit != nil)
  }

  @Test func `a 503 with Retry-After postpones only its feed`() throws {
    let change = limited(try feed(), [("Retry-After", "3600")], status: 503)

    #expect(ends(change.state.rateLimit?.until, .hours(1)))
    #expect(change.host.limitedUntil == nil)
  }

  @Test(arguments: [[], [("Retry-After", "0")], [("Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT")]])
  func `a 503 that names no time is a transient failure`(fields: [(String, String)]) throws {
    let change = limited(try feed(), fields, status: 503)

    #expect(change.state.rateLimit == nil)
    #expect(change.state.backoffClass == .transient)
  }

  @Test func `a limit on a host postpones its other feeds`() throws {
    let host = limited(try feed("one"), [("Retry-After", "600")]).host

    let decision = dueDecision(
      try feed("two"), fetched(.days(1)), context(now: now + .minutes(5), hosts: ["planet.example": host]))

    #expect(decision.reason == .postponed(.hostLimit, until: try #require(host.limitedUntil)))
  }

  @Test func `a limit on a host does not postpone other hosts`() throws {
    let host = limited(try feed("one"), [("Retry-After", "600")]).host

    #expect(dueDecision(try feed(), FeedState(), context(hosts: ["other.example": host])).isDue)
  }

  @Test func `a Retry-After of a second does not mean at every run`() throws {
    let feed = try feed(interval: .everyRun)
    let state = limited(feed, [("Retry-After", "1")]).state

    #expect(!dueDecision(feed, state, context(now: now + .minutes(4))).isDue)
    #expect(dueDecision(feed, state, context(now: now + .minutes(6))).isDue)
  }

  @Test func `rate limits in a row do not lengthen the wait the server named`() throws {
    let feed = try feed(interval: .every(.minutes(5)))
    var state = FeedState()
    for _ in 1...9 { state = limited(feed, [("Retry-After", "600")], before: state).state }

    #expect(dueDecision(feed, state, context(now: now + .minutes(12))).isDue)
  }

  @Test func `a success forgets a limit on its host that has ended`() throws {
    var host = limited(try feed("one"), [("Retry-After", "600")]).host
    let end = try #require(host.limitedUntil)

    #expect(host.afterSuccess(of: end - .seconds(1)) == host)
    host = host.afterSuccess(of: end)
    #expect(host.limitedUntil == nil && host.limitedBy == nil)
  }
}

// Rate limits by 429 and 503: how long they last, and which feeds of the host they postpone.

import Testing

@testable import Core

@Suite struct RateLimitingTests {
  private func limited(
    _ feed: FeedSpec, _ fields: [(String, String)] = [], status: Int = 429, before: FeedState = FeedState(),
    host: HostState = HostState(), at moment: Instant = now
  ) -> StateChange {
    let response = reply(status, fields)
    let failure = FetchFailure.rateLimited(
      status: status, retryAfter: response["Retry-After"].flatMap { retryAfter($0, at: moment) })
    return stateAfterFailure(
      before, attempt(feed, at: moment, response, host: host),
      failure: failure, reason: "")
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

  @Test(arguments: [200, 304, 301, 400, 401, 403, 404, 408, 410, 413, 500, 502, 503, 504, 599])
  func `a Retry-After is obeyed at every status of a failure, and after a success`(status: Int) throws {
    let attempt = attempt(try feed(), at: now, reply(status, [("Retry-After", "172800")]))
    func success(_ before: FeedState, _ attempt: FetchAttempt) -> FeedState {
      stateAfterSuccess(before, attempt, result: .noData, reason: "", hints: nil).state
    }
    let state =
      status == 200 || status == 304
      ? success(FeedState(), attempt)
      : stateAfterFailure(FeedState(), attempt, failure: .status(status), reason: "").state

    #expect(ends(state.rateLimit?.until, .days(2)))
    #expect(state.rateLimit?.status == status)
    #expect(try #require(nextDue(feed(), state, context(now: now + .hours(47)))) >= now + .days(2))
    #expect(success(state, CoreTests.attempt(try feed(), reply(200))).rateLimit == nil)
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

  @Test func `a 429 without Retry-After is 10 min, doubling up to a day until a success`() throws {
    let feed = try feed()
    var state = FeedState()
    for minutes in [10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440] as [Int64] {
      state = limited(feed, before: state).state

      #expect(ends(state.rateLimit?.until, .minutes(minutes)))
    }
    let success = stateAfterSuccess(state, attempt(feed), result: .noData, reason: "", hints: nil).state

    #expect(success.rateLimit == nil)
    #expect(ends(limited(feed, before: success).state.rateLimit?.until, .minutes(10)))
  }

  @Test func `a max-age on the 429 counts where it is longer`() throws {
    let feed = try feed()
    let age = ("Cache-Control", "max-age=172800")

    for (retry, wait) in [
      (nil, .days(2)), ("60", .days(2)), ("259200", .days(3)),
    ] as [(String?, Interval)] {
      let fields = [age] + (retry.map { [("Retry-After", $0)] } ?? [])
      #expect(ends(limited(feed, fields).state.rateLimit?.until, wait), "\(wait)")
    }
  }

  @Test func `a 429 postpones its public host for an hour, and in full after another feed's`() throws {
    func host(_ name: String, _ seconds: String, after earlier: StateChange? = nil) throws -> StateChange {
      limited(
        try feed(name), [("Retry-After", seconds)],
        before: name == "one" ? earlier?.state ?? FeedState() : FeedState(),
        host: earlier?.host ?? HostState())
    }
    let first = try host("one", "86400")

    #expect(ends(first.host?.limitedUntil, .hours(1)))
    #expect(ends(try host("one", "60").host?.limitedUntil, .seconds(60)))
    #expect(try host("one", "86400", after: first).host == nil)
    #expect(ends(try host("two", "86400", after: host("one", "60")).host?.limitedUntil, .days(1)))
    // A shorter limit never shortens the host's.
    #expect(try host("two", "60", after: first).host?.limitedUntil == first.host?.limitedUntil)
  }

  @Test func `a 403 that is a rate limit postpones its feed and its public host like a 429`() throws {
    let reset = ("X-RateLimit-Reset", "\((now + .minutes(30)).secondsSince1970)")
    let response = reply(403, [("X-RateLimit-Remaining", "0"), reset])
    guard case .failed(let failure) = meaning(of: response, isConditional: false, at: now) else {
      return #expect(Bool(false), "no failure")
    }

    let change = stateAfterFailure(FeedState(), attempt(try feed(), response), failure: failure, reason: "")

    #expect(ends(change.state.rateLimit?.until, .minutes(30)))
    #expect(change.state.backoffClass == nil)
    #expect(ends(change.host?.limitedUntil, .minutes(30)))
  }

  @Test(
    arguments: [
      ("a 429", 429, "7200", .hours(2), .hours(1)),
      ("a 429 without a time", 429, nil, .minutes(10), .minutes(10)),
      ("a 503", 503, "7200", .hours(2), nil), ("a 503 without a time", 503, nil, nil, nil),
      ("another failure", 500, "7200", .hours(2), nil), ("a refusal", 404, nil, nil, nil),
      ("a redirect", 302, "600", .minutes(10), nil), ("the far future", 503, "999999999", .days(7), nil),
      ("garbage", 503, "soon", nil, nil), ("the past", 503, "Sat, 31 Oct 2026 10:00:00 GMT", nil, nil),
    ] as [(String, Int, String?, Interval?, Interval?)])
  func `a refused page spares the pages of its feed, and a 429 its public host`(
    what: String, status: Int, value: String?, pages: Interval?, host: Interval?
  ) throws {
    let response = reply(status, value.map { [("Retry-After", $0)] } ?? [])
    let failure: FetchFailure =
      [302, 429, 503].contains(status)
      ? .rateLimited(status: status, retryAfter: retryAfter(of: response, receivedAt: now)) : .status(status)

    let change = stateAfterPage(FeedState(), attempt(try feed(), response), failure: failure)

    #expect((change.state.pagesNotBefore != nil) == (pages != nil), "\(what)")
    guard let pages else { return }
    #expect(ends(change.state.pagesNotBefore, pages), "\(what)")
    #expect(change.state.mustSparePages(at: now + pages), "\(what)")
    #expect(!change.state.mustSparePages(at: now + pages + .minutes(11)), "\(what)")
    // The clock was set back.
    #expect(!change.state.mustSparePages(at: now - .days(30)), "\(what)")
    #expect((change.host != nil) == (host != nil), "\(what)")
    #expect(host.map { ends(change.host?.limitedUntil, $0) } ?? (change.host?.limitedUntil == nil), "\(what)")
  }

  @Test(arguments: [("https://planet.example/two", 24), ("https://other.example/two", 1)])
  func `a request that another host led to never postpones the feeds of a host for longer`(
    start: String, hours: Int64
  )
    throws
  {
    var host = HostState()
    host.limitedBy = try feed("one").name
    let response = reply(429, [("Retry-After", "86400")])
    var attempt = attempt(try feed("two", url: start), response, host: host)
    attempt.address = WebAddress("https://planet.example/limited")

    let change = stateAfterFailure(
      FeedState(), attempt, failure: .rateLimited(status: 429, retryAfter: .days(1)), reason: "")

    #expect(ends(change.host?.limitedUntil, .hours(hours)))
  }

  @Test(arguments: [
    ("http://192.168.1.5/feed", 429), ("http://rsshub/feed", 429), ("http://localhost:1200/feed", 429),
    ("https://planet.example/atom.xml", 503),
  ])
  func `a 429 of a private host, and a 503, postpone only their feed`(url: String, status: Int) throws {
    let change = limited(try feed(url: url), [("Retry-After", "3600")], status: status)

    #expect(change.host?.limitedUntil == nil)
    #expect(ends(change.state.rateLimit?.until, .hours(1)))
  }

  @Test(arguments: [[], [("Retry-After", "0")], [("Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT")]])
  func `a 503 that names no time is a transient failure`(fields: [(String, String)]) throws {
    let change = limited(try feed(), fields, status: 503)

    #expect(change.state.rateLimit == nil)
    #expect(change.state.backoffClass == .transient)
  }

  @Test func `a limit on a host postpones its other feeds, but no other hosts`() throws {
    let host = try #require(limited(try feed("one"), [("Retry-After", "600")]).host)
    let until = try #require(host.limitedUntil)

    try expect(
      "its feeds", feed("two"), fetched(.days(1)), .because(.postponed(.hostLimit, until: until)),
      context(now: now + .minutes(5), hosts: ["planet.example": host]))
    try expect("others", feed(), FeedState(), .yes, context(hosts: ["other.example": host]))
  }

  @Test func `a Retry-After of a second is not every run, and the tenth in a row waits no longer`() throws {
    let (always, often) = (try feed(interval: .everyRun), try feed(interval: .every(.minutes(5))))
    let second = limited(always, [("Retry-After", "1")]).state
    var tenth = FeedState()
    for _ in 1...9 { tenth = limited(often, [("Retry-After", "600")], before: tenth).state }

    expect("a second", always, second, .no, context(now: now + .minutes(4)))
    expect("but minutes", always, second, .yes, context(now: now + .minutes(6)))
    expect("in a row", often, tenth, .yes, context(now: now + .minutes(12)))
  }

  @Test func `a success forgets a limit on its host that has ended`() throws {
    let host = try #require(limited(try feed("one"), [("Retry-After", "600")]).host)
    let end = try #require(host.limitedUntil)

    #expect(host.afterSuccess(of: end - .seconds(1)) == host)
    #expect(host.afterSuccess(of: end).limitedUntil == nil)
    #expect(host.afterSuccess(of: end).limitedBy == nil)
  }
}

// Freshness: how header and document give it, and how it postpones a feed.

import Core
import Testing

@Suite struct FreshnessTests {
  /// How long a server asks to wait by its header, in seconds; nil for no freshness.
  private func wait(_ fields: [(String, String)], status: Int = 200, limit: Interval = .days(7)) -> Int64? {
    let freshness = serverFreshness(
      after: reply(status, fields), hints: FeedHints(), receivedAt: now, limit: limit)
    // A whole second more, as moments are rounded down.
    return freshness.map { $0.notBefore.since(now).seconds - 1 }
  }

  @Test(
    arguments: [
      ("max-age=3600", 3600), ("MAX-AGE=3600", 3600), ("public, max-age=60 , immutable", 60),
      ("max-age=\"120\"", 120), ("max-age = 90", 90), ("max-age=60, max-age=3600", 60),
      ("s-maxage=9999, max-age=60", 60), ("private=\"set-cookie, max-age=5\", max-age=10", 10),
      ("no-cache=\"set-cookie\", max-age=30", 30), ("max-age=60,", 60), (",,max-age=60", 60),
      ("ext=\"a\\\", max-age=5\", max-age=7", 7), ("must-revalidate, max-age=60", 60),
      ("max-age=99999999999999999999999", 604_800), ("max-age=31536000", 604_800),
    ] as [(String, Int64)])
  func `max-age is read`(value: String, seconds: Int64) {
    #expect(wait([("Cache-Control", value)]) == seconds)
  }

  @Test(arguments: [
    "max-age=0", "max-age=-1", "max-age=", "max-age", "max-age=1.5", "max-age=60s", "s-maxage=60", "no-cache",
    "no-store", "no-cache, max-age=60", "no-store, max-age=60", "", "=", "\"", "max-age=\"", "maxage=60",
    "max-age=+5", "max-age=٣", "x-max-age=60",
  ])
  func `an invalid max-age is ignored`(value: String) {
    #expect(wait([("Cache-Control", value)]) == nil)
  }

  @Test func `several Cache-Control fields count as one`() {
    #expect(wait([("Cache-Control", "public"), ("cache-control", "max-age=60")]) == 60)
  }

  @Test(
    arguments: [("100", 3500), ("3600", nil), ("9999", nil), ("-5", 3600), ("x", 3600)] as [(String, Int64?)])
  func `Age is taken off max-age`(age: String, seconds: Int64?) {
    #expect(wait([("Cache-Control", "max-age=3600"), ("Age", age)]) == seconds)
  }

  @Test func `a 304 counts like a full answer`() {
    #expect(wait([("Cache-Control", "max-age=43200")], status: 304) == 43_200)
  }

  @Test func `Expires counts from Date`() {
    let fields = [("Expires", "Mon, 02 Nov 2026 12:00:00 GMT"), ("Date", "Mon, 02 Nov 2026 09:00:00 GMT")]

    #expect(wait(fields) == 10_800)
  }

  @Test func `Expires counts from now without a Date`() {
    #expect(wait([("Expires", "Mon, 02 Nov 2026 12:00:00 GMT")]) == 7200)
  }

  @Test(arguments: ["0", "-1", "never", "", "Mon, 02 Nov 2026 09:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT"])
  func `an Expires that is past or unreadable gives no freshness`(value: String) {
    #expect(wait([("Expires", value)]) == nil)
  }

  @Test(arguments: ["max-age=60", "max-age=0", "max-age=x", "no-cache"])
  func `Expires counts only without max-age and no-cache`(control: String) {
    let fields = [("Cache-Control", control), ("Expires", "Mon, 02 Nov 2026 12:00:00 GMT")]

    #expect(wait(fields) == (control == "max-age=60" ? 60 : nil))
  }

  @Test func `freshness is cut to the freshness limit, and its source says so`() throws {
    let freshness = try #require(
      serverFreshness(
        after: reply(200, [("Cache-Control", "max-age=504921600")]), hints: FeedHints(), receivedAt: now,
        limit: .days(7)))

    #expect(freshness.notBefore == now + .days(7) + .seconds(1))
    #expect(freshness.source == "Cache-Control: max-age=504921600, cut to 7d")
  }

  @Test func `a freshness limit of zero ignores all freshness`() {
    #expect(wait([("Cache-Control", "max-age=60")], limit: .zero) == nil)
  }

  @Test func `the longest of header, ttl and sy counts`() throws {
    var hints = FeedHints()
    hints.timeToLive = .hours(2)
    hints.updateInterval = .hours(5)
    let header = reply(200, [("Cache-Control", "max-age=3600")])

    let freshness = try #require(
      serverFreshness(after: header, hints: hints, receivedAt: now, limit: .days(7)))

    #expect(freshness.notBefore == now + .hours(5) + .seconds(1))
    #expect(freshness.source == "sy:updatePeriod: 5h")
  }

  @Test func `ttl and sy count for a day at most`() throws {
    var hints = FeedHints()
    hints.timeToLive = .days(30)

    let freshness = try #require(
      serverFreshness(after: reply(), hints: hints, receivedAt: now, limit: .days(7)))

    #expect(freshness.notBefore == now + .days(1) + .seconds(1))
    #expect(freshness.source == "ttl: 30d, cut to 1d")
  }

  @Test func `a response without freshness does not postpone the feed`() {
    #expect(wait([("ETag", "\"1\"")]) == nil)
  }

  @Test func `a run waits up to a minute for freshness that is about to end`() throws {
    var state = fetched(.hours(2))
    state.freshness = ServerFreshness(notBefore: now + .seconds(60), source: "ttl")

    let decision = dueDecision(try feed(), state, context())

    #expect(decision.isDue)
    #expect(decision.waitUntil == now + .seconds(60))
    #expect(decision.reason == .aboutToEnd(.freshness, at: now + .seconds(60)))
  }

  @Test func `a run does not wait longer than a minute for freshness`() throws {
    var state = fetched(.hours(2))
    state.freshness = ServerFreshness(notBefore: now + .seconds(61), source: "ttl")

    #expect(!dueDecision(try feed(), state, context()).isDue)
  }

  @Test func `a run does not wait for an interval that is about to end`() throws {
    let decision = dueDecision(try feed(), fetched(.minutes(58) - .seconds(1)), context())

    #expect(!decision.isDue)
  }

  @Test func `a run does not wait for freshness while the interval still applies`() throws {
    var state = fetched(.minutes(58) - .seconds(10))
    state.freshness = ServerFreshness(notBefore: now + .seconds(20), source: "ttl")

    #expect(
      dueDecision(try feed(), state, context()).reason == .postponed(.freshness, until: now + .seconds(20)))
    #expect(dueDecision(try feed(), state, context(now: now + .seconds(10))).isDue)
  }

  @Test func `a lower limit in the configuration shortens stored freshness`() throws {
    var state = fetched(.hours(4))
    state.freshness = ServerFreshness(notBefore: now + .days(6), source: "Cache-Control")

    let decision = dueDecision(try feed(freshnessLimit: .hours(6)), state, context())

    #expect(decision.dueAt == now + .hours(2) + .seconds(1))
  }

  @Test func `freshness does not shorten the interval`() throws {
    var state = fetched(.minutes(5))
    state.freshness = ServerFreshness(notBefore: now - .minutes(4), source: "ttl")

    #expect(
      dueDecision(try feed(), state, context()).reason
        == .postponed(.minimumInterval, until: now + .minutes(53)))
  }
}

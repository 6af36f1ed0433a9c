// Freshness: how header and document give it, and how it postpones a feed.

import Core
import Testing

@Suite struct FreshnessTests {
  /// How long a server asks to wait by its fields, one a line, in seconds; nil for no freshness.
  private func wait(_ fields: String, status: Int = 200, limit: Interval = .days(7)) -> Int64? {
    let fields = fields.split(separator: "\n").map { line in
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      return (String(line[..<colon]), String(line[colon...].dropFirst(2)))
    }
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
      ("public\ncache-control: max-age=60", 60), ("max-age=3600\nAge: 100", 3500),
      ("max-age=3600\nAge: 3600", nil), ("max-age=3600\nAge: 9999", nil), ("max-age=3600\nAge: -5", 3600),
      ("max-age=3600\nAge: x", 3600), ("max-age=60\nExpires: Mon, 02 Nov 2026 12:00:00 GMT", 60),
    ] as [(String, Int64?)])
  func `max-age is read, and Age taken off it`(control: String, seconds: Int64?) {
    #expect(wait("Cache-Control: " + control) == seconds)
    #expect(wait("Cache-Control: " + control, status: 304) == seconds)
    #expect(wait("Cache-Control: " + control, limit: .zero) == nil)
  }

  @Test(arguments: [
    "max-age=0", "max-age=-1", "max-age=", "max-age", "max-age=1.5", "max-age=60s", "s-maxage=60", "no-cache",
    "no-store", "no-cache, max-age=60", "no-store, max-age=60", "", "=", "\"", "max-age=\"", "maxage=60",
    "max-age=+5", "max-age=٣", "x-max-age=60", "max-age=0\nExpires: Mon, 02 Nov 2026 12:00:00 GMT",
    "max-age=x\nExpires: Mon, 02 Nov 2026 12:00:00 GMT", "no-cache\nExpires: Mon, 02 Nov 2026 12:00:00 GMT",
  ])
  func `an invalid max-age is ignored, and any ignores Expires`(control: String) {
    #expect(wait("Cache-Control: " + control) == nil)
  }

  @Test(
    arguments: [
      ("Mon, 02 Nov 2026 12:00:00 GMT\nDate: Mon, 02 Nov 2026 09:00:00 GMT", 10_800),
      ("Mon, 02 Nov 2026 12:00:00 GMT", 7200), ("0", nil), ("-1", nil), ("never", nil), ("", nil),
      ("Mon, 02 Nov 2026 09:59:59 GMT", nil), ("Thu, 01 Jan 1970 00:00:00 GMT", nil), ("\nETag: \"1\"", nil),
    ] as [(String, Int64?)])
  func `Expires counts from Date, or else from now`(expires: String, seconds: Int64?) {
    #expect(wait("Expires: " + expires) == seconds)
  }

  @Test func `freshness is cut to the freshness limit, and its source says so`() throws {
    let freshness = try #require(
      serverFreshness(
        after: reply(200, [("Cache-Control", "max-age=504921600")]), hints: FeedHints(), receivedAt: now,
        limit: .days(7)))

    #expect(freshness.notBefore == now + .days(7) + .seconds(1))
    #expect(freshness.source == "Cache-Control: max-age=504921600, cut to 7d")
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

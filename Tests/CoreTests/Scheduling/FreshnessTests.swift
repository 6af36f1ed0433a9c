// Freshness: how header and document give it, and how it postpones a feed.

import Testing

@testable import Core

@Suite struct FreshnessTests {
  /// How long a server asks to wait by its fields, one a line, in seconds; nil for no freshness.
  private func wait(_ fields: String, status: Int = 200) -> Int64? {
    let fields = fields.split(separator: "\n").map { line in
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      return (String(line[..<colon]), String(line[colon...].dropFirst(2)))
    }
    let freshness = serverFreshness(after: reply(status, fields), hints: FeedHints(), receivedAt: now)
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

  @Test(
    arguments: [
      (
        "max-age, cut to the limit", 504_921_600, nil, nil, .days(7),
        "Cache-Control: max-age=504921600, cut to 7d"
      ),
      ("the longest of header, ttl and sy", 3600, .hours(2), .hours(5), .hours(5), "sy:updatePeriod: 5h"),
      ("ttl and sy, for a day at most", nil, .days(30), nil, .days(1), "ttl: 30d, cut to 1d"),
    ] as [(String, Int?, Interval?, Interval?, Interval, String)])
  func `freshness has a source, and a limit`(
    rule: String, maxAge: Int?, ttl: Interval?, update: Interval?, wait: Interval, source: String
  ) throws {
    let fields = maxAge.map { [("Cache-Control", "max-age=\($0)")] } ?? []
    let hints = with(FeedHints()) { ($0.timeToLive, $0.updateInterval) = (ttl, update) }

    let freshness = try #require(
      serverFreshness(after: reply(200, fields), hints: hints, receivedAt: now), "\(rule)")

    #expect(freshness.notBefore == now + wait + .seconds(1), "\(rule)")
    #expect(freshness.source == source, "\(rule)")
  }
}

// The texts of TZ and of a zone file's last line.

import Testing

@testable import Core

@Suite struct PosixRuleTests {
  @Test(arguments: [
    "UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT", "<-03>3",
    "IST-2IDT,M3.4.4/26,M10.5.0", "EET-2EEST,M3.4.4/50,M10.4.4/50", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
    "AAA-1:02:03BBB+4:05:06,M1.1.0/-167:59:59,M12.5.6/+167",
  ])
  func `a rule of POSIX or RFC 9636 is a zone`(text: String) {
    #expect(Zone(name: "rule", posix: text) != nil)
  }

  @Test(arguments: [
    "", "Europe/Berlin", ":Europe/Berlin", "UTC", "AB1", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,M10.5.0/3,",
    "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.0.0,M10.5.0",
    "CET-1CEST,M3.5.7,M10.5.0", "<+0330>-3:30<+0430>,J79/24,J263/24", "XXX3EDT4,0/0,365/23", "CET-25",
    "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0/2:60,M10.5.0", "<+01-1", "<+1>-1 ", "CET-1:",
    "CET-0001", "CET-1CEST,M3.5.0/,M10.5.0", "CET--1",
  ])
  func `other text is refused`(text: String) {
    #expect(Zone(name: "rule", posix: text) == nil)
  }

  /// The moments before and from which the offset differs, worked out by hand from the rule.
  @Test(arguments: [
    // The last Sunday of March at two, of October at three.
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00:00Z", 3600, 7200),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T01:00:00Z", 7200, 3600),
    // The first Sunday of October and April, by half an hour.
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-10-03T15:30:00Z", 37_800, 39_600),
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-04-04T15:00:00Z", 39_600, 37_800),
    // Times before midnight and on a later day: Nuuk and Gaza.
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -7200, -3600),
    ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2026-03-28T00:00:00Z", 7200, 10_800),
    // Winter is the exception in Dublin.
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-10-25T01:00:00Z", 3600, 0),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-03-29T01:00:00Z", 0, 3600),
    // Without dates, those of the United States.
    ("EST5EDT", "2026-03-08T07:00:00Z", -18_000, -14_400),
  ])
  func `clocks change at the moment that the rule states`(text: String, at: String, before: Int, after: Int)
    throws
  {
    let zone = try #require(Zone(name: "rule", posix: text))

    #expect(zone.offset(at: instant(at) - .seconds(1)) == before)
    #expect(zone.offset(at: instant(at)) == after)
  }

  @Test(arguments: [Int64.min, -(1 << 60), 1 << 60, .max])
  func `moments beyond all calendars have an offset too`(seconds: Int64) {
    let moment = Instant(secondsSince1970: seconds)

    #expect([3600, 7200].contains(TestZone.berlin.offset(at: moment)))
    #expect(TestZone.berlin.civil(at: moment).month >= 1)
  }
}

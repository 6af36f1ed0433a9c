// Moments on the command line.

import Core
import Testing

@Suite struct MomentTextTests {
  private let now = instant("2026-11-02T10:00:00Z")

  @Test(arguments: [
    ("2d", "2026-11-04T10:00:00Z"), ("1h30m", "2026-11-02T11:30:00Z"),
    ("2026-12-24T08:00:00Z", "2026-12-24T08:00:00Z"), ("2026-12-24T08:00:00+03:00", "2026-12-24T05:00:00Z"),
    ("2026-12-24 08:00", "2026-12-24T07:00:00Z"), ("2026-12-24T08:00", "2026-12-24T07:00:00Z"),
    ("2026-12-24 08:00:30", "2026-12-24T07:00:30Z"), ("2026-12-24", "2026-12-23T23:00:00Z"),
    ("2026-07-01", "2026-06-30T22:00:00Z"), ("today", "2026-11-01T23:00:00Z"),
    ("tomorrow", "2026-11-02T23:00:00Z"), ("tomorrow 08:00", "2026-11-03T07:00:00Z"),
    ("tomorrow 8:00", "2026-11-03T07:00:00Z"), ("8:00 tomorrow", "2026-11-03T07:00:00Z"),
    ("Tomorrow", "2026-11-02T23:00:00Z"), ("8:00 2026-12-24", "2026-12-24T07:00:00Z"),
    // It is Monday, 11:00. What has passed today comes again tomorrow or next week; today itself does not.
    ("18:00", "2026-11-02T17:00:00Z"), ("8:00", "2026-11-03T07:00:00Z"), ("11:00", "2026-11-03T10:00:00Z"),
    ("today 8:00", "2026-11-02T07:00:00Z"), ("monday", "2026-11-08T23:00:00Z"),
    ("monday 18:00", "2026-11-02T17:00:00Z"), ("8:00 Mon", "2026-11-09T07:00:00Z"),
    ("sunday", "2026-11-07T23:00:00Z"), ("thur", "2026-11-04T23:00:00Z"),
    // In the gap, and in the hour that comes twice.
    ("2027-03-28 02:30", "2027-03-28T01:00:00Z"), ("2027-10-31 02:30", "2027-10-31T00:30:00Z"),
  ])
  func `a moment without an offset is in local time`(text: String, moment: String) {
    #expect(Instant(text: text, from: now, in: TestZone.berlin)?.rfc3339 == moment)
  }

  @Test(arguments: [
    ("2d", "2026-10-31T10:00:00Z"), ("2026-10-24 08:00", "2026-10-24T06:00:00Z"),
    ("2026-10-24", "2026-10-23T22:00:00Z"), ("2026-10-24T08:00:00Z", "2026-10-24T08:00:00Z"),
    ("18:00", "2026-11-01T17:00:00Z"), ("8:00", "2026-11-02T07:00:00Z"), ("monday", "2026-11-01T23:00:00Z"),
    ("monday 18:00", "2026-10-26T17:00:00Z"), ("friday", "2026-10-29T23:00:00Z"),
    ("yesterday", "2026-10-31T23:00:00Z"), ("yesterday 20:00", "2026-11-01T19:00:00Z"),
  ])
  func `a moment in the past counts an interval back from now`(text: String, moment: String) {
    #expect(Instant(text: text, from: now, isPast: true, in: TestZone.berlin)?.rfc3339 == moment)
  }

  @Test(arguments: [
    // Clocks go forward at 2:00 on Sunday, and back at 3:00: a skipped time is the end of the gap.
    ("2027-03-27T12:00:00Z", "2:30", "2027-03-28T01:00:00Z"),
    ("2027-03-27T12:00:00Z", "sunday 8:00", "2027-03-28T06:00:00Z"),
    ("2027-10-30T12:00:00Z", "2:30", "2027-10-31T00:30:00Z"),
    ("2027-10-30T12:00:00Z", "11:00", "2027-10-31T10:00:00Z"),
  ])
  func `a time of day is that of the clocks, also across a change`(now: String, text: String, moment: String)
  {
    #expect(Instant(text: text, from: instant(now), in: TestZone.berlin)?.rfc3339 == moment)
  }

  @Test(arguments: [
    ("2026-11-02T08:05:30Z", "09:05"), ("2026-11-01T22:59:00Z", "1 Nov 23:59"),
    ("2027-02-03T10:00:00Z", "2027-02-03 11:00"),
  ])
  func `a moment is short where a person reads it, and whole elsewhere`(moment: String, shown: String) {
    var zone = TestZone.berlin
    #expect(instant(moment).local(in: zone).count == 19)

    zone.readAt = now

    #expect(instant(moment).local(in: zone) == shown)
  }

  @Test(arguments: [
    "", " ", "todays", "tomorrow 8", "2", "2026-13-01", "2026-02-30", "2026-12-24 25:00", "24:00", "8:0",
    "mo",
    "mondays", "24.12.2026", "Z", "8:00 9:00", "monday tuesday", "tomorrow monday 8:00",
  ])
  func `other text is not a moment`(text: String) {
    #expect(Instant(text: text, from: now, in: .utc) == nil)
    #expect(Instant(text: text, from: now, isPast: true, in: .utc) == nil)
  }
}

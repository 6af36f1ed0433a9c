// Beginnings and ends of hours of the week, above all around clock changes.

import Testing

@testable import Core

@Suite struct WeeklyHoursMomentsTests {
  /// Hours in a zone, a moment, the first moment inside at or after it, and the end of that window.
  struct Opening: Sendable {
    var hours: String
    var zone: Zone
    var from: String
    var opens: String
    var closes: String?

    /// Moments of UTC are given as minutes, as in `2026-11-02T10:00`.
    init(_ hours: String, _ zone: Zone, _ from: String, _ opens: String, _ closes: String?) {
      func moment(_ text: String) -> String { text.count == 16 ? text + ":00Z" : text }
      (self.hours, self.zone) = (hours, zone)
      (self.from, self.opens, self.closes) = (moment(from), moment(opens), closes.map(moment))
    }
  }

  @Test(arguments: [
    // 2026-11-02 is a Monday.
    Opening("mon-fri 08:00-18:00", .utc, "2026-11-02T10:00", "2026-11-02T10:00", "2026-11-02T18:00"),
    Opening("mon-fri 08:00-18:00", .utc, "2026-11-02T18:00", "2026-11-03T08:00", "2026-11-03T18:00"),
    Opening("mon-fri 08:00-18:00", .utc, "2026-11-02T07:59:59Z", "2026-11-02T08:00", "2026-11-02T18:00"),
    // Over midnight, and over the end of the week.
    Opening("22:00-06:00", .utc, "2026-11-02T03:00", "2026-11-02T03:00", "2026-11-02T06:00"),
    Opening("sat 22:00-06:00", .utc, "2026-11-02T12:00", "2026-11-07T22:00", "2026-11-08T06:00"),
    Opening("sat,sun", .utc, "2026-11-08T12:00", "2026-11-08T12:00", "2026-11-09T00:00"),
    Opening("always", .utc, "2026-11-07T12:00", "2026-11-07T12:00", nil),
    // Before 1970, and far away.
    Opening("thu 00:00-01:00", .utc, "1969-12-31T12:00", "1970-01-01T00:00", "1970-01-01T01:00"),
    Opening("mon 08:00-09:00", TestZone.berlin, "2100-07-01T00:00", "2100-07-05T06:00", "2100-07-05T07:00"),
    // Berlin, 2027-03-28: 02:00 to 03:00 does not come.
    Opening("02:30-04:00", TestZone.berlin, "2027-03-28T00:00", "2027-03-28T01:00", "2027-03-28T02:00"),
    Opening("02:15-02:45", TestZone.berlin, "2027-03-28T00:00", "2027-03-29T00:15", "2027-03-29T00:45"),
    Opening("01:00-02:30", TestZone.berlin, "2027-03-28T00:00", "2027-03-28T00:00", "2027-03-28T01:00"),
    // A working day in summer begins an hour sooner.
    Opening("08:00-18:00", TestZone.berlin, "2027-03-27T18:00", "2027-03-28T06:00", "2027-03-28T16:00"),
    // Lord Howe, 2026-10-04: 02:00 to 02:30 does not come.
    Opening("02:15-02:45", TestZone.lordHowe, "2026-10-03T15:00", "2026-10-03T15:30", "2026-10-03T15:45"),
    // Troll, 2026-03-29: two hours, 01:00 to 03:00, do not come.
    Opening("01:30-02:30", TestZone.troll, "2026-03-28T12:00", "2026-03-29T23:30", "2026-03-30T00:30"),
    // Casablanca, 2014-08-02 at 02:00, back to summer time after Ramadan.
    // São Paulo, 2018-11-04: the day begins at 01:00.
    Opening("sun", TestZone.saoPaulo, "2018-11-03T12:00", "2018-11-04T03:00", "2018-11-05T02:00"),
    // Apia had no Friday, 2011-12-30.
    Opening("fri 08:00-18:00", TestZone.apia, "2011-12-29T12:00", "2012-01-05T18:00", "2012-01-06T04:00"),
    Opening("thu-sat", TestZone.apia, "2011-12-29T12:00", "2011-12-29T12:00", "2011-12-31T10:00"),

    // Berlin, 2027-10-31: 02:00 to 03:00 comes twice, and is inside both times.
    Opening("02:00-03:00", TestZone.berlin, "2027-10-30T12:00", "2027-10-31T00:00", "2027-10-31T02:00"),
    Opening("02:30-02:45", TestZone.berlin, "2027-10-30T12:00", "2027-10-31T00:30", "2027-10-31T00:45"),
    Opening("02:30-02:45", TestZone.berlin, "2027-10-31T00:45", "2027-10-31T01:30", "2027-10-31T01:45"),
    Opening("01:00-02:30", TestZone.berlin, "2027-10-31T00:30", "2027-10-31T01:00", "2027-10-31T01:30"),
    // Lord Howe, 2026-04-05: 01:30 to 02:00 comes twice.
    // Troll, 2026-10-25: 01:00 to 03:00 comes twice.
    // São Paulo, 2018-02-17: the last hour of Saturday comes twice.
    Opening("sat", TestZone.saoPaulo, "2018-02-17T12:00", "2018-02-17T12:00", "2018-02-18T03:00"),
  ])
  func `a window of local time does not come in a gap or begins after it, a repeated hour comes twice`(
    opening: Opening
  ) throws {
    let hours = try WeeklyHours(parsing: opening.hours)
    #expect(hours.firstMoment(atOrAfter: instant(opening.from), in: opening.zone).rfc3339 == opening.opens)
    #expect(hours.contains(instant(opening.opens), in: opening.zone))
    if let closes = opening.closes {
      #expect(!hours.contains(instant(closes), in: opening.zone))
      #expect(hours.contains(instant(closes) - .seconds(1), in: opening.zone))
    }
  }

  /// Zones, each with a moment shortly before clocks change.
  private static let changes = [
    (TestZone.berlin, "2027-03-27T12:00:00Z"), (TestZone.berlin, "2027-10-30T12:00:00Z"),
    (TestZone.lordHowe, "2026-10-03T06:00:00Z"), (TestZone.lordHowe, "2026-04-04T06:00:00Z"),
    (TestZone.troll, "2026-10-24T12:00:00Z"), (TestZone.casablanca, "2014-08-01T12:00:00Z"),
    (TestZone.saoPaulo, "2018-02-17T12:00:00Z"), (TestZone.apia, "2011-12-29T12:00:00Z"),
  ]

  @Test(arguments: [
    "mon-fri 08:00-18:00", "22:00-06:00", "00:30-01:15, 02:10-02:20", "sat,sun", "fri 08:00-18:00",
    "01:00-01:01, 23:59-24:00", "thu 22:00-06:00, sat 00:00-00:01",
  ])
  func `the openings equal those of a scan of every minute`(text: String) throws {
    let hours = try WeeklyHours(parsing: text)
    for (zone, from) in Self.changes {
      let minutes = (0..<4 * 1440).map { instant(from) + .minutes($0) }
      let inside = minutes.map { moment in
        let clock = zone.civil(at: moment)
        return hours.contains(minute: clock.weekday * 1440 + clock.hour * 60 + clock.minute)
      }
      var opening: Instant?
      for index in minutes.indices.reversed() {
        if inside[index] { opening = minutes[index] }
        guard index % 30 == 0, let opening else { continue }
        try #require(hours.contains(minutes[index], in: zone) == inside[index])
        try #require(hours.firstMoment(atOrAfter: minutes[index], in: zone) == opening)
      }
    }
  }

  @Test func `the first and the last moment do no harm`() throws {
    let hours = try WeeklyHours(parsing: "mon 08:00-09:00")
    for zone in [Zone.utc, TestZone.berlin, TestZone.apia] {
      for second in [Int64.min, -1, 0, .max] {
        let opening = hours.firstMoment(atOrAfter: Instant(secondsSince1970: second), in: zone)
        #expect(hours.contains(opening, in: zone) || second == .max)
      }
    }
  }
}

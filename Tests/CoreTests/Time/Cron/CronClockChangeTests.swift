// Cron expressions and clock changes.

import Testing

@testable import Core

@Suite struct CronClockChangeTests {
  @Test(arguments: [
    // A time that does not exist fires at the end of the gap, once, however many of them there are.
    Firings("30 2 * * *", TestZone.berlin, "2027-03-27T12:00", ["2027-03-28T01:00", "2027-03-29T00:30"]),
    Firings("0 2,3 * * *", TestZone.berlin, "2027-03-27T12:00", ["2027-03-28T01:00", "2027-03-29T00:00"]),
    Firings(
      "0,30 2,3 * * *", TestZone.berlin, "2027-03-27T12:00",
      ["2027-03-28T01:00", "2027-03-28T01:30", "2027-03-29T00:00", "2027-03-29T00:30"]),
    Firings("30 1 * * *", TestZone.troll, "2026-03-28T02:00", ["2026-03-29T01:00", "2026-03-29T23:30"]),
    // A skipped day fires at the beginning of the next day, which also has its own firing.
    Firings(
      "0 12 * * *", TestZone.apia, "2011-12-29T12:00",
      ["2011-12-29T22:00", "2011-12-30T10:00", "2011-12-30T22:00"]),
    Firings("0 0 30 12 *", TestZone.apia, "2011-12-29T12:00", ["2011-12-30T10:00", "2012-12-29T10:00"]),
    // A zone with a change every few weeks.
    Firings("30 2 * * *", TestZone.casablanca, "2014-06-27T03:00", ["2014-06-28T01:30", "2014-06-29T02:30"]),
  ])
  func `a time that does not exist fires once, at the first moment after the gap`(firings: Firings) throws {
    #expect(try firings.found() == firings.expected)
  }

  @Test(arguments: [
    Firings("30 2 * * *", TestZone.berlin, "2027-10-30T12:00", ["2027-10-31T00:30", "2027-11-01T01:30"]),
    Firings(
      "*/20 2 * * *", TestZone.berlin, "2027-10-30T12:00",
      ["2027-10-31T00:00", "2027-10-31T00:20", "2027-10-31T00:40", "2027-11-01T01:00"]),
    // From within the second pass, and from the moment of the change.
    Firings("30 2 * * *", TestZone.berlin, "2027-10-31T01:10", ["2027-11-01T01:30"]),
    Firings(
      "0 1,2 * * *", TestZone.troll, "2026-10-24T12:00",
      ["2026-10-24T23:00", "2026-10-25T00:00", "2026-10-26T01:00"]),
  ])
  func `a time that comes twice fires the first time only`(firings: Firings) throws {
    #expect(try firings.found() == firings.expected)
  }

  @Test(arguments: [
    ("*/10 * * * *", TestZone.berlin, 600), ("*/10 */1 * * *", TestZone.berlin, 600),
    ("30 * * * *", TestZone.berlin, 3600), ("0 * * * *", TestZone.troll, 3600),
    ("*/30 * * * *", TestZone.lordHowe, 1800), ("* * * * *", TestZone.apia, 60),
    ("7 * * * *", TestZone.saoPaulo, 3600), ("@hourly", TestZone.dublin, 3600),
  ])
  func `an hour field of a star follows elapsed time through gap and overlap`(
    cron: String, zone: Zone, seconds: Int64
  ) throws {
    let expression = try CronExpression(parsing: cron)
    for from in [
      "2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z", "2018-02-17T12:00:00Z", "2011-12-29T12:00:00Z",
    ] {
      var moment = try #require(expression.next(atOrAfter: instant(from), in: zone))
      while moment < instant(from) + .days(2) {
        let next = try #require(expression.next(after: moment, in: zone))
        try #require(next.since(moment) == .seconds(seconds))
        moment = next
      }
    }
  }

  @Test(arguments: [
    // The old clock continues through the gap, so 02:00 comes two hours after 00:00.
    Firings(
      "0 */2 * * *", TestZone.berlin, "2027-03-27T22:30",
      ["2027-03-27T23:00", "2027-03-28T01:00", "2027-03-28T02:00", "2027-03-28T04:00"]),
    Firings(
      "15 */2 * * *", TestZone.berlin, "2027-03-27T22:30",
      ["2027-03-27T23:15", "2027-03-28T01:15", "2027-03-28T02:15"]),
    Firings(
      "30 */24 * * *", TestZone.saoPaulo, "2018-11-03T12:00", ["2018-11-04T03:30", "2018-11-05T02:30"]),
    Firings(
      "0 * * * *", TestZone.lordHowe, "2026-10-03T14:30",
      ["2026-10-03T14:30", "2026-10-03T15:30", "2026-10-03T16:00"]),
    // Both passes of the hour count.
    Firings(
      "0 */2 * * *", TestZone.berlin, "2027-10-30T21:30",
      ["2027-10-30T22:00", "2027-10-31T00:00", "2027-10-31T01:00", "2027-10-31T03:00"]),
    Firings(
      "*/30 * * * *", TestZone.berlin, "2027-10-31T00:00",
      ["2027-10-31T00:00", "2027-10-31T00:30", "2027-10-31T01:00", "2027-10-31T01:30", "2027-10-31T02:00"]),
    // The days of such an expression also follow the clock.
    Firings(
      "0 */12 30 12 *", TestZone.apia, "2011-12-29T12:00",
      ["2011-12-30T10:00", "2011-12-30T22:00", "2012-12-29T10:00"]),
  ])
  func
    `steps in the hour field go on from the old clock through a gap, and through both passes of an overlap`(
      firings: Firings
    ) throws
  {
    #expect(try firings.found() == firings.expected)
  }
}

/// An expression with the firings that follow a moment; all are minutes of UTC, as in `2027-03-28T01:00`.
struct Firings: Sendable, CustomTestStringConvertible {
  let cron: String
  let zone: Zone
  let from: Instant
  let expected: [Instant]

  var testDescription: String { "\(cron) in \(zone.name) from \(from.rfc3339)" }

  init(_ cron: String, _ zone: Zone, _ from: String, _ expected: [String]) {
    (self.cron, self.zone, self.from) = (cron, zone, instant(from + ":00Z"))
    self.expected = expected.map { instant($0 + ":00Z") }
  }

  /// The firings found, as many as expected.
  func found() throws -> [Instant] {
    let expression = try CronExpression(parsing: cron)
    var found: [Instant] = []
    var moment = expression.next(atOrAfter: from, in: zone)
    while let firing = moment, found.count < expected.count {
      found.append(firing)
      moment = expression.next(after: firing, in: zone)
    }
    return found
  }
}

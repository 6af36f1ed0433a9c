// Firings of cron expressions inside hours of the week.

import TestKit
import Testing

@testable import Core

@Suite struct CronInsideHoursTests {
  @Test(arguments: [
    ("*/10 * * * *", "mon-fri 08:00-18:00", "2026-11-02T03:00:00Z", "2026-11-02T08:00:00Z"),
    ("5 * * * *", "mon-fri 08:00-18:00", "2026-11-06T17:30:00Z", "2026-11-09T08:05:00Z"),
    ("0 3 * * *", "mon 02:00-04:00", "2026-11-02T03:00:01Z", "2026-11-09T03:00:00Z"),
    ("0 8 13 * *", "fri", "2026-11-14T00:00:00Z", "2027-08-13T08:00:00Z"),
    ("0 12 29 2 *", "mon", "2026-01-01T00:00:00Z", "2044-02-29T12:00:00Z"),
    ("0 8 * * *", "always", "2026-11-02T08:00:00Z", "2026-11-02T08:00:00Z"),
  ])
  func `the next firing is the first one inside the hours`(
    cron: String, hours: String, from: String, next: String
  ) throws {
    let found = try CronExpression(parsing: cron).next(
      atOrAfter: instant(from), inside: WeeklyHours(parsing: hours), in: .utc)

    #expect(found?.rfc3339 == next)
  }

  @Test(arguments: [
    ("*/10 7-22 * * *", "mon-fri 08:00-18:00", true), ("0 3 * * *", "08:00-18:00", false),
    ("0 18 * * *", "08:00-18:00", false), ("59 17 * * *", "08:00-18:00", true),
    ("0 12 * * sat", "mon-fri", false), ("0 12 29 2 *", "mon", true), ("0 12 13 * *", "fri", true),
    ("0 12 30 * mon", "tue", true), ("0 12 25 12 mon", "tue 11:00-13:00", true),
    ("0 3 * * *", "always", true), ("30 2 * * sun", "sun 02:00-03:00", true),
  ])
  func `canFire(inside:) is known beforehand`(cron: String, hours: String, canFire: Bool) throws {
    let expression = try CronExpression(parsing: cron)
    let hours = try WeeklyHours(parsing: hours)

    #expect(expression.canFire(inside: hours) == canFire)
    if canFire {
      #expect(expression.next(atOrAfter: instant("2026-01-01T00:00:00Z"), inside: hours, in: .utc) != nil)
    }
  }

  @Test func `an expression that never fires inside the hours has no next firing`() throws {
    let expression = try CronExpression(parsing: "0 12 * * sat")

    #expect(
      try expression.next(
        atOrAfter: instant("2026-01-01T00:00:00Z"), inside: WeeklyHours(parsing: "mon-fri"), in: .utc) == nil)
  }

  @Test func `an expression that never fires inside the hours is detected quickly`() throws {

    let expression = try CronExpression(parsing: "@daily")
    let hours = try WeeklyHours(parsing: "06:30-21:00")

    // Checking all days of four years takes a hundred times as long.
    let microseconds = processorTime {
      for day in 0..<200 {
        let from = instant("2026-11-02T00:00:00Z") + .days(Int64(day))
        #expect(expression.next(atOrAfter: from, inside: hours, in: TestZone.berlin) == nil)
      }
    }
    #expect(microseconds < 5_000_000)
  }
}

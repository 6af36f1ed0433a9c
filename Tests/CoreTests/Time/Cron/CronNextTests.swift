// Firings of cron expressions, away from clock changes.

import Testing

@testable import Core

@Suite struct CronNextTests {
  @Test(arguments: [
    ("* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
    ("*/10 7-22 * * mon-fri", "2026-11-20T22:51:00Z", "2026-11-23T07:00:00Z"),
    ("59 23 31 12 *", "2026-12-31T23:59:30Z", "2027-12-31T23:59:00Z"),
    ("0 0 29 2 *", "2096-02-29T00:00:01Z", "2104-02-29T00:00:00Z"),
    ("0 0 29 2 */7", "2080-01-01T00:00:00Z", "2088-02-29T00:00:00Z"),
    ("0 0 31 * *", "2026-01-31T00:00:01Z", "2026-03-31T00:00:00Z"),
    // Neither day field begins with a star, so one of them is enough; otherwise both must hold.
    ("0 0 13 * fri", "2026-11-01T00:00:00Z", "2026-11-06T00:00:00Z"),
    ("0 0 */2 * mon", "2026-11-01T00:00:00Z", "2026-11-09T00:00:00Z"),
    ("0 0 13 * */5", "2026-10-14T00:00:00Z", "2026-11-13T00:00:00Z"),
  ])
  func `the first firing at or after a moment is found`(cron: String, from: String, next: String) throws {
    #expect(try CronExpression(parsing: cron).next(atOrAfter: instant(from), in: .utc) == instant(next))
  }

  @Test func `a firing at the moment itself is not after it`() throws {
    let expression = try CronExpression(parsing: "30 8 * * *")
    let firing = instant("2026-11-21T08:30:00Z")

    #expect(expression.next(atOrAfter: firing, in: .utc) == firing)
    #expect(expression.next(after: firing, in: .utc) == instant("2026-11-22T08:30:00Z"))
  }

  @Test(arguments: ["0 0 1 1 *", "0 * 1 1 *"])
  func `nothing fires after the year 9999`(cron: String) throws {
    let expression = try CronExpression(parsing: cron)
    for zone in [Zone.utc, TestZone.berlin] {
      #expect(expression.next(atOrAfter: instant("9999-01-02T12:00:00Z"), in: zone) == nil)
      #expect(expression.next(atOrAfter: Instant(secondsSince1970: .max), in: zone) == nil)
    }
  }

  @Test func `from the beginning of time the first firing is in the year -9999`() throws {
    let first = try CronExpression(parsing: "0 0 1 1 *").next(
      atOrAfter: Instant(secondsSince1970: .min), in: .utc)

    #expect(first.map { Zone.utc.civil(at: $0) } == CivilTime(year: -9999, month: 1, day: 1))
  }
}

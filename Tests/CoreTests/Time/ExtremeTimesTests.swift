// Extreme numbers in every function of moments and intervals.

import Testing

@testable import Core

@Suite struct ExtremeTimesTests {
  static let extremes: [Int64] = [0, -1, 1 << 31, 1 << 53, 1 << 62, .max, .min]

  @Test(arguments: extremes, extremes)
  func `sums and differences stay between the first and the last moment`(one: Int64, other: Int64) {
    let (moment, length) = (Instant(secondsSince1970: one), Interval(seconds: other))
    let (first, last) = (Instant(secondsSince1970: .min), Instant(secondsSince1970: .max))

    for result in [moment + length, moment - length, Timestamp(moment).instant] {
      #expect(first <= result)
      #expect(result <= last)
    }
    #expect(moment + length >= moment)
    #expect(moment - length <= moment)
    #expect(moment.since(Instant(secondsSince1970: other)) <= .longest)
    for length in [length + .seconds(one), length - .seconds(one), .minutes(one), .hours(one), .days(one)] {
      #expect(.zero <= length)
      #expect(length <= .longest)
      #expect(Interval(text: length.text) == length)
      // Sums in milliseconds must not overflow.
      #expect(length.seconds * 1000 >= 0)
    }
    #expect(Timestamp(millisecondsSince1970: one).rfc3339.isEmpty == false)
    for text in ["\(one)s", "\(one)d\(other)h", "\(one)", "\(one)-01-01"] {
      for zone in [Zone.utc, TestZone.berlin] {
        _ = Instant(text: text, from: moment, in: zone)
        _ = Instant(text: text, from: moment, isPast: true, in: zone)
      }
    }
  }

  @Test(arguments: extremes)
  func `clocks, calendars, hours and schedules take any moment`(seconds: Int64) throws {
    let moment = Instant(secondsSince1970: seconds)
    let format = try TimeFormat("%Y-%m-%d %H:%M:%S %j %V %G %y %s %z %a %b %I %p")
    let hours = try WeeklyHours(parsing: "fri 22:00-02:00")
    for zone in [Zone.utc, TestZone.berlin, TestZone.apia] {
      let civil = zone.civil(at: moment)
      _ = zone.firstMoment(of: civil)
      _ = (civil.weekday, civil.dayOfYear, moment.rfc3339, moment.local(in: zone))
      #expect(!format.text(of: moment, in: zone).isEmpty)
      _ = hours.firstMoment(atOrAfter: moment, in: zone)
      for text in ["*/10 * * * *", "30 2 * * *", "0 0 29 2 *", "15 1-23/2 31 * fri"] {
        let expression = try CronExpression(parsing: text)
        if let next = expression.next(after: moment, in: zone) { #expect(next > moment, "\(text)") }
      }
    }
  }

  @Test(arguments: extremes)
  func `expressions take any number`(number: Int64) {
    for text in [
      "\(number) * * * *", "*/\(number) * * * *", "* * L-\(number) * *", "* * * * mon#\(number)",
      "0-\(number) * * * *",
    ] {
      // Most are mistakes; none may crash.
      if let expression = try? CronExpression(parsing: text) {
        #expect(expression.next(after: Instant(secondsSince1970: 0), in: .utc) != nil, "\(text)")
      }
    }
    for text in ["mon \(number):00-18:00", "mon 08:\(number)-18:00", "mon 0-\(number)"] {
      _ = try? WeeklyHours(parsing: text)
    }
  }
}

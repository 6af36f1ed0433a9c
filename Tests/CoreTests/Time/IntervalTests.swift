// Intervals and their text.

import Core
import Testing

@Suite struct IntervalTests {
  @Test(arguments: [
    ("90s", 90), ("15m", 900), ("1h30m", 5400), ("2d", 172_800), ("0s", 0), ("1d2h3m4s", 93_784), ("0d0s", 0),
    ("1h90m", 9000), ("007m", 420), ("1125899906842624s", 1 << 50),
  ])
  func `digits with a unit are a length of time`(text: String, seconds: Int64) {
    #expect(Interval(text: text)?.seconds == seconds)
  }

  @Test(arguments: [
    "", "60", "m", "h30m", "30m1h", "1h1h", "1h30", "1.5h", "-5m", "+5m", " 5m", "5m ", "5 m", "5M", "5min",
    "1w", "٣m", "9223372036854775808s", "9223372036854775807s", "1125899906842625s", "106751991167301d",
    "106751991167300d16h", "99999999999999999999d",
  ])
  func `other text is refused`(text: String) {
    #expect(Interval(text: text) == nil)
  }

  @Test(
    arguments: [
      (0, "0 s", "0:00"), (59, "59 s", "0:59"), (60, "1 min", "1:00"), (3599, "59 min", "59:59"),
      (3723, "1 h", "1:02:03"), (172_799, "47 h", "47:59:59"), (172_800, "2 d", "48:00:00"),
    ] as [(Int64, String, String)])
  func `people read the largest unit, and a playing time as a player shows it`(
    seconds: Int64, rounded: String, playing: String
  ) {
    #expect(Interval.seconds(seconds).rounded == rounded)
    #expect(Interval.seconds(seconds).playingTime == playing)
  }

  @Test(arguments: [
    (0, "0s"), (1, "1s"), (60, "1m"), (90, "1m30s"), (5400, "1h30m"), (86_400, "1d"), (90_061, "1d1h1m1s"),
    (59, "59s"), (3600, "1h"), (3599, "59m59s"), (86_399, "23h59m59s"), (987_654_321, "11431d4h25m21s"),
    (Int64.max, "13031248921d18h57m4s"),
  ])
  func `an interval is written with the longest units first and without zero units, and read back`(
    seconds: Int64, text: String
  ) {
    #expect(Interval(seconds: seconds).text == text)
    #expect(Interval(text: text) == Interval(seconds: seconds))
  }

  @Test func `intervals that overflow are the longest one, and none is negative`() {
    #expect(Interval.days(.max) == Interval(seconds: .max))
    #expect(Interval(seconds: .max) + .seconds(1) == Interval(seconds: .max))
    #expect(Interval.minutes(-5) == .zero)
    #expect(Interval.seconds(5) - .minutes(1) == .zero)
  }
}

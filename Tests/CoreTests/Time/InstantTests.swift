// Moments, their RFC 3339 text, and the calendar.

import Glibc
import Testing

@testable import Core

@Suite struct InstantTests {
  @Test(arguments: [
    ("2026-11-21T08:30:00Z", 1_795_249_800), ("1970-01-01t00:00:00z", 0), ("1969-12-31T23:59:59Z", -1),
    ("2026-11-21 09:30:00.999+01:00", 1_795_249_800), ("2026-11-21T00:30:00-08:00", 1_795_249_800),
    ("2016-12-31T23:59:60Z", 1_483_228_800), ("2000-02-29T00:00:00Z", 951_782_400),
  ])
  func `a timestamp is read`(text: String, seconds: Int64) {
    #expect(Instant(rfc3339: text)?.secondsSince1970 == seconds)
  }

  @Test(arguments: [
    "", "2026-11-21", "2026-11-21T08:30:00", "2026-13-01T00:00:00Z", "2025-02-29T00:00:00Z",
    "2026-11-21T24:00:00Z", "2026-11-21T08:60:00Z", "2026-11-21T08:30:00.Z", "2026-11-21T08:30:00+1:00",
    "2026-11-21T08:30:00Zulu", "26-11-21T08:30:00Z", "2026-11-21T08:30:00+24:00",
  ])
  func `other text is not a timestamp`(text: String) {
    #expect(Instant(rfc3339: text) == nil)
  }

  @Test(arguments: [(1_795_249_800, "2026-11-21T08:30:00Z"), (-62_167_219_200, "0000-01-01T00:00:00Z")])
  func `a moment is written in UTC`(seconds: Int64, text: String) {
    #expect(Instant(secondsSince1970: seconds).rfc3339 == text)
  }

  @Test func `sums beyond the last moment stop there`() {
    let last = Instant(secondsSince1970: .max)

    #expect(last + .seconds(1) == last)
    #expect(Instant(secondsSince1970: .min) - .seconds(1) == Instant(secondsSince1970: .min))
    #expect(last.since(Instant(secondsSince1970: .min)) == .longest)
    #expect(Instant(secondsSince1970: .min).since(last) == .zero)
  }

  @Test func `the calendar is that of the C library from year 0 to 4000`() {
    var random = SeededNumbers(state: 1)
    for _ in 0..<20_000 {
      var seconds = Int.random(in: -62_167_219_200...64_060_588_800, using: &random)
      let civil = CivilTime(secondsSince1970: Int64(seconds))
      var expected = tm()
      gmtime_r(&seconds, &expected)

      #expect(
        [
          civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second, civil.weekday,
          civil.dayOfYear,
        ]
          == [
            expected.tm_year + 1900, expected.tm_mon + 1, expected.tm_mday, expected.tm_hour, expected.tm_min,
            expected.tm_sec, expected.tm_wday, expected.tm_yday + 1,
          ].map(Int.init))
      #expect(civil.secondsSince1970 == Int64(seconds))
    }
  }
}

// Moments in milliseconds: their text, their second, their order.

import Testing

@testable import Core

@Suite struct TimestampTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_800_000_000_007, "2027-01-15T08:00:00.007Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (999, "1970-01-01T00:00:00.999Z"),
    ] as [(Int64, String)])
  func `a moment is written with its milliseconds`(milliseconds: Int64, text: String) {
    #expect(Timestamp(millisecondsSince1970: milliseconds).rfc3339 == text)
  }

  @Test func `a moment is in its second, also before 1970, and no second is out of range`() {
    #expect(Timestamp(millisecondsSince1970: 1999).instant == Instant(secondsSince1970: 1))
    #expect(Timestamp(millisecondsSince1970: -1).instant == Instant(secondsSince1970: -1))
    for seconds in [1_800_000_000, .max, .min] as [Int64] {
      let instant = Instant(secondsSince1970: seconds)
      #expect(Timestamp(instant).instant == instant, "\(seconds)")
    }
  }
}

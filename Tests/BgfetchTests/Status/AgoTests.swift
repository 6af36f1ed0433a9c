// How long ago something was, in words.

import Core
import Testing

@testable import bgfetch

@Suite struct AgoTests {
  @Test(
    arguments: [
      (-90, "1 min ago"), (-1, "1 s ago"), (0, "0 s ago"),
      // By the clock of a server, which is a little ahead.
      (1, "0 s ago"),
      // After the clock was set back.
      (2, "2027-01-15 08:00:02"),
    ] as [(Int64, String)])
  func `a moment just now is one although a clock is ahead`(seconds: Int64, text: String) {
    let now = Instant(secondsSince1970: 1_800_000_000)

    #expect(ago(Instant(secondsSince1970: now.secondsSince1970 + seconds), now: now, in: .utc) == text)
  }
}

// The wording of coming moments.

import Core
import Testing

@testable import bgfetch

@Suite struct RunTextTests {
  @Test(arguments: [
    (-5, "now"), (0, "now"), (20, "in 20 s"), (61, "in 1 min"), (3599, "in 59 min"), (7200, "at 14:00"),
    (86_400, "on Sunday at 12:00"), (6 * 86_400, "on Friday at 12:00"), (40 * 86_400, "on 2026-12-31"),
  ])
  func `a future moment is worded as a person would`(seconds: Int64, expected: String) throws {
    let now = try #require(Instant(rfc3339: "2026-11-21T12:00:00Z"))

    #expect(comingTime(now + .seconds(seconds), now: now, in: .utc) == expected)
  }
}

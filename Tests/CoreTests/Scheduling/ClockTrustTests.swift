// How far a clock is believed when it says that something is old.

import Core
import Testing

@Suite struct ClockTrustTests {

  @Test(
    arguments: [
      // The days since the last run of before, whether the clock is confirmed, and how far ages are judged back.
      (nil, false, 0), (1, true, 0), (7, true, 0), (8, false, 8), (3650, false, 3650),
    ] as [(Int64?, Bool, Int64)])
  func `a jump ahead is believed only when runs agree with it`(days: Int64?, confirmed: Bool, back: Int64) {
    let trust = ClockTrust(now: now, earlier: days.map { now - .days($0) })

    #expect(trust.isConfirmed == confirmed)
    #expect(trust.ageMoment(now) == now - .days(back))
    #expect(trust.isPossible)
  }

  @Test func `a clock from before this program is wrong`() {
    #expect(!ClockTrust(now: Instant(secondsSince1970: 60), earlier: nil).isPossible)
  }
}

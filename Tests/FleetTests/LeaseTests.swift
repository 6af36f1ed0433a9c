// How long a dead process keeps its work, by arithmetic.

import Core
import Testing

@testable import Fleet

@Suite struct LeaseTests {
  private let length = Membership.lease.length.seconds
  private let sign = Membership.lease.sign

  @Test func `work that a process held is free ten seconds after its death at the latest`() {
    // The server's clock counts in whole seconds, and `run --watch` looks each second.
    let (rounding, look): (Int64, Int64) = (1, 1)

    #expect(length + rounding + look <= 10)
  }

  @Test func `a process may miss six signs of life`() {
    #expect(.seconds(length) - sign >= sign * 7)
  }

  @Test func `an answer that is called slow renews the lease before it ends`() {
    #expect(HoldTime.longestAnswer + sign + HoldTime.longestAnswer < .seconds(length))
  }
}

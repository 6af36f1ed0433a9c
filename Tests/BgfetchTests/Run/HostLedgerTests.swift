// The hosts of concurrent fetches.

import Testing

@testable import Core
@testable import bgfetch

@Suite struct HostLedgerTests {
  private let now = Instant(secondsSince1970: 1_793_613_600)

  @Test func `a redirect waits if its host was just requested`() {
    let ledger = HostLedger([:])
    _ = ledger.begin("a.example", at: 5000, now: now)

    #expect(ledger.reserveHop(to: "a.example", delay: .seconds(1), at: 5400) == 6000)
    #expect(ledger.reserveHop(to: "a.example", delay: .seconds(1), at: 5500) == 7000)
    #expect(ledger.reserveHop(to: "a.example", delay: .seconds(1), at: 9000) == 9000)
    #expect(ledger.reserveHop(to: "b.example", delay: .seconds(1), at: 5500) == 5500)
    #expect(ledger.takeHops().map(\.moment) == [6000, 7000, 9000, 5500])
    #expect(ledger.takeHops().isEmpty)
  }

  @Test func `a limit found by one fetch applies to the next`() throws {
    let ledger = HostLedger([:])
    var limited = HostState()
    limited.limitedUntil = now + .hours(1)

    _ = ledger.change("a.example") { known in
      StateChange(state: FeedState(), host: limited, isHostChanged: known != limited, health: nil, move: nil)
    }
    var found: HostState?
    _ = ledger.change("a.example") { known in
      found = known
      return StateChange(state: FeedState(), host: known, health: nil, move: nil)
    }

    #expect(found == limited)
    #expect(ledger.begin("a.example", at: 0, now: now).limitedUntil == limited.limitedUntil)
  }
}

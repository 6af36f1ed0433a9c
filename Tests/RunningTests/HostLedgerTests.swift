// The hosts of concurrent fetches.

import Testing

@testable import Core
@testable import Running

@Suite struct HostLedgerTests {
  private let now = Instant(secondsSince1970: 1_793_613_600)

  @Test func `a limit found by one fetch applies to the next`() throws {
    let ledger = HostLedger([:])
    var limited = HostState()
    limited.limitedUntil = now + .hours(1)

    _ = ledger.change("a.example") { _ in StateChange(state: FeedState(), host: limited) }
    var found: HostState?
    _ = ledger.change("a.example") { known in
      found = known
      return StateChange(state: FeedState())
    }

    #expect(found == limited)
    ledger.begin("a.example", now: now)
    #expect(ledger.state(of: "a.example").limitedUntil == limited.limitedUntil)
  }
}

@Suite struct HostTurnsTests {
  @Test func `requests to a host take moments that are a delay apart`() {
    let turns = HostTurns(delay: .seconds(2))
    turns.record("a.example", at: 5000)

    #expect(turns.reserve("a.example", at: 5400) == 7000)
    #expect(turns.reserve("a.example", at: 5500) == 9000)
    #expect(turns.reserve("a.example", at: 12_000) == 12_000)
    #expect(turns.reserve("b.example", at: 5500) == 5500)
    // The last request of an earlier run counts until this process has sent one.
    #expect(turns.reserve("d.example", after: 4000, at: 5500) == 6000)
    #expect(turns.reserve("d.example", after: 9000, at: 6100) == 8000)
    #expect(turns.takeMoments(at: 5500).map(\.moment) == [5000, 7000, 9000, 12_000, 5500, 6000, 8000])
    #expect(turns.takeMoments(at: 5500).isEmpty)
    #expect(turns.moments(of: ["a.example", "c.example"]).map(\.moment) == [12_000])
  }

  @Test func `hosts whose delay has passed are forgotten when there are many`() {
    let turns = HostTurns(delay: .seconds(1))
    for number in 0...1000 { turns.record("\(number).example", at: Int64(number)) }

    _ = turns.takeMoments(at: 1900)

    #expect(turns.moments(of: ["899.example", "900.example", "901.example"]).map(\.moment) == [901])
  }

  @Test func `a request enters when no other request to its host is under way`() async {
    let turns = HostTurns(delay: .seconds(1))
    await turns.enter("a.example")
    await turns.enter("b.example")

    let second = Task { await turns.enter("a.example") }
    turns.leave("a.example")
    await second.value
    turns.leave("a.example")

    // Nothing is under way any more.
    await turns.enter("a.example")
  }
}

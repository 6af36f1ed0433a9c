// When downloads warn and end; times are milliseconds.

import Core
import Testing

@testable import bgfetch

@Suite struct TransferClockTests {
  /// Downloads that begin at 1000.
  private func clock(_ budget: Int64?, deadline: Int64?) -> Budget {
    Budget(from: 1000, lasting: budget.map { .seconds($0) }, until: deadline)
  }

  @Test(
    arguments: [
      // The end of the run, before the end of the budget.
      (nil, 101_000, 91_000, 101_000), (200, 101_000, 91_000, 101_000),
      // The end of the budget.
      (100, nil, 91_000, 101_000), (100, 900_000, 91_000, 101_000),
      // At most a fifth of the time.
      (5, nil, 5000, 6000),
      // An end before they began.
      (100, 1000, 1000, 1000), (100, 500, 500, 500),
    ] as [(Int64?, Int64?, Int64, Int64)])
  func `downloads end with their budget or with their run`(
    budget: Int64?, deadline: Int64?, warning: Int64, end: Int64
  ) {
    let clock = clock(budget, deadline: deadline)

    #expect(!clock.shouldStop(at: warning - 1))
    #expect(clock.shouldStop(at: warning))
    #expect(!clock.isOver(at: end - 1))
    #expect(clock.isOver(at: end))
    #expect(clock.next(after: warning - 1) == warning)
    #expect(clock.next(after: end) == nil)
  }

  @Test func `without a budget and a deadline of the run it never ends`() {
    let clock = clock(nil, deadline: nil)

    #expect(!clock.shouldStop(at: .max))
    #expect(!clock.isOver(at: .max))
    #expect(clock.next(after: 0) == nil)
  }
}

// When a budget warns and ends; times are milliseconds.

import Core
import Testing

@testable import Running

@Suite struct BudgetTests {
  /// The budget of downloads that begin at 1000.
  private func budget(_ seconds: Int64?, deadline: Int64?) -> Budget {
    Budget(from: 1000, lasting: seconds.map { .seconds($0) }, until: deadline)
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
    seconds: Int64?, deadline: Int64?, warning: Int64, end: Int64
  ) {
    let budget = budget(seconds, deadline: deadline)

    #expect(!budget.shouldStop(at: warning - 1))
    #expect(budget.shouldStop(at: warning))
    #expect(!budget.isOver(at: end - 1))
    #expect(budget.isOver(at: end))
    #expect(budget.next(after: warning - 1) == warning)
    #expect(budget.next(after: end) == nil)
  }

  @Test func `without a budget and a deadline of the run it never ends`() {
    let budget = budget(nil, deadline: nil)

    #expect(!budget.shouldStop(at: .max))
    #expect(!budget.isOver(at: .max))
    #expect(budget.next(after: 0) == nil)
  }
}

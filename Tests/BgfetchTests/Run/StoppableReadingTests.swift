// Work on a document, stopped by a cancelled task or a deadline.

import Testing

@testable import bgfetch

@Suite struct StoppableReadingTests {
  @Test(arguments: [(9, 1), (10, nil)] as [(Int64, Int?)])
  func `work beyond its deadline has no outcome, even if it finished`(now: Int64, outcome: Int?) {
    let reading = Reading<Int>(endingAt: 10, { now })

    #expect(reading.shouldStop(false) == (outcome == nil))
    reading.record(1)

    #expect(reading.outcome == outcome)
  }

  @Test func `work of a cancelled task has no outcome`() {
    let (asked, told) = (Reading<Int>(endingAt: .max, { 0 }), Reading<Int>(endingAt: .max, { 0 }))

    #expect(asked.shouldStop(true))
    told.stop()
    #expect(told.shouldStop(false))
    for reading in [asked, told] { reading.record(1) }

    #expect(asked.outcome == nil && told.outcome == nil)
  }
}

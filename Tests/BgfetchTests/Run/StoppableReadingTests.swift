// Work on a document, stopped by a cancelled task or a deadline.

import Testing

@testable import bgfetch

@Suite struct StoppableReadingTests {
  @Test func `work that ends in time has an outcome`() {
    let reading = Reading<Int>(endingAt: 10, { 9 })

    #expect(!reading.shouldStop(false))
    reading.record(1)

    #expect(reading.outcome == 1)
  }

  @Test func `work beyond its deadline has no outcome, even if it finished`() {
    let reading = Reading<Int>(endingAt: 10, { 10 })

    #expect(reading.shouldStop(false))
    reading.record(1)

    #expect(reading.outcome == nil)
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

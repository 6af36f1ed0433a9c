// The time for which nobody takes over what a process holds.

import Testing

@testable import Fleet

@Suite struct HoldTimeTests {
  @Test(
    arguments: [
      ([], false), ([2], false), ([2, 2], true), ([2, 0, 2], false), ([0, 2, 2, 2], true),
      ([2, 2, 0], false),
    ] as [([Int], Bool)])
  func `a server is slow if two answers in a row were`(answers: [Int], isSlow: Bool) {
    let time = HoldTime()
    for seconds in answers { time.extend(by: .seconds(10), since: ContinuousClock.now - .seconds(seconds)) }

    #expect(time.isSlow == isSlow, "\(answers)")
  }
}

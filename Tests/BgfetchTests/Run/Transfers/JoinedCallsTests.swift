// Calls that are made together.

import Synchronization
import Testing

@testable import bgfetch

@Suite struct JoinedCallsTests {
  @Test func `each call gets its own output, and calls at the same time are one`() async {
    let sizes = Mutex<[Int]>([])
    let calls = JoinedCalls<Int, Int> { inputs in
      sizes.withLock { $0.append(inputs.count) }
      return inputs.map { $0 * 2 }
    }

    let outputs = await withTaskGroup(of: Bool.self) { group in
      for input in 0..<100 { group.addTask { await calls(input) == input * 2 } }
      return await group.reduce(into: []) { $0.append($1) }
    }

    #expect(outputs == Array(repeating: true, count: 100))
    #expect(sizes.withLock { $0.reduce(0, +) } == 100)
  }
}

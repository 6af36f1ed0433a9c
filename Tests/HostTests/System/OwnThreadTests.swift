// Work that blocks.

import Glibc
import Synchronization
import Testing

@testable import Host

@Suite struct OwnThreadTests {
  @Test func `work that blocks waits for no other work, and each has what came of it`() async {
    // In the second round there are threads that have done their work, but fewer than are needed.
    for count in [8, 40] {
      let begun = Counter()
      let numbers = await withTaskGroup(of: Int.self) { group in
        for number in 0..<count {
          group.addTask {
            await onOwnThread {
              begun.number.add(1, ordering: .relaxed)
              // Nobody goes on before all have begun.
              while begun.number.load(ordering: .relaxed) < count { sched_yield() }
              return number
            } refused: { _ in
              -1
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }

      #expect(numbers.sorted() == Array(0..<count))
    }
  }
}

/// A number that threads count on.
private final class Counter: Sendable {
  let number = Atomic(0)
}

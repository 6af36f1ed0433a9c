// The loop of the fetch phase and of the transfer phase: starts what may start, waits for the next event, handles it.

import Core

/// Work that runs as many concurrent tasks.
///
/// The phase decides; the loop waits.
protocol Phase {
  /// The result of a task.
  associatedtype Event: Sendable

  var machine: MachineEffects { get }

  /// Does what is due at a moment, above all starting tasks; false if the phase has ended.
  mutating func advance(at now: Int64, in tasks: inout PhaseTasks<Event>) async throws -> Bool
  /// Handles the result of a task.
  mutating func take(_ event: Event, in tasks: inout PhaseTasks<Event>) async throws
  /// When to advance although no task has ended; nil if only a task can change anything.
  func nextWake(after now: Int64) -> Int64?
  /// Whether to cancel all tasks now, because the time is up.
  func isOver(at now: Int64) -> Bool
}

/// The tasks of a phase; nil is an event of the clock.
typealias PhaseTasks<Event: Sendable> = ThrowingTaskGroup<Event?, any Error>

extension Phase {
  /// Works until the phase has ended, or its store fails.
  mutating func runToEnd() async throws {
    try await withThrowingTaskGroup(of: Event?.self) { tasks in
      /// The moments that tasks sleep until.
      var ticks: Set<Int64> = []
      while true {
        let now = machine.milliseconds()
        let isEnding = Task.isCancelled || isOver(at: now)
        guard try await advance(at: now, in: &tasks) else { break }
        if isEnding {
          tasks.cancelAll()
        } else if let wake = nextWake(after: now), ticks.allSatisfy({ wake < $0 }) {
          // Not while ending: a sleep in a cancelled group returns at once.
          ticks.insert(wake)
          tasks.addTask { [machine] in
            await machine.sleep(wake)
            return nil
          }
        }
        if let event = try await tasks.next() ?? nil {
          try await take(event, in: &tasks)
        } else {
          let now = machine.milliseconds()
          ticks = ticks.filter { $0 > now }
        }
      }
      tasks.cancelAll()
    }
  }
}

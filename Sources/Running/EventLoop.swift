// The loop of the fetch and of the downloads: starts what may start, waits until a task ends, and handles its end.

import Synchronization

/// Work that runs as many concurrent tasks.
///
/// The type decides; the loop waits.
protocol EventLoop {
  /// How a task ended.
  associatedtype TaskEnd: Sendable

  var machine: MachineEffects { get }

  /// Does what is due at a moment, above all starting tasks; false if nothing is left.
  mutating func advance(at now: Int64, in tasks: inout LoopTasks<TaskEnd>) async throws -> Bool
  /// Handles the end of a task.
  mutating func handle(_ end: TaskEnd, in tasks: inout LoopTasks<TaskEnd>) async throws
  /// When to advance although no task has ended; nil if only a task can change anything.
  func nextWake(after now: Int64) -> Int64?
  /// Whether to cancel all tasks now, because the time is up.
  func isOver(at now: Int64) -> Bool
}

extension EventLoop {
  /// Works until nothing is left, or the store fails.
  mutating func runToEnd() async throws {
    try await withThrowingDiscardingTaskGroup { group in
      var tasks = LoopTasks<TaskEnd>(group)
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
        for end in try await tasks.next() {
          if let end {
            try await handle(end, in: &tasks)
          } else {
            let now = machine.milliseconds()
            ticks = ticks.filter { $0 > now }
          }
        }
      }
      tasks.cancelAll()
    }
  }
}

/// The tasks of a loop, and how they ended; nil is the end of a sleep.
struct LoopTasks<TaskEnd: Sendable> {
  private var group: ThrowingDiscardingTaskGroup<any Error>
  private let ended = EndedTasks<TaskEnd?>()
  /// The tasks whose ends were not returned yet.
  private var count = 0

  init(_ group: ThrowingDiscardingTaskGroup<any Error>) { self.group = group }

  mutating func addTask(_ work: @escaping @Sendable () async throws -> TaskEnd?) {
    count += 1
    group.addTask { [ended] in
      do {
        ended.add(try await work())
      } catch {
        ended.fail(error)
      }
    }
  }

  /// Waits until a task has ended; returns the ends of all that have ended meanwhile, in their order.
  ///
  /// Work after each return, such as a transaction that records what starts, is done once for all tasks that ended.
  ///
  /// - Throws: the first error of a task.
  mutating func next() async throws -> [TaskEnd?] {
    guard count > 0 else { return [] }
    let ends = try await ended.next()
    count -= ends.count
    return ends
  }

  func cancelAll() { group.cancelAll() }
}

/// The ends of tasks, until the loop takes them.
private final class EndedTasks<TaskEnd: Sendable>: Sendable {
  private struct State: Sendable {
    var ends: [TaskEnd] = []
    var failure: (any Error)?
    /// The loop, while it waits.
    var loop: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func add(_ end: TaskEnd) { change { $0.ends.append(end) } }

  func fail(_ error: any Error) { change { $0.failure = $0.failure ?? error } }

  private func change(_ body: (inout State) -> Void) {
    let loop = state.withLock { state in
      body(&state)
      defer { state.loop = nil }
      return state.loop
    }
    loop?.resume()
  }

  /// Waits until a task has ended, and takes all ends.
  func next() async throws -> [TaskEnd] {
    await withCheckedContinuation { loop in
      let isReady = state.withLock { state in
        guard state.ends.isEmpty, state.failure == nil else { return true }
        state.loop = loop
        return false
      }
      if isReady { loop.resume() }
    }
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      defer { state.ends = [] }
      return state.ends
    }
  }
}

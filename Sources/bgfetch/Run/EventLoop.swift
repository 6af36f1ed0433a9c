// The loop of the fetch and of the downloads: starts what may start, waits for events, and handles them.

import Synchronization

/// Work that runs as many concurrent tasks.
///
/// The type decides; the loop waits.
protocol EventLoop {
  /// The result of a task.
  associatedtype Event: Sendable

  var machine: MachineEffects { get }

  /// Does what is due at a moment, above all starting tasks; false if nothing is left.
  mutating func advance(at now: Int64, in tasks: inout LoopTasks<Event>) async throws -> Bool
  /// Handles the result of a task.
  mutating func handle(_ event: Event, in tasks: inout LoopTasks<Event>) async throws
  /// When to advance although no task has ended; nil if only a task can change anything.
  func nextWake(after now: Int64) -> Int64?
  /// Whether to cancel all tasks now, because the time is up.
  func isOver(at now: Int64) -> Bool
}

extension EventLoop {
  /// Works until nothing is left, or the store fails.
  mutating func runToEnd() async throws {
    try await withThrowingDiscardingTaskGroup { group in
      var tasks = LoopTasks<Event>(group)
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
        for event in try await tasks.next() {
          if let event {
            try await handle(event, in: &tasks)
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

/// The tasks of a loop, and the events that they end with; nil is an event of the clock.
struct LoopTasks<Event: Sendable> {
  private var group: ThrowingDiscardingTaskGroup<any Error>
  private let ended = EndedTasks<Event?>()
  /// The tasks whose events were not returned yet.
  private var count = 0

  init(_ group: ThrowingDiscardingTaskGroup<any Error>) { self.group = group }

  mutating func addTask(_ work: @escaping @Sendable () async throws -> Event?) {
    count += 1
    group.addTask { [ended] in
      do {
        ended.add(try await work())
      } catch {
        ended.fail(error)
      }
    }
  }

  /// Waits until a task has ended; returns the events of all that have ended meanwhile, in their order.
  ///
  /// Work after each return, such as a transaction that records what starts, is done once for all tasks that ended.
  ///
  /// - Throws: the first error of a task.
  mutating func next() async throws -> [Event?] {
    guard count > 0 else { return [] }
    let events = try await ended.next()
    count -= events.count
    return events
  }

  func cancelAll() { group.cancelAll() }
}

/// The events of tasks that have ended, until the loop takes them.
private final class EndedTasks<Event: Sendable>: Sendable {
  private struct State: Sendable {
    var events: [Event] = []
    var failure: (any Error)?
    /// The loop, while it waits.
    var loop: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func add(_ event: Event) { change { $0.events.append(event) } }

  func fail(_ error: any Error) { change { $0.failure = $0.failure ?? error } }

  private func change(_ body: (inout State) -> Void) {
    let loop = state.withLock { state in
      body(&state)
      defer { state.loop = nil }
      return state.loop
    }
    loop?.resume()
  }

  /// Waits for an event, and takes all that there are.
  func next() async throws -> [Event] {
    await withCheckedContinuation { loop in
      let isReady = state.withLock { state in
        guard state.events.isEmpty, state.failure == nil else { return true }
        state.loop = loop
        return false
      }
      if isReady { loop.resume() }
    }
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      defer { state.events = [] }
      return state.events
    }
  }
}

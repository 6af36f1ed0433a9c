// The transfer phase: starts transfers as window, hosts and budget allow, sees what other processes change meanwhile,
// and gathers what came of them.

import Core
import Synchronization

/// The transfer phase of one process; the caller holds the transfer lock.
struct TransferPhase: Sendable {
  /// What all attempts share.
  let context: TransferContext
  /// The moments at which the budget is about to end and ends.
  let clock: PhaseClock

  private enum Happening: Sendable {
    /// All of a file is there.
    case received(TransferAttempt, TransferAttempt.WholeFile)
    case ended(Int64, TransferEnding)
    /// The machine's milliseconds have reached this number.
    case tick(Int64)
  }

  private typealias Group = ThrowingTaskGroup<Happening, any Error>

  private var machine: MachineEffects { context.effects.machine }

  /// How often progress is told while something is under way.
  private static let progressTime: Int64 = 500
  /// How often it is looked for what other processes changed.
  private static let lookTime: Int64 = 1000

  /// Works off the queue, until nothing of it may go on now or the budget ends.
  ///
  /// - Parameter work: the books, which count on from what they are.
  /// - Throws: what the store throws.
  func run(_ work: inout TransferWork) async throws {
    // nil where the store is to be looked at, whoever changed it.
    var version: Int? = try await context.effects.store.dataVersion()
    _ = work.take(try await context.store.unsettled())
    let isOver = Mutex(false)
    var attempts: [Int64: Attempt] = [:]
    var nextLook = machine.milliseconds() + Self.lookTime
    var nextProgress: Int64 = 0
    try await withThrowingTaskGroup(of: Happening.self) { group in
      var ticks: Set<Int64> = []
      while true {
        let now = machine.milliseconds()
        if clock.shouldStop(at: now) || Task.isCancelled { try await close(&work) }
        if Task.isCancelled || clock.isOver(at: now) {
          let isSignal = Task.isCancelled
          // What a signal cuts is not counted as cut by the budget.
          if clock.isOver(at: now) { isOver.withLock { $0 = true } }
          for attempt in attempts.values where isSignal || !attempt.hasNoBudget { attempt.task.cancel() }
        }
        if now >= nextLook || version == nil {
          nextLook = now + Self.lookTime
          let current = try await context.effects.store.dataVersion()
          if current != version {
            version = current
            for number in work.take(try await context.store.unsettled()) { attempts[number]?.task.cancel() }
          }
        }
        var beginnings: [Task<Bool, any Error>] = []
        while let (transfer, feed) = work.next(at: machine.now()) {
          let attempt = TransferAttempt(
            context: context, transfer: transfer, feed: feed, isSuspendedByBudget: { isOver.withLock { $0 } },
            began: context.now)
          // Its host does not wait for the store, which may wait for the disk.
          let isBegun = Task { try await attempt.begin() }
          attempts[transfer.number] = go(on: attempt, in: &group) { try await attempt.ask(isBegun) }
          beginnings.append(isBegun)
        }
        // Before anything looks again: what is under way is known by being so in the store.
        for isBegun in beginnings { _ = try await isBegun.value }
        if work.running.isEmpty {
          if version == nil { continue }
          break
        }
        if now >= nextProgress {
          nextProgress = now + Self.progressTime
          context.report(.progress(context.board.look(at: now)))
        }
        let wake = min(now + Self.progressTime, clock.next(after: now) ?? .max)
        // A cancelled sleep would return at once: then only the attempts are waited for.
        if !Task.isCancelled, ticks.isEmpty {
          ticks.insert(wake)
          group.addTask { [machine] in
            await machine.sleep(wake)
            return .tick(wake)
          }
        }
        switch try await group.next() {
        case .received(let attempt, let file):
          let number = attempt.transfer.number
          work.noteReceived(number)
          let isCancelled = attempts[number]?.task.isCancelled ?? false
          attempts[number] = go(on: attempt, in: &group) { .ended(try await attempt.place(file)) }
          if isCancelled { attempts[number]?.task.cancel() }
        case .ended(let number, let ending):
          attempts[number] = nil
          work.end(number, ending, at: machine.now())
          // Somebody else has changed it, perhaps so that it may go on.
          if ending == .lost { version = nil }
        case .tick(let moment): ticks.remove(moment)
        case nil: break
        }
      }
      group.cancelAll()
    }
  }

  /// One attempt under way.
  private struct Attempt: Sendable {
    let task: Task<Happening, any Error>
    /// Whether the budget's end does not cut it.
    let hasNoBudget: Bool
  }

  /// Goes one step on with an attempt.
  private func go(
    on attempt: TransferAttempt, in group: inout Group,
    _ step: @escaping @Sendable () async throws -> TransferAttempt.Step
  ) -> Attempt {
    // A task of its own, so that the person can have one transfer stopped.
    let task = Task<Happening, any Error> {
      switch try await step() {
      case .received(let file): return .received(attempt, file)
      case .ended(let ending):
        if ending == .lost { try await attempt.tellLost() }
        return .ended(attempt.transfer.number, ending)
      }
    }
    group.addTask {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }
    return Attempt(task: task, hasNoBudget: needsAttemptWithoutBudget(attempt.transfer))
  }

  /// Begins nothing more; told once, if something was to be begun or is under way.
  private func close(_ work: inout TransferWork) async throws {
    guard !work.isClosed else { return }
    let canContinue =
      !work.running.isEmpty || work.hasNext(at: machine.now())
      || work.nextMoment(after: machine.now()) != nil
    work.close()
    guard canContinue, !Task.isCancelled else { return }
    context.effects.report(.transfersExpired(left: work.report.left))
    try await context.notifier.record(
      .runExpired, [EventField("summary", "transfers: \(work.report.left) wait for a later run")],
      origin: context.origin(), run: context.run)
    context.notifier.wake()
  }
}

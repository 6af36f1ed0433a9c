// Work on what a document holds, which ends when the run, the budget or the feed's time does.

import Core
import Synchronization

extension FeedRun {
  /// Documents of more bytes are read on a thread of their own: several at once must not keep the run's threads from
  /// noticing signals, budgets and other feeds.
  private static var large: Int { 1 << 18 }

  /// Does work on a document, until it should stop.
  ///
  /// - Parameters:
  ///   - bytes: the document's size.
  ///   - trace: its fetch.
  ///   - work: what is done; it asks now and then whether to stop.
  /// - Returns: what came of it; nil if it was stopped, as that is worth nothing then.
  func reading<Outcome: Sendable>(
    _ bytes: Int, _ trace: FetchTrace,
    _ work: @escaping @Sendable (_ shouldStop: @escaping ShouldStop) -> Outcome
  ) async -> Outcome? {
    let reading = Reading<Outcome>(
      endingAt: min(trace.end, budgetEnd ?? .max), effects.machine.milliseconds)
    guard bytes > Self.large else {
      reading.take(work { reading.shouldStop(Task.isCancelled) })
      return reading.outcome
    }
    await withTaskCancellationHandler {
      await effects.machine.aside { reading.take(work { reading.shouldStop(false) }) }
    } onCancel: {
      reading.stop()
    }
    return reading.outcome
  }
}

/// One piece of work on a document, watched by the task that waits for it.
final class Reading<Outcome: Sendable>: Sendable {
  private struct State {
    var isStopped = false
    var outcome: Outcome?
  }

  private let end: Int64
  private let milliseconds: @Sendable () -> Int64
  private let state = Mutex(State())

  init(endingAt end: Int64, _ milliseconds: @escaping @Sendable () -> Int64) {
    self.end = end
    self.milliseconds = milliseconds
  }

  /// What came of it; nil if it was stopped.
  var outcome: Outcome? { state.withLock { $0.isStopped ? nil : $0.outcome } }

  func take(_ outcome: Outcome) { state.withLock { $0.outcome = outcome } }

  func stop() { state.withLock { $0.isStopped = true } }

  /// Whether the work should stop: it was cancelled, or its time is over.
  func shouldStop(_ isCancelled: Bool) -> Bool {
    let isDue = isCancelled || milliseconds() >= end
    return state.withLock { state in
      state.isStopped = state.isStopped || isDue
      return state.isStopped
    }
  }
}

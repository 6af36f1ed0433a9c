// Reading a document, stopped when the run, the budget or the feed's time limit ends.

import Core
import Synchronization

extension FeedFetch {
  /// Larger documents are read on a thread of their own, so that several at once do not keep the run's threads from
  /// noticing signals, the budget and other feeds.
  private static var large: Int { 1 << 18 }

  /// Reads a document of this size, or returns nil if the reading was stopped.
  ///
  /// - Parameter work: reads it, and checks now and then whether to stop.
  func reading<Outcome: Sendable>(
    _ bytes: Int, _ trace: FetchTrace,
    _ work: @escaping @Sendable (_ shouldStop: @escaping ShouldStop) -> Outcome
  ) async -> Outcome? {
    let reading = Reading<Outcome>(endingAt: min(trace.end, budgetEnd ?? .max), effects.machine.milliseconds)
    guard bytes > Self.large else {
      reading.record(work { reading.shouldStop(Task.isCancelled) })
      return reading.outcome
    }
    await withTaskCancellationHandler {
      await effects.machine.aside { reading.record(work { reading.shouldStop(false) }) }
    } onCancel: {
      reading.stop()
    }
    return reading.outcome
  }
}

/// One reading of a document, stopped by the task that waits for it.
final class Reading<Outcome: Sendable>: Sendable {
  private struct State {
    var isStopped = false
    var outcome: Outcome?
  }

  private let end: Int64
  private let milliseconds: @Sendable () -> Int64
  private let state = Mutex(State())

  init(endingAt end: Int64, _ milliseconds: @escaping @Sendable () -> Int64) {
    (self.end, self.milliseconds) = (end, milliseconds)
  }

  /// The result, or nil if the reading was stopped.
  var outcome: Outcome? { state.withLock { $0.isStopped ? nil : $0.outcome } }

  func record(_ outcome: Outcome) { state.withLock { $0.outcome = outcome } }

  func stop() { state.withLock { $0.isStopped = true } }

  func shouldStop(_ isCancelled: Bool) -> Bool {
    let isDue = isCancelled || milliseconds() >= end
    return state.withLock { state in
      state.isStopped = state.isStopped || isDue
      return state.isStopped
    }
  }
}

// Reading what others wrote, on threads that a run can leave: no document, article or message keeps a run that is to end.

import Core
import Machine
import Synchronization

/// How long a reading that is to stop may go on before it is left.
package let readingPatience = Duration.milliseconds(500)

/// How a reading ended.
enum ReadingEnd<Outcome: Sendable>: Sendable {
  case done(Outcome)
  /// The task was cancelled or the time was up, and the reading has stopped.
  case stopped
  /// It did not stop in time, and goes on until the process ends.
  case left
}

extension MachineEffects {
  /// Reads on a thread of its own until a moment in the machine's milliseconds, or until the task is cancelled.
  ///
  /// - Parameter work: reads, and checks now and then whether to stop.
  func reading<Outcome: Sendable>(
    until end: Int64, _ work: @escaping @Sendable (_ shouldStop: @escaping ShouldStop) -> Outcome
  ) async -> ReadingEnd<Outcome> {
    let reading = Reading<Outcome>(until: end, milliseconds)
    let hasEnded = await withTaskCancellationHandler {
      await aside(end) { reading.record(work { reading.shouldStop() }) }
    } onCancel: {
      reading.stop()
    }
    return hasEnded ? reading.outcome.map(ReadingEnd.done) ?? .stopped : .left
  }
}

/// One reading, stopped by the task that waits for it, or by its end.
final class Reading<Outcome: Sendable>: Sendable {
  private struct State {
    var isStopped = false
    var outcome: Outcome?
  }

  private let end: Int64
  private let milliseconds: @Sendable () -> Int64
  private let state = Mutex(State())

  init(until end: Int64, _ milliseconds: @escaping @Sendable () -> Int64) {
    (self.end, self.milliseconds) = (end, milliseconds)
  }

  /// The result, or nil if the reading was stopped.
  var outcome: Outcome? { state.withLock { $0.isStopped ? nil : $0.outcome } }

  func record(_ outcome: Outcome) { state.withLock { $0.outcome = outcome } }

  func stop() { state.withLock { $0.isStopped = true } }

  func shouldStop() -> Bool {
    let isDue = milliseconds() >= end
    return state.withLock { state in
      state.isStopped = state.isStopped || isDue
      return state.isStopped
    }
  }
}

/// Writes or reads what nothing limits but the task, on a thread of its own.
///
/// - Throws: `CancellationError` if the task was cancelled and the work did not end soon.
package func untilCancelled<Outcome: Sendable>(_ work: @escaping @Sendable () -> Outcome) async throws
  -> Outcome
{
  guard let outcome = await workAside(patience: readingPatience, work) else { throw CancellationError() }
  return outcome
}

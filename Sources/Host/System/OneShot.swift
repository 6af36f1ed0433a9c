// One value that one task waits for.

import Synchronization

/// A wait for one value.
///
/// The first outcome counts: the value, an error, or the cancellation of the task that waits.
final class OneShot<Value: Sendable>: Sendable {
  private enum Stage {
    case new
    case waiting(CheckedContinuation<Value, any Error>)
    case settled(Result<Value, any Error>)
  }

  private let stage = Mutex(Stage.new)

  /// Waits for the outcome, which may be there already; to be called once.
  ///
  /// - Throws: the error it was settled with; `CancellationError` as soon as the task is cancelled.
  func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Value, any Error>? = stage.withLock { stage in
          if case .settled(let outcome) = stage { return outcome }
          stage = .waiting(continuation)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      settle(.failure(CancellationError()))
    }
  }

  /// Ends the wait; every outcome but the first is dropped.
  func settle(_ outcome: Result<Value, any Error>) {
    let waiting: CheckedContinuation<Value, any Error>? = stage.withLock { stage in
      switch stage {
      case .settled: return nil
      case .new:
        stage = .settled(outcome)
        return nil
      case .waiting(let continuation):
        stage = .settled(outcome)
        return continuation
      }
    }
    waiting?.resume(with: outcome)
  }
}

// Waiting for a lock without polling and without a thread of Swift's pool.

import Synchronization

extension FileLock {
  /// Waits until the lock is free and takes it.
  ///
  /// A thread of its own waits in the system. When the task is cancelled the wait ends at once with
  /// `CancellationError`; a thread blocked in flock(2) cannot be woken without a race, so it is left behind
  /// and gives the lock back the moment it gets it.
  ///
  /// Throws `FileFailure`, and `SystemError` if no thread can be started.
  public static func acquire(_ path: String, clock: WallClock) async throws -> FileLock {
    let wait = LockWait()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard wait.begin(continuation) else { return }
        do {
          try startThread {
            wait.settle(Result { () throws(any Error) in try acquireBlocking(path, clock: clock) })
          }
        } catch {
          wait.settle(.failure(error))
        }
      }
    } onCancel: {
      wait.settle(.failure(CancellationError()))
    }
  }
}

extension FileLock {
  /// Waits for the lock as `acquire(_:clock:)` does, but no longer than patience lasts; nil if it was not free by then.
  public static func acquire(
    _ path: String, clock: WallClock, patience: Duration
  ) async throws -> FileLock? {
    try await withThrowingTaskGroup(of: FileLock?.self) { group in
      group.addTask { try await acquire(path, clock: clock) }
      group.addTask {
        try await WallClock.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next().flatMap(\.self)
    }
  }
}

/// One wait, settled exactly once by whichever comes first: the lock, an error or the cancellation.
private final class LockWait: Sendable {
  private enum Stage {
    case new
    case waiting(CheckedContinuation<FileLock, any Error>)
    case settled
  }

  private let stage = Mutex(Stage.new)

  /// Takes the continuation; false, and it has been resumed, if the task was cancelled before.
  func begin(_ continuation: CheckedContinuation<FileLock, any Error>) -> Bool {
    let isCancelled = stage.withLock { stage in
      if case .settled = stage { return true }
      stage = .waiting(continuation)
      return false
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
    return !isCancelled
  }

  /// Ends the wait; a lock that comes too late is released by going away.
  func settle(_ outcome: Result<FileLock, any Error>) {
    let waiting: CheckedContinuation<FileLock, any Error>? = stage.withLock { stage in
      defer { stage = .settled }
      guard case .waiting(let continuation) = stage else { return nil }
      return continuation
    }
    waiting?.resume(with: outcome)
  }
}

// Waiting for a lock without polling and without a thread of Swift's pool.

extension FileLock {
  /// Waits until the lock is free and takes it.
  ///
  /// A thread of its own waits in the system. When the task is cancelled the wait ends at once with
  /// `CancellationError`; a thread blocked in flock(2) cannot be woken without a race, so it is left behind
  /// and gives the lock back the moment it gets it.
  ///
  /// Throws `FileFailure`, and `SystemError` if no thread can be started.
  public static func acquire(_ path: String, clock: WallClock) async throws -> FileLock {
    let wait = OneShot<FileLock>()
    try startThread {
      // A lock that comes too late is released by going away.
      wait.settle(Result { () throws(any Error) in try acquireBlocking(path, clock: clock) })
    }
    return try await wait.value()
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

// The run lock as a run sees it: given back, and taken again where pushes came meanwhile.

import Host
import Sync
import Synchronization

/// The run lock of a process, held or not.
final class LiveRunLock: Sendable {
  private let path: String
  private let clock: WallClock
  private let held: Mutex<FileLock?>

  /// A lock that is held.
  init(_ lock: FileLock, clock: WallClock) {
    path = lock.path
    self.clock = clock
    held = Mutex(lock)
  }

  /// The lock as a run sees it.
  var effects: RunLock {
    RunLock(release: { self.release() }, takeAgain: { try self.takeAgain() })
  }

  /// Gives it back; the second time it does nothing.
  func release() {
    held.withLock { $0.take() }?.release()
  }

  /// Takes it again; false if another run has it.
  func takeAgain() throws -> Bool {
    guard case .acquired(let lock) = try FileLock.tryAcquire(path, clock: clock) else { return false }
    held.withLock { $0 = lock }
    return true
  }
}

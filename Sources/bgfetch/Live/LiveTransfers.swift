// Transfers as a run sees them, put together from the doors to the world.

import Core
import Host
import Sync

extension LiveWorld {
  /// Transfers as a run sees them.
  var transferEffects: TransferEffects {
    TransferEffects(
      store: transferStoreEffects, documents: documentsEffects, lock: { try transferLock() },
      download: download)
  }

  /// Takes the lock that keeps transfer phases apart; nil if another process has it.
  private func transferLock() throws -> HeldLock? {
    switch try FileLock.tryAcquire(settings.transferLock, clock: invocation.clock) {
    case .held: nil
    case .acquired(let lock): HeldLock { lock.release() }
    }
  }
}

extension Settings {
  /// The file of the lock that keeps transfer phases apart.
  var transferLock: String { state + "/transfer.lock" }
}

// How a run that stays begins.

import Core
import Host
import StateStore

extension Invocation {
  /// Stays, and does what is due when it is due.
  func watch(_ order: RunOrder) async throws -> ExitStatus {
    guard environment["BGFETCH_EVENT_ID"] == nil else { throw ProgramFailure.runInHook }
    var watch = try await Watch(self, order)
    return try await watch.stay()
  }

  /// Takes the lock that keeps a second one away from a state directory.
  func watchLock(_ settings: Settings) throws -> FileLock {
    let path = settings.state + "/watch.lock"
    switch try FileLock.tryAcquire(path, clock: clock) {
    case .acquired(let lock): return lock
    case .held(let holder): throw ProgramFailure.watched(holder, path: path)
    }
  }

  /// Makes the store, or brings it up to date, which waits for a run that is at work.
  func bringUpToDate(_ settings: Settings) async throws {
    do {
      await (try openStore(settings, for: .writing)).close()
    } catch StoreFailure.needsMigration {
      let lock = try await acquire(settings.runLock, waits: true)
      await (try openStore(settings, for: .migrating)).close()
      lock.release()
    }
  }
}

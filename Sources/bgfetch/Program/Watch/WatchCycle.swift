// What a run that stays does when something is to be done: one run, and beside it the transfers.

import Core
import Host
import StateStore
import Sync

extension Invocation {
  /// Fetches what is due and tells the person; waits for a run that is at work before.
  ///
  /// - Parameters:
  ///   - settings: the configuration.
  ///   - options: what the run is asked to do.
  ///   - fetchPhaseEnded: called when the run lock is given back; hooks may still be told.
  /// - Returns: what it came to.
  /// - Throws: what ends a run; `CancellationError` if the task was cancelled while it waited.
  func cycle(
    _ settings: Settings, _ options: RunOptions, fetchPhaseEnded: @escaping @Sendable () -> Void
  ) async throws -> RunReport {
    var options = options
    options.transfers = false
    try makeStateDirectory(settings)
    let lock = try await acquire(settings.runLock, waits: true)
    defer { lock.release() }
    let announced = HeldLock {
      lock.release()
      fetchPhaseEnded()
    }
    return try await working(settings, for: .migrating) { [options] effects in
      try await Sync.run(settings, options, effects, lock: announced)
    }
  }

  /// Works off the queue of transfers; waits for another process that is at it before.
  ///
  /// - Returns: what it came to.
  /// - Throws: what ends a transfer phase; `CancellationError` if the task was cancelled while it waited.
  func transferCycle(_ settings: Settings, _ options: RunOptions) async throws -> RunReport {
    let lock = try await acquire(settings.transferLock, waits: true)
    // From here on the phase takes it by itself; if another process is quicker, that one takes what there is.
    lock.release()
    return try await working(settings, for: .writing) { effects in
      try await Sync.runTransfers(settings, options, effects)
    }
  }

  /// Does something with a store and a world of its own, and says what happens.
  private func working(
    _ settings: Settings, for mode: Store.OpenMode,
    _ work: @escaping @Sendable (Effects) async throws -> RunReport
  ) async throws -> RunReport {
    let store = try await openStore(settings, for: mode)
    let world = LiveWorld(invocation: self, settings: settings, store: store, zone: try zone(settings))
    let (console, audience) = (console, RunAudience(console))
    let effects = world.effects { [zone = world.zone] in console.tell($0, to: audience, in: zone) }
    let task = Task { try await work(effects) }
    let outcome = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    world.shutDown()
    await store.close()
    let report = try outcome.get()
    return report
  }
}

// The transfer phase alone, as the command line orders it.

import Core
import Host
import StateStore
import Sync

/// The transfer phase alone, as the command line orders it.
struct TransferRunOrder: Sendable {
  /// How long it may take, hooks included; nil is what the configuration says.
  var limit: Interval?
  /// Whether hooks are told.
  var runsHooks = true
  /// What woke it.
  var cause = RunCause.manual
  /// Whether it waits for a process that is at the transfers.
  var waits = false
}

extension Invocation {
  /// Works off the queue, and says what came of it.
  func runTransfers(_ order: TransferRunOrder) async throws -> ExitStatus {
    guard environment["BGFETCH_EVENT_ID"] == nil else { throw ProgramFailure.runInHook }
    let settings = try configuration().settings
    try makeStateDirectory(settings)
    var limit = order.limit
    let lock = try await acquire(settings.transferLock, waits: order.waits, within: &limit)
    let store = try await openStore(settings, for: .writing)
    var options = RunOptions()
    options.waitsForDue = !clock.isFrozen
    options.runsHooks = order.runsHooks
    options.cause = order.cause
    options.limit = limit
    options.transferBudget = settings.budget.transfers
    options.warning = settings.budget.warning
    let (report, stopped) = try await untilStopped(settings, store) { [options] effects in
      // From here on the phase takes it by itself, as that of a run does.
      lock.release()
      return try await Sync.runTransfers(settings, options, effects)
    }
    await store.close()
    WakeFile.touch(settings.wakeFile)
    conclude(report)
    return stopped.map(ExitStatus.stopped) ?? ExitStatus(of: report)
  }
}

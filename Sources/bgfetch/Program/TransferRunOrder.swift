// `transfers run`: the transfer phase alone.

import Core
import Machine
import Store

/// The options of `transfers run`.
struct TransferRunOrder: Sendable {
  /// The time limit, including hooks; nil means the configured one.
  var limit: Interval?
  var runsHooks = true
  var cause = RunCause.manual
  /// Whether to wait for the transfer lock.
  var waits = false
}

extension Invocation {
  /// Downloads queued files and reports progress.
  func runTransfers(_ order: TransferRunOrder) async throws -> ExitStatus {
    guard !isInHook else { throw ProgramFailure.runInHook }
    var settings = try configurationOfRun().settings
    try makeStateDirectory(settings)
    var limit = order.limit
    let lock = try await acquire(settings.transferLock, waits: order.waits, within: &limit)
    let store = try await openStore(settings, for: .writing)
    settings = try await withCatalog(settings, store)
    var options = RunOptions()
    options.waitsForDue = !clock.isFrozen
    options.runsHooks = order.runsHooks
    options.cause = order.cause
    options.limit = limit
    options.transferBudget = settings.budget.transfers
    options.warning = settings.budget.warning
    let (report, stopped) = try await untilStopped(settings, store) { [options, settings] effects in
      // The phase takes the lock itself, as in a run.
      lock.release()
      return try await bgfetch.runTransfers(settings, options, effects)
    }
    await store.close()
    WakeFile.touch(settings.wakeFile)
    conclude(report)
    return stopped.map(ExitStatus.stopped) ?? ExitStatus(of: report)
  }
}

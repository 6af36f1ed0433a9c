// The looks of `run --watch` for work, and the runs that it starts.

import Core
import Machine
import Running
import Store

/// A run that `run --watch` has started.
struct WatchedRun {
  enum Stage {
    case fetching, downloading, delivering
  }

  var program: ReportingProgram
  var stage = Stage.fetching
  /// Whether the configuration has changed since it started.
  var isOutdated = false
  /// Whether it has ended because the server of the state could not be used for some time.
  var hasLostServer = false
  /// The lines of the error that ended it.
  var errors: [String] = []
}

extension Invocation {
  /// The work that is due now, and the moments of later work.
  ///
  /// The file of the state is opened for each look, because it may be replaced between two looks.
  ///
  /// - Parameter stages: those of the runs under way, which download and deliver.
  func work(
    _ settings: Settings, _ options: RunOptions, beside stages: [WatchedRun.Stage]
  ) async throws -> DueOutlook {
    let state = try await open(settings, for: .reading)
    let outlook = try await state.work(options, beside: stages)
    await state.store.close()
    if !outlook.beginningToWait.isEmpty {
      // Else their longest waits would never end.
      let store = try await open(settings, for: .writing).store
      try await store.recordWaiting(outlook.beginningToWait, since: clock.now())
      await store.close()
    }
    return outlook
  }
}

extension OpenedState {
  /// The work that is due now, and the moments of later work.
  func work(_ options: RunOptions, beside stages: [WatchedRun.Stage]) async throws -> DueOutlook {
    if let outlook = try await store.lookAfterPause() { return outlook }
    var (outlook, context) = try await withCatalog().outlook(options)
    let now = context.now
    if options.runsHooks {
      let hooks = Set(settings.hooks.map(\.name))
      let waiting = try await store.hooksWithWork(at: now)
      if stages.isEmpty { outlook.due.formUnion(hooks.intersection(waiting).map(WatchDemand.deliveries)) }
      outlook.later = try await store.nextDeliveryMoment(after: now, hooks: hooks)
    }
    if options.runsTransfers, !stages.contains(.downloading),
      let moment = try await store.nextTransferMoment(at: now)
    {
      if moment <= now { outlook.due.insert(.transfers) }
      outlook.later = moment <= now ? outlook.later : min(moment, outlook.later ?? moment)
    }
    let waiting = options.runsTransfers ? try await store.waitingTransfers() : []
    let downloads = waiting.compactMap { transfer in
      settings.feeds[transfer.feed]?.transferDownload.map { (transfer, $0) }
    }
    let commands = Set(downloads.compactMap { $1.conditions?.command }).subtracting([[]])
    if !commands.isEmpty { await invocation.machineEffects(zone: context.zone).ask(commands, nil) }
    for (transfer, download) in downloads {
      outlook.waiting = outlook.waiting ?? (transfer.feed, transfer.reason ?? "")
      // Only the stage of transfers corrects a moment from before the clock was set back.
      let isReady = transfer.queued > now || transfer.waiting(download, at: now, context.surroundings) == nil
      if isReady, !stages.contains(.downloading) { outlook.due.insert(.transfers) }
    }
    return outlook
  }
}

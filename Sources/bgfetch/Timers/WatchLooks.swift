// The looks of `run --watch` for work, in a file, or over the one session with a server that it keeps; and the runs that it starts.

import Core
import Machine
import Store

/// A run that `run --watch` has started.
struct WatchedRun {
  enum Phase {
    case fetching, downloading, delivering
  }

  var program: ReportingProgram
  var phase = Phase.fetching
  /// Whether the configuration has changed since it started.
  var isOutdated = false
  /// Whether it has ended because the server of the state could not be used for some time.
  var hasLostServer = false
  /// The lines of the error that ended it.
  var errors: [String] = []
}

/// The looks of a `run --watch`, and what it remembers of them where machines share the state.
struct WatchLooks {
  private let invocation: Invocation
  /// The session with the server; nil until the next look makes one.
  private var session: Store?
  /// The last look at what a session leads to.
  private var last: Look?

  private struct Look {
    /// The version of the data, whether work was abandoned, and the phases of the runs under way, for which it holds.
    var version: Int
    var isAbandoned: Bool
    var phases: [WatchedRun.Phase]
    /// When time changes the outlook, by the clock of the server.
    var end: Instant
    var outlook: DueOutlook
  }

  init(_ invocation: Invocation) { self.invocation = invocation }

  /// Ends the session; the next look makes a new one.
  mutating func close() async {
    await session?.close()
    session = nil
    last = nil
  }

  /// The work that is due now, and the moments of later work.
  ///
  /// A file is opened for each look, because it may be replaced between two looks.
  ///
  /// - Parameter phases: those of the runs under way, which download and deliver.
  mutating func work(
    _ settings: Settings, _ options: RunOptions, beside phases: [WatchedRun.Phase]
  ) async throws -> DueOutlook {
    guard settings.isFleet else {
      let store = try await invocation.openStore(settings, for: .reading)
      let outlook = try await invocation.work(settings, options, store, beside: phases)
      await store.close()
      if !outlook.beginningToWait.isEmpty {
        // Else their longest waits would never end.
        let store = try await invocation.openStore(settings, for: .writing)
        try await store.recordWaiting(outlook.beginningToWait, since: invocation.clock.now())
        await store.close()
      }
      return outlook
    }
    do {
      return try await sharedWork(settings, options, try await server(settings), beside: phases)
    } catch {
      await close()
      throw error
    }
  }

  /// The session with the server of all machines, for one try to connect: this process has to hear signals.
  private mutating func server(_ settings: Settings) async throws -> Store {
    if let session { return session }
    // No standby, where no run could work.
    let store = try await invocation.openStore(settings, for: .writing, within: .zero)
    try await store.riskCommits()
    session = store
    return store
  }

  /// Gives a sign of life to the other machines; the next look has the error, if there is one.
  mutating func giveSign(_ settings: Settings, every period: Interval) async {
    do {
      try await invocation.giveSign(settings, try await server(settings), every: period)
    } catch {
      await close()
    }
  }

  /// The work of all machines: what the last look found, as long as nobody has changed anything, and nothing waits for a condition
  /// of this machine.
  private mutating func sharedWork(
    _ settings: Settings, _ options: RunOptions, _ store: Store, beside phases: [WatchedRun.Phase]
  ) async throws -> DueOutlook {
    let (version, time, isAbandoned) = try await store.pulse()
    if let last, last.outlook.waiting == nil, last.version == version, last.isAbandoned == isAbandoned,
      last.phases == phases, time < last.end
    {
      return last.outlook
    }
    // This session is old enough to judge who is dead.
    if isAbandoned { try await store.settleInterrupted(at: time) }
    var outlook = try await invocation.work(settings, options, store, beside: phases)
    try await store.recordWaiting(outlook.beginningToWait, since: time)
    // A run that could do nothing for it before may now.
    if isAbandoned, phases.isEmpty { outlook.addAbandoned() }
    let ends = [outlook.next?.at, outlook.later, time + .minutes(5)]
    last = Look(
      version: version, isAbandoned: isAbandoned, phases: phases, end: ends.compactMap(\.self).min() ?? time,
      outlook: outlook)
    return outlook
  }
}

extension Invocation {
  /// The work that is due now, and the moments of later work, by what a store has.
  fileprivate func work(
    _ settings: Settings, _ options: RunOptions, _ store: Store, beside phases: [WatchedRun.Phase]
  ) async throws -> DueOutlook {
    if let pause = try await store.fleetPause() { return DueOutlook(later: pause.until) }
    let state = OpenedState(self, try await withCatalog(settings, store), store)
    var (outlook, context) = try await state.outlook(options)
    let now = context.now
    if options.runsHooks {
      let hooks = Set(settings.hooks.map(\.name))
      let waiting = try await store.hooksWithWork(at: now)
      if phases.isEmpty { outlook.due.formUnion(hooks.intersection(waiting).map(WatchDemand.deliveries)) }
      outlook.later = try await store.nextDeliveryMoment(after: now, hooks: hooks)
    }
    if options.transfers, !phases.contains(.downloading),
      let moment = try await store.nextTransferMoment(at: now)
    {
      if moment <= now { outlook.due.insert(.transfers) }
      outlook.later = moment <= now ? outlook.later : min(moment, outlook.later ?? moment)
    }
    let waiting = options.transfers ? try await store.waitingTransfers() : []
    let downloads = waiting.compactMap { transfer in
      settings.feeds[transfer.feed]?.transferDownload.map { (transfer, $0) }
    }
    let commands = Set(downloads.compactMap { $1.conditions?.command }).subtracting([[]])
    if !commands.isEmpty { await machineEffects(zone: context.zone).ask(commands, nil) }
    for (transfer, download) in downloads {
      outlook.waiting = outlook.waiting ?? (transfer.feed, transfer.reason ?? "")
      // Only the phase of transfers corrects a moment from before the clock was set back.
      let isReady = transfer.queued > now || transfer.waiting(download, at: now, context.surroundings) == nil
      if isReady, !phases.contains(.downloading) { outlook.due.insert(.transfers) }
    }
    return outlook
  }
}

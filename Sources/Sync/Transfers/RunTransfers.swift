// The transfer phase under its lock, of a run or alone.

public import Core

/// What a transfer phase came to.
struct TransferOutcome: Sendable {
  /// In numbers.
  var totals = TransferTotals()
  /// The fetches that transfers were, of feeds whose body is an asset.
  var fetches: [FeedReport] = []
  /// Whether a documents directory cannot be written.
  var hasUnusableDirectory = false
}

/// The transfer phase alone: works off what earlier runs queued, and tells the person.
///
/// - Parameters:
///   - settings: the configuration.
///   - options: what is asked of it; the feeds named there mean nothing.
///   - effects: the world.
/// - Returns: what it came to.
/// - Throws: what the store and the badge file throw.
public func runTransfers(
  _ settings: Settings, _ options: RunOptions, _ effects: Effects
) async throws -> RunReport {
  let notifier = Notifier(
    settings, effects, runsHooks: options.runsHooks,
    deadline: options.limit.map { effects.machine.milliseconds() + $0.seconds * 1000 })
  let origin = EventOrigin(run: 0, time: effects.machine.now(), cause: options.cause)
  var report = RunReport()
  try await notifier.delivering(origin: origin, run: nil) {
    try await notifier.runTransfers(into: &report, run: nil, options)
  }
  try await notifier.waitForDueMessages(options, origin: origin, run: nil)
  return report
}

extension Notifier {
  /// Works off the queue of transfers as part of a run, and adds the outcome to the run's report.
  func runTransfers(into report: inout RunReport, run: Int64?, _ options: RunOptions) async throws {
    guard options.transfers, canContinue else { return }
    if let run { try await effects.store.beginTransfers(run) }
    if let outcome = try await runTransfers(run: run, options) { report.add(outcome) }
    report.isStopped = report.isStopped || Task.isCancelled
    report.badge = try await updateBadge(run: run, cause: options.cause)
    if let run {
      try await effects.store.endTransfers(run, at: effects.machine.now(), totals: report.totals)
    }
    wake()
  }

  /// Works off the queue of transfers, unless another process is at it: then that one takes what this one queued, and
  /// this gives nil.
  ///
  /// - Parameters:
  ///   - run: the run's number; nil for a phase without a run.
  ///   - options: the budget of the phase, and what woke it.
  /// - Returns: what it came to; nil if another process is at it.
  /// - Throws: what the store throws.
  func runTransfers(
    run: Int64?, _ options: RunOptions
  ) async throws -> TransferOutcome? {
    var outcome: TransferOutcome?
    // A feed's limit is for all rounds.
    var work = TransferWork(settings.feeds, network: settings.network)
    let clock = PhaseClock(
      transfersOf: options, deadline: deadline, now: effects.machine.milliseconds())
    // Whoever finds the lock held leaves its transfers to the holder, who therefore looks again after giving it back.
    for _ in 1...10 {
      guard let lock = try await effects.tryLock(.transfers) else { return outcome }
      defer { lock.release() }
      let context = TransferContext(
        settings: settings, effects: effects, notifier: self, run: run, cause: options.cause,
        directories: UsedDirectories(try await effects.transfers.store.usedDirectories()),
        hosts: HostLedger(try await effects.store.hostStates()))
      let phase = TransferPhase(context: context, clock: clock)
      try await phase.settleInterrupted()
      // Before anything comes: what is removed may be the room that is needed; and after, for what came.
      try await phase.retain()
      try await phase.discardOrphans()
      try await phase.run(&work)
      work.takesCrashed = true
      if canContinue, work.hasNext(at: effects.machine.now()) {
        // What ran when two processes died may bring down this one as well: all else is handed over before.
        _ = try await updateBadge(run: run, cause: options.cause)
        try await deliverAll(origin: context.origin(), run: run)
        try await phase.run(&work)
      }
      work.takesCrashed = false
      try await phase.retain()
      outcome = TransferOutcome(
        totals: work.report, fetches: (outcome?.fetches ?? []) + context.findings.fetches,
        hasUnusableDirectory: context.findings.hasUnusableDirectory || outcome?.hasUnusableDirectory ?? false)
      lock.release()
      _ = work.take(try await effects.transfers.store.unsettled())
      guard canContinue, !work.isClosed, work.hasNext(at: effects.machine.now()) else { break }
    }
    return outcome
  }
}

extension RunReport {
  /// Adds what came of transfers, and the fetches that they were.
  fileprivate mutating func add(_ outcome: TransferOutcome) {
    transfers.add(outcome.totals)
    hasUnusableDirectory = outcome.hasUnusableDirectory
    for fetch in outcome.fetches { add(fetch) }
    queued = max(0, queued - outcome.fetches.count)
  }
}

// The downloads of a run, or of a process of their own: the queue under its lock, what dead processes left, and the removal of files
// that are no longer kept. Read `runTransfers` first; DownloadLoop chooses the transfers.

package import Core
import Store
import Synchronization

/// Downloads what earlier runs queued, and delivers the events of that.
///
/// - Parameters:
///   - settings: the configuration.
///   - options: the budget and the cause; named feeds have no effect.
///   - effects: the world.
/// - Returns: the report.
/// - Throws: errors of the store and of the badge file.
package func runTransfers(_ settings: Settings, _ options: RunOptions, _ effects: Effects) async throws
  -> RunReport
{
  let notifier = Notifier(
    settings, effects, runsHooks: options.runsHooks,
    deadline: options.timeLimit.map(effects.machine.moment))
  let origin = EventOrigin(time: effects.machine.now(), cause: options.cause)
  let downloads = Downloads(notifier, options)
  var report = RunReport()
  try await notifier.delivering(for: origin) {
    try await downloads.run(into: &report, of: origin)
    _ = try await notifier.deliverRest(options, for: origin)
  }
  return report
}

/// The downloads of a run, which may be repeated; they share one warning.
struct Downloads: Sendable {
  let notifier: Notifier
  let options: RunOptions
  /// When the budget warns, and when it ends.
  let budget: Budget

  private var settings: Settings { notifier.settings }
  private var effects: Effects { notifier.effects }

  /// The downloads from now until the end of the run.
  init(_ notifier: Notifier, _ options: RunOptions) {
    (self.notifier, self.options) = (notifier, options)
    budget = Budget(from: notifier.machine.milliseconds(), until: notifier.deadline)
  }

  /// Downloads what waits, and adds that to the run's report.
  func run(into report: inout RunReport, of origin: EventOrigin) async throws {
    guard options.runsTransfers, notifier.canContinue, !budget.isOver(at: notifier.machine.milliseconds())
    else { return }
    if let round = origin.round { try await effects.store.beginTransfers(round) }
    // The last round may be one of pushes.
    var origin = origin
    origin.cause = options.cause
    try await drainQueue(into: &report, of: origin)
    report.isStopped = report.isStopped || Task.isCancelled
    let before = report.badge
    report.badge = try await notifier.updateBadge(of: origin)
    // A downloaded file is an item of its own in a feed of kind asset.
    if report.badge == nil || report.badge != before { try await notifier.writeOutputs(until: budget.end) }
    if let round = origin.round {
      try await effects.store.endTransfers(
        round, at: effects.machine.now(), totals: report.finalTotals)
    }
    notifier.wake()
  }

  /// Works through the queue of transfers, unless another process does, which then takes the new transfers too.
  private func drainQueue(into report: inout RunReport, of origin: EventOrigin) async throws {
    // A feed's limit covers all rounds.
    var queue = TransferQueue(settings.feeds, network: settings.network)
    var totals: TransferTotals?
    try await effects.underLock(.transfers) {
      let context = try await TransferContext(self, round: origin.round)
      try await drain(&queue, context)
      totals = queue.totals
      report.add(context.notes.withLock { $0 })
      return .ended
    } repeatWhile: {
      _ = queue.update(try await effects.store.unsettled())
      return notifier.canContinue && !queue.isClosed && queue.hasNext(at: effects.machine.now())
    }
    if let totals { report.totals.transfers.add(totals) }
  }

  /// Works through the queue under the lock.
  private func drain(_ queue: inout TransferQueue, _ context: TransferContext) async throws {
    // No neighbour begins a transfer meanwhile, whose partial file would look like an orphan.
    let lock = try await context.queueLock()
    defer { lock?.release() }
    try await context.settleInterrupted()
    try await context.discardOrphans()
    lock?.release()
    // Before the downloads, which may need the space, and after them.
    try await context.prune()
    queue = try await DownloadLoop(context, queue).run()
    queue.takesCrashed = true
    if notifier.canContinue, queue.hasNext(at: context.now) {
      // A transfer during which two processes died may crash this one too: everything else is delivered first.
      _ = try await notifier.updateBadge(of: context.origin())
      try await notifier.deliverAll(for: context.origin())
      queue = try await DownloadLoop(context, queue).run()
    }
    queue.takesCrashed = false
    try await context.prune()
  }
}

extension RunReport {
  /// Adds the fetches of feeds of kind `asset`.
  fileprivate mutating func add(_ notes: DownloadFindings) {
    hasUnusableDirectory = hasUnusableDirectory || notes.hasUnusableDirectory
    for fetch in notes.fetches { add(fetch) }
    queued = max(0, queued - notes.fetches.count)
  }
}

// What a run came to.

public import Core

/// The options of a run.
public struct RunOptions: Sendable {
  /// The feeds named on the command line; they are due.
  public var named: Set<FeedName> = []
  /// With names: also against a rate limit.
  ///
  /// Without: all feeds are due.
  public var isForced = false
  public var runsHooks = true
  /// Whether the run starts at the very second at which something is due, as `run --watch` does; then no interval is cut
  /// short to meet the next run of a timer.
  public var isPunctual = false
  /// What woke the run.
  public var cause: RunCause = .manual
  /// The time limit of the fetch phase; nil is none.
  public var budget: Interval?
  /// Whether the run downloads assets.
  public var transfers = true
  /// The time limit of the transfer phase; nil is none.
  public var transferBudget: Interval?
  /// The time limit of the whole run, hooks included; nil is none.
  public var limit: Interval?
  /// Whether the run waits at its end for messages and late data that are due within moments.
  public var waitsForDue = false
  /// How long before the end of a phase nothing new is started.
  public var warning: Interval = .zero

  public init() {}
}

/// What a run waits for when everything else is done.
public enum Awaited: Hashable, Sendable {
  /// A message that is due in a moment.
  case message
  /// The data of a push, which was not there yet.
  case lateData
}

/// What happened in a run, as it happens.
public enum RunEvent: Hashable, Sendable {
  /// A run with something to do began.
  case started(due: Int, paused: Int)
  /// A feed was named and is skipped all the same, since only `--force` overrides the rule.
  case skipped(SkippedFeed)
  /// A fetch ended and is committed.
  case fetched(FeedReport)
  /// The machine is offline or behind a captive portal; this many feeds were not reached.
  case offline(feeds: Int, portal: String?)
  /// A permanent redirect was learned, or given up again.
  case moved(FeedName, MoveChange)
  /// The budget's warning; this many feeds are left for a later run.
  case expired(left: Int)
  /// The warning of the transfer phase's budget; this many transfers are left.
  case transfersExpired(left: Int)
  /// A delivery used up its retries.
  case deliveryLost(hook: String, event: EventKind, reason: String)
  /// Something happened to a transfer.
  case transfer(TransferEvent)
  /// Everything else is done, and the run waits.
  case waiting(Interval, for: Awaited)
  /// Deliveries of a hook grew older than its `expires`.
  case deliveriesExpired(hook: String, count: Int, age: Interval)
}

/// What one fetch came to.
public struct FeedReport: Hashable, Sendable {
  /// The feed.
  public var feed: FeedName
  /// The result.
  public var result: FetchResult
  /// Its reason, in words.
  public var reason: String
  /// New and updated items.
  public var count: Int
  /// A change in health that came with it.
  public var health: HealthChange?
  /// Whether most of its items came under new identities, and old ones among them were stored as seen.
  public var isRebuilt = false
  /// Whether it says something about the feed; where the machine is offline it does not.
  public var isCounted = true
  /// When it is due again; nil if that is not known.
  public var nextDue: Instant?

  /// The report of a finished fetch.
  public init(_ fetch: FinishedFetch, nextDue: Instant? = nil) {
    feed = fetch.feed.name
    result = fetch.outcome.result
    reason = fetch.outcome.reason
    count = fetch.outcome.classification.count
    health = fetch.outcome.health
    isRebuilt = fetch.outcome.classification.quietItems ?? 0 > 0
    isCounted = fetch.isCounted
    self.nextDue = nextDue
  }
}

/// What a run came to, in numbers.
public struct RunReport: Hashable, Sendable {
  /// Feeds that were due.
  public var due = 0
  /// Fetches with something new.
  public var newData = 0
  /// Fetches with nothing new.
  public var noData = 0
  /// Fetches that failed.
  public var failed = 0
  /// New and updated items.
  public var items = 0
  /// Feeds that were due and wait for a later run: the budget ended, a signal came, a host asked to be left
  /// alone.
  public var left = 0
  /// Feeds whose body is an asset that were asked by a transfer which has not ended yet.
  public var queued = 0
  /// What became of transfers.
  public var transfers = TransferTotals()
  /// Whether a documents directory cannot be written: it is full, or the permissions do not allow it.
  public var hasUnusableDirectory = false
  /// Whether the machine was offline.
  public var isOffline = false
  /// Whether the budget ended first.
  public var isExpired = false
  /// Whether a signal came first.
  public var isStopped = false
  /// The badge at the end.
  public var badge = 0

  /// A report of nothing.
  public init() {}

  /// Adds one fetch.
  mutating func add(_ feed: FeedReport) {
    switch feed.result {
    case .newData: newData += 1
    case .noData: noData += 1
    case .failed: failed += 1
    }
    items += feed.count
  }

  /// Adds what a round of the fetch phase came to.
  mutating func add(_ round: RunReport) {
    due += round.due
    newData += round.newData
    noData += round.noData
    failed += round.failed
    items += round.items
    left += round.left
    queued += round.queued
    isOffline = isOffline || round.isOffline
    isExpired = isExpired || round.isExpired
    isStopped = isStopped || round.isStopped
    badge = round.badge
  }

  /// The numbers that the history keeps.
  public var totals: RunTotals {
    var totals = RunTotals()
    totals.due = due
    totals.newData = newData
    totals.noData = noData
    totals.failed = failed
    totals.items = items
    totals.left = left
    totals.transfers = transfers.finished
    totals.resumed = transfers.resumed
    totals.failedTransfers = transfers.failed
    totals.unsettledTransfers = transfers.left
    totals.exitStatus = exitStatus
    totals.ending = isStopped ? .signal : isExpired ? .budget : .complete
    return totals
  }

  /// The exit status of the run: 0 nothing failed, 3 some feeds failed, 4 every one did, 74 a documents
  /// directory cannot be written, 75 the machine is offline.
  public var exitStatus: Int32 {
    if hasUnusableDirectory { return 74 }
    if isOffline { return 75 }
    guard failed > 0 else { return transfers.failed > 0 ? 3 : 0 }
    return newData + noData + transfers.finished > 0 ? 3 : 4
  }

  /// The run in one line, for example `12 due, 3 new-data (17 items), 8 no-data, 1 failed, badge 23`.
  public var summary: String {
    // The transfer phase by itself asks no feed.
    var parts = due > 0 || transfers == TransferTotals() ? ["\(due) due"] : []
    if newData > 0 { parts.append("\(newData) new-data (\(items) \(items == 1 ? "item" : "items"))") }
    if noData > 0 { parts.append("\(noData) no-data") }
    if failed > 0 { parts.append("\(failed) failed" + (isOffline ? " (offline)" : "")) }
    if left > 0 { parts.append("\(left) left for a later run" + (isExpired ? " (budget)" : "")) }
    if queued > 0 { parts.append("\(queued) queued") }
    parts += transferSummary(
      finished: transfers.finished, resumed: transfers.resumed, failed: transfers.failed,
      unsettled: transfers.left)
    parts.append("badge \(badge)")
    return parts.joined(separator: ", ")
  }
}

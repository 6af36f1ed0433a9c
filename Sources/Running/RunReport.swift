// The options of a run, the events that it reports, and its result.

package import Core

/// The options of a run.
package struct RunOptions: Sendable {
  /// The names, globs and tags of feeds on the command line; empty means all due feeds.
  package var words: [String] = []
  /// The feeds that the words select (`selecting`); they are due.
  package var named: Set<FeedName> = []
  /// Whether named feeds are fetched although a host limits requests; without names, whether all feeds are due.
  package var isForced = false
  package var runsHooks = true
  /// Whether `run --watch` starts the run, in the second in which something is due: no interval is shortened to meet the
  /// next run of a timer, and the run also fetches feeds that become due meanwhile.
  package var isWatch = false
  /// Whether to wait for the run lock.
  package var waits = false
  /// The cause of the run.
  package var cause: RunCause
  /// The time limit of the fetch, which the configuration sets, or `--budget` in its place; nil is none.
  package var budget: Interval?
  /// Whether the run downloads assets.
  package var runsTransfers = true
  /// The time limit of the whole run, hooks included, which `--budget` sets; nil is none.
  package var timeLimit: Interval?
  /// Whether the run waits at its end for messages and late data that are due within moments; never under a frozen clock.
  package var waitsForDue = false
  /// The feed whose late data the run waits for, as `push --run` does; nil means any feed's.
  package var pushed: FeedName?
  /// The fingerprint of everything outside the store that decides when feeds are due; nil looks at all feeds.
  package var dueFingerprint: UInt64?

  /// The options of a run that something started.
  package init(_ cause: RunCause = .manual) {
    self.cause = cause
    isWatch = cause == .watch
    waits = isWatch
  }
}

/// An event of a run, reported as it happens.
package enum RunEvent: Equatable, Sendable {
  /// A message that only its reader acts on.
  case notice(RunNotice)
  /// A named feed is skipped, since only `--force` overrides the rule.
  case skipped(SkippedFeed)
  /// A fetch ended and is committed.
  case fetched(FeedReport)
  /// The fetch has ended, and the run lock is released.
  case fetchingEnded
  /// The downloads have ended.
  case downloadingEnded
  /// An attempt receives its file: from this byte on, or from the first one with the reason.
  case transferBegan(Transfer, offset: Int64, reason: String?)
  /// The progress of all running transfers, at most twice a second.
  case transferProgress([TransferProgress])
  /// A file has its final name.
  case transferPlaced(Transfer, PlacedFile)
  /// The file that was downloaded before is current.
  case transferUnchanged(Transfer)
  /// A transfer failed permanently.
  case transferFailed(Transfer, reason: String)
  /// An attempt ended before the file was complete; the transfer is queued again, suspended, or was cancelled meanwhile.
  case transferLeft(Transfer, TransferStatus, reason: String)
}

/// The result of one fetch.
package struct FeedReport: Equatable, Sendable {
  package var feed: FeedName
  package var result: FetchResult
  /// The reason of the result, in words.
  package var reason: String
  /// New and updated items.
  package var count: Int
  /// The titles of the newest of them, newest first.
  package var titles: [String]
  /// The number of items that the first fetch of the feed stored as seen; nil for later fetches.
  package var baseline: Int?
  /// The files that rules left out, by rule and by name.
  package var omitted: [OmissionRule: [String]] = [:]
  package var health: HealthChange?
  /// Whether most items came under new identities, and old ones among them were stored as seen.
  package var isRebuilt = false
  /// Whether the result says something about the feed; a failure while the machine is offline does not.
  package var isCounted = true
  /// When the feed is due again; nil if that is not known.
  package var nextDue: Instant?

  /// The most titles of a report.
  package static let maximumTitles = 3

  package init(_ fetch: FinishedFetch, nextDue: Instant? = nil) {
    feed = fetch.feed.name
    result = fetch.outcome.result
    reason = fetch.outcome.reason
    let found = fetch.outcome.classification
    count = found.count
    let new = found.announcedItems.suffix(Self.maximumTitles).reversed().map { found.newItems[$0] }
    let news = new + found.updatedItems.map(\.record)
    titles = news.prefix(Self.maximumTitles).map(itemTitle)
    let isFirst = found.isBaseline && fetch.outcome.result != .failed
    baseline = isFirst ? found.storedAsSeen : nil
    for asset in fetch.commit.assets.known {
      if let rule = asset.asset.omittedBy { omitted[rule, default: []].append(asset.description) }
    }
    health = fetch.outcome.health
    isRebuilt = found.quietItems ?? 0 > 0
    isCounted = fetch.commit.record.isCounted
    self.nextDue = nextDue
  }
}

/// The result of a run, or of one of its rounds.
package struct RunReport: Equatable, Sendable {
  /// The numbers so far, without exit status and ending.
  package var totals = RunTotals()
  /// Feeds of kind `asset` whose transfers have not ended yet.
  var queued = 0
  /// Whether a documents directory cannot be written: it is full, or the permissions do not allow it.
  var hasUnusableDirectory = false
  var isOffline = false
  /// Whether the budget ended the run.
  var isExpired = false
  /// Whether a signal ended the run.
  var isStopped = false
  /// The badge at the end; nil if none is kept.
  package var badge: Int? = 0
  /// When the first of the fetched feeds is due again; nil if that is not known.
  package var nextDue: Instant?
  /// The feeds of which a first fetch stored items as seen, and these items.
  package var addedFeeds = 0
  package var addedItems = 0

  package init() {}

  mutating func add(_ feed: FeedReport) {
    totals.add(feed.result, items: feed.count)
    if let stored = feed.baseline, stored > 0 {
      addedFeeds += 1
      addedItems += stored
    }
    nextDue = [nextDue, feed.nextDue].compactMap(\.self).min()
  }

  /// Adds a round of the fetch.
  mutating func add(_ round: RunReport) {
    totals.add(round.totals)
    queued += round.queued
    isOffline = isOffline || round.isOffline
    isExpired = isExpired || round.isExpired
    isStopped = isStopped || round.isStopped
    badge = round.badge
    addedFeeds += round.addedFeeds
    addedItems += round.addedItems
    nextDue = [nextDue, round.nextDue].compactMap(\.self).min()
  }

  /// Whether the run fetched or downloaded anything, or tried to.
  package var hadWork: Bool { totals.due > 0 || totals.transfers != TransferTotals() }

  /// The numbers with exit status and ending, for the history.
  var finalTotals: RunTotals {
    var totals = totals
    totals.exitStatus = status.code
    totals.ending = isStopped ? .signal : isExpired ? .budget : .complete
    return totals
  }

  /// The exit status of the run.
  package var status: ExitStatus {
    if hasUnusableDirectory { return .storage }
    if isOffline { return .tryLater }
    guard totals.failed > 0 else { return totals.transfers.failed > 0 ? .someFailed : .success }
    return totals.newData + totals.noData + totals.transfers.finished > 0 ? .someFailed : .allFailed
  }

  /// The run in one line, for example `12 due, 3 new-data (17 items), 8 no-data, 1 failed, badge 23`.
  ///
  /// For a person it is `11 feeds fetched, 17 new, 1 failed, 23 unseen`.
  package func summary(isForPerson: Bool = false) -> String {
    // Downloads alone fetch no feed.
    var parts = totals.due > 0 || !hadWork ? ["\(totals.due) due"] : []
    if isForPerson {
      let fetched = totals.newData + totals.noData
      let news = totals.items > 0 ? "\(totals.items) new" : "nothing new"
      parts =
        fetched > 0 ? ["\(counted(fetched, "feed")) fetched", news] : hadWork ? [] : ["nothing was due"]
    } else {
      if totals.newData > 0 { parts.append("\(totals.newData) new-data (\(counted(totals.items, "item")))") }
      if totals.noData > 0 { parts.append("\(totals.noData) no-data") }
    }
    if totals.failed > 0 { parts.append("\(totals.failed) failed" + (isOffline ? " (offline)" : "")) }
    if totals.left > 0 {
      parts.append("\(totals.left) left for a later run" + (isExpired ? " (budget)" : ""))
    }
    if queued > 0 { parts.append("\(queued) queued") }
    let transfers = totals.transfers
    if transfers.finished > 0 {
      let resumed = transfers.resumed > 0 ? " (\(transfers.resumed) resumed)" : ""
      parts.append(counted(transfers.finished, "transfer") + resumed)
    }
    if transfers.failed > 0 { parts.append("\(counted(transfers.failed, "transfer")) failed") }
    if transfers.left > 0 {
      parts.append("\(counted(transfers.left, "transfer")) \(transfers.left == 1 ? "waits" : "wait")")
    }
    if let badge { parts.append(isForPerson ? "\(badge) unseen" : "badge \(badge)") }
    return parts.joined(separator: ", ")
  }
}

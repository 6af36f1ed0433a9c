// The changes that one finished fetch makes to the store, decided in one place for feeds, files and pushes.
//
// Doors: `FinishedFetch.commitWithEvents` (everything to store, in one transaction), `FetchFailure` and `FetchOutcome` (how a fetch
// ended), `FetchRecord` and `RunTotals` (the history). Never here: requests (HTTP) and when to fetch (Scheduling).

/// A fetch that has ended, with everything that its events depend on.
public struct FinishedFetch: Sendable {
  public let feed: FeedSpec
  public private(set) var outcome: FetchOutcome
  /// Everything that it changes in the store except events and pushes.
  public var commit: FeedCommit
  /// When the fetch ended; delays and hours count from here.
  public let ended: Instant
  /// The pushes that the fetch settles.
  public var pushes = PushVerdict()
  /// A known, unchanged item that the alert of a push is about.
  public var pushedItem: Int64?
  public var origin: EventOrigin

  public init(
    _ feed: FeedSpec, _ outcome: FetchOutcome, state: FeedState, started: Instant, ended: Instant,
    origin: EventOrigin
  ) {
    (self.feed, self.outcome, self.ended, self.origin) = (feed, outcome, ended, origin)
    let found = outcome.classification
    let record = FetchRecord(
      started: started, ended: ended, result: outcome.result, reason: outcome.reason, count: found.count)
    commit = FeedCommit(feed: feed.name, state: state, record: record)
    commit.newItems = found.newItems
    commit.changedItems = found.changedItems
    commit.articles = found.articles
  }

  /// Applies what was decided about the feed and its host, which is not stored if the address is a secret.
  public mutating func apply(_ change: StateChange, host name: String?) {
    commit.state = change.state
    commit.record.isCounted = change.isCounted
    outcome.failures = change.state.failures
    outcome.health = change.health
    if let host = change.host, !feed.hasSecretAddress, let name { commit.hosts[name] = host }
  }

  /// The commit with the events and the end of the pushes.
  ///
  /// - Parameters:
  ///   - hooks: the hooks that may receive events; none if hooks are off for this run.
  ///   - zone: the zone of `notify.hours` and `digest`.
  /// - Returns: everything that the fetch changes in the store.
  public func commitWithEvents(for hooks: [HookSpec], in zone: Zone) -> FeedCommit {
    var commit = commit
    commit.events = messages(hooks, zone)
    commit.pushes = pushes.settlement
    return commit
  }

  /// The events of the fetch, with the moments for which messages wait.
  private func messages(_ hooks: [HookSpec], _ zone: Zone) -> [EventRecord] {
    guard !hooks.isEmpty else { return [] }
    let label = FeedLabel(feed, commit.state)
    let found = outcome.classification
    var records = fetchEvents(outcome, feed: feed, label: label, hooks: hooks, origin: origin)
    if pushes.shown.contains(where: { $0.payload.alert != nil }) {
      // The alert of a push replaces the fetch's own messages about the same items, but no article by mail; health messages
      // stay.
      let mailed = Set(hooks.filter { $0.mailsArticles && found.count > 0 }.map(\.name))
      for index in records.indices
      where records[index].event.group != nil {
        records[index].hooks.removeAll { !mailed.contains($0) }
      }
      records.removeAll(where: \.hooks.isEmpty)
      let hooks = hooks.filter { !mailed.contains($0.name) }
      for push in pushes.shown {
        guard
          var alert = alertEvent(
            push.payload, feed: feed, label: label, hooks: hooks, origin: origin,
            mark: "push.\(push.number)")
        else { continue }
        alert.newItems = found.announcedItems
        alert.knownItems = found.updatedItems.map(\.number) + [pushedItem].compactMap(\.self)
        // A push promises its data, however early the feed's own messages are shown.
        alert.readyBy = ended + NotificationMoment.longestWait
        records.append(alert)
      }
    }
    return scheduled(
      records, by: feed.notify, to: hooks, awaiting: commit.assets, at: ended, in: zone)
  }
}

/// Everything that one fetch of one feed changes in the store, in one transaction.
public struct FeedCommit: Sendable {
  public var feed: FeedName
  /// The number of the round whose attempt at the feed ends with this; nil for a change without a request for the feed.
  ///
  /// If the attempt was settled meanwhile, as one of a dead process, nothing of the commit is written.
  public var endsAttemptOf: Int64?
  public var state: FeedState
  /// The items to add, oldest first, so that their numbers ascend with time.
  public var newItems: [ItemRecord] = []
  public var changedItems: [ChangedItem] = []
  /// Known items whose details change only because of their pages.
  public var articles: [Int64: ItemRecord] = [:]
  /// The numbers of the known items in the document, which are kept; nil if no document was read.
  public var recognised: [Int64]?
  /// The assets of the document that the store did not know, and which of them to queue.
  public var assets = AssetFindings()
  /// The events to record, each with its hooks.
  public var events: [EventRecord] = []
  /// How the feed's pushes end.
  public var pushes = PushSettlement()
  /// The WebSub hubs in the document; nil keeps the stored ones.
  public var hubLinks: HubLinks?
  public var record: FetchRecord
  /// The new states of hosts.
  public var hosts: [String: HostState] = [:]
  /// The moment before which the feed cannot become due, and the fingerprint that it belongs to; nil if that is unknown.
  public var lasting: LastingMoment?

  /// A commit of a fetch with a state.
  public init(feed: FeedName, state: FeedState, record: FetchRecord) {
    (self.feed, self.state, self.record) = (feed, state, record)
  }
}

/// The moment before which a feed cannot become due, under a configuration.
public struct LastingMoment: Equatable, Sendable {
  public var at: Instant
  /// The fingerprint of everything outside the store that it depends on.
  public var fingerprint: UInt64

  public init(_ at: Instant, under fingerprint: UInt64) { (self.at, self.fingerprint) = (at, fingerprint) }
}

/// A known item with a new form.
public struct ChangedItem: Equatable, Sendable {
  public var number: Int64
  /// Its new form; `isSeen` counts only where `updatedAt` is set: false shows the item as unseen again.
  public var record: ItemRecord
  /// Whether its texts and files are written again, not only its guid.
  public var hasNewDetails = true
  /// The hash of the new form, if reporting it is postponed; `record` then has the hash of the last reported form.
  public var postponedEdit: UInt64?
  /// When it is reported as updated; nil changes it silently.
  public var updatedAt: Instant?
}

/// The result of a fetch, as far as events need it.
public struct FetchOutcome: Sendable {
  public var result: FetchResult
  /// Its reason, in words.
  public var reason: String
  /// The items found; empty after 304 and failures.
  public var classification: Classification
  /// Failures in a row, this one included.
  var failures = 0
  /// The change of the feed's health to report, if any.
  public var health: HealthChange?

  public init(
    result: FetchResult, reason: String, classification: Classification = Classification()
  ) {
    (self.result, self.reason, self.classification) = (result, reason, classification)
  }
}

/// A change of a feed's health that is reported once.
public enum HealthChange: Sendable {
  /// It failed several times in a row.
  case failing
  /// It succeeded after `failing` was reported.
  case recovered
  /// The server sent 410 twice.
  case gone
}

/// Why a fetch failed.
public enum FetchFailure: Error, Equatable, Sendable {
  /// The host's name could not be resolved.
  case unresolved(host: String, detail: String)
  /// No route to the host, or the network is down.
  case unreachable(host: String, detail: String)
  /// The host refused the connection.
  case refused(host: String)
  case connectTimeout(Interval)
  /// The request took too long.
  case timeout(Interval)
  /// The body came too slowly.
  case stalled(StallLimit)
  /// TLS failed; the detail says how.
  case tls(String)
  /// The connection ended before the response did, or before it began; the detail says which.
  case cut(String)
  /// The body is larger than allowed, after decompression.
  case tooLarge(ByteCount)
  /// The header is larger than allowed.
  case headersTooLarge(ByteCount)
  case proxy(String)
  /// The proxy could not be resolved or reached.
  case proxyUnreachable(String)
  /// A status that is neither usable nor a rate limit.
  case status(Int)
  case rateLimited(status: Int, retryAfter: Interval?)
  /// The server sent a browser check.
  case challenged(String)
  /// More redirects than allowed.
  case tooManyRedirects(Int)
  /// A redirect that leads nowhere; the detail says why.
  case badRedirect(String)
  /// A redirect from https to http.
  case insecureRedirect(String)
  /// A redirect that would have sent the body of a POST to another origin.
  case bodyRedirect(String)
  /// The connection would have led to a private address.
  case privateAddress(String)
  /// The response is not a feed.
  case notAFeed(FeedReadingFailure)
  /// The response is a log-in page.
  case loginPage
  /// The end of the document is missing.
  case truncated
  /// A secret could not be read.
  case noSecret(String)
  /// A file could not be read; the detail names it and says why.
  case file(String)
  /// A feed's command failed; the detail says how.
  case command(String)
  /// The machine is offline.
  case offline
  /// A captive portal answered (RFC 8952).
  case captivePortal(String)
  /// The budget ended or a signal came.
  case suspended
  /// libcurl could not be used; the detail says why.
  case transferLibrary(String)
  /// Any other failure; the detail says which.
  case other(String)

  /// Whether the failure says more about this machine's network than about the feed.
  public var isConnectivity: Bool {
    switch self {
    case .unresolved, .unreachable, .connectTimeout, .proxyUnreachable: true
    default: false
    }
  }
}

/// The reason of a fetch whose document was read, for example `3 new` or `nothing new`.
public func reason(of found: Classification) -> String {
  let new = found.announcedItems.count
  let updated = found.updatedItems.count
  let pruned = found.newItems.count { $0.isPruned }
  let baseline = found.storedAsSeen
  var parts: [String] = []
  if new > 0 { parts.append("\(new) new") }
  if updated > 0 { parts.append("\(updated) updated") }
  if found.filtered > 0 { parts.append("\(found.filtered) left out by filter") }
  if found.isBaseline, baseline > 0 { parts.append("\(baseline) stored as seen by the first run") }
  if let quiet = found.quietItems, quiet > 0 {
    parts.append("\(counted(quiet, "old item")) under new identities")
  }
  if pruned > 0, !found.isBaseline { parts.append("\(pruned) more than are listed") }
  if parts.isEmpty { parts.append("nothing new") }
  if found.renamedItems > 0 {
    parts.append("\(counted(found.renamedItems, "known item")) under other guids or links")
  }
  if let count = found.identity.itemsOfCutDocument {
    parts.append("only the first \(ParsedFeed.maximumItems) of \(count) items are read")
  }
  if found.renewsGuids { parts.append("guids are renewed, links decide") }
  return parts.joined(separator: ", ")
}

public let notModifiedReason = "not modified"

// MARK: The history

/// One fetch in the history; every fetch has exactly one.
public struct FetchRecord: Equatable, Sendable {
  public var started: Instant
  public var ended: Instant
  /// The result.
  public var result: FetchResult
  /// The reason in words.
  public var reason: String
  /// The requests in the order they were sent; none if it failed before the first one.
  public var requests: [RequestRecord]
  /// The number of new and updated items.
  public var count: Int
  /// Whether it counts for the feed; some failures are about this machine or the run.
  public var isCounted = true

  public init(
    started: Instant, ended: Instant, result: FetchResult, reason: String, requests: [RequestRecord] = [],
    count: Int = 0
  ) {
    (self.started, self.ended, self.result, self.reason) = (started, ended, result, reason)
    (self.requests, self.count) = (requests, count)
  }

  /// The reason of a fetch that the budget or a signal ended.
  public static let suspended = "suspended"
  /// The reason of a fetch whose process died.
  public static let interrupted = "interrupted"

  /// Whether it was cut short, so that `failed` says nothing about feed or run.
  public var wasCut: Bool { !isCounted && [Self.suspended, Self.interrupted].contains(reason) }

  /// The status code of the last response, if there was one.
  public var status: Int? { requests.last?.status }

  /// The bytes received by all requests, at most an exbibyte.
  public var bytes: Int64 {
    let most: Int64 = 1 << 60
    return requests.reduce(0) { sum, request in min(sum + min(max(request.bytes ?? 0, 0), most), most) }
  }
}

/// The numbers of a run, as its report and the history have them.
public struct RunTotals: Equatable, Sendable {
  /// Feeds that were due.
  public var due = 0
  /// Fetches with the result `new-data`.
  public var newData = 0
  /// Fetches with the result `no-data`.
  public var noData = 0
  /// Fetches with the result `failed`.
  public var failed = 0
  /// New and updated items.
  public var items = 0
  /// Feeds that were due and are left for a later run: the budget ended, a signal came, or a host limits requests.
  public var left = 0
  public var transfers = TransferTotals()
  /// The exit status, unless a signal ended the run.
  public var exitStatus: Int32 = 0
  public var ending = RunEnding.complete

  public init() {}

  /// Adds a fetch.
  public mutating func add(_ result: FetchResult, items count: Int) {
    switch result {
    case .newData: newData += 1
    case .noData: noData += 1
    case .failed: failed += 1
    }
    items += count
  }

  /// Adds the fetches of another round.
  public mutating func add(_ round: RunTotals) {
    due += round.due
    newData += round.newData
    noData += round.noData
    failed += round.failed
    items += round.items
    left += round.left
  }
}

/// The numbers of a run's downloads.
public struct TransferTotals: Equatable, Sendable {
  /// Placed files, and files that are still current.
  public var finished = 0
  /// Placed files that continued the bytes of an earlier attempt.
  public var resumed = 0
  /// Permanently failed transfers.
  public var failed = 0
  /// Transfers that wait for a later run.
  public var left = 0

  public init() {}

  /// Adds the numbers of later downloads.
  public mutating func add(_ later: TransferTotals) {
    finished += later.finished
    resumed += later.resumed
    failed += later.failed
    left = later.left
  }
}

/// How a run ended.
public enum RunEnding: String, Sendable {
  /// Nothing was left to do.
  case complete
  /// The budget ended first.
  case budget
  /// A signal came first.
  case signal
}

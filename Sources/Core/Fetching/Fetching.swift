// What one finished fetch changes in the store, decided in one place for feeds, files and pushes.
//
// Doors: `FinishedFetch.commit` (everything to store, in one transaction), `FetchFailure` and `FetchOutcome` (how a fetch
// ended), `FetchRecord` and `RunTotals` (the history). Never here: requests (HTTP) and when to fetch (Scheduling).

/// A fetch that has ended, with everything that its commit depends on.
public struct FinishedFetch: Sendable {
  /// The feed.
  public var feed: FeedSpec
  /// What the fetch came to.
  public var outcome: FetchOutcome
  /// The feed's state from now on.
  public var state: FeedState
  /// The host's state from now on, or nil if it is unchanged or must not be stored because the address is a secret.
  public var host: (name: String, state: HostState)?
  /// When the fetch began.
  public var started: Instant
  /// When the fetch ended; delays and hours count from here.
  public var ended: Instant
  /// The requests, in the order they were sent.
  public var requests: [RequestRecord] = []
  /// Whether the result says something about the feed; being offline does not.
  public var isCounted = true
  /// The known items that the document shows, or nil if the fetch read no document.
  public var shownItems: [Int64]?
  /// The assets found, and which of them to download.
  public var assets = AssetFindings()
  /// Where the document says that pushes can be subscribed to, or nil to keep the stored links.
  public var hubLinks: HubLinks?
  /// The pushes that the fetch answered.
  public var pushes = PushVerdict()
  /// A known item that the alert of a push is about although the fetch did not change it.
  public var pushedItem: Int64?
  /// The run, and what woke it.
  public var origin: EventOrigin

  /// A fetch that ended like this.
  public init(
    _ feed: FeedSpec, _ outcome: FetchOutcome, state: FeedState, started: Instant, ended: Instant,
    origin: EventOrigin
  ) {
    self.feed = feed
    self.outcome = outcome
    self.state = state
    self.started = started
    self.ended = ended
    self.origin = origin
  }

  /// Takes over what was decided about the feed and its host.
  public mutating func apply(_ change: StateChange, host name: String?) {
    state = change.state
    isCounted = change.isCounted
    if change.isHostChanged, !feed.hasSecretAddress, let name { host = (name, change.host) }
  }

  /// Everything the fetch changes in the store, its events and messages included.
  ///
  /// - Parameters:
  ///   - hooks: the hooks that may receive events; none if hooks are off for this run.
  ///   - zone: the zone in which `notify.hours` are read.
  ///   - payload: reads the payload of a stored push; nil if it cannot be read any more.
  public func commit(
    hooks: [HookSpec], zone: Zone, payload: (StoredPush) -> PushPayload?
  ) -> FeedCommit {
    let found = outcome.classification
    var record = FetchRecord(
      started: started, ended: ended, result: outcome.result, reason: outcome.reason, requests: requests,
      count: found.count)
    record.isCounted = isCounted
    var commit = FeedCommit(feed: feed.name, state: state, record: record)
    commit.newItems = found.newItems
    commit.changedItems = found.changedItems
    commit.shownItems = shownItems
    commit.assets = assets
    commit.hubLinks = hubLinks
    if let host { commit.hosts[host.name] = host.state }
    let alerts = pushes.shown.compactMap { push in payload(push).map { (push, $0) } }
    commit.events = messages(hooks, zone, alerts)
    commit.pushes = pushes.settlement
    commit.pushes.badge = alerts.compactMap(\.1.badge).last
    return commit
  }

  /// The events of the fetch; its messages wait for the feed's delay, for files, and for the feed's hours, in this order.
  private func messages(
    _ hooks: [HookSpec], _ zone: Zone, _ alerts: [(push: StoredPush, payload: PushPayload)]
  ) -> [EventRecord] {
    let label = FeedLabel(feed, state)
    let found = outcome.classification
    var records = fetchEvents(outcome, feed: feed, label: label, hooks: hooks, origin: origin)
    records = delayed(records, by: feed.notify, at: ended)
    records = awaitingFiles(records, assets, by: feed.notify, at: ended)
    if alerts.contains(where: { $0.payload.alert != nil }) {
      // The alert of a push replaces what the fetch would say about the same items; health messages stay.
      records.removeAll(where: \.isAboutItems)
      for (push, payload) in alerts {
        guard
          var alert = alertEvent(
            payload, feed: feed, label: label, hooks: hooks, origin: origin, mark: "push.\(push.number)")
        else { continue }
        alert.newItems = found.announcedItems
        alert.knownItems = found.updatedItems.map(\.number) + [pushedItem].compactMap(\.self)
        // A push promises its data, however early the feed's own messages are shown.
        alert.readyBy = ended + NotificationMoment.longestWait
        records.append(alert)
      }
    }
    return held(records, by: feed.notify, at: ended, in: zone)
  }
}

extension EventRecord {
  /// Whether this is a message about new or updated items, and not one with a text of its own.
  fileprivate var isAboutItems: Bool {
    event.kind == .notification && event.message != .fixed
  }
}

extension FeedSpec {
  /// Whether the feed's whole address is a secret, so that nothing of it may be stored or shown.
  public var hasSecretAddress: Bool {
    if case .secret = url { true } else { false }
  }
}

/// Everything that one fetch of one feed changes in the store.
public struct FeedCommit: Hashable, Sendable {
  /// The feed.
  public var feed: FeedName
  /// Its state from now on.
  public var state: FeedState
  /// The items to add, oldest first, so that their numbers ascend with time.
  public var newItems: [ItemRecord] = []
  /// Known items whose content changed, with the time if they are reported as updated.
  public var changedItems: [ChangedItem] = []
  /// The numbers of the known items that the document shows, which are not forgotten; nil where new items did not come in a
  /// document.
  public var shownItems: [Int64]?
  /// The assets that the document shows and the store did not know, and those of them to be queued.
  public var assets = AssetFindings()
  /// The events to record, each with the hooks that hear of it.
  public var events: [EventRecord] = []
  /// What becomes of the feed's pushes.
  public var pushes = PushSettlement()
  /// Where changes can be subscribed to, as the document says; nil where there was none, and what is known stays.
  public var hubLinks: HubLinks?
  /// The one record of this fetch.
  public var record: FetchRecord
  /// What is now known of hosts.
  public var hosts: [String: HostState] = [:]

  /// A commit of a fetch with a state.
  public init(feed: FeedName, state: FeedState, record: FetchRecord) {
    self.feed = feed
    self.state = state
    self.record = record
  }
}

/// A known item that the document shows in another form, or whose held edit is told now.
public struct ChangedItem: Hashable, Sendable {
  /// The store's number for it.
  public var number: Int64
  /// Its new form; nil keeps the one that is stored, which is told now.
  ///
  /// `isSeen` counts only where `updatedAt` is set: false shows the item as unseen again.
  public var record: ItemRecord?
  /// The hash of the new form where that one is to be reported later; `record` then has the hash of the last one told.
  public var heldEdit: UInt64?
  /// When it is reported as updated; nil changes it silently.
  public var updatedAt: Instant?

  /// A changed item.
  public init(number: Int64, record: ItemRecord?, heldEdit: UInt64? = nil, updatedAt: Instant?) {
    self.number = number
    self.record = record
    self.heldEdit = heldEdit
    self.updatedAt = updatedAt
  }
}

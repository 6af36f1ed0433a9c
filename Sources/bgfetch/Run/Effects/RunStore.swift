// The part of the state store that a run uses. Each function is one short transaction.

import Core

/// The state store of a run: feeds and their state, pushes, and the history.
protocol RunStore: DeliveryStore, TransferStore {
  /// A number that changes whenever another connection has committed something.
  func dataVersion() async throws -> Int

  /// The position in the history at which a part of it begins.
  func beginning(of part: HistoryPart) async throws -> Int64
  /// A portion of the fetches of a part of the history, oldest first.
  func fetches(_ part: HistoryPart, after place: Int64, atMost count: Int) async throws -> [PastFetch]
  /// The states of these feeds; feeds that were never fetched have none.
  func feedStates(of feeds: [FeedName]) async throws -> [FeedName: FeedState]
  func hostStates() async throws -> [String: HostState]
  /// The feeds that may be due, by the moments recorded with this note; nil if all feeds have to be looked at.
  ///
  /// With a share, those of hosts that no run has claimed, and not more than that.
  func mayBeDue(_ note: UInt64, at now: Instant, share: RoundShare?) async throws -> [FeedName]?
  /// Begins a look at feeds, before their states are read.
  func beginLook() async throws
  /// Records what was found at a look, but for feeds that have changed since `beginLook`. A moment that is not after `now` is
  /// recorded only for a feed whose moment is unknown. Returns the number of recorded feeds.
  @discardableResult
  func noteDue(_ looks: [FeedLook], at now: Instant) async throws -> Int
  /// Records the same of a part of all configured feeds; a feed without a moment may be due.
  func noteDue(ofPart looks: [FeedLook], at now: Instant) async throws
  /// Records that all configured feeds were looked at since `beginLook`, with a note.
  func noteAllDue(_ note: UInt64, configured: FeedNames, at now: Instant) async throws
  /// Records that feeds are not configured.
  func noteUnknown(_ feeds: [FeedName]) async throws
  /// The first recorded moment after `now` at which a feed is due.
  func nextDue(after now: Instant) async throws -> (feed: FeedName, at: Instant)?
  /// The times at which the person looks at these feeds.
  func habits(of feeds: [FeedName]) async throws -> [FeedName: Habit]

  /// Records which feeds are configured, so that the state of the others can be removed later.
  func noteConfigured(_ feeds: FeedNames, at now: Instant) async throws
  /// When the latest run began that is not after a moment; only recent runs count.
  func lastRun(before moment: Instant) async throws -> Instant?
  /// Records that a run begins; where machines share the store, it claims hosts, until they are released or it ends.
  func beginRun(
    _ cause: RunCause, process: Int32, named: Bool, forced: Bool, hosts: Set<String>, at now: Instant
  ) async throws -> Int64
  /// The hosts that runs of all machines have claimed; none if only one machine has the store.
  func claimedHosts() async throws -> Set<String>
  func release(_ hosts: Set<String>, of run: Int64) async throws
  /// Reserves a request to a host among the machines that share the store, at least `delay` after the last one reserved;
  /// returns how long to wait for it, in milliseconds.
  func reserveRequest(to host: String, delay: Interval) async throws -> Int64
  func endRun(_ run: Int64, at now: Instant, totals: RunTotals) async throws
  /// Records that the transfer phase of a run begins.
  func beginTransfers(_ run: Int64) async throws
  /// Records the totals of a run again, after its transfer phase.
  func endTransfers(_ run: Int64, at now: Instant, totals: RunTotals) async throws
  /// Forgets feeds that have been out of the configuration since a moment.
  @discardableResult
  func forgetDormant(configured: FeedNames, before: Instant) async throws -> [FeedName]
  /// Removes at most `limit` rows of history that are older than a moment.
  @discardableResult
  func prune(before: Instant, limit: Int) async throws -> Int

  /// Records that these feeds are being fetched, and when their hosts got a request.
  func recordAttempts(
    _ feeds: [FeedName], run: Int64, at now: Instant, hosts: [String: HostState]
  ) async throws
  /// Records that a fetch was suspended; nothing but the history changes.
  func suspendAttempt(_ feed: FeedName, run: Int64, record: FetchRecord, nextDue: Instant?) async throws
  /// Settles the fetches that were under way when another process died; called before states are read.
  func settleInterrupted(at now: Instant) async throws
  /// Writes everything that one fetch changed, and when the feed is next due; returns the numbers of the new items, or
  /// nil, without a change, if the attempt that it ends was settled before.
  @discardableResult
  func commit(
    _ commit: FeedCommit, run: Int64?, nextDue: Instant?, configured: FeedNames
  ) async throws -> [Int64]?

  /// All items ever seen of a feed.
  func knownItems(_ feed: FeedName) async throws -> [KnownItem]
  /// All assets ever seen of a feed.
  func knownAssets(_ feed: FeedName) async throws -> [KnownAsset]
  /// The known assets of a feed that were left out because of their type or length, as they were then.
  func omittedAssets(_ feed: FeedName) async throws -> [KnownAsset: Asset]
  /// Queues assets of known items for download, unless they are queued or present already.
  @discardableResult
  func addTransfers(
    _ feed: FeedName, _ items: WantedItems, at now: Instant, where isWanted: @Sendable (Asset) -> Bool
  ) async throws -> [Int64]
  /// Queues the transfer of a feed of kind `asset` in place of the attempt; nil if one is queued already.
  @discardableResult
  func queueFeedBody(
    _ feed: FeedName, description: String, run: Int64?, at now: Instant
  ) async throws -> Int64?

  /// The pushes that wait, the oldest first.
  func waitingPushes() async throws -> [StoredPush]
  /// When pushes caused fetches since a moment, by feed.
  func pushFetches(since: Instant) async throws -> [FeedName: [Instant]]
  func dropPushes(_ numbers: [Int64]) async throws
}

/// The part of the state store that hooks and the badge need.
protocol DeliveryStore: Sendable {
  /// The number of unseen items of the configured feeds, or the number that a push or the person set.
  func badge(configured: FeedNames) async throws -> Int
  /// Records events that are not part of a feed's commit, with a delivery for each of their hooks.
  func record(_ events: [EventRecord], run: Int64?) async throws

  /// The feeds with waiting messages for hooks other than these, and the moment that the messages are postponed to.
  func waitingMessages(except digests: Set<String>) async throws -> [WaitingMessages]
  /// Postpones messages for hooks other than these until a moment, which may be now.
  func postpone(
    _ messages: WaitingMessages, until moment: Instant, at now: Instant, except digests: Set<String>
  ) async throws
  /// Makes the messages of a hook due at a moment if they would wait longer for its digest.
  func collect(_ hook: String, until moment: Instant) async throws
  /// The hooks with a delivery that can be tried now.
  func hooksWithWork(at now: Instant) async throws -> Set<String>
  /// The next moment at which a delivery of these hooks is due, or nil if none is.
  func nextDeliveryMoment(after now: Instant, hooks: Set<String>?) async throws -> Instant?
  /// Makes deliveries pending again that a dead process left running; called under the hook's lock.
  func resetRunning(_ hook: String) async throws

  /// Claims the next delivery of a hook, unless `parallel` are running, or one of the same feed.
  func nextDelivery(
    _ hook: String, at now: Instant, except kept: Set<Int64>, parallel: Int
  ) async throws -> Delivery?
  /// The first events that a consumer has not read; called under its lock.
  func unreadEvents(of consumer: String, limit: Int) async throws -> [Delivery]
  func markRead(_ deliveries: [Int64], at now: Instant) async throws
  /// The messages of a hook that were never tried, in order.
  func pendingNotifications(_ hook: String, at now: Instant) async throws -> [Delivery]
  func notificationItems(_ delivery: Int64) async throws -> [StoredItem]
  /// The items whose link another feed's item has too: an earlier one of these, or one in a message to the hook.
  func repeatedItems(_ items: [Int64], to hook: String, at now: Instant) async throws -> Set<Int64>
  /// The details of items, by the items' numbers; items without any are missing.
  func detailsOf(_ items: [Int64]) async throws -> [Int64: ItemDetails]
  /// The paths of the downloaded files of a message's items, by the number of the item.
  func notificationFiles(_ delivery: Int64) async throws -> [Int64: [String]]
  /// How many files of a message's items are present, and how many there are in all.
  func readyCounts(_ delivery: Int64) async throws -> ReadyCounts
  /// Stores the text of a message at its first delivery.
  @discardableResult
  func freeze(_ delivery: Int64, fields: [EventField]) async throws -> Bool
  /// Replaces several messages by one about all their items; nil if none of them is left.
  func merge(
    _ deliveries: [Int64], of hook: String, into record: EventRecord, run: Int64?
  ) async throws -> Delivery?
  @discardableResult
  func finishDelivery(_ number: Int64, _ end: DeliveryEnd, at now: Instant) async throws -> Bool
  /// Restarts the age of deliveries whose moment is in the future because the clock was set back.
  func countAgesAnew(_ hook: String, at now: Instant) async throws
  /// Drops the deliveries of a hook that were recorded before a moment, and returns their number.
  @discardableResult
  func expireDeliveries(_ hook: String, before: Instant) async throws -> Int
  /// The line that a hook printed for an identifier in this login session.
  func printedIdentifier(_ hook: String, identifier: String, session: String) async throws -> String?
  /// The delivered notifications with this identifier that were recorded after a delivery.
  func deliveredNotifications(after delivery: Int64, identifier: String) async throws -> [Delivery]
}

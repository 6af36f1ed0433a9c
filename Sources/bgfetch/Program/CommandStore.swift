// The state store for commands: the functions of a run (RunStore), and those that only commands need. A second store
// conforms to it in Live/, beside the SQLite store; no command changes.

import Core

/// The state store of a command; each function is one short transaction.
protocol CommandStore: RunStore {
  /// A random name of the store, for names of files: eight hexadecimal digits.
  nonisolated var mark: String { get }
  func close() async
  /// Takes a lock that keeps other machines out, until it is released or the store is closed; false if another one has it.
  func takeLock(_ name: String) async throws(StoreFailure) -> Bool
  func releaseLock(_ name: String) async
  /// The runs of all machines that fetch now; none if only one has the store.
  func fetchingRuns() async throws -> [FetchingRun]
  /// The clock that counts for all machines that share the store; nil if only one has it.
  func time() async throws -> Timestamp?
  /// Whether no feed was ever requested or paused.
  func isEmpty() async throws -> Bool

  /// The configuration that owns the store: its path, or an `AgreedConfiguration` if machines share the store; nil if none
  /// does yet.
  func configuration() async throws(StoreFailure) -> String?
  /// Makes a configuration the owner of the store instead of a former one, or of none; fails with `belongsTo` if another one is.
  func bind(toConfiguration path: String, insteadOf former: String?) async throws(StoreFailure)
  /// Fails with `belongsTo` if another configuration owns the store.
  func verify(configuration path: String) async throws(StoreFailure)
  /// Copies feeds and items to a new store in an empty directory; the copy delivers and downloads nothing of this one.
  func simulationCopy(in directory: String) async throws -> any CommandStore

  // Feeds

  /// The state of one feed; nil if it was never requested.
  func feedState(_ feed: FeedName) async throws -> FeedState?
  /// The statistics of a feed, with its latest fetches.
  func facts(of feed: FeedName) async throws -> FeedFacts
  /// The feeds that have moved, whose guids are renewed, or whose documents have more items than are listed.
  func feedsWithRemarks() async throws -> [FeedName]
  /// The stored feeds that are not configured, by name.
  func dormantFeeds(configured: FeedNames) async throws -> [FeedName]
  /// Pauses feeds; returns those whose pause is new or has changed.
  func pause(_ feeds: [FeedName], until: Instant?, at now: Instant) async throws -> Set<FeedName>
  /// Ends the pauses of feeds; returns those whose pause had not ended by itself.
  func unpause(_ feeds: [FeedName], at now: Instant) async throws -> Set<FeedName>
  /// Records that the person opened feeds, or all feeds at once if nil.
  func recordOpening(of feeds: [FeedName]?, at moment: OpeningMoment) async throws
  /// Forgets the openings of feeds, or all openings if nil.
  func forgetOpenings(of feeds: [FeedName]?) async throws
  /// Stores a push so that it survives a power cut.
  func takePush(_ push: NewPush, configured: FeedNames, at now: Instant) async throws -> PushReceipt

  /// The numbers of all configured feeds; `limit` is that of each list.
  func overview(at now: Instant, limit: Int) async throws -> FeedOverview
  /// The feeds with problems, by name.
  func problemFeeds(limit: Int) async throws -> [FeedName]

  // The catalog

  /// The feeds of the catalog; nil if it never had one. `copy` is the path of this machine's copy of a shared one.
  func catalog(copy: String, at now: Instant) async throws -> (any FeedCatalog)?
  /// The feeds after a name, by name, and the name for the next page; nil at the end.
  func catalogPage(after name: String?, limit: Int) async throws -> (feeds: [CatalogFeed], end: String?)
  func catalogFeeds(_ names: [FeedName]) async throws -> [FeedName: CatalogFeed]
  /// Adds or changes feeds; returns how many were new or changed.
  func addToCatalog(_ feeds: [CatalogFeed], at now: Instant) async throws -> Int
  /// Removes feeds; returns how many were in it.
  func removeFromCatalog(_ names: [FeedName], at now: Instant) async throws -> Int

  // Items and the badge

  /// Listed items, newest first: of some feeds or (nil) of all configured ones.
  func items(
    feeds: [FeedName]?, unseenOnly: Bool, since: Instant?, limit: Int?, among configured: FeedNames
  ) async throws -> [StoredItem]
  /// The listed items with all of these words, the last of which may be the beginning of a word.
  func items(
    matching words: String, feeds: [FeedName]?, unseenOnly: Bool, since: Instant?, limit: Int?,
    among configured: FeedNames
  ) async throws -> [StoredItem]
  /// The number of unseen items of each feed that has any.
  func unseenCounts() async throws -> [FeedName: Int]
  /// Marks items as seen; returns how many of them were unseen, or nil if the feed has no such item.
  @discardableResult
  func markSeen(_ scope: SeenScope, configured: FeedNames) async throws -> Int?
  /// Marks items as unseen; returns how many of them were seen.
  func markUnseen(_ numbers: [Int64], configured: FeedNames) async throws -> Int
  func setBadge(_ number: Int, configured: FeedNames, at now: Instant) async throws

  // Transfers

  /// First the unsettled transfers in the order in which they were queued, then the settled ones, newest first.
  func transfers(_ filter: TransferFilter) async throws -> [Transfer]
  func transfer(_ number: Int64) async throws -> Transfer?
  /// The transfers of items, by the items' numbers.
  func transfersOf(_ items: [Int64]) async throws -> [Int64: [Transfer]]
  /// The known assets of items, by the items' numbers.
  func assetsOf(_ items: [Int64]) async throws -> [Int64: [Asset]]
  /// The number of files that each rule has left out, by feed.
  func omittedCounts() async throws -> [FeedName: [OmissionRule: Int]]
  /// The numbers of transfers of each feed that has unsettled or failed ones.
  func transferCounts() async throws -> [FeedName: TransferCounts]
  /// The next moment at which a transfer can continue, now at the earliest; nil if there is none.
  func nextTransferMoment(at now: Instant) async throws -> Instant?
  /// Tries a failed, cancelled or waiting transfer again at once, with all its attempts.
  func retryTransfer(_ number: Int64, at now: Instant) async throws -> TransferAnswer
  func suspendTransfer(_ number: Int64) async throws -> TransferAnswer
  func resumeTransfer(_ number: Int64) async throws -> TransferAnswer
  /// Cancels a transfer; `sessionFinished` makes the events if it was the last unsettled one of its session.
  func cancelTransfer(
    _ number: Int64, at now: Instant, sessionFinished: @escaping @Sendable (SessionTotals) -> [EventRecord]
  ) async throws -> TransferAnswer

  // Deliveries

  /// Deliveries by status and hook (nil means all hooks), newest first.
  func deliveries(_ statuses: Set<DeliveryStatus>, hook: String?, limit: Int) async throws -> [Delivery]
  /// The unread events of each consumer that has any.
  func unreadEventCounts() async throws -> [String: UnreadEvents]
  /// Makes dead and expired deliveries pending again, with all their retries; returns how many.
  func retryDeliveries(hook: String?, at now: Instant) async throws -> Int
  /// Drops pending, dead and expired deliveries, and what a named consumer has not read; returns how many.
  func dropDeliveries(hook: String?) async throws -> Int

  // The history

  /// Past runs, oldest first; the feeds of the part are ignored.
  func runs(_ part: HistoryPart) async throws -> [RunRecord]
  /// The position at which a part of the history of requests begins.
  func beginningOfRequests(of part: HistoryPart) async throws -> RequestPlace
  /// A portion of the history of requests, oldest first, and the position behind it; empty at the end.
  func requestEntries(
    _ part: HistoryPart, after place: RequestPlace, atMost count: Int
  ) async throws -> (requestEntries: [RequestEntry], end: RequestPlace)

  // Runs with nothing to do

  /// Records that no feed is due until a moment, unless a feed has changed since `changes` was read.
  /// The number of changes of feeds so far, by any process.
  func changes() async throws -> Int64
  func noteQuiet(_ note: UInt64, from now: Instant, until end: Instant, changes: Int64) async throws
}

extension CommandStore {
  /// Items with their details.
  ///
  /// Their contents are large, so read only as many at a time as fit into memory.
  func withDetails(_ items: [StoredItem]) async throws -> [StoredItem] {
    let details = try await detailsOf(items.map(\.number))
    return items.map { item in
      var item = item
      item.record.details = details[item.number]
      return item
    }
  }
}

// What a run asks of the state store.

public import Core

/// What a run asks of the state store; each closure is one short transaction.
public struct StoreEffects: Sendable {
  /// A number that changes whenever another connection has committed something.
  public var dataVersion: @Sendable () async throws -> Int
  /// What is remembered of every feed.
  public var states: @Sendable () async throws -> [FeedName: FeedState]
  /// What is remembered of these feeds, those never fetched left out.
  public var statesOf: @Sendable ([FeedName]) async throws -> [FeedName: FeedState]
  /// What is remembered of every host.
  public var hosts: @Sendable () async throws -> [String: HostState]
  /// Settles the fetches that a run left in flight when its process died, before states are read.
  public var settleInterrupted: @Sendable (Instant) async throws -> Void
  /// Begins a run and gives its number.
  public var begin: @Sendable (RunOptions, Instant) async throws -> Int64
  /// Ends a run.
  public var end: @Sendable (_ run: Int64, Instant, RunTotals) async throws -> Void
  /// Records that the transfer phase of a run begins.
  public var beginTransfers: @Sendable (_ run: Int64) async throws -> Void
  /// Records what the transfer phase of a run came to, which ends after the fetch phase.
  public var endTransfers: @Sendable (_ run: Int64, Instant, RunTotals) async throws -> Void
  /// Records that feeds are in flight from now on, and when their hosts were asked.
  public var attempt: @Sendable ([FeedName], _ run: Int64, Instant, [String: HostState]) async throws -> Void
  /// Takes back that a feed is in flight: its fetch was suspended, which changes nothing but the history.
  public var suspend:
    @Sendable (FetchRecord, FeedName, _ run: Int64, _ nextDue: Instant?) async throws -> Void
  /// Queues the transfer that is the fetch of a feed whose body is an asset, in the place of what `attempt` recorded;
  /// nil, and only that is taken back, if it has one that is not settled, which goes on.
  public var queueBody:
    @Sendable (FeedName, _ description: String, _ run: Int64, Instant) async throws -> Int64?
  /// The assets that are known of a feed's items.
  public var knownAssets: @Sendable (FeedName) async throws -> [KnownAsset]
  /// Every item ever seen of a feed.
  public var knownItems: @Sendable (FeedName) async throws -> [KnownItem]
  /// The pushes that wait, the oldest first.
  public var pushes: @Sendable () async throws -> [StoredPush]
  /// When pushes caused fetches since a moment, by feed.
  public var pushFetches: @Sendable (_ since: Instant) async throws -> [FeedName: [Instant]]
  /// Forgets pushes, by number.
  public var dropPushes: @Sendable ([Int64]) async throws -> Void
  /// Queues a known file once more, unless it has an unsettled transfer or is there; says how many were queued.
  public var addTransfers: @Sendable (FeedName, _ file: KnownAsset, Instant) async throws -> Int
  /// When the person looks at these feeds, those that nobody has looked at left out.
  public var habits: @Sendable ([FeedName]) async throws -> [FeedName: Habit]
  /// Writes all that one fetch changed, or nothing of it, and when the feed is next due.
  public var commit: @Sendable (FeedCommit, _ run: Int64, _ nextDue: Instant?) async throws -> Void
  /// Records events that belong to no feed's commit.
  public var record: @Sendable ([EventRecord], _ run: Int64) async throws -> Void
  /// The badge as the store has it.
  public var badge: @Sendable () async throws -> Int

  /// The store of a run.
  public init(
    dataVersion: @escaping @Sendable () async throws -> Int,
    states: @escaping @Sendable () async throws -> [FeedName: FeedState],
    statesOf: @escaping @Sendable ([FeedName]) async throws -> [FeedName: FeedState],
    hosts: @escaping @Sendable () async throws -> [String: HostState],
    settleInterrupted: @escaping @Sendable (Instant) async throws -> Void,
    begin: @escaping @Sendable (RunOptions, Instant) async throws -> Int64,
    end: @escaping @Sendable (_ run: Int64, Instant, RunTotals) async throws -> Void,
    beginTransfers: @escaping @Sendable (_ run: Int64) async throws -> Void,
    endTransfers: @escaping @Sendable (_ run: Int64, Instant, RunTotals) async throws -> Void,
    attempt:
      @escaping @Sendable ([FeedName], _ run: Int64, Instant, [String: HostState]) async throws -> Void,
    suspend:
      @escaping @Sendable (FetchRecord, FeedName, _ run: Int64, _ nextDue: Instant?) async throws -> Void,
    queueBody:
      @escaping @Sendable (FeedName, _ description: String, _ run: Int64, Instant) async throws -> Int64?,
    knownAssets: @escaping @Sendable (FeedName) async throws -> [KnownAsset],
    knownItems: @escaping @Sendable (FeedName) async throws -> [KnownItem],
    pushes: @escaping @Sendable () async throws -> [StoredPush],
    pushFetches: @escaping @Sendable (_ since: Instant) async throws -> [FeedName: [Instant]],
    dropPushes: @escaping @Sendable ([Int64]) async throws -> Void,
    addTransfers: @escaping @Sendable (FeedName, _ file: KnownAsset, Instant) async throws -> Int,
    habits: @escaping @Sendable ([FeedName]) async throws -> [FeedName: Habit],
    commit: @escaping @Sendable (FeedCommit, _ run: Int64, _ nextDue: Instant?) async throws -> Void,
    record: @escaping @Sendable ([EventRecord], _ run: Int64) async throws -> Void,
    badge: @escaping @Sendable () async throws -> Int
  ) {
    self.dataVersion = dataVersion
    self.states = states
    self.statesOf = statesOf
    self.hosts = hosts
    self.settleInterrupted = settleInterrupted
    self.begin = begin
    self.end = end
    self.beginTransfers = beginTransfers
    self.endTransfers = endTransfers
    self.attempt = attempt
    self.suspend = suspend
    self.queueBody = queueBody
    self.knownAssets = knownAssets
    self.knownItems = knownItems
    self.pushes = pushes
    self.pushFetches = pushFetches
    self.dropPushes = dropPushes
    self.addTransfers = addTransfers
    self.habits = habits
    self.commit = commit
    self.record = record
    self.badge = badge
  }
}

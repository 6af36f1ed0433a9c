// Everything that one fetch changes, written in one transaction.

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

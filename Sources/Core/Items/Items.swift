// The items of feeds: which are new, which were updated, and what of them is stored.
//
// Doors: `classify` (after a document) and `classifyUnchanged` (after a 304). The way: `ParsedFeed` is what a document
// says, `Sighting` one of its items with its keys, `Recognition` matches sightings with known items, `Classification` is
// the result. Never here: bytes of documents (FeedReading), SQL (StateStore), messages about items (Messages).

/// What classification must know of an item seen before: its identities and what an edit would change.
public struct KnownItem: Hashable, Sendable {
  /// The store's number for it; ascending in the order of first sight.
  public var number: Int64
  /// What it was told apart by when it was last written.
  public var keys: IdentityKeys
  /// Its date, as far as it had one then.
  public var published: Instant?
  /// The hash of what an edit would change, in the form that was last told: title, link, text without markup, asset
  /// addresses without query.
  public var editHash: UInt64
  /// The same of the form that is stored, where that one is yet to be reported as updated.
  public var heldEdit: UInt64?
  /// When it was last reported as updated.
  public var updatedAt: Instant?
  /// Whether the filter keeps it out.
  public var isFiltered: Bool
  /// Whether it is pruned: only what recognises it is left.
  public var isPruned = false

  /// An item with its identities.
  public init(
    number: Int64, keys: IdentityKeys, published: Instant?, editHash: UInt64, heldEdit: UInt64?,
    updatedAt: Instant?, isFiltered: Bool
  ) {
    self.number = number
    self.keys = keys
    self.published = published
    self.editHash = editHash
    self.heldEdit = heldEdit
    self.updatedAt = updatedAt
    self.isFiltered = isFiltered
  }
}

/// An item as it is written to the store, new or changed.
public struct ItemRecord: Hashable, Sendable {
  /// The guid, as declared unless it is very long.
  public var guid: String?
  /// The link, unless it is very long.
  public var link: String?
  /// What it is told apart by.
  public var keys: IdentityKeys
  /// The hash of what an edit would change.
  public var editHash: UInt64
  /// The title as plain text.
  public var title: String?
  /// The summary as plain text, cut to 4 KiB.
  public var summary: String?
  /// Whoever wrote it.
  public var author: String?
  /// When it was published.
  public var published: Instant?
  /// Whether the person has seen it, or need not: baselines and filtered items are stored as seen.
  public var isSeen: Bool
  /// Whether the filter keeps it out.
  public var isFiltered: Bool
  /// Whether it is pruned: stored as seen and not listed, so that it is recognised and nothing else.
  public private(set) var isPruned = false

  /// An item to be stored.
  public init(
    guid: String?, link: String?, keys: IdentityKeys, editHash: UInt64, title: String?, summary: String?,
    author: String?, published: Instant?, isSeen: Bool, isFiltered: Bool
  ) {
    self.guid = guid
    self.link = link
    self.keys = keys
    self.editHash = editHash
    self.title = title
    self.summary = summary
    self.author = author
    self.published = published
    self.isSeen = isSeen
    self.isFiltered = isFiltered
  }

  /// The same item without its texts.
  public var withoutTexts: ItemRecord {
    var record = self
    (record.guid, record.link, record.title, record.summary, record.author) = (nil, nil, nil, nil, nil)
    return record
  }

  /// The same item, pruned.
  public var pruned: ItemRecord {
    var record = withoutTexts
    (record.isSeen, record.isPruned) = (true, true)
    return record
  }
}

/// An item as it is read back for people.
public struct StoredItem: Hashable, Sendable {
  /// The store's number for it.
  public var number: Int64
  /// Its feed.
  public var feed: FeedName
  /// What it was stored with.
  public var record: ItemRecord
  /// When it was first seen by a run.
  public var firstSeen: Instant
  /// When it was last reported as updated.
  public var updatedAt: Instant?

  /// A stored item.
  public init(number: Int64, feed: FeedName, record: ItemRecord, firstSeen: Instant, updatedAt: Instant?) {
    self.number = number
    self.feed = feed
    self.record = record
    self.firstSeen = firstSeen
    self.updatedAt = updatedAt
  }

  /// The identity shown to people and taken by `seen --item`: the guid, else the link, else `#` and the
  /// number.
  public var id: String { record.guid ?? record.link ?? "#\(number)" }

  /// When it was published, or first seen where it has no date.
  public var date: Instant { record.published ?? firstSeen }
}

/// The bounds of what is stored of one feed's items, the newest first by when they were first seen.
public enum ItemBounds {
  /// Items that are stored in full and listed; older ones are pruned: they count as seen and keep their identity only.
  public static let listed = 5000
  /// Items that have left the document and are still recognised when they come back; older ones are forgotten.
  ///
  /// As many as a document may have, so that no document makes the one before it new.
  public static let departed = ParsedFeed.maximumItems
  /// Unsettled transfers beyond which no more files of the feed's items are queued.
  public static let transfers = 10_000
}

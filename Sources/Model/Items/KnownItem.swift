// Items as the store knows them.

public import Timing

/// What classification must know of an item seen before: its identities and what an edit would change.
public struct KnownItem: Hashable, Sendable {
  /// The store's number for it; ascending in the order of first sight.
  public var number: Int64
  /// The guid it was stored with.
  public var guid: String?
  /// The link it was stored with.
  public var link: String?
  /// The hash of its title and content.
  public var contentHash: UInt64
  /// The hash of what an edit would change: title, link, text without markup, asset addresses without query.
  public var editHash: UInt64
  /// When it was last reported as updated.
  public var updatedAt: Instant?
  /// Whether the filter keeps it out.
  public var isFiltered: Bool

  /// An item with its identities.
  public init(
    number: Int64, guid: String?, link: String?, contentHash: UInt64, editHash: UInt64, updatedAt: Instant?,
    isFiltered: Bool
  ) {
    self.number = number
    self.guid = guid
    self.link = link
    self.contentHash = contentHash
    self.editHash = editHash
    self.updatedAt = updatedAt
    self.isFiltered = isFiltered
  }
}

/// An item as it is written to the store, new or changed.
public struct ItemRecord: Hashable, Sendable {
  /// The guid, exactly as declared.
  public var guid: String?
  /// The link.
  public var link: String?
  /// The hash of title and content.
  public var contentHash: UInt64
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

  /// An item to be stored.
  public init(
    guid: String?, link: String?, contentHash: UInt64, editHash: UInt64, title: String?, summary: String?,
    author: String?, published: Instant?, isSeen: Bool, isFiltered: Bool
  ) {
    self.guid = guid
    self.link = link
    self.contentHash = contentHash
    self.editHash = editHash
    self.title = title
    self.summary = summary
    self.author = author
    self.published = published
    self.isSeen = isSeen
    self.isFiltered = isFiltered
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

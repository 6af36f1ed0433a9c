// The parts of items that are stored, and what is known of an item that is.

/// A stored item, as far as classification needs it: its keys, and what an edit would change.
public struct KnownItem: Equatable, Sendable {
  /// The store's number of the item, ascending in the order of first sight.
  public var number: Int64
  /// Its keys when it was last written.
  public var keys: IdentityKeys
  /// Its date when it was last written.
  var published: Instant?
  /// The hash of its last reported form: title, link, text without markup, asset addresses without query.
  var editHash: UInt64
  /// The hash of its stored form, if reporting that form as updated is postponed.
  public var postponedEdit: UInt64?
  /// When it was last reported as updated.
  public var updatedAt: Instant?
  /// Whether the filter rejects it.
  public var isFiltered: Bool
  /// Whether it is pruned: only its keys are left.
  public var isPruned = false

  public init(
    number: Int64, keys: IdentityKeys, published: Instant?, editHash: UInt64, postponedEdit: UInt64?,
    updatedAt: Instant?, isFiltered: Bool
  ) {
    (self.number, self.keys, self.published, self.editHash) = (number, keys, published, editHash)
    (self.postponedEdit, self.updatedAt, self.isFiltered) = (postponedEdit, updatedAt, isFiltered)
  }

  /// The hash of its stored form.
  var storedEdit: UInt64 { postponedEdit ?? editHash }
}

/// An item as it is written to the store, new or changed.
public struct ItemRecord: Equatable, Sendable {
  /// The guid as declared, shortened if it is very long.
  public var guid: String?
  /// The link, unless it is very long.
  public var link: String?
  public var keys: IdentityKeys
  public var editHash: UInt64
  /// The title as plain text.
  public var title: String?
  /// The summary as plain text on one line, cut to 4 KiB; of a change of a watched page the lines of its message.
  public var summary: String? {
    get { isSummaryOfContent ? details?.content.map(Self.summary(of:)) : ownSummary }
    set { (ownSummary, isSummaryOfContent) = (newValue, false) }
  }
  private var ownSummary: String?
  /// Whether the summary is the text of `details.content`, and made from it when it is needed.
  public internal(set) var isSummaryOfContent = false
  public var author: String?
  public var published: Instant?
  /// Whether the person has seen it, or need not: items of a baseline and filtered ones are stored as seen.
  public var isSeen: Bool
  /// Whether the filter rejects it.
  public var isFiltered: Bool
  /// Whether it is pruned: stored as seen and not listed, only to recognise it.
  public private(set) var isPruned = false
  /// The parts beyond the texts above, for readers; nil if they are not stored or were not read back.
  public var details: ItemDetails? {
    get { sharedDetails?.wrappedValue }
    set {
      // The summary stays, whatever becomes of the content.
      if isSummaryOfContent { summary = summary }
      sharedDetails = newValue.map(Shared.init(wrappedValue:))
    }
  }
  private var sharedDetails: Shared<ItemDetails>?

  public init(
    guid: String? = nil, link: String? = nil, keys: IdentityKeys, editHash: UInt64, title: String? = nil,
    summary: String? = nil, author: String? = nil, published: Instant? = nil, isSeen: Bool,
    isFiltered: Bool = false
  ) {
    (self.guid, self.link, self.keys, self.editHash, self.title) = (guid, link, keys, editHash, title)
    ownSummary = summary
    (self.author, self.published, self.isSeen, self.isFiltered) = (author, published, isSeen, isFiltered)
  }

  /// The summary of an item that has only a content, which is HTML or text.
  public static func summary(of content: String) -> String {
    cleanText(plainText(fromHTML: content, limit: 4096), limit: 4096)
  }

  var withoutTexts: ItemRecord {
    var record = self
    record.guid = nil
    record.link = nil
    record.title = nil
    record.summary = nil
    record.author = nil
    record.details = nil
    return record
  }

  public var pruned: ItemRecord {
    var record = withoutTexts
    record.isSeen = true
    record.isPruned = true
    return record
  }
}

extension ItemRecord {
  /// An item to store: its texts cleaned and cut, and at most `limit` bytes of its content (nil means none).
  init(
    _ sighting: Sighting, editHash: UInt64, isSeen: Bool, isFiltered: Bool, keeping limit: ByteCount?
  ) {
    let item = sighting.item
    self.init(
      guid: item.id.map { shortIdentity($0, limit: 1024) },
      link: item.link.flatMap { $0.utf8.count <= 4096 ? $0 : nil },
      keys: sighting.keys, editHash: editHash, title: item.title.map { cleanText($0, limit: 1024) },
      author: item.author.map { cleanText($0, limit: 256) }, published: sighting.date,
      isSeen: isSeen, isFiltered: isFiltered)
    // Nobody sees filtered items.
    let details = isFiltered ? ItemDetails() : ItemDetails(item, keeping: limit)
    self.details = details.isEmpty ? nil : details
    if let change = item.change {
      summary = cleanLines(change.message, limit: 4096)
      return
    }
    guard let text = item.summary ?? item.content else { return }
    if item.summary == nil || item.content == nil, details.hasWholeContent(text) {
      isSummaryOfContent = true
    } else {
      summary = Self.summary(of: text)
    }
  }
}

/// An id of at most `limit` bytes as declared; a longer one is cut and gets a fingerprint of the whole, so that it stays distinct.
public func shortIdentity(_ id: String, limit: Int) -> String {
  guard id.utf8.count > limit else { return id }
  return String(id.unicodeScalars.prefix(200)) + "…" + String(Fingerprint(of: id).value, radix: 16)
}

/// An item as it is read back for people.
public struct StoredItem: Equatable, Sendable {
  public var number: Int64
  public var feed: FeedName
  public var record: ItemRecord
  /// When a run first saw it.
  public var firstSeen: Instant
  /// When it was last reported as updated.
  public var updatedAt: Instant?

  public init(number: Int64, feed: FeedName, record: ItemRecord, firstSeen: Instant, updatedAt: Instant?) {
    (self.number, self.feed, self.record, self.firstSeen) = (number, feed, record, firstSeen)
    self.updatedAt = updatedAt
  }

  /// The identity shown to people and accepted by `seen --item`: the guid, else the link, else `#` and the number.
  public var id: String { record.guid ?? record.link ?? "#\(number)" }

  /// When it was published, or first seen if it has no date.
  public var date: Instant { record.published ?? firstSeen }

  /// The command that shows the article on its page; nil without a page.
  public var pageCommand: String? { webLink(record.link).isEmpty ? nil : "bgfetch open \(number)" }

  /// How much of the article is not stored, with the command that shows all of it; nil if the article is whole.
  public var restNote: String? {
    record.details?.rest.map { rest in
      "\(rest.text) more \(pageCommand.map { "on the article's page: \($0)" } ?? "in the feed's document")"
    }
  }
}

/// The limits on what is stored for one feed, whatever its server sends; the most recently discovered items stay.
public enum ItemBounds {
  /// Items stored in full and listed; older ones are pruned: they count as seen and keep only their keys.
  public static let listed = 5000
  /// Items that left the document and are still recognised when they return; older ones are forgotten.
  ///
  /// As many as a document may have, so that no document makes the one before it new.
  public static let departed = ParsedFeed.maximumItems
  /// Unfinished transfers beyond which no more files of the feed's items are queued.
  public static let transfers = 10_000
}

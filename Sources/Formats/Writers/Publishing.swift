// Publishing writes a selection of items as a document for others to read: Atom, RSS and JSON Feed for feed readers, and an
// HTML page for browsers.
//
// Doors: one function for each format, from a `Publication` to text. Everything in a publication comes from feeds and may be
// hostile; each format does its own escaping. Never here: files, the store, clocks, messages for hooks (Core/Messages).

public import Core

/// A selection of items, ready to be written.
public struct Publication: Sendable {
  public var title: String
  /// Whether the title is the default; a page then shows the number of its items instead.
  public var hasStandardTitle = false
  /// A name that no other document has, for its identity; nil to use the title.
  public var name: String?
  /// When the selection was made.
  public var updated: Instant
  /// Newest first.
  public var items: [PublishedItem]
  /// Whether only unseen items were selected.
  public var isUnseen = false
  /// The number of selected items, with those that a limit left out.
  public var total: Int

  public init(title: String, updated: Instant, items: [PublishedItem]) {
    self.title = title
    self.updated = updated
    self.items = items
    total = items.count
  }
}

/// An item with the label of its feed.
public struct PublishedItem: Sendable {
  public var item: StoredItem
  public var feed: FeedLabel

  public init(_ item: StoredItem, feed: FeedLabel) {
    self.item = item
    self.feed = feed
  }
}

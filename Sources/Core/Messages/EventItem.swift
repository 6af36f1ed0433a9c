// The items that a message is about, as its event carries them for hooks.

/// An item of a message: what a program needs to show it, open it or mark it as seen.
public struct EventItem: Hashable, Sendable {
  /// The name of the item, never empty.
  public var title: String
  /// Its page, http or https; empty if it has none.
  public var link: String
  /// The identity that `bgfetch seen --item` accepts.
  public var id: String
  public var feed: FeedName
  public var feedTitle: String
  public var published: Instant?
  /// The absolute paths of its downloaded files.
  public var files: [String]

  public init(
    title: String, link: String, id: String, feed: FeedName, feedTitle: String, published: Instant?,
    files: [String] = []
  ) {
    self.title = title
    self.link = link
    self.id = id
    self.feed = feed
    self.feedTitle = feedTitle
    self.published = published
    self.files = files
  }

  /// The most items in the event of a message; `count` has the number of all.
  public static let most = 100
  /// The most items in a digest.
  static let mostInDigest = 500
  /// The most files that are listed of one item.
  static let mostFiles = 20
  /// The most bytes of all items of an event, whatever their feeds sent.
  static let mostBytes = 1 << 20

  private var size: Int {
    [title, link, id, feedTitle].reduce(64) { $0 + $1.utf8.count } + files.reduce(0) { $0 + $1.utf8.count }
  }

  /// As many of the first items as the bounds allow.
  static func bounded(_ items: some Sequence<EventItem>, most: Int) -> [EventItem] {
    var bounded: [EventItem] = []
    var bytes = 0
    for item in items.prefix(most) {
      bytes += item.size
      guard bytes <= mostBytes else { break }
      bounded.append(item)
    }
    return bounded
  }
}

extension EventItem {
  /// A stored item for hooks; its texts are clean already, and links are http or https.
  init(_ item: StoredItem, label: FeedLabel?, files: [String]) {
    self.init(
      title: itemTitle(item.record), link: webLink(item.record.link), id: cleanText(item.id, limit: 1024),
      feed: item.feed, feedTitle: label?.title ?? item.feed.text, published: item.record.published,
      files: Array(files.prefix(Self.mostFiles)))
  }

  /// The item in the JSON of an event.
  var json: JSONValue {
    .object([
      ("title", .string(title)), ("link", link.isEmpty ? .null : .string(link)), ("id", .string(id)),
      ("feed", .string(feed.text)), ("feed-title", .string(feedTitle)),
      ("published", .text(published?.rfc3339)), ("files", .array(files.map(JSONValue.string))),
    ])
  }
}

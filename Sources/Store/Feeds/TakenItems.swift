// Items of other programs: newsboat's cache, and how a feed takes its items over.

public import Core

extension Store {
  /// Takes over items and marks of another program; returns how many items and marks are new.
  ///
  /// Nothing is announced, and a feed without a fetch compares its first document with them. Items that the person has seen stay
  /// seen.
  @discardableResult
  public func take(
    _ items: TakenItems, of feed: FeedName, configured: FeedNames, at now: Instant
  ) throws -> (new: Int, seen: Int, unseen: Int, starred: Int) {
    try database.transaction {
      let number = try row(of: feed, configured: now).number
      try database.run("UPDATE feed SET has_baseline = 1, due_at = NULL WHERE number = ?1", number)
      let (numbers, unseen) = try changingUnseen(of: [feed], configured: configured) {
        let numbers = try add(items.new, feed: number, firstSeen: now, byPerson: true)
        try recordRepeated(zip(numbers, items.new), of: number, configured)
        let unseen = try database.run(
          """
          UPDATE item SET is_seen = 0 WHERE is_seen = 4 AND is_filtered = 0 AND is_pruned = 0
            AND number IN (SELECT value FROM json_each(?1))
          """, items.unseen)
        return (numbers, unseen)
      }
      let starred = try star(
        items.starred + items.starredNew.filter(numbers.indices.contains).map { numbers[$0] }, isStarred: true
      )
      let seen = items.seen.isEmpty ? 0 : try markSeen(items.seen, configured: configured)
      if !numbers.isEmpty { try pruneItems(of: number, shown: nil, new: numbers.count, at: now) }
      return (numbers.count, seen, unseen, starred)
    }
  }
}

/// The articles that newsboat has stored, in its file `cache.db`, which is only read.
public final class NewsboatCache {
  private let database: Database
  /// The addresses of its feeds, as its file `urls` writes them.
  public let feeds: [String]

  /// Opens a cache.
  ///
  /// - Throws: `foreign` if the file is another program's database.
  public init(_ path: String) throws {
    try Store.requireFile(path)
    let opened = try Database(path: path, access: .read)
    opened.waitForLocks(for: .seconds(1))
    let columns: [String] = try opened.rows(
      "SELECT name FROM pragma_table_info('rss_item') UNION ALL SELECT name FROM pragma_table_info('rss_feed')"
    )
    let hasTables = try opened.exists("SELECT 1 FROM sqlite_schema")
    // SQLite takes an empty file for a database.
    guard Set(columns).isSuperset(of: Self.columns) else {
      throw hasTables ? StoreFailure.foreign(path: path) : .corrupt(path: path, detail: "empty")
    }
    feeds = try opened.rows("SELECT rssurl FROM rss_feed ORDER BY rssurl")
    database = opened
  }

  private static let columns = [
    "rssurl", "guid", "title", "url", "author", "feedurl", "pubDate", "content", "unread", "flags", "deleted",
    "enclosure_url", "enclosure_type",
  ]

  /// The newest articles of a feed, as many as bgfetch lists, newest first.
  ///
  /// Articles that newsboat has deleted count as read.
  public func items(of feed: String) throws -> [MarkedItem] {
    try database.all(
      """
      SELECT CAST(guid AS TEXT), CAST(title AS TEXT), CAST(url AS TEXT), CAST(author AS TEXT),
        CAST(pubDate AS INTEGER), CAST(substr(content, 1, \(DetailBounds.mostContent.bytes)) AS TEXT),
        unread <> 0 AND deleted = 0, coalesce(flags, '') <> '', CAST(enclosure_url AS TEXT),
        CAST(enclosure_type AS TEXT)
      FROM rss_item WHERE feedurl = ?1 ORDER BY pubDate DESC, rowid LIMIT \(ItemBounds.listed)
      """, feed
    ) { row in
      var item = ParsedItem()
      let guid = Self.text(try row.next())
      item.title = Self.text(try row.next())
      item.link = Self.text(try row.next())
      // Without a guid, newsboat makes one of the link and the words of the date.
      item.id = guid == item.link || guid?.contains(" ") ?? false ? nil : guid
      item.author = Self.text(try row.next())
      item.published = try row.next()
      item.content = Self.text(try row.next())
      let isUnread: Bool = try row.next()
      let isStarred: Bool = try row.next()
      if let file = Self.text(try row.next()) {
        item.enclosures = [Enclosure(url: file, type: Self.text(try row.next()))]
      }
      return MarkedItem(item, isSeen: !isUnread, isStarred: isStarred)
    }
  }

  private static func text(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}

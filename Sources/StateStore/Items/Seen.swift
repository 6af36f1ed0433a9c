// Marking items as seen by the person.

public import Core

extension Store {
  /// Marks items as seen; gives how many were unseen until now, nil if the feed has no such item.
  @discardableResult
  public func markSeen(_ scope: SeenScope) throws(StoreFailure) -> Int? {
    tally = nil
    return try database.transaction { () throws(StoreFailure) -> Int? in
      switch scope {
      case .all(let feeds):
        var count = 0
        for feed in feeds {
          try database.run(
            """
            UPDATE item SET is_seen = 1 WHERE feed = (SELECT number FROM feed WHERE name = ?1)
              AND is_seen = 0 AND is_filtered = 0
            """, feed)
          count += database.changes
        }
        return count
      case .item(let feed, let id):
        let numbers = try itemNumbers(feed, id: id)
        guard !numbers.isEmpty else { return nil }
        var count = 0
        for number in numbers {
          try database.run(
            "UPDATE item SET is_seen = 1 WHERE number = ?1 AND is_seen = 0 AND is_filtered = 0", number)
          count += database.changes
        }
        return count
      case .through(let feed, let id):
        guard let newest = try itemNumbers(feed, id: id).first else { return nil }
        try database.run(
          """
          UPDATE item SET is_seen = 1
          WHERE feed = (SELECT feed FROM item WHERE number = ?1) AND is_seen = 0 AND is_filtered = 0
            AND (coalesce(published, first_seen), number)
              <= (SELECT coalesce(published, first_seen), number FROM item WHERE number = ?1)
          """, newest)
        return database.changes
      }
    }
  }

  /// The items of a feed that people call by a name, newest first.
  private func itemNumbers(_ feed: FeedName, id: String) throws(StoreFailure) -> [Int64] {
    let number = id.hasPrefix("#") ? Int64(id.dropFirst()) : nil
    let found = try database.all(
      """
      SELECT item.number, iif(\(Self.guid) IS ?2, 0, iif(item.link IS ?2, 1, 2)) AS rank
      FROM item JOIN feed ON feed.number = item.feed
      WHERE feed.name = ?1 AND (guid = ?2 OR item.link = ?2 OR item.number = ?3)
      ORDER BY rank, coalesce(published, first_seen) DESC, item.number DESC
      """, feed, id, number
    ) { row throws(StoreFailure) in (number: try row.next(Int64.self), rank: try row.next(Int.self)) }
    return found.filter { $0.rank == found.first?.rank }.map(\.number)
  }
}

// The badge: the number of unseen items.

public import Core

extension Store {
  /// The badge: the number of unseen items of configured feeds, in which one link in several of them counts once.
  public func badge(configured: FeedNames) throws -> Int {
    try database.snapshot {
      if let kept = try keptCount(configured) { return kept }
      return try countUnseen(configured)
    }
  }
}

// The number of unseen items is kept, because there may be millions. It belongs to one set of configured feeds; whatever
// changes which items are unseen corrects it in the same transaction. On a server it is not kept: the commits of all
// machines would have to change the same row.
extension Store {
  /// Makes a change of items of some feeds, and corrects the kept number of unseen items; within a transaction.
  func changingUnseen<Result>(
    of feeds: some Collection<FeedName>, configured: FeedNames, _ change: () throws -> Result
  ) throws -> Result {
    guard neighbours == nil else { return try change() }
    guard try keptCount(configured) != nil else {
      let result = try change()
      try database.run(
        "UPDATE badge SET kept_of = ?1, kept = ?2", configured.fingerprint, try countUnseen(configured))
      return result
    }
    let counted = Array(configured.known(among: Array(feeds)))
    let former = try countUnseen(of: counted)
    let result = try change()
    let count = try countUnseen(of: counted)
    if count != former { try database.run("UPDATE badge SET kept = kept + ?1", count - former) }
    return result
  }

  /// Makes the kept number unknown; within a transaction.
  func forgetUnseenCount() throws {
    guard neighbours == nil else { return }
    try database.run("UPDATE badge SET kept_of = NULL")
  }

  /// The kept number of unseen items of these feeds; nil if none is kept for them.
  private func keptCount(_ configured: FeedNames) throws -> Int? {
    guard neighbours == nil else { return nil }
    return try database.value("SELECT kept FROM badge WHERE kept_of = ?1", configured.fingerprint)
  }

  /// Counts all unseen items.
  private func countUnseen(_ configured: FeedNames) throws -> Int {
    let counts = try unseenCounts()
    return configured.known(among: Array(counts.keys)).reduce(0) { $0 + (counts[$1] ?? 0) }
  }

  /// Counts the unseen items of some feeds.
  private func countUnseen(of feeds: [FeedName]) throws -> Int {
    var total = 0
    for feed in feeds {
      total +=
        try database.value(
          """
          SELECT count(*) FROM feed JOIN item ON item.feed = feed.number
          WHERE name = ?1 AND is_seen = 0 AND is_filtered = 0
          """, feed) ?? 0
    }
    return total
  }
}

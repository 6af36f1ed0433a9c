// What one fetch changes, in one transaction.

public import Core

extension Store {
  /// Writes everything that one fetch of one feed changes, all of it or nothing: its state and when it is
  /// next due, items, their assets and the transfers of those that are wanted, the fetch record with its
  /// requests, events with a delivery for each of their hooks, hosts, what becomes of its pushes, and that the feed is no
  /// longer in flight.
  ///
  /// New items count as first seen when the fetch ended. Events already recorded under their id are left
  /// out. `configured` are the feeds that have a part in the badge.
  @discardableResult
  public func commit(
    _ commit: FeedCommit, run: Int64?, nextDue: Instant?, configured: Set<FeedName>
  ) throws(StoreFailure) -> CommitOutcome {
    // Taken out while it is changed: one copy of a large dictionary less, and gone if the transaction fails.
    var taken: UnseenTally?
    let outcome = try database.transaction { () throws(StoreFailure) -> CommitOutcome in
      taken = try currentTally(configured)
      tally = nil
      let numbers = try write(commit, run: run, nextDue: nextDue, tally: &taken)
      try database.run(
        "DELETE FROM attempt WHERE feed = (SELECT number FROM feed WHERE name = ?1)", commit.feed)
      return CommitOutcome(newItems: numbers, badge: taken?.badge ?? 0)
    }
    tally = taken
    return outcome
  }

  /// Writes what a fetch changes, but for its being in flight; gives the numbers of its new items.
  ///
  /// Within a transaction.
  func write(
    _ commit: FeedCommit, run: Int64?, nextDue: Instant?, tally: inout UnseenTally?
  ) throws(StoreFailure) -> [Int64] {
    let now = commit.record.ended
    let feed = try number(of: commit.feed, configured: now)
    try FeedRow.write(commit.state, nextDue: nextDue, to: feed, in: database)
    try write(commit.state.moves, of: feed)
    try write(commit.hubLinks, of: feed)
    let numbers = try add(commit.newItems, feed: feed, firstSeen: now)
    try change(commit.changedItems, feed: feed)
    if !numbers.isEmpty { try pruneItems(of: feed, shown: commit.shownItems, new: numbers.count) }
    if !commit.newItems.isEmpty || !commit.changedItems.isEmpty {
      tally?.replace(commit.feed, with: try countUnseen(feed: feed))
    }
    // Before the events: a message of items without files waits for none.
    try add(commit.assets, feed: feed, newItems: numbers, at: now)
    try add(commit.record, feed: feed, run: run, nextDue: nextDue)
    for event in commit.events { try add(event, newItems: numbers, run: run) }
    try write(commit.hosts, at: now)
    try write(commit.pushes, of: feed, tally: &tally, at: now)
    return numbers
  }

  /// Records events that belong to no fetch, each with a delivery for each of its hooks.
  public func record(_ events: [EventRecord], run: Int64?) throws(StoreFailure) {
    guard !events.isEmpty else { return }
    try database.transaction { () throws(StoreFailure) in
      for event in events { try add(event, newItems: [], run: run) }
    }
  }
}

// The transaction of a fetch, and transactions that several callers share.

public import Core
import Glibc

extension Store {
  /// Writes everything that one fetch of one feed changed, in one transaction.
  ///
  /// That is the state of the feed and when it is next due, items, assets and the transfers of wanted ones, the fetch
  /// record with its requests, events with a delivery for each of their hooks, hosts, and the feed's pushes. The feed
  /// is then no longer in flight.
  ///
  /// Fetches that end at the same time share the transaction. New items count as first seen when their fetch ended. Events
  /// that are already recorded under their id are left out.
  ///
  /// `configured` are the feeds that count towards the badge. Returns the numbers of the new items, in the order of the
  /// commit; nil, without a change, if the attempt that it ends was settled before.
  @discardableResult
  public func commit(
    _ commit: FeedCommit, round: Int64?, nextDue: Instant?, configured: FeedNames
  ) async throws -> [Int64]? {
    // A commit without downloads changes all rows that it relies on: its attempt, which is its fence against those who take its
    // run for dead, and the feed. One with downloads relies on their session, which another machine may be closing. Commits of
    // several machines touch the same pages of indexes, for which serializable ones are done three times.
    let lookedAt = commit.lasting == nil ? Self.toScan : commit.record.ended
    return try await batched(
      reliesOnReadRows: !commit.assets.wanted.isEmpty, changingFeedsAt: lookedAt, rests: true
    ) { store in
      var feed: FeedRow?
      if let round = commit.endsAttemptOf {
        feed = try store.endAttempt(at: commit.feed, of: round)
        if feed == nil { return nil }
      }
      return try store.write(commit, of: feed, round: round, nextDue: nextDue, configured: configured)
    }
  }

  /// Deletes the attempt of a round at a feed, and returns the feed's row; nil if there is none, because another process has settled
  /// it.
  func endAttempt(at feed: FeedName, of round: Int64) throws -> FeedRow? {
    // Not with RETURNING, for which SQLite makes a table in memory.
    guard let row = try row(of: feed),
      try database.run("DELETE FROM attempt WHERE feed = ?1 AND run = ?2", row.number, round) > 0
    else { return nil }
    return row
  }

  /// Writes what a fetch changed, but leaves the feed in flight; returns the numbers of the new items.
  ///
  /// Within a transaction, whose owner calls `recordChange`.
  ///
  /// - Parameter known: the feed's row; nil if it is not known yet.
  func write(
    _ commit: FeedCommit, of known: FeedRow? = nil, round: Int64?, nextDue: Instant?, configured: FeedNames
  ) throws -> [Int64] {
    let now = commit.record.ended
    let row = if let known { known } else { try row(of: commit.feed, configured: now) }
    let feed = row.number
    // On a server the next look records the moment until which it is not due: all commits would change the row of `due_latest`.
    let lasting = neighbours == nil ? commit.lasting : nil
    try write(commit.state, nextDue: nextDue, lasting, of: row)
    try write(commit.hubLinks, of: feed)
    try replaceDetails(commit.articles)
    var numbers: [Int64] = []
    if !(commit.newItems.isEmpty && commit.changedItems.isEmpty) {
      numbers = try changingUnseen(of: [commit.feed], configured: configured) {
        let numbers = try add(commit.newItems, feed: feed, firstSeen: now)
        try recordRepeated(zip(numbers, commit.newItems), of: feed, configured)
        try change(commit.changedItems, feed: feed)
        if !numbers.isEmpty {
          try pruneItems(of: feed, shown: commit.recognised, new: numbers.count, at: now)
        }
        return numbers
      }
    }
    // Before the events: a message waits for the files of its items only if they have transfers.
    try add(commit.assets, feed: feed, newItems: numbers, at: now)
    try add(commit.record, feed: feed, round: round, nextDue: nextDue)
    for event in commit.events { try add(event, newItems: numbers, round: round) }
    try write(commit.hosts, at: now)
    try write(commit.pushes, of: feed, at: now)
    return numbers
  }

  /// Records events that belong to no fetch, with a delivery for each of their hooks.
  public func record(_ events: [EventRecord], round: Int64?) throws {
    guard !events.isEmpty else { return }
    try database.transaction {
      for event in events { try add(event, newItems: [], round: round) }
    }
  }
}

/// A change that waits for a common transaction.
struct WaitingChange: Sendable {
  let durability: Database.Durability
  let reliesOnReadRows: Bool
  /// As of `recordChange`; nil if it changes no feed.
  let changesFeedsAt: Instant?
  /// Makes the change; returns what replies to its caller.
  let make: @Sendable (isolated Store) throws -> @Sendable () -> Void
  let fail: @Sendable (any Error) -> Void
}

extension Store {
  /// Makes a change in one transaction with all others that are requested before it starts, so that they wait for the
  /// disk once.
  ///
  /// All of them are as durable as the most durable one. One that fails does not prevent the others.
  ///
  /// - Parameters:
  ///   - relies: as of `Database.transaction`.
  ///   - changed: as of `recordChange`, which is called once for all; nil for a change of no feed.
  ///   - rests: whether the thread rests for half a millisecond, so that fetches that are about to end join in: each transaction
  ///     writes the same pages of the indexes once more.
  func batched<Output: Sendable>(
    _ durability: Database.Durability = .ordinary, reliesOnReadRows relies: Bool = true,
    changingFeedsAt changed: Instant? = nil, rests: Bool = false,
    _ make: @escaping @Sendable (isolated Store) throws -> Output
  ) async throws -> Output {
    try await withCheckedThrowingContinuation { reply in
      waitingChanges.append(
        WaitingChange(durability: durability, reliesOnReadRows: relies, changesFeedsAt: changed) { store in
          let output = try make(store)
          return { reply.resume(returning: output) }
        } fail: {
          reply.resume(throwing: $0)
        })
      guard waitingChanges.count == 1 else { return }
      if rests { usleep(500) }
      // Not Task.yield, which uses a thread of libdispatch. The task runs after every call that the actor has received so far.
      Task { makeWaitingChanges() }
    }
  }

  private func makeWaitingChanges() {
    let changes = waitingChanges
    waitingChanges = []
    if changes.count > 1, let replies = try? make(changes) {
      for reply in replies { reply() }
      return
    }
    for change in changes {
      do {
        for reply in try make([change]) { reply() }
      } catch {
        change.fail(error)
      }
    }
  }

  private func make(_ changes: [WaitingChange]) throws -> [@Sendable () -> Void] {
    let isDurable = changes.contains { $0.durability == .survivesPowerCut }
    return try database.transaction(
      isDurable ? .survivesPowerCut : .ordinary, reliesOnReadRows: changes.contains(where: \.reliesOnReadRows)
    ) {
      var replies: [@Sendable () -> Void] = []
      for change in changes { replies.append(try change.make(self)) }
      if let looked = changes.compactMap(\.changesFeedsAt).max() { try recordChange(lookedAt: looked) }
      return replies
    }
  }
}

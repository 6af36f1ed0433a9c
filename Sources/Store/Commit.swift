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
    _ commit: FeedCommit, run: Int64?, nextDue: Instant?, configured: FeedNames
  ) async throws(StoreFailure) -> [Int64]? {
    let outcome = await withCheckedContinuation { reply in
      waitingCommits.append(
        WaitingCommit(commit: commit, run: run, nextDue: nextDue, configured: configured, reply: reply))
      guard waitingCommits.count == 1 else { return }
      Task {
        // Fetches that are about to end join in: each transaction writes the same pages of the indexes once more, and each wake of
        // this thread costs more than most calls. Only the store's own thread sleeps; then it takes the calls that have come.
        usleep(Self.timeToJoin)
        // Not Task.yield, which uses a thread of libdispatch.
        Task { writeCommits() }
      }
    }
    return try outcome.get()
  }

  /// How long a commit waits for others, in microseconds.
  private static let timeToJoin: UInt32 = 1000

  /// A commit that waits for the next transaction.
  struct WaitingCommit: Sendable {
    let commit: FeedCommit
    let run: Int64?
    let nextDue: Instant?
    let configured: FeedNames
    let reply: CheckedContinuation<Result<[Int64]?, StoreFailure>, Never>
  }

  private func writeCommits() {
    let waiting = waitingCommits
    waitingCommits = []
    if waiting.count > 1, let outcomes = try? write(waiting) {
      for (commit, outcome) in zip(waiting, outcomes) { commit.reply.resume(returning: .success(outcome)) }
      return
    }
    // A commit that fails must not prevent the others: each gets a transaction of its own.
    for commit in waiting {
      do throws(StoreFailure) {
        for outcome in try write([commit]) { commit.reply.resume(returning: .success(outcome)) }
      } catch {
        commit.reply.resume(returning: .failure(error))
      }
    }
  }

  /// Writes commits in one transaction; returns the numbers of the new items of each, nil for one whose attempt is gone.
  ///
  /// A commit without downloads changes all rows that it relies on: its attempt, which is its fence against those who take its run
  /// for dead, and the feed. One with downloads relies on their session, which another machine may be closing. Commits of several
  /// machines touch the same pages of indexes, for which serializable ones are done three times.
  private func write(_ commits: [WaitingCommit]) throws(StoreFailure) -> [[Int64]?] {
    let haveDownloads = commits.contains { !$0.commit.assets.wanted.isEmpty }
    return try database.transaction(reliesOnReadRows: haveDownloads) { () throws(StoreFailure) in
      var newItems: [[Int64]?] = []
      for waiting in commits {
        guard try endAttempt(of: waiting.commit) else {
          newItems.append(nil)
          continue
        }
        newItems.append(
          try write(
            waiting.commit, run: waiting.run, nextDue: waiting.nextDue, configured: waiting.configured))
      }
      return newItems
    }
  }

  /// Deletes the attempt that a commit ends; false if another process has settled it.
  private func endAttempt(of commit: FeedCommit) throws(StoreFailure) -> Bool {
    guard let run = commit.attempt else { return true }
    return try database.run(
      "DELETE FROM attempt WHERE run = ?2 AND feed = (SELECT number FROM feed WHERE name = ?1)", commit.feed,
      run) > 0
  }

  /// Writes what a fetch changed, but leaves the feed in flight; returns the numbers of the new items.
  ///
  /// Within a transaction.
  func write(
    _ commit: FeedCommit, run: Int64?, nextDue: Instant?, configured: FeedNames
  ) throws(StoreFailure) -> [Int64] {
    let now = commit.record.ended
    let feed = try number(of: commit.feed, configured: now)
    try write(commit.state, nextDue: nextDue, commit.lasting, of: feed, at: now)
    try write(commit.hubLinks, of: feed)
    var numbers: [Int64] = []
    if !(commit.newItems.isEmpty && commit.changedItems.isEmpty) {
      numbers = try changingUnseen(of: [commit.feed], configured: configured) { () throws(StoreFailure) in
        let numbers = try add(commit.newItems, feed: feed, firstSeen: now)
        try change(commit.changedItems, feed: feed)
        if !numbers.isEmpty {
          try pruneItems(of: feed, shown: commit.shownItems, new: numbers.count, at: now)
        }
        return numbers
      }
    }
    // Before the events: a message waits for the files of its items only if they have transfers.
    try add(commit.assets, feed: feed, newItems: numbers, at: now)
    try add(commit.record, feed: feed, run: run, nextDue: nextDue)
    for event in commit.events { try add(event, newItems: numbers, run: run) }
    try write(commit.hosts, at: now)
    try write(commit.pushes, of: feed, configured: configured, at: now)
    return numbers
  }

  /// Records events that belong to no fetch, with a delivery for each of their hooks.
  public func record(_ events: [EventRecord], run: Int64?) throws(StoreFailure) {
    guard !events.isEmpty else { return }
    try database.transaction { () throws(StoreFailure) in
      for event in events { try add(event, newItems: [], run: run) }
    }
  }
}

extension Store {
  /// A change that waits for a common transaction.
  struct BatchedWrite: Sendable {
    let durability: Database.Durability
    /// Makes the change; returns whether there was anything to change.
    let make: @Sendable (isolated Store) throws(StoreFailure) -> Bool
    let reply: CheckedContinuation<Result<Bool, StoreFailure>, Never>
  }

  /// Makes a change in one transaction with all others that are requested before it starts, so that they wait for the
  /// disk once.
  ///
  /// All of them are as durable as the most durable one. If the transaction fails, each of them fails.
  func batched(
    _ durability: Database.Durability = .ordinary,
    _ make: @escaping @Sendable (isolated Store) throws(StoreFailure) -> Bool
  ) async throws(StoreFailure) -> Bool {
    let outcome = await withCheckedContinuation { continuation in
      waitingChanges.append(BatchedWrite(durability: durability, make: make, reply: continuation))
      // The task runs after every call that the actor has received so far.
      if waitingChanges.count == 1 { Task { writeBatch() } }
    }
    return try outcome.get()
  }

  private func writeBatch() {
    let changes = waitingChanges
    waitingChanges = []
    let isDurable = changes.contains { $0.durability == .survivesPowerCut }
    do throws(StoreFailure) {
      let outcomes = try database.transaction(isDurable ? .survivesPowerCut : .ordinary) {
        () throws(StoreFailure) -> [Bool] in
        var outcomes: [Bool] = []
        for change in changes { outcomes.append(try change.make(self)) }
        return outcomes
      }
      for (change, outcome) in zip(changes, outcomes) { change.reply.resume(returning: .success(outcome)) }
    } catch {
      for change in changes { change.reply.resume(returning: .failure(error)) }
    }
  }
}

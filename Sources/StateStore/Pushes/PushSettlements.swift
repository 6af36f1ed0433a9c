// What a fetch means for the pushes of its feed: a part of the commit.

import Core

extension Store {
  /// Writes what becomes of a feed's pushes; within a transaction, after the feed's items are in.
  ///
  /// A push whose number is gone had its place taken by a newer one meanwhile, which goes on waiting.
  func write(
    _ pushes: PushSettlement, of feed: Int64, tally: inout UnseenTally?, at now: Instant
  ) throws(StoreFailure) {
    guard !pushes.isEmpty else { return }
    try dropPushes(pushes.settled)
    for (number, moment) in pushes.late {
      try database.run(
        "UPDATE push SET tries = tries + 1, not_before = ?2 WHERE number = ?1", number, moment)
    }
    if let caused = pushes.causedAt {
      try database.run("INSERT INTO push_fetch (feed, at) VALUES (?1, ?2)", feed, caused)
    }
    if let badge = pushes.badge, let configured = tally?.configured {
      try write(badge: badge, configured: configured, at: now)
      tally = try countUnseen(configured)
    }
  }
}

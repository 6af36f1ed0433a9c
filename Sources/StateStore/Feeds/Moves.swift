// Where feeds have moved for good. When an address is learned or given up is Planning's to say.

import Core

extension Store {
  /// The moves of all feeds, learned ones first.
  func moves() throws(StoreFailure) -> [(FeedName, Move)] {
    try database.all(
      """
      SELECT name, \(Self.moveColumns) FROM move JOIN feed ON feed.number = move.feed
      ORDER BY is_learned DESC, address
      """
    ) { row throws(StoreFailure) in (try row.next(), try Self.move(&row)) }
  }

  /// The moves of one feed, learned ones first.
  func moves(of feed: FeedName) throws(StoreFailure) -> [Move] {
    try database.all(
      """
      SELECT \(Self.moveColumns) FROM move JOIN feed ON feed.number = move.feed WHERE name = ?1
      ORDER BY is_learned DESC, address
      """, feed, read: Self.move)
  }

  /// Writes the moves of a feed in place of those that are there.
  func write(_ moves: [Move], of feed: Int64) throws(StoreFailure) {
    try database.run("DELETE FROM move WHERE feed = ?1", feed)
    for move in moves {
      try database.run(
        "INSERT INTO move (feed, \(Self.moveColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        feed, move.address, move.sightings, move.firstSeen, move.isLearned, move.isDoubted)
    }
  }

  private static let moveColumns = "address, sightings, first_seen, is_learned, is_doubted"

  private static func move(_ row: inout Row) throws(StoreFailure) -> Move {
    let address: String = try row.next()
    let sightings: Int = try row.next()
    var move = Move(address: address, firstSeen: try row.next())
    move.sightings = sightings
    move.isLearned = try row.next()
    move.isDoubted = try row.next()
    return move
  }
}

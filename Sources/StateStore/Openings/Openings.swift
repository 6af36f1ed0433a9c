// When the person looked at feeds, as a decaying histogram over the minutes of the day. What follows from it is decided
// elsewhere.

public import Core

extension Store {
  /// Records that the person looked at feeds, or (nil) at all feeds at once, which costs the same however many there are.
  ///
  /// Less than `Habit.oneLook` after the last opening of the same it is still the same look, which does not count again. So
  /// it is for a feed after one of all, with which that of all goes on; and where one of all comes after that of a feed, the
  /// look is that of all from then on.
  public func recordOpening(
    of feeds: [FeedName]?, at moment: OpeningMoment
  ) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      var hasLooked = false
      if let feeds {
        let isLookAtAll = try goesOnWithLookAtAll(moment)
        for feed in feeds {
          let number = try number(of: feed, configured: moment.at)
          if try isLook(at: number, moment, isLookAtAll: isLookAtAll) { hasLooked = true }
        }
      } else {
        hasLooked = try isLook(at: nil, moment, isLookAtAll: false)
      }
      if hasLooked { try database.run("UPDATE owner SET changes = changes + 1") }
    }
  }

  /// Forgets when the person looked at feeds, or (nil) everything of that kind.
  ///
  /// What was recorded of all feeds at once stays in the first case.
  public func forgetOpenings(of feeds: [FeedName]?) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      for table in ["opening", "opening_day"] {
        if let feeds {
          try database.run(
            """
            DELETE FROM \(table)
            WHERE feed IN (SELECT number FROM feed WHERE name IN (SELECT value FROM json_each(?1)))
            """, Self.list(feeds))
        } else {
          try database.run("DELETE FROM \(table)")
        }
      }
      try database.run("UPDATE owner SET changes = changes + 1")
    }
  }

  /// The names of feeds as one value of a statement, which takes them apart with `json_each`.
  static func list(_ feeds: [FeedName]) -> String {
    JSONValue.array(feeds.map { .string($0.text) }).text
  }

  /// Whether an opening of single feeds is part of a look at all of them, which goes on with it.
  private func goesOnWithLookAtAll(_ moment: OpeningMoment) throws(StoreFailure) -> Bool {
    try database.run(
      """
      UPDATE opening_day SET last = ?2
      WHERE feed IS NULL AND day BETWEEN ?1 - 1 AND ?1 + 1 AND abs(last - ?2) < ?3
      """, moment.day, moment.at, Habit.oneLook)
    return database.changes > 0
  }

  /// Records an opening of a feed, or (nil) of all; gives whether it begins a look.
  private func isLook(
    at feed: Int64?, _ moment: OpeningMoment, isLookAtAll: Bool
  ) throws(StoreFailure) -> Bool {
    var isSame = isLookAtAll
    if !isSame { isSame = try wasOpened(feed, moment) }
    try database.run(
      "UPDATE opening_day SET last = ?3 WHERE feed IS ?1 AND day = ?2", feed, moment.day, moment.at)
    if database.changes == 0 {
      try database.run(
        "INSERT INTO opening_day (feed, day, last) VALUES (?1, ?2, ?3)", feed, moment.day, moment.at)
    }
    guard !isSame else { return false }
    if feed == nil { try takeBackLooks(about: moment) }
    try count(moment, of: feed)
    return true
  }

  /// Whether a feed, or (nil) all of them, was opened so near to a moment that it is the same look.
  private func wasOpened(_ feed: Int64?, _ moment: OpeningMoment) throws(StoreFailure) -> Bool {
    // Both ways, as clocks are corrected; a day more on both sides, as looks go on past midnight and zones change.
    let last: Int? = try database.value(
      """
      SELECT 1 FROM opening_day
      WHERE feed IS ?1 AND day BETWEEN ?2 - 1 AND ?2 + 1 AND abs(last - ?3) < ?4
      """, feed, moment.day, moment.at, Habit.oneLook)
    return last != nil
  }

  /// Takes back what single feeds counted of the look that is counted for all of them now.
  private func takeBackLooks(about moment: OpeningMoment) throws(StoreFailure) {
    // As no look at all feeds goes on, a look at a feed that does was counted when it began: it is the feed's latest.
    let looks = JSONValue.array(
      try database.values(
        Self.looksQuery, moment.at - Habit.oneLook, moment.at + Habit.oneLook, as: Int64.self
      ).map { .number($0) }
    ).text
    // A weight that is one, but for rounding, is that look alone.
    try database.run(
      """
      DELETE FROM opening
      WHERE rowid IN (SELECT value FROM json_each(?1)) AND weight BETWEEN 0.999999 AND 1.000001
      """, looks)
    try database.run(
      """
      UPDATE opening SET weight = weight - 1
      WHERE rowid IN (SELECT value FROM json_each(?1)) AND weight > 1.000001
      """, looks)
  }

  /// The openings that count looks at single feeds of just now: those that began then, and those that go on.
  static let looksQuery = """
    SELECT rowid FROM opening INDEXED BY opening_by_time WHERE last > ?1 AND last < ?2 AND feed IS NOT NULL
    UNION
    SELECT (SELECT rowid FROM opening WHERE feed = opening_day.feed AND last < ?2 ORDER BY last DESC LIMIT 1)
      AS latest
    FROM opening_day INDEXED BY opening_day_by_time
    WHERE last > ?1 AND last < ?2 AND feed IS NOT NULL AND latest IS NOT NULL
    """

  /// Adds one to the openings in a minute of the day, after those before have lost what their age costs them.
  private func count(_ moment: OpeningMoment, of feed: Int64?) throws(StoreFailure) {
    let before = try database.first(
      "SELECT weight, last FROM opening WHERE feed IS ?1 AND day_kind = ?2 AND minute = ?3",
      feed, moment.kind, moment.minute
    ) { row throws(StoreFailure) in
      (weight: try row.next(Double.self), at: try row.next(Instant.self))
    }
    guard let before else {
      try database.run(
        "INSERT INTO opening (feed, day_kind, minute, weight, last) VALUES (?1, ?2, ?3, 1.0, ?4)",
        feed, moment.kind, moment.minute, moment.at)
      return
    }
    try database.run(
      "UPDATE opening SET weight = ?4, last = ?5 WHERE feed IS ?1 AND day_kind = ?2 AND minute = ?3",
      feed, moment.kind, moment.minute, Habit.decayed(before.weight, from: before.at, to: moment.at) + 1,
      moment.at)
  }
}

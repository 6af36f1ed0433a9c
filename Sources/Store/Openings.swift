// The openings of feeds, as a decaying histogram over the minutes of the day. Core derives habits from it.

public import Core

extension Store {
  /// Records that the person opened feeds, or all feeds at once if nil, which costs the same for any number of feeds.
  ///
  /// An opening within `Habit.oneLook` of the last one belongs to the same look and does not count again.
  public func recordOpening(
    of feeds: [FeedName]?, at moment: OpeningMoment
  ) throws {
    try database.transaction {
      var hasLooked = false
      if let feeds {
        for feed in feeds {
          if try isNewLook(at: try row(of: feed, configured: moment.at).number, moment) { hasLooked = true }
        }
      } else {
        hasLooked = try isNewLook(at: nil, moment)
      }
      if hasLooked { try recordChange() }
    }
  }

  /// Records an opening of a feed, or of all if nil; returns whether it begins a new look.
  private func isNewLook(at feed: Int64?, _ moment: OpeningMoment) throws -> Bool {
    // In both directions, because clocks are corrected; with a day more on each side, because a look may continue
    // past midnight and zones change.
    let isSame = try database.exists(
      """
      SELECT 1 FROM opening_day
      WHERE feed IS ?1 AND day BETWEEN ?2 - 1 AND ?2 + 1 AND abs(last - ?3) < ?4
      """, feed, moment.day, moment.at, Habit.oneLook)
    // Not an upsert: rows about all feeds, which have NULL for a feed, are never in conflict.
    try database.run("DELETE FROM opening_day WHERE feed IS ?1 AND day = ?2", feed, moment.day)
    try database.run(
      "INSERT INTO opening_day (feed, day, last) VALUES (?1, ?2, ?3)", feed, moment.day, moment.at)
    guard !isSame else { return false }
    // One is added to the weight of the minute, after the decay of its earlier weight.
    let before: [(Double, Instant)] = try database.rows(
      "DELETE FROM opening WHERE feed IS ?1 AND day_kind = ?2 AND minute = ?3 RETURNING weight, last", feed,
      moment.kind, moment.minute)
    let weight = before.first.map { Habit.decayed($0, from: $1, to: moment.at) } ?? 0
    try database.run(
      "INSERT INTO opening (feed, day_kind, minute, weight, last) VALUES (?1, ?2, ?3, ?4, ?5)", feed,
      moment.kind, moment.minute, weight + 1, moment.at)
    return true
  }
}

extension Store {
  /// The habits of feeds; feeds without openings have none.
  ///
  /// Openings of all feeds at once count for each feed. Minutes are in order, working days first.
  public func habits(of feeds: [FeedName]) throws -> [FeedName: Habit] {
    guard !feeds.isEmpty else { return [:] }
    return try database.snapshot {
      var shared = Openings()
      shared.bins = try database.all(
        "SELECT day_kind, minute, weight, last FROM opening WHERE feed IS NULL ORDER BY day_kind, minute",
        read: Self.bin)
      let days: [Int64] = try database.rows("SELECT day FROM opening_day WHERE feed IS NULL")
      shared.days = Set(days)
      // Feeds without openings of their own share the memory of one habit.
      let sharedHabit = shared.bins.isEmpty ? nil : shared.habit
      let own = try ownOpenings(of: Array(Set(feeds)))
      var habits: [FeedName: Habit] = [:]
      for feed in feeds {
        habits[feed] =
          own[feed].map { Openings(bins: $0.bins + shared.bins, days: $0.days.union(shared.days)).habit }
          ?? sharedHabit
      }
      return habits
    }
  }

  /// The times of the items of feeds that were found last, by feed.
  public func news(of feeds: [FeedName]) throws -> [FeedName: [ItemTimes]] {
    guard !feeds.isEmpty else { return [:] }
    var news: [FeedName: [ItemTimes]] = [:]
    try database.each(Self.newsQuery, feeds) { row in
      news[try row.next(), default: []].append(
        ItemTimes(published: try row.next(), firstSeen: try row.next()))
    }
    return news
  }

  /// The 200 items of each feed that were found last, which have the highest numbers; the oldest of them is found in an index.
  static let newsQuery = """
    WITH chosen AS MATERIALIZED (
      SELECT name, feed.number AS feed,
        (SELECT number FROM item WHERE item.feed = feed.number ORDER BY number DESC LIMIT 1 OFFSET 199) AS oldest
      FROM json_each(?1) AS asked CROSS JOIN feed ON name = asked.value)
    SELECT name, published, first_seen FROM chosen CROSS JOIN item INDEXED BY item_by_feed
      ON item.feed = chosen.feed AND item.number >= coalesce(oldest, 0)
    """

  private func ownOpenings(of feeds: [FeedName]) throws -> [FeedName: Openings] {
    var openings: [FeedName: Openings] = [:]
    try database.each(Self.ownBinsQuery, feeds) { row in
      openings[try row.next(), default: Openings()].bins.append(try Self.bin(&row))
    }
    try database.each(Self.ownDaysQuery, feeds) { row in
      openings[try row.next(), default: Openings()].days.insert(try row.next())
    }
    return openings
  }

  /// The join begins with the requested feeds, so that the openings of others are not read.
  static let ownBinsQuery = """
    SELECT name, day_kind, minute, weight, last
    FROM json_each(?1) AS asked CROSS JOIN feed ON name = asked.value
      CROSS JOIN opening INDEXED BY opening_by_feed ON opening.feed = feed.number
    ORDER BY asked.id, day_kind, minute
    """
  static let ownDaysQuery = """
    SELECT name, day
    FROM json_each(?1) AS asked CROSS JOIN feed ON name = asked.value
      CROSS JOIN opening_day INDEXED BY opening_day_by_feed ON opening_day.feed = feed.number
    """

  private static func bin(_ row: inout Row) throws -> HabitBin {
    HabitBin(
      kind: try row.next(), minute: try row.next(), weight: try row.next(), at: try row.next())
  }
}

/// Openings and the days on which they happened.
private struct Openings {
  var bins: [HabitBin] = []
  var days: Set<Int64> = []

  var habit: Habit {
    var habit = Habit()
    habit.bins = bins.sorted { ($0.kind.rawValue, $0.minute) < ($1.kind.rawValue, $1.minute) }
    habit.days = days.count
    return habit
  }
}

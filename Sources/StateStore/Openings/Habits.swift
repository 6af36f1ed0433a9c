// The openings of feeds as they are read: a feed's own and those of all feeds at once, together.

public import Core

extension Store {
  /// When the person looks at feeds; a feed without openings is left out.
  ///
  /// What was recorded of all feeds at once counts for each. Minutes are in order, working days first.
  public func habits(of feeds: [FeedName]) throws(StoreFailure) -> [FeedName: Habit] {
    guard !feeds.isEmpty else { return [:] }
    return try database.snapshot { () throws(StoreFailure) -> [FeedName: Habit] in
      let shared = try sharedOpenings()
      // One without openings of its own shares the memory of all.
      let sharedHabit = shared.isEmpty ? nil : shared.habit
      let own = try ownOpenings(of: Set(feeds))
      var habits: [FeedName: Habit] = [:]
      for feed in feeds {
        habits[feed] = own[feed].map { $0.joined(with: shared).habit } ?? sharedHabit
      }
      return habits
    }
  }

  private func sharedOpenings() throws(StoreFailure) -> Openings {
    var openings = Openings()
    openings.bins = try database.all(
      "SELECT day_kind, minute, weight, last FROM opening WHERE feed IS NULL ORDER BY day_kind, minute",
      read: Self.bin)
    openings.days = Set(
      try database.values("SELECT day FROM opening_day WHERE feed IS NULL", as: Int64.self))
    return openings
  }

  private func ownOpenings(of feeds: Set<FeedName>) throws(StoreFailure) -> [FeedName: Openings] {
    let names = Self.list(Array(feeds))
    var openings: [FeedName: Openings] = [:]
    try database.each(Self.ownBinsQuery, names) { row throws(StoreFailure) in
      let feed: FeedName = try row.next()
      openings[feed, default: Openings()].bins.append(try Self.bin(&row))
    }
    try database.each(Self.ownDaysQuery, names) { row throws(StoreFailure) in
      let feed: FeedName = try row.next()
      openings[feed, default: Openings()].days.insert(try row.next())
    }
    return openings
  }

  /// The feeds asked for lead, so that the openings of others are not looked at.
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

  private static func bin(_ row: inout Row) throws(StoreFailure) -> HabitBin {
    HabitBin(
      kind: try row.next(), minute: try row.next(), weight: try row.next(), at: try row.next())
  }
}

/// Openings with the days on which they were.
private struct Openings {
  /// By kind of day and minute, ascending.
  var bins: [HabitBin] = []
  var days: Set<Int64> = []

  var isEmpty: Bool { bins.isEmpty }

  var habit: Habit {
    var habit = Habit()
    habit.bins = bins
    habit.days = days.count
    return habit
  }

  /// These and others, each minute once.
  func joined(with others: Openings) -> Openings {
    guard !others.isEmpty else { return self }
    var joined = Openings()
    joined.days = days.union(others.days)
    joined.bins.reserveCapacity(bins.count + others.bins.count)
    var rest = others.bins[...]
    for bin in bins {
      while let other = rest.first, other.place < bin.place { joined.bins.append(rest.removeFirst()) }
      if let other = rest.first, other.place == bin.place {
        joined.bins.append(bin.joined(with: other))
        rest.removeFirst()
      } else {
        joined.bins.append(bin)
      }
    }
    joined.bins += rest
    return joined
  }
}

extension HabitBin {
  /// Where it stands among the minutes of both kinds of days.
  fileprivate var place: Int { kind.rawValue * 1440 + minute }

  /// The openings of both in this minute, by what they count at the later moment.
  fileprivate func joined(with other: HabitBin) -> HabitBin {
    let (earlier, later) = at <= other.at ? (self, other) : (other, self)
    var joined = later
    joined.weight += Habit.decayed(earlier.weight, from: earlier.at, to: later.at)
    return joined
  }
}

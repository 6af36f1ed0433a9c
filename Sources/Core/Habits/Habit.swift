// What is remembered of when the person looks at a feed.

/// The openings of a feed as a decaying histogram over the minutes of the day.
public struct Habit: Hashable, Sendable {
  /// The minutes with openings, at most one of each kind and minute.
  public var bins: [HabitBin] = []
  /// How many days have had openings, at most the days since counting began.
  public var days = 0

  /// No openings.
  public init() {}

  /// Openings less than this apart are one look.
  public static let oneLook = Interval.minutes(15)
  /// What an opening counts after each day, of what it counted before: half after three weeks.
  private static let dailyFactor = 0.9675

  /// What a weight of an earlier moment has become.
  public static func decayed(_ weight: Double, from then: Instant, to now: Instant) -> Double {
    // To the nearest day: the same minute of the next day may be some seconds less than a day later.
    decayed(weight, days: (max(0, now.since(then).seconds) + 43_200) / 86_400)
  }

  /// What a weight has become after so many days.
  public static func decayed(_ weight: Double, days: Int64) -> Double {
    weight * factors[Int(min(max(days, 0), 365))]
  }

  /// What is left of 1 after each number of days up to a year.
  private static let factors = (0..<365).reduce(into: [1.0]) { factors, day in
    factors.append(factors[day] * dailyFactor)
  }
}

/// The openings in one minute of the day.
public struct HabitBin: Hashable, Sendable {
  /// The kind of the days.
  public var kind: DayKind
  /// The minute of the day, 0 to 1439.
  public var minute: Int
  /// How many they are; older ones count less.
  public var weight: Double
  /// The moment at which they counted so.
  public var at: Instant

  /// Openings in a minute.
  public init(kind: DayKind, minute: Int, weight: Double, at: Instant) {
    self.kind = kind
    self.minute = minute
    self.weight = weight
    self.at = at
  }
}

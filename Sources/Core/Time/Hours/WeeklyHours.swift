// Hours of the week as clocks show them. Reading their text is WeeklyHoursText's, when they begin and end
// WeeklyHoursMoments' business.

/// Hours that come every week, such as working hours or the night.
///
/// They are about what clocks show: a moment lies inside if clocks show a time inside then. So an hour that
/// clocks show twice counts both times, and one that they leave out never comes. Hours are never empty.
///
/// Two values are equal if the same hours are meant, however they are written.
public struct WeeklyHours: Hashable, Sendable {
  /// The text they were read from, for messages.
  public let text: String
  /// The minutes of the week that lie inside, Sunday 00:00 is 0: ascending, apart from each other, never
  /// none.
  let windows: [Range<Int>]

  /// Every hour of the week.
  public static let always = WeeklyHours(text: "always", minutes: [0..<minutesOfWeek])

  /// How many minutes a week has.
  static let minutesOfWeek = 7 * minutesOfDay
  /// How many minutes a day has, as clocks show them.
  static let minutesOfDay = 24 * 60

  /// The hours that ranges of minutes come to, in any order; a range may run past the end of the week.
  init(text: String, minutes: [Range<Int>]) {
    self.text = text
    let pieces = minutes.flatMap { range -> [Range<Int>] in
      guard range.upperBound > Self.minutesOfWeek else { return [range] }
      return [range.lowerBound..<Self.minutesOfWeek, 0..<(range.upperBound - Self.minutesOfWeek)]
    }
    var windows: [Range<Int>] = []
    for piece in pieces.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = windows.last, piece.lowerBound <= last.upperBound {
        windows[windows.count - 1] = last.lowerBound..<max(last.upperBound, piece.upperBound)
      } else {
        windows.append(piece)
      }
    }
    self.windows = windows
  }

  /// The hours that lie inside one or the other.
  public func union(_ other: WeeklyHours) -> WeeklyHours {
    WeeklyHours(text: text + ", " + other.text, minutes: windows + other.windows)
  }

  /// Whether every hour lies inside.
  public var isAlways: Bool { windows.first?.count == Self.minutesOfWeek }

  /// Whether a minute of the week lies inside.
  func contains(minute: Int) -> Bool {
    windows.contains { $0.contains(minute) }
  }

  /// Whether the same hours are meant.
  public static func == (left: WeeklyHours, right: WeeklyHours) -> Bool {
    left.windows == right.windows
  }

  /// Hashes the hours that are meant.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(windows)
  }
}

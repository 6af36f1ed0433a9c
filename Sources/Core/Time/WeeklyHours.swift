// Hours of the week in local time, and when they begin and end in a zone.
//
// Clock changes need no rule of their own. A window that would begin in a gap begins after it, a window inside a gap does
// not come that day, and a repeated hour is inside both times.

/// Hours of the week, such as working hours or nights; never empty.
///
/// A moment is inside if its local time is. Two values are equal if they mean the same hours, even if they are written
/// differently.
public struct WeeklyHours: Equatable, Sendable {
  /// The text as written.
  public let text: String
  /// The minutes of the week inside, from Sunday 00:00: ascending, separate, at least one range.
  let windows: [Range<Int>]

  public static let always = WeeklyHours(text: "always", minutes: [0..<CivilTime.minutesOfWeek])

  /// Joins ranges of minutes in any order; a range may run past the end of the week.
  init(text: String, minutes: [Range<Int>]) {
    self.text = text
    let pieces = minutes.flatMap { range -> [Range<Int>] in
      guard range.upperBound > CivilTime.minutesOfWeek else { return [range] }
      return [range.lowerBound..<CivilTime.minutesOfWeek, 0..<(range.upperBound - CivilTime.minutesOfWeek)]
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

  public func union(_ other: WeeklyHours) -> WeeklyHours {
    WeeklyHours(text: text + ", " + other.text, minutes: windows + other.windows)
  }

  var isAlways: Bool { windows.first?.count == CivilTime.minutesOfWeek }

  func contains(minute: Int) -> Bool {
    windows.contains { $0.contains(minute) }
  }

  public static func == (left: WeeklyHours, right: WeeklyHours) -> Bool {
    left.windows == right.windows
  }
}

extension WeeklyHours {
  func contains(_ moment: Instant, in zone: Zone) -> Bool {
    guard !isAlways else { return true }
    let second = OffsetPeriod.clamped(moment.secondsSince1970)
    return contains(local: second + zone.period(containing: second).offset)
  }

  /// The first moment inside at or after a moment.
  func firstMoment(atOrAfter moment: Instant, in zone: Zone) -> Instant {
    guard !contains(moment, in: zone) else { return moment }
    var second = OffsetPeriod.clamped(moment.secondsSince1970)
    while true {
      let period = zone.period(containing: second)
      let opening = opening(atOrAfter: second + period.offset) - period.offset
      guard opening >= period.end, period.end < OffsetPeriod.forever else {
        return Instant(secondsSince1970: opening)
      }
      second = period.end
    }
  }
}

/// The same in local time, in seconds since 1970-01-01 00:00:00 of the local calendar.
extension WeeklyHours {
  private func contains(local second: Int64) -> Bool {
    contains(minute: Self.minute(of: second))
  }

  private func opening(atOrAfter local: Int64) -> Int64 {
    guard !contains(local: local) else { return local }
    let minute = Self.minute(of: local)
    let first = windows.first { $0.lowerBound > minute }?.lowerBound
    let week = (local - Self.firstWeek).flooredDivision(by: Self.secondsOfWeek).quotient
    return week * Self.secondsOfWeek + Self.firstWeek
      + Int64(first ?? (windows[0].lowerBound + CivilTime.minutesOfWeek)) * 60
  }

  private static let secondsOfWeek = Int64(CivilTime.minutesOfWeek * 60)
  /// 1970 began on a Thursday.
  private static let firstWeek = Int64(-4 * CivilTime.minutesOfDay * 60)

  private static func minute(of local: Int64) -> Int {
    Int((local - firstWeek).flooredDivision(by: secondsOfWeek).remainder / 60)
  }
}

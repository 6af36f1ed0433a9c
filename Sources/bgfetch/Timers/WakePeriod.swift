// How often a timer starts a run.

import Core

/// A period that divides an hour or a day evenly, so that each hour and each day has the same moments.
struct WakePeriod: Hashable, Sendable {
  let minutes: Int

  /// The period of the shipped timer.
  static let standard = WakePeriod(minutes: 5)

  private init(minutes: Int) {
    self.minutes = minutes
  }

  /// Nil if the interval is not a number of minutes that divides an hour, or of hours that divides a day.
  init?(_ interval: Interval) {
    guard interval.seconds >= 60, interval.seconds.isMultiple(of: 60) else { return nil }
    let minutes = interval.seconds / 60
    guard minutes <= 60 ? 60 % minutes == 0 : minutes.isMultiple(of: 60) && 1440 % minutes == 0 else {
      return nil
    }
    self.init(minutes: Int(minutes))
  }

  /// The value of `OnCalendar=` (systemd.time(7)).
  var calendar: String {
    switch minutes {
    case 60: "hourly"
    case 1440: "daily"
    case ..<60: "*:0/\(minutes)"
    default: "0/\(minutes / 60):00"
    }
  }

  /// The five fields of crontab(5).
  var cronFields: String {
    switch minutes {
    case 1: "* * * * *"
    case 60: "0 * * * *"
    case 1440: "0 0 * * *"
    case ..<60: "*/\(minutes) * * * *"
    default: "0 */\(minutes / 60) * * *"
    }
  }
}

// What is predicted, in words.

extension HabitForecast {
  /// The forecast in a few words, for example `looks 07:20-07:50, 12:00 on working days; none yet at weekends`.
  public var text: String {
    guard predicts else {
      if days == 0 { return "no openings yet; a prediction takes \(Self.fewestDays) days with some" }
      return days < Self.fewestDays
        ? "openings on \(days) of the \(Self.fewestDays) days that a prediction takes"
        : "no habit: looks at no particular time"
    }
    return "looks \(working.text) on working days; \(weekend.text) at weekends"
  }
}

extension DayForecast {
  /// The peaks in words, to be read after `looks`.
  public var text: String {
    if isUnseen { return "none yet" }
    if isQuiet { return "hardly ever" }
    return peaks.isEmpty ? "at no particular time" : peaks.map(\.text).joined(separator: ", ")
  }
}

extension HabitPeak {
  /// The minute after its last one, which may be one of the next day, 0 to 1439.
  public var ends: Int { (begins + length) % LookHistogram.minutesOfDay }

  /// When it begins and ends, for example `07:20-07:50`; one that takes a minute is `12:00`.
  public var text: String {
    length > 1 ? "\(clockText(begins))-\(clockText(ends))" : clockText(begins)
  }
}

/// A minute of the day as clocks show it, for example `07:05`.
public func clockText(_ minute: Int) -> String {
  func digits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
  return digits(minute / 60 % 24) + ":" + digits(minute % 60)
}

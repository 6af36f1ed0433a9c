// `skipHours` and `skipDays` of RSS 2.0: when a document asks not to be fetched.

import Model
import Timing

extension FeedHints {
  /// The end of the hours and days to skip that a moment lies in; nil if it lies in none.
  ///
  /// Hours and days are those of UTC (the RSS 2.0 specification says GMT). A document that skips every hour
  /// or every day has said nothing that can be followed, and is not.
  func endOfSkip(from moment: Instant) -> Instant? {
    guard !skipHours.isEmpty || !skipDays.isEmpty, skipHours.count < 24, skipDays.count < 7 else {
      return nil
    }
    var seconds = moment.secondsSince1970
    // Each step passes an hour or a day: a week of hours is more than any skip can last.
    for _ in 0..<(7 * 24) {
      let civil = CivilTime(secondsSince1970: seconds)
      let hour = Int64(civil.minute * 60 + civil.second)
      if skipDays.contains(civil.weekday) {
        seconds += 86_400 - Int64(civil.hour * 3600) - hour
      } else if skipHours.contains(civil.hour) {
        seconds += 3600 - hour
      } else {
        return seconds == moment.secondsSince1970 ? nil : Instant(secondsSince1970: seconds)
      }
    }
    return nil
  }
}

// `skipHours` and `skipDays` of RSS 2.0: when a document asks not to be fetched.

extension FeedHints {
  /// The hours and days to skip, without a gap, that a moment lies in; nil if it lies in none.
  ///
  /// Hours and days are those of UTC (the RSS 2.0 specification says GMT). A document that skips every hour
  /// or every day has said nothing that can be followed, and is not.
  func skip(containing moment: Instant) -> Range<Instant>? {
    guard !skipHours.isEmpty || !skipDays.isEmpty, skipHours.count < 24, skipDays.count < 7 else {
      return nil
    }
    let civil = CivilTime(secondsSince1970: moment.secondsSince1970)
    var begin = moment - .seconds(Int64(civil.minute * 60 + civil.second))
    guard isSkipped(begin) else { return nil }
    var end = begin + .hours(1)
    // A week of hours is more than any skip can last.
    for _ in 0..<(7 * 24) where isSkipped(end) { end = end + .hours(1) }
    for _ in 0..<(7 * 24) where isSkipped(begin - .hours(1)) { begin = begin - .hours(1) }
    return begin..<end
  }

  /// Whether the hour that begins at a moment is one to skip.
  private func isSkipped(_ hour: Instant) -> Bool {
    let civil = CivilTime(secondsSince1970: hour.secondsSince1970)
    return skipHours.contains(civil.hour) || skipDays.contains(civil.weekday)
  }
}

// The three forms of a date in HTTP (RFC 9110 section 5.6.7).

extension Instant {
  /// Reads an HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
  /// `Sun Nov  6 08:49:37 1994`.
  ///
  /// The day of the week is not checked, `UTC` and `+0000` count as `GMT`, case does not matter. Any other
  /// zone gives nil, as does everything that is no date. A year of two digits that would lie more than 50
  /// years after `now` is the one a hundred years before.
  public init?(httpDate text: String, now: Instant) {
    var words = text.lowercased().split { " ,\t".contains($0) }
    guard let first = words.first, weekdays.contains(where: { first == $0 || first == $0.prefix(3) }) else {
      return nil
    }
    words.removeFirst()
    // All three come down to day, month, year and time, in this order.
    var isShortYear = false
    switch words.count {
    case 5 where zones.contains(words[4]): break
    case 4 where words[1].contains(":") == false && words[2].contains(":"):
      words = [words[1], words[0], words[3], words[2]]
    case 3 where zones.contains(words[2]):
      let date = words[0].split(separator: "-", omittingEmptySubsequences: false)
      guard date.count == 3 else { return nil }
      isShortYear = date[2].utf8.count == 2
      words = [date[0], date[1], date[2], words[1]]
    default: return nil
    }
    let time = words[3].split(separator: ":", omittingEmptySubsequences: false).map { number($0, 1...2) }
    guard let day = number(words[0], 1...2), let month = months.firstIndex(of: String(words[1])),
      var year = number(words[2], isShortYear ? 2...2 : 4...4), time.count == 3, let hour = time[0],
      let minute = time[1], let second = time[2], hour < 24, minute < 60, second <= 60
    else { return nil }
    if isShortYear {
      let thisYear = CivilTime(secondsSince1970: now.secondsSince1970).year
      year += thisYear / 100 * 100
      if year > thisYear + 50 { year -= 100 }
    }
    guard (1...CivilTime.daysInMonth(month + 1, year: year)).contains(day) else { return nil }
    let civil = CivilTime(year: year, month: month + 1, day: day, hour: hour, minute: minute)
    self.init(secondsSince1970: civil.secondsSince1970 + Int64(second))
  }
}

private let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
private let months = [
  "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
]
private let zones: Set<Substring> = ["gmt", "utc", "ut", "+0000", "-0000"]

/// A number of so many digits and nothing else.
private func number(_ text: Substring, _ lengths: ClosedRange<Int>) -> Int? {
  guard lengths.contains(text.utf8.count), isDigits(text) else { return nil }
  return Int(text)
}

/// Whether a text is ASCII digits and nothing else, and not empty.
func isDigits(_ text: some StringProtocol) -> Bool {
  !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
}

/// The value of digits, the largest there is where they are too many; nil for anything else.
func wholeNumber(_ text: some StringProtocol) -> Int64? {
  isDigits(text) ? Int64(text) ?? .max : nil
}

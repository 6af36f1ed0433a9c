// Numbers that podcasts give their episodes: playing times, seasons and episodes.

import Core

/// A playing time: seconds, minutes and seconds, or hours, minutes and seconds, with colons between them.
///
/// A fraction is cut off. Nil for zero, for anything else, and for more than 30 days, which no recording lasts.
func playingTime(_ bytes: UnsafeBufferPointer<UInt8>) -> Interval? {
  let text = trimmed(bytes)
  guard (1...20).contains(text.count) else { return nil }
  var seconds: Int64 = 0
  var parts = 0
  for part in text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
    parts += 1
    let whole = UnsafeBufferPointer(rebasing: part.prefix { $0 != UInt8(ascii: ".") })
    // Nine digits, so that no sum overflows.
    guard parts <= 3, whole.count <= 9, let value = number(whole) else { return nil }
    seconds = seconds * 60 + value
  }
  return (1...Interval.days(30).seconds).contains(seconds) ? .seconds(seconds) : nil
}

/// The number of a season or episode: a whole number from 1 on, with at most nine digits.
func ordinal(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
  let text = trimmed(bytes)
  guard text.count <= 9, let value = number(text), value > 0 else { return nil }
  return Int(value)
}

// Moments and intervals as options give them.

import Core

/// The longest accepted interval, as in the configuration: adding it to any time still gives a valid `Instant`.
private let longest = Interval.days(3650)

/// The error for an interval that is too long; nil if it is not.
func tooLongText(_ interval: Interval) -> String? {
  interval > longest ? "is too long; write \(longest.text) or less" : nil
}

/// The time that an option such as `--since` gives, which may be in the future; then nothing matches.
func pastMoment(_ text: String, of option: String, now: Instant, in zone: Zone) throws -> Instant {
  if let moment = Instant(text: text, from: now, isPast: true, in: zone) { return moment }
  throw ProgramFailure.usage(
    "\(option) \"\(text)\" is not a time; write 2d, monday, 18:00, 2026-11-21 or 2026-11-21T08:30:00Z")
}

/// The time that `--until` gives, which must be in the future.
func comingMoment(_ text: String, now: Instant, in zone: Zone) throws -> Instant {
  guard let moment = Instant(text: text, from: now, in: zone) else {
    throw ProgramFailure.usage(
      "--until \"\(text)\" is not a time; write 2d, 18:00, monday, \"tomorrow 8:00\", 2026-12-24 or 2026-12-24T08:00:00Z"
    )
  }
  if let tooLong = Interval(text: text).flatMap(tooLongText) {
    throw ProgramFailure.usage("--until \"\(text)\" \(tooLong)")
  }
  guard moment > now else {
    throw ProgramFailure.usage("--until \"\(text)\" has passed; write a time in the future, or resume")
  }
  return moment
}

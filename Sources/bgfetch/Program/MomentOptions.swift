// Moments as the command line gives them.

import Core

/// The longest length of time that is understood, as in the configuration: sums with it are moments that can be told.
private let longest = Interval.days(3650)

/// What is the matter with a length of time that is too long; nil if it is not.
func tooLongText(_ interval: Interval) -> String? {
  interval > longest ? "is too long; write \(longest.text) or less" : nil
}

/// The moment that `--since` gives, which may lie in the future: then nothing is that young.
func pastMoment(_ text: String, now: Instant, in zone: Zone) throws -> Instant {
  if let moment = Instant(text: text, before: now, in: zone) { return moment }
  throw ProgramFailure.usage(
    "--since \"\(text)\" is no time; write 2d, 12h, 2026-11-21 or 2026-11-21T08:30:00Z")
}

/// The moment that `--until` gives, which lies in the future.
func comingMoment(_ text: String, now: Instant, in zone: Zone) throws -> Instant {
  guard let moment = Instant(text: text, from: now, in: zone) else {
    throw ProgramFailure.usage(
      "--until \"\(text)\" is no time; write 2d, 2026-12-24, \"2026-12-24 08:00\" or 2026-12-24T08:00:00Z")
  }
  if let tooLong = Interval(text: text).flatMap(tooLongText) {
    throw ProgramFailure.usage("--until \"\(text)\" \(tooLong)")
  }
  guard moment > now else {
    throw ProgramFailure.usage("--until \"\(text)\" has passed; write a time to come, or unpause")
  }
  return moment
}

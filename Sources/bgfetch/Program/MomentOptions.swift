// Moments of the past as the command line gives them.

import Model
import Timing

/// A moment given as a length of time before now, as a date in a zone, or as RFC 3339.
func pastMoment(_ text: String, now: Instant, in zone: Zone) throws -> Instant {
  if let interval = Interval(text: text) { return now - interval }
  if let instant = Instant(rfc3339: text) ?? beginning(ofDay: text, in: zone) { return instant }
  throw ProgramFailure.usage(
    "--since \"\(text)\" is no time; write 2d, 12h, 2026-11-21 or 2026-11-21T08:30:00Z")
}

/// When a day begins in a zone, where clocks may skip midnight; nil if the text is no date.
private func beginning(ofDay text: String, in zone: Zone) -> Instant? {
  guard text.utf8.count == 10, let midnight = Instant(rfc3339: text + "T00:00:00Z") else { return nil }
  return switch zone.moments(of: CivilTime(secondsSince1970: midnight.secondsSince1970)) {
  case .once(let moment), .skipped(let moment), .twice(let moment, _): moment
  }
}

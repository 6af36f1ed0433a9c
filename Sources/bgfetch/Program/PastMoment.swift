// Moments of the past as the command line gives them.

import Model
import Timing

/// A moment given as a length of time before now, or as `Instant(text:from:in:)` reads it.
func pastMoment(_ text: String, now: Instant, in zone: Zone) throws -> Instant {
  if let length = Interval(text: text) { return now - length }
  if let moment = Instant(text: text, from: now, in: zone) { return moment }
  throw ProgramFailure.usage(
    "--since \"\(text)\" is no time; write 2d, 2026-11-21, \"2026-11-21 08:00\" or 2026-11-21T08:00:00Z")
}

// The text people write for a moment on a command line. What is stored and printed is TimestampText's.

extension Instant {
  /// Reads RFC 3339 text, a date or a date and time as clocks of a zone show it, or a length of time from now.
  ///
  /// `2026-12-24T08:00:00Z`, `2026-12-24 08:00`, `2026-12-24` (its beginning), `2d`. A time that clocks leave out is
  /// the first moment after the gap, one that they show twice the first of both. Nil if the text is none of these.
  public init?(text: String, from now: Instant, in zone: Zone) {
    guard let moment = Interval(text: text).map({ now + $0 }) ?? Instant(written: text, in: zone) else {
      return nil
    }
    self = moment
  }

  /// Reads the same for a moment of the past: a length of time leads back from now.
  public init?(text: String, before now: Instant, in zone: Zone) {
    guard let moment = Interval(text: text).map({ now - $0 }) ?? Instant(written: text, in: zone) else {
      return nil
    }
    self = moment
  }

  private init?(written text: String, in zone: Zone) {
    if let moment = Instant(rfc3339: text) {
      self = moment
      return
    }
    let shown = ["Z", ":00Z", "T00:00:00Z"].lazy.compactMap { Instant(rfc3339: text + $0) }.first
    guard let shown else { return nil }
    switch zone.moments(of: CivilTime(secondsSince1970: shown.secondsSince1970)) {
    case .once(let moment), .skipped(firstAfter: let moment), .twice(first: let moment, second: _):
      self = moment
    }
  }
}

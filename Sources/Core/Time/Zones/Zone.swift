// A time zone as a value: the offset at any moment. Reading zone files is ZoneFile's business, and finding them
// the caller's; which moments a local time names is in LocalMoments.swift.

/// A named rule from a moment to its offset from UTC in seconds, east positive.
public struct Zone: Hashable, Sendable {
  /// The zone's name as the user or the system gave it, for example `Europe/Berlin`.
  public let name: String
  /// The offset that holds before the first transition, in seconds.
  let initialOffset: Int
  /// Moments from which another offset holds, ascending.
  let transitions: [Transition]
  /// What holds after the last transition; nil keeps the last offset for ever.
  let footer: PosixRule?

  /// A moment and the offset in seconds that holds from it on.
  struct Transition: Hashable, Sendable {
    let at: Instant
    let offset: Int
  }

  /// Universal time.
  public static let utc = Zone(name: "UTC", initialOffset: 0, transitions: [], footer: nil)
}

extension Zone {
  /// A zone from the text that the environment variable TZ may hold, for example `CET-1CEST,M3.5.0,M10.5.0/3`.
  ///
  /// The rule holds in all years. Nil if the text is no such rule (POSIX XBD 8.3, RFC 9636 §3.3.1); the name of a
  /// zone file, with or without a colon before it, is none.
  public init?(name: String, posix text: String) {
    guard let rule = PosixRule(text: text) else { return nil }
    self.init(name: name, initialOffset: rule.standardOffset, transitions: [], footer: rule)
  }

  /// Seconds to add to UTC for the local time at a moment; negative west of Greenwich.
  public func offset(at moment: Instant) -> Int {
    Int(period(containing: moment.secondsSince1970).offset)
  }

  /// What clocks in this zone show at a moment.
  public func civil(at moment: Instant) -> CivilTime {
    let seconds = OffsetPeriod.clamped(moment.secondsSince1970)
    return CivilTime(secondsSince1970: seconds + period(containing: seconds).offset)
  }
}

// The only place that reads a clock.

public import Core
import Glibc

/// The time of day, or a fixed moment for tests.
public struct WallClock: Equatable, Sendable {
  private let frozen: Instant?
  /// The milliseconds that are added to the system's clock.
  public private(set) var correction: Int64 = 0

  public init() {
    frozen = nil
  }

  public init(frozenAt moment: Instant) {
    frozen = moment
  }

  /// The clock of another machine that showed a moment between two readings of this one; a fixed clock stays as it is.
  public func set(to moment: Timestamp, between before: Timestamp, and after: Timestamp) -> WallClock {
    var clock = self
    let middle = (before.millisecondsSince1970 + after.millisecondsSince1970) / 2
    if !isFrozen { clock.correction += moment.millisecondsSince1970 - middle }
    return clock
  }

  /// The system's clock, or the moment in `BGFETCH_NOW` (RFC 3339) if that is not empty.
  public init(environment: [String: String]) throws(MalformedClock) {
    guard let text = environment["BGFETCH_NOW"], !text.isEmpty else {
      frozen = nil
      return
    }
    guard let moment = Instant(rfc3339: text) else { throw MalformedClock(text: text) }
    frozen = moment
  }

  public var isFrozen: Bool { frozen != nil }

  public func now() -> Instant {
    guard correction == 0 else { return timestamp().instant }
    return frozen ?? Instant(secondsSince1970: Int64(time(nil)))
  }

  /// The current moment in milliseconds; a fixed clock shows the beginning of its second.
  public func timestamp() -> Timestamp {
    if let frozen { return Timestamp(frozen) }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Timestamp(
      millisecondsSince1970: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000 + correction)
  }

  /// Milliseconds of a clock that is never set and never frozen, for measuring durations.
  ///
  /// It stops while the machine sleeps, so that a time limit does not pass in a closed laptop.
  public static func monotonicMilliseconds() -> Int64 { monotonicMicroseconds() / 1000 }

  /// The same in microseconds.
  static func monotonicMicroseconds() -> Int64 {
    var time = timespec()
    // Cannot fail: every Linux has this clock (clock_gettime(2)).
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}

/// A `BGFETCH_NOW` that is not an RFC 3339 time.
public struct MalformedClock: Error, Equatable, Sendable {
  public let text: String
}

extension Duration {
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000
  }
}

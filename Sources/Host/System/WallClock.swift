// The only place that reads a clock.

public import Core
import Glibc

/// The time of day, or a moment that stands still for tests.
public struct WallClock: Hashable, Sendable {
  private let frozen: Instant?

  /// The system's clock.
  public init() {
    frozen = nil
  }

  /// A clock that always shows one moment.
  public init(frozenAt moment: Instant) {
    frozen = moment
  }

  /// The system's clock, or the moment in `BGFETCH_NOW` (RFC 3339) where that is set and not empty.
  public init(environment: [String: String]) throws(MalformedClock) {
    guard let text = environment["BGFETCH_NOW"], !text.isEmpty else {
      frozen = nil
      return
    }
    guard let moment = Instant(rfc3339: text) else { throw MalformedClock(text: text) }
    frozen = moment
  }

  /// Whether it always shows one moment.
  public var isFrozen: Bool { frozen != nil }

  /// The present moment.
  public func now() -> Instant {
    frozen ?? Instant(secondsSince1970: Int64(time(nil)))
  }

  /// The present moment to the millisecond; where the clock stands still, always the beginning of its second.
  public func timestamp() -> Timestamp {
    if let frozen { return Timestamp(frozen) }
    var now = timespec()
    // Cannot fail, as below.
    clock_gettime(CLOCK_REALTIME, &now)
    return Timestamp(millisecondsSince1970: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
  }

  /// Milliseconds since some moment before, for measuring lengths of time.
  ///
  /// They never go back, are not frozen, and stand still while the machine sleeps: a time limit does not run
  /// out in a closed laptop.
  public static func monotonicMilliseconds() -> Int64 {
    var now = timespec()
    // Cannot fail: the clock exists on every Linux, and the pointer is ours.
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}

/// A `BGFETCH_NOW` that is no RFC 3339 time.
public struct MalformedClock: Error, Hashable, Sendable {
  /// What it says instead.
  public let text: String

  /// A text that is no time.
  public init(text: String) {
    self.text = text
  }
}

extension Duration {
  /// The length in whole milliseconds.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000
  }
}

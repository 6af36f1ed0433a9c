// The clock that limits of time and rates are measured by.

private import Glibc

/// A moment of the clock that nobody sets and that stands still while the machine sleeps, in nanoseconds.
struct MonotonicTime: Comparable {
  let nanoseconds: Int64

  /// Now.
  static func now() -> MonotonicTime {
    var time = timespec()
    // Cannot fail: every Linux has this clock (clock_gettime(2)).
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func < (one: MonotonicTime, other: MonotonicTime) -> Bool { one.nanoseconds < other.nanoseconds }

  /// The seconds from another moment to this one.
  static func - (one: MonotonicTime, other: MonotonicTime) -> Double {
    Double(one.nanoseconds - other.nanoseconds) / 1e9
  }

  /// A moment so many seconds later.
  static func + (one: MonotonicTime, seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: one.nanoseconds + Int64(seconds * 1e9))
  }
}

// A timer on the time of day, which also goes off when that is set, through timerfd_create(2).

import CLinux
import Core
import Glibc

/// A timer that goes off at a moment of the time of day, however the clock came to show it, and when the clock is set.
///
/// A moment that passed while the machine slept is noticed when it wakes, and so is the waking itself.
final class ClockTimer: Sendable {
  /// What a timer went off for.
  enum News: Hashable {
    /// The moment has come.
    case time
    /// The clock was set, or the machine woke.
    case clockSet
  }

  /// To be waited for: readable when it has gone off.
  let timer: Descriptor

  init() throws(SystemError) {
    timer = Descriptor(owning: try systemCall { bgfetch_clock_timer() })
  }

  /// Goes off at a moment, once, and at none that was set before; nil is in a year, so that a set clock is noticed.
  ///
  /// - Returns: whether the clock was set since the last time it was asked.
  func set(_ moment: Instant?) -> Bool {
    let year: Int64 = 365 * 86_400
    let seconds = max(1, moment?.secondsSince1970 ?? Int64(time(nil)) + year)
    // time(2) shows the second that the last tick of the kernel saw: right at its beginning, it is still the one before.
    // The slowest tick is 10 ms.
    let outcome = timer.borrow { bgfetch_set_clock_timer($0, time_t(seconds), 20_000_000) }
    // Nothing else can fail here. It is set all the same.
    return outcome == -1 && errno == ECANCELED
  }

  /// What it went off for; nil if it has not.
  func news() -> News? {
    do throws(SystemError) {
      return try timer.read(atMost: MemoryLayout<UInt64>.size).isEmpty ? nil : .time
    } catch {
      return error.code == ECANCELED ? .clockSet : nil
    }
  }
}

// The time that the fetch or the downloads of a run may take, as moments: the warning and the end.

import Core

/// When the fetch or the downloads warn and end, in the machine's milliseconds.
struct Budget: Sendable {
  /// The moment after which nothing new is started; nil means never.
  let warning: Int64?
  /// The moment at which running work is suspended; nil means never.
  let end: Int64?

  /// - Parameter deadline: the end of the whole run, in the machine's milliseconds; nil is never.
  init(from start: Int64, lasting budget: Interval? = nil, until deadline: Int64? = nil) {
    end = [deadline, budget.map { start + $0.seconds * 1000 }].compactMap(\.self).min()
    // Ten seconds are enough for hooks of run-expired, and half of the time that systemd gives a unit to stop.
    warning = end.map { $0 - min(10_000, max(0, $0 - start) / 5) }
  }

  /// Whether nothing new is started.
  func shouldStop(at now: Int64) -> Bool { warning.map { now >= $0 } ?? false }

  /// Whether running work is suspended.
  func isOver(at now: Int64) -> Bool { end.map { now >= $0 } ?? false }

  /// The next of the two moments; nil if both are past or there are none.
  func next(after now: Int64) -> Int64? { [warning, end].compactMap { $0 }.filter { $0 > now }.min() }
}

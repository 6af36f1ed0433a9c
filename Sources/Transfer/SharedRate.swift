// How fast all downloads may be together, and whose turn it is: pure bookkeeping that knows nothing of libcurl.

import Core

/// Bytes that become available at a steady rate, and the downloads that take them.
///
/// A download takes what has come for it; once nothing is available it is refused, and waits. Those that wait are let on
/// in turn, an equal part of what there is by then set aside for each. A piece is taken whole, also where less is left:
/// what was taken too much is waited for by all, and is part of the next turn of the one that took it. Nothing is saved
/// up for longer than a moment.
///
/// A class because every exchange asks it; it lives on the loop's thread alone.
final class SharedRate {
  /// What there is to gather before anybody is let on, in seconds, so that a low rate does not keep the machine busy.
  private static let step = 0.02
  /// The most that is saved up, in seconds: what a thread that comes late has missed is not lost.
  private static let reserve = 0.25

  private struct Taker {
    /// What was set aside for it; below zero where it took more than that.
    var credit = 0.0
    var hold = Hold()
  }

  /// How long something was held up.
  private struct Hold {
    var began: MonotonicTime?
    var seconds = 0.0

    mutating func end(at now: MonotonicTime) {
      if let began { seconds += now - began }
      began = nil
    }

    /// The seconds since the last call.
    mutating func take(at now: MonotonicTime) -> Double {
      defer { seconds = 0 }
      if began != nil {
        end(at: now)
        began = now
      }
      return seconds
    }
  }

  private let bytesPerSecond: Double
  private var available = 0.0
  private var counted: MonotonicTime?
  private var takers: [Ticket: Taker] = [:]
  private var waiting: [Ticket] = []

  /// Nobody takes anything yet.
  init(_ rate: ByteCount) { bytesPerSecond = Double(max(1, rate.bytes)) }

  /// The size of the pieces to ask libcurl for: a twentieth of a second, so that the rate is even.
  var pieceSize: Int { Int(min(max(bytesPerSecond / 20, 1024), 256 * 1024)) }

  /// Notes a download that begins.
  func add(_ ticket: Ticket, at now: MonotonicTime) {
    if takers.isEmpty {
      // What came while there was nothing to do is gone; what was taken too much is still owed.
      gather(now)
      available = min(available, 0)
    }
    takers[ticket] = Taker()
  }

  /// Forgets a download that ended.
  func remove(_ ticket: Ticket) {
    guard let taker = takers.removeValue(forKey: ticket) else { return }
    available += max(0, taker.credit)
    waiting.removeAll { $0 == ticket }
  }

  /// Whether a download may have a piece of so many bytes, which it then took; if not, it waits.
  func take(_ count: Int, by ticket: Ticket, at now: MonotonicTime) -> Bool {
    gather(now)
    if let credit = takers[ticket]?.credit, credit > 0 {
      let rest = credit - Double(count)
      takers[ticket]?.credit = rest
      available += min(0, rest)
      return true
    }
    if available > 0, waiting.isEmpty {
      available -= Double(count)
      return true
    }
    waiting.append(ticket)
    takers[ticket]?.hold.began = now
    return false
  }

  /// The download to let on now, which then no longer waits; nil if none may go on.
  func next(at now: MonotonicTime) -> Ticket? {
    gather(now)
    while available >= needed, let ticket = waiting.first {
      waiting.removeFirst()
      guard var taker = takers[ticket] else { continue }
      let part = max(available / Double(waiting.count + 1), 1024)
      // One that had far more than its part in its last turn goes without this one.
      taker.credit += part
      let mayGoOn = taker.credit > 0
      if mayGoOn {
        available -= taker.credit
        taker.hold.end(at: now)
      } else {
        waiting.append(ticket)
      }
      takers[ticket] = taker
      if mayGoOn { return ticket }
    }
    return nil
  }

  /// The seconds until a download may go on; nil if none waits.
  func secondsToNext(at now: MonotonicTime) -> Double? {
    gather(now)
    return waiting.isEmpty ? nil : max(0, needed - available) / bytesPerSecond
  }

  /// For how many seconds a download waited since this was last asked.
  func secondsHeld(_ ticket: Ticket, at now: MonotonicTime) -> Double {
    takers[ticket]?.hold.take(at: now) ?? 0
  }

  private var needed: Double { max(1, bytesPerSecond * Self.step) }

  private func gather(_ now: MonotonicTime) {
    defer { counted = now }
    guard let counted else { return }
    available = min(
      available + (now - counted) * bytesPerSecond, max(needed, bytesPerSecond * Self.reserve))
  }
}

// Limits of downloads: the server's time and the shared rate. Pure bookkeeping without libcurl.

import Core
private import Glibc

/// The time limits of one download.
///
/// A body may take any time, unless its average speed falls below `network.stall`. The head must come within
/// `network.timeout`, and so must the body of a redirect or error. libcurl's own limits are not used: they would count time
/// in which the transfer waited for the rate limit, and would end long files.
struct Patience {
  /// The average is kept in this many parts, which bounds how late a stall is noticed.
  private static let partCount = 8
  /// The most seconds that one check counts: if our thread was late, that is not the server's fault.
  private static let longestStep = 1.5

  private enum Phase {
    case connecting, head, body, refusal
  }

  private let stall: StallLimit
  private let timeout: Interval
  private var phase = Phase.connecting
  /// The bytes of the last parts, newest last.
  private var parts: [Int64] = []
  private var bytes: Int64 = 0
  private var secondsOfPart = 0.0
  private var secondsOfPhase = 0.0

  /// Begins with connecting, for which libcurl has a limit.
  init(_ network: NetworkSettings) {
    stall = network.stall
    timeout = network.timeout
  }

  /// The request is being sent.
  mutating func connected() { phase = .head }

  /// The head is complete.
  mutating func receivedHead(isWanted: Bool) {
    phase = isWanted ? .body : .refusal
    secondsOfPhase = 0
  }

  mutating func take(_ count: Int) { bytes += Int64(count) }

  /// Counts time in which bytes could have arrived; returns the failure if it was too long.
  mutating func pass(_ seconds: Double) -> FetchFailure? {
    guard phase != .connecting else { return nil }
    let seconds = min(max(0, seconds), Self.longestStep)
    secondsOfPhase += seconds
    if hasTimeout, timeout > .zero, secondsOfPhase >= Double(timeout.seconds) { return .timeout(timeout) }
    return hasStall && stall.below.bytes > 0 && isStalled(seconds) ? .stalled(stall) : nil
  }

  private var hasTimeout: Bool { phase == .head || phase == .refusal }

  /// Before the head only the timeout counts: a server may take long to prepare a response and then send it fast.
  private var hasStall: Bool { phase == .body || phase == .refusal }

  private mutating func isStalled(_ seconds: Double) -> Bool {
    let partLength = Double(stall.for.seconds) / Double(Self.partCount)
    secondsOfPart += seconds
    while secondsOfPart >= partLength {
      secondsOfPart -= partLength
      parts.append(bytes)
      bytes = 0
      if parts.count > Self.partCount { parts.removeFirst() }
      let sum = Double(parts.reduce(0, +))
      if parts.count == Self.partCount, sum < Double(stall.below.bytes) * Double(stall.for.seconds) {
        return true
      }
    }
    return false
  }
}

/// The rate limit of all downloads together (a token bucket), shared fairly.
///
/// Bytes become available at a steady rate. A download that finds none available waits. Waiting downloads continue in
/// turn, each with an equal share of the available bytes. A piece is always taken whole; the debt delays all, and counts
/// towards the next turn of the download that took it. At most a quarter of a second of bytes is saved up.
///
/// A class, because all exchanges of the thread share it.
final class SharedRate {
  /// The least amount for a turn, in seconds of the rate, so that a low rate does not cause many wake-ups.
  private static let step = 0.02
  /// The most that is saved up, in seconds of the rate, so that a late thread loses nothing.
  private static let reserve = 0.25

  private struct Taker {
    /// Its share of bytes; negative after it took more.
    var credit = 0.0
    var hold = Hold()
  }

  /// How long a download waited for the rate limit.
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

  init(_ rate: ByteCount) { bytesPerSecond = Double(max(1, rate.bytes)) }

  /// The size of reads: a twentieth of a second of the rate, so that the rate is even.
  var pieceSize: Int { Int(min(max(bytesPerSecond / 20, 1024), 256 * 1024)) }

  func add(_ ticket: Ticket, at now: MonotonicTime) {
    if takers.isEmpty {
      // Bytes of idle time are lost; a debt remains.
      gather(now)
      available = min(available, 0)
    }
    takers[ticket] = Taker()
  }

  func remove(_ ticket: Ticket) {
    guard let taker = takers.removeValue(forKey: ticket) else { return }
    available += max(0, taker.credit)
    waiting.removeAll { $0 == ticket }
  }

  /// Takes a piece for a download; false if it must wait.
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

  /// The next download that may continue; nil if none may.
  func next(at now: MonotonicTime) -> Ticket? {
    gather(now)
    while available >= needed, let ticket = waiting.first {
      waiting.removeFirst()
      guard var taker = takers[ticket] else { continue }
      let part = max(available / Double(waiting.count + 1), 1024)
      // A download with a large debt from its last turn misses this one.
      taker.credit += part
      let canContinue = taker.credit > 0
      if canContinue {
        available -= taker.credit
        taker.hold.end(at: now)
      } else {
        waiting.append(ticket)
      }
      takers[ticket] = taker
      if canContinue { return ticket }
    }
    return nil
  }

  /// The seconds until a download may continue; nil if none waits.
  func secondsToNext(at now: MonotonicTime) -> Double? {
    gather(now)
    return waiting.isEmpty ? nil : max(0, needed - available) / bytesPerSecond
  }

  /// The seconds that a download waited since the last call.
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

/// A moment of the monotonic clock in nanoseconds; it stops while the machine sleeps.
struct MonotonicTime: Comparable {
  let nanoseconds: Int64

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

  static func + (one: MonotonicTime, seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: one.nanoseconds + Int64(seconds * 1e9))
  }
}

// How long a download waits for its server: pure bookkeeping. libcurl's own limits would count the time in which we
// held the transfer up ourselves, and end a long file for being long.

import Core

/// The time that one download's server has.
///
/// A body may take as long as it likes unless it is slower than `network.stall` allows, on average over its length of
/// time. The head of the answer has to be there within `network.timeout`; whatever is no such body, a redirect or an
/// error, has to be over within that, too.
struct Patience {
  /// In how many parts the average is kept; it is found out that much later at most.
  private static let partCount = 8
  /// The most that one look counts, in seconds: if the thread came late, the server is not to blame.
  private static let longestLook = 1.5

  private enum Phase {
    case connecting, head, body, refusal
  }

  private let stall: StallLimit
  private let timeout: Interval
  private var phase = Phase.connecting
  /// The bytes of the last parts, the newest last.
  private var parts: [Int64] = []
  private var bytes: Int64 = 0
  private var secondsOfPart = 0.0
  private var secondsOfPhase = 0.0

  /// Patience with a server that is being connected to, for which libcurl has a limit.
  init(_ network: NetworkSettings) {
    stall = network.stall
    timeout = network.timeout
  }

  /// The request is sent now.
  mutating func connected() { phase = .head }

  /// The head is there; whether its body is what was asked for.
  mutating func answered(isWanted: Bool) {
    phase = isWanted ? .body : .refusal
    secondsOfPhase = 0
  }

  /// Bytes of a body came.
  mutating func take(_ count: Int) { bytes += Int64(count) }

  /// Lets time pass in which bytes could have come; gives the failure if that was too long.
  mutating func pass(_ seconds: Double) -> FetchFailure? {
    guard phase != .connecting else { return nil }
    let seconds = min(max(0, seconds), Self.longestLook)
    secondsOfPhase += seconds
    if hasTimeout, timeout > .zero, secondsOfPhase >= Double(timeout.seconds) { return .timeout(timeout) }
    return hasStall && stall.below.bytes > 0 && isStalled(seconds) ? .stalled(stall) : nil
  }

  private var hasTimeout: Bool {
    switch phase {
    case .connecting, .body: false
    case .head, .refusal: true
    }
  }

  /// A server may take its time for an answer, and send that at once.
  private var hasStall: Bool {
    switch phase {
    case .connecting, .head: false
    case .body, .refusal: true
    }
  }

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

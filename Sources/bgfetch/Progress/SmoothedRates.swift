// Rates that a person can read: without the jumps of single moments.

import Sync

/// How fast each transfer is, over the last seconds.
struct SmoothedRates {
  private var rates: [Int64: (received: Int64, rate: Double, at: Int64)] = [:]

  /// How long a moment counts, in milliseconds.
  private static let memory = 4000.0

  /// No transfers yet.
  init() {}

  /// Takes how far transfers are at a moment, in milliseconds that only ever grow, and gives the same with smoothed rates.
  ///
  /// Transfers that are not among them are forgotten.
  mutating func take(_ running: [TransferProgress], at now: Int64) -> [TransferProgress] {
    var next: [Int64: (received: Int64, rate: Double, at: Int64)] = [:]
    let smoothed = running.map { progress in
      var progress = progress
      let number = progress.line.number
      let rate = rate(of: progress, at: now)
      next[number] = (progress.received, rate, max(now, rates[number]?.at ?? now))
      progress.bytesPerSecond = Int64(rate)
      return progress
    }
    rates = next
    return smoothed
  }

  private func rate(of progress: TransferProgress, at now: Int64) -> Double {
    // What starts over has a new beginning.
    guard let last = rates[progress.line.number], last.received <= progress.received else {
      return Double(max(0, progress.bytesPerSecond))
    }
    let elapsed = Double(now - last.at)
    guard elapsed > 0 else { return last.rate }
    let present = Double(progress.received - last.received) * 1000 / elapsed
    return last.rate + (present - last.rate) * elapsed / (Self.memory + elapsed)
  }
}

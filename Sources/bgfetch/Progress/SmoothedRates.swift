// Rates that a person can read: without the jumps of single moments.

import Sync

/// How fast each transfer is, over the last seconds.
struct SmoothedRates {
  /// How fast a transfer was at its last moment, and since when it is known.
  private struct Known {
    var received: Int64
    var rate: Double
    var since: Int64
    var at: Int64
  }

  private var known: [Int64: Known] = [:]

  /// How long a moment counts, in milliseconds.
  private static let memory = 4000.0

  /// No transfers yet.
  init() {}

  /// Takes how far transfers are at a moment, in milliseconds that only ever grow, and gives the same with smoothed rates.
  ///
  /// Transfers that are not among them are forgotten.
  mutating func take(_ running: [TransferProgress], at now: Int64) -> [TransferProgress] {
    var next: [Int64: Known] = [:]
    let smoothed = running.map { progress in
      var progress = progress
      let known = known(of: progress, at: now)
      next[progress.line.number] = known
      progress.bytesPerSecond = Int64(known.rate)
      return progress
    }
    known = next
    return smoothed
  }

  /// The mean since the beginning first, and from then on that of the last seconds.
  private func known(of progress: TransferProgress, at now: Int64) -> Known {
    // What starts over has a new beginning.
    guard var last = known[progress.line.number], last.received <= progress.received else {
      let rate = Double(max(0, progress.bytesPerSecond))
      return Known(received: progress.received, rate: rate, since: now, at: now)
    }
    let elapsed = Double(now - last.at)
    guard elapsed > 0 else { return last }
    let present = Double(progress.received - last.received) * 1000 / elapsed
    last.rate += (present - last.rate) * elapsed / min(Double(now - last.since), Self.memory + elapsed)
    last.received = progress.received
    last.at = now
    return last
  }
}

// The progress of transfers, for reports.

package import Core
import Synchronization

/// The progress of one transfer.
package struct TransferProgress: Equatable, Sendable {
  package var transfer: Transfer
  /// The bytes received so far.
  package var received: Int64
  /// The size of the file; nil if the server did not say.
  package var total: Int64?
  /// The smoothed rate.
  package var bytesPerSecond: Int64

  package init(transfer: Transfer, received: Int64, total: Int64?, bytesPerSecond: Int64) {
    (self.transfer, self.received, self.total) = (transfer, received, total)
    self.bytesPerSecond = bytesPerSecond
  }
}

/// The progress of the running transfers.
final class ProgressBoard: Sendable {
  private struct Entry: Sendable {
    var transfer: Transfer
    var received: @Sendable () -> (bytes: Int64, total: Int64?)
    var last: Int64?
    var rate: Double?
  }

  private struct State: Sendable {
    var entries: [Int64: Entry] = [:]
    var lastSnapshot: Int64?
  }

  private let state = Mutex(State())

  /// The weight of a new measurement in the smoothed rate.
  private static let weight = 0.3

  /// Adds a running transfer; `received` is its progress.
  func add(_ transfer: Transfer, received: @escaping @Sendable () -> (bytes: Int64, total: Int64?)) {
    state.withLock { $0.entries[transfer.number] = Entry(transfer: transfer, received: received) }
  }

  func remove(_ number: Int64) {
    _ = state.withLock { $0.entries.removeValue(forKey: number) }
  }

  /// The progress of all transfers, in the order of their numbers.
  func snapshot(at now: Int64) -> [TransferProgress] {
    state.withLock { state in
      let elapsed = state.lastSnapshot.map { now - $0 } ?? 0
      state.lastSnapshot = now
      return state.entries.keys.sorted().compactMap { number -> TransferProgress? in
        guard var entry = state.entries[number] else { return nil }
        let (bytes, total) = entry.received()
        if let last = entry.last, elapsed > 0 {
          let speed = Double(max(0, bytes - last)) * 1000 / Double(elapsed)
          entry.rate = entry.rate.map { $0 + (speed - $0) * Self.weight } ?? speed
        }
        entry.last = bytes
        state.entries[number] = entry
        return TransferProgress(
          transfer: entry.transfer, received: bytes, total: total,
          bytesPerSecond: Int64(min(entry.rate ?? 0, 0x1p60))
        )
      }
    }
  }
}

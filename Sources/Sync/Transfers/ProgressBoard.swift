// How far the transfers under way are: asked by whoever reports, fed by nobody but the files themselves.

import Core
import Synchronization

/// How far the transfers under way are.
final class ProgressBoard: Sendable {
  private struct Entry: Sendable {
    var line: TransferLine
    var received: @Sendable () -> (bytes: Int64, total: Int64?)
    var last: Int64?
    var rate: Double?
  }

  private struct State: Sendable {
    var entries: [Int64: Entry] = [:]
    var lastLook: Int64?
  }

  private let state = Mutex(State())

  /// How much of a new measurement counts against those before it.
  private static let weight = 0.3

  /// Notes a transfer that is under way, by how it can be asked.
  func add(_ line: TransferLine, received: @escaping @Sendable () -> (bytes: Int64, total: Int64?)) {
    state.withLock { $0.entries[line.number] = Entry(line: line, received: received) }
  }

  /// Forgets a transfer.
  func remove(_ number: Int64) {
    _ = state.withLock { $0.entries.removeValue(forKey: number) }
  }

  /// How far all of them are, in the order of their numbers.
  func look(at now: Int64) -> [TransferProgress] {
    state.withLock { state in
      let elapsed = state.lastLook.map { now - $0 } ?? 0
      state.lastLook = now
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
          line: entry.line, received: bytes, total: total, bytesPerSecond: Int64(entry.rate ?? 0))
      }
    }
  }
}

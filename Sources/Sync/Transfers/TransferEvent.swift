// What happens in a transfer phase, as it happens.

public import Core
import Synchronization

/// What happens in a transfer phase, as it happens.
public enum TransferEvent: Hashable, Sendable {
  /// An attempt got its answer: from how many bytes it goes on; where it starts over, why.
  case began(TransferLine, offset: Int64, reason: String?)
  /// How far all transfers under way are, at most twice a second.
  case progress([TransferProgress])
  /// A file has its final name.
  case placed(TransferLine, PlacedFile)
  /// The server says that the file that is there has not changed.
  case unchanged(TransferLine)
  /// A transfer failed for good.
  case failed(TransferLine, reason: String)
  /// An attempt ended before the file was whole: the transfer is queued again, suspended, or was cancelled meanwhile.
  case left(TransferLine, TransferStatus, reason: String)
  /// A file was removed by `keep`.
  case removed(FeedName, PlacedFile)
  /// A file system has less room than `free-space` asks for: transfers to it are suspended.
  case lowSpace(path: String, free: ByteCount, floor: ByteCount)
  /// A documents directory that was there is gone: transfers to it are suspended.
  case directoryGone(path: String)
  /// A documents directory cannot be written, because it is full or may not be; why, in words.
  case directoryUnusable(path: String, reason: String)
}

/// What a transfer is called.
public struct TransferLine: Hashable, Sendable {
  /// The store's number for it.
  public var number: Int64
  /// Its feed.
  public var feed: FeedName
  /// What people call it.
  public var description: String

  /// What a transfer is called.
  public init(number: Int64, feed: FeedName, description: String) {
    self.number = number
    self.feed = feed
    self.description = description
  }

  /// What a transfer is called.
  public init(_ transfer: Transfer) {
    self.init(number: transfer.number, feed: transfer.feed, description: transfer.description)
  }
}

/// How far one transfer is.
public struct TransferProgress: Hashable, Sendable {
  /// Which one.
  public var line: TransferLine
  /// How many bytes are there.
  public var received: Int64
  /// How many there will be; nil if the server did not say.
  public var total: Int64?
  /// How many came in the last second, smoothed.
  public var bytesPerSecond: Int64

  /// How far a transfer is.
  public init(line: TransferLine, received: Int64, total: Int64?, bytesPerSecond: Int64) {
    self.line = line
    self.received = received
    self.total = total
    self.bytesPerSecond = bytesPerSecond
  }
}

/// What a transfer phase came to, in numbers.
public struct TransferTotals: Hashable, Sendable {
  /// Files that were placed.
  public var finished = 0
  /// Those of them, and of those that are not whole yet, that went on where an earlier process had stopped.
  public var resumed = 0
  /// Transfers that failed for good.
  public var failed = 0
  /// Transfers that wait for a later run.
  public var left = 0

  /// Nothing happened.
  public init() {}

  /// Adds what came after it.
  mutating func add(_ later: TransferTotals) {
    finished += later.finished
    resumed += later.resumed
    failed += later.failed
    left = later.left
  }
}
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
/// What the transfers of a run came to, for example `4 transfers (2 resumed)`, `1 transfer failed`, `3 transfers wait`.
///
/// - Parameters:
///   - finished: transfers that finished.
///   - resumed: those of them that went on where an earlier attempt had stopped.
///   - failed: transfers that failed for good.
///   - unsettled: transfers that wait for a later run.
/// - Returns: the parts in this order; what there is nothing to say of is left out.
func transferSummary(finished: Int, resumed: Int, failed: Int, unsettled: Int) -> [String] {
  func counted(_ count: Int) -> String { "\(count) \(count == 1 ? "transfer" : "transfers")" }
  var parts: [String] = []
  if finished > 0 { parts.append(counted(finished) + (resumed > 0 ? " (\(resumed) resumed)" : "")) }
  if failed > 0 { parts.append("\(counted(failed)) failed") }
  if unsettled > 0 { parts.append("\(counted(unsettled)) \(unsettled == 1 ? "waits" : "wait")") }
  return parts
}

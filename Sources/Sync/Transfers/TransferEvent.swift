// What happens in a transfer phase, as it happens.

public import Core

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

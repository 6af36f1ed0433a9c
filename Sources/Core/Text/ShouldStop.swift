// How pure code that may run long learns that it should stop.

/// Whether long work should stop, for example because its task was cancelled.
///
/// Pure code that may run long on hostile input asks now and then, so that it needs no clock. Its result is then useless.
public typealias ShouldStop = @Sendable () -> Bool

/// The number of bytes read between two calls of `shouldStop`: at most some milliseconds of work.
public let stopCheckDistance = 1 << 16

/// Asks `shouldStop` whenever a reader has moved on by `stopCheckDistance`.
public struct StopCheck: Sendable {
  /// Whether reading must end.
  public private(set) var isStopped = false
  @usableFromInline var next = stopCheckDistance
  private let shouldStop: ShouldStop

  public init(_ shouldStop: @escaping ShouldStop) { self.shouldStop = shouldStop }

  /// Whether reading must end at a position; after a stop also at any earlier one.
  @inlinable public mutating func stops(at position: Int) -> Bool {
    position >= next && mustStop(at: position)
  }

  @usableFromInline mutating func mustStop(at position: Int) -> Bool {
    isStopped = isStopped || shouldStop()
    next = isStopped ? 0 : position + stopCheckDistance
    return isStopped
  }
}

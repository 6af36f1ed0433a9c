// How pure code that may run long learns that it should stop.

/// Whether long work should stop, for example because its task was cancelled.
///
/// Pure code that may run long on hostile input asks now and then, so that it needs no clock. Its result is then useless.
public typealias ShouldStop = @Sendable () -> Bool

/// The number of bytes read between two calls of `shouldStop`: at most some milliseconds of work.
public let stopCheckDistance = 1 << 16

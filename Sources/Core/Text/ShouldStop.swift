// Stops long work on hostile input. Pure code asks a closure now and then, so it needs no clock.

/// Whether work should stop, for example because its task was cancelled or its time is over.
///
/// Long work asks now and then, every so many bytes or items; what it has done by then is worth nothing.
public typealias ShouldStop = @Sendable () -> Bool

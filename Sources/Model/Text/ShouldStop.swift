// How long work over hostile input is stopped: by asking, so that whoever decides without a clock needs none.

/// Whether work should stop, for example because its task was cancelled or its time is over.
///
/// Long work asks now and then, every so many bytes or items; what it has done by then is worth nothing.
public typealias ShouldStop = @Sendable () -> Bool

// The lock that keeps runs apart, as the run sees it.

/// The run lock, held when a run begins.
///
/// Pushes are committed before anyone tries the lock, and whoever gives it back looks once more at what waits: so none is
/// left lying.
public struct RunLock: Sendable {
  /// Gives it back; twice is as good as once.
  public var release: @Sendable () -> Void
  /// Takes it again; false if another run has it by now, which then takes what waits.
  public var takeAgain: @Sendable () throws -> Bool

  /// A lock that is given back and taken so.
  public init(release: @escaping @Sendable () -> Void, takeAgain: @escaping @Sendable () throws -> Bool) {
    self.release = release
    self.takeAgain = takeAgain
  }
}

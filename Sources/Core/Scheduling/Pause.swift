// That a person has paused a feed.

/// A person's word that a feed is left alone.
///
/// It is taken as given: no cap shortens it, and a clock that is set back leaves its end where it is.
public struct Pause: Hashable, Sendable {
  /// When it ends; nil is when the person ends it.
  public var until: Instant?

  /// A pause until a moment, or until it is ended.
  public init(until: Instant?) {
    self.until = until
  }

  /// Whether it still holds.
  public func holds(at now: Instant) -> Bool {
    until.map { now < $0 } ?? true
  }
}

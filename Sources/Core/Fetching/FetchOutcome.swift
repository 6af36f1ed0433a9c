// What one fetch came to, as far as it is told of. Which events that makes is FetchEvents' business.

/// What one fetch came to, as far as events tell of it.
public struct FetchOutcome: Hashable, Sendable {
  /// The result.
  public var result: FetchResult
  /// Its reason, in words.
  public var reason: String
  /// What was found; empty after 304 and failures.
  public var classification: Classification
  /// Failures in a row, this one included.
  public var failures: Int
  /// What is now to be said about the feed's health, if anything.
  public var health: HealthChange?

  /// An outcome.
  public init(
    result: FetchResult, reason: String, classification: Classification = Classification(), failures: Int = 0,
    health: HealthChange? = nil
  ) {
    self.result = result
    self.reason = reason
    self.classification = classification
    self.failures = failures
    self.health = health
  }
}

/// A change in a feed's health that is told once.
public enum HealthChange: Hashable, Sendable {
  /// It failed several times in a row.
  case failing
  /// It succeeded again after `failing`.
  case recovered
  /// It is gone: 410 twice.
  case gone
}

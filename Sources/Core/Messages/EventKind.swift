// The events hooks are run for.

/// What a hook can be told of.
public enum EventKind: String, Hashable, Sendable, CaseIterable {
  /// A message is due.
  case notification
  /// An item is new.
  case newItem = "new-item"
  /// A fetch brought something new.
  case newData = "new-data"
  /// A fetch brought nothing new.
  case noData = "no-data"
  /// A fetch failed.
  case failed
  /// A feed failed several times in a row.
  case failing
  /// The first success after `failing`.
  case recovered
  /// A file was placed.
  case assetPlaced = "asset-placed"
  /// A transfer failed for good.
  case transferFailed = "transfer-failed"
  /// A server wants credentials for an asset.
  case authRequired = "auth-required"
  /// The last unsettled transfer of a feed settled.
  case sessionFinished = "session-finished"
  /// A payload was taken.
  case pushReceived = "push-received"
  /// The badge file changed.
  case badgeChanged = "badge-changed"
  /// Something was due.
  case runStarted = "run-started"
  /// The budget's warning.
  case runExpired = "run-expired"
  /// A run that had something to do ended.
  case runFinished = "run-finished"

  /// Whether a delivery is tried once and never later.
  public var isBestEffort: Bool {
    switch self {
    case .noData, .badgeChanged, .runStarted, .runExpired, .runFinished: true
    default: false
    }
  }
}

/// What woke a run.
public enum RunCause: String, Hashable, Sendable, CaseIterable {
  /// cron or a systemd timer.
  case timer
  /// A push.
  case push
  /// A person.
  case manual
  /// `run --watch`.
  case watch
}

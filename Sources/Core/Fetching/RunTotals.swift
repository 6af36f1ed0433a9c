// A run in numbers, for the history.

/// What a run came to, in numbers.
public struct RunTotals: Hashable, Sendable {
  /// Feeds that were due.
  public var due = 0
  /// Fetches with the result `new-data`.
  public var newData = 0
  /// Fetches with the result `no-data`.
  public var noData = 0
  /// Fetches with the result `failed`.
  public var failed = 0
  /// New and updated items.
  public var items = 0
  /// Feeds that were due and were left for a later run.
  public var left = 0
  /// Transfers that finished.
  public var transfers = 0
  /// Those of them that went on with what earlier runs had left.
  public var resumed = 0
  /// Transfers that failed for good.
  public var failedTransfers = 0
  /// Transfers that were left unsettled for a later run.
  public var unsettledTransfers = 0
  /// The exit status, unless a signal ended the run.
  public var exitStatus: Int32 = 0
  /// What ended the run.
  public var ending = RunEnding.complete

  /// A run in which nothing happened.
  public init() {}
}

/// What ended a run.
public enum RunEnding: String, Hashable, Sendable {
  /// Nothing was left to do.
  case complete
  /// The budget ended first.
  case budget
  /// A signal came first.
  case signal
}

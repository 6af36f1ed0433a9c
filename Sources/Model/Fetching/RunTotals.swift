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
  /// The exit status.
  public var exitStatus: Int32 = 0

  /// A run in which nothing happened.
  public init() {}
}

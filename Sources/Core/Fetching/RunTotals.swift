// The numbers of a run, as its report and the history have them.

/// The numbers of a run, as its report and the history have them.
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
  /// Feeds that were due and are left for a later run: the budget ended, a signal came, or a host limits requests.
  public var left = 0
  public var transfers = TransferTotals()
  /// The exit status, unless a signal ended the run.
  public var exitStatus: Int32 = 0
  public var ending = RunEnding.complete

  public init() {}

  /// Adds a fetch.
  public mutating func add(_ result: FetchResult, items count: Int) {
    switch result {
    case .newData: newData += 1
    case .noData: noData += 1
    case .failed: failed += 1
    }
    items += count
  }

  /// Adds the fetches of another round.
  public mutating func add(_ round: RunTotals) {
    due += round.due
    newData += round.newData
    noData += round.noData
    failed += round.failed
    items += round.items
    left += round.left
  }
}

/// The numbers of a run's downloads.
public struct TransferTotals: Hashable, Sendable {
  /// Placed files, and files that are still current.
  public var finished = 0
  /// Placed files that continued the bytes of an earlier attempt.
  public var resumed = 0
  /// Permanently failed transfers.
  public var failed = 0
  /// Transfers that wait for a later run.
  public var left = 0

  public init() {}

  /// Adds the numbers of later downloads.
  public mutating func add(_ later: TransferTotals) {
    finished += later.finished
    resumed += later.resumed
    failed += later.failed
    left = later.left
  }
}

/// How a run ended.
public enum RunEnding: String, Sendable {
  /// Nothing was left to do.
  case complete
  /// The budget ended first.
  case budget
  /// A signal came first.
  case signal
}

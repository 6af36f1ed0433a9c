// What is remembered of a run.

public import Model
public import Timing

/// One run as the store knows it.
public struct RunRecord: Hashable, Sendable {
  /// The store's number for it; ascending with time.
  public var number: Int64
  /// What woke it.
  public var cause: RunCause
  /// Its process.
  public var process: Int32
  /// When it began.
  public var started: Instant
  /// When its fetch phase ended; nil while that lasts, and for ever if the process died in it.
  public var ended: Instant?
  /// Whether the process died in it, found out by the run that came after.
  public var wasCut: Bool
  /// What it came to; nil as long as `ended` is.
  public var totals: RunTotals?
}

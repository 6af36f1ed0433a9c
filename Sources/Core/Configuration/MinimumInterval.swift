// How often a feed may be asked at most.

/// The least time between two fetches of a feed: a floor, never a period.
public enum MinimumInterval: Hashable, Sendable {
  /// Not sooner than this after the start of the last run that asked and did not fail.
  case every(Interval)
  /// At every run.
  case everyRun
  /// Only when named or pushed.
  case never
}

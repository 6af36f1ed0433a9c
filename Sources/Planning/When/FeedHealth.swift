// Which feeds a person has to look at, and which failures say something about a feed at all.

public import Model

extension FeedState {
  /// Whether a person may have to mend something: the last fetches failed, the feed is gone, or runs died of it.
  public var isProblem: Bool { failures > 0 || isGone || crashes >= 2 }
}

extension FetchRecord {
  /// The reasons of failures that say nothing about a feed: they are about this machine, or about the run.
  public static var uncountedReasons: [String] { [FetchFailure.offline.text, suspended, interrupted] }

  /// Whether the fetch says something about the feed.
  public var isCounted: Bool { result != .failed || !Self.uncountedReasons.contains(reason) }
}

// Which feeds a person has to look at.

extension FeedState {
  /// Whether a person may have to mend something: the last fetches failed, the feed is gone, or runs died of it.
  public var isProblem: Bool { failures > 0 || isGone || crashes >= 2 }
}

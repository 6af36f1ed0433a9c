// Lists in parts, like the feeds of a FeedList.

extension Array {
  /// The elements in parts of at most a thousand, so that what is read about them is never in memory together.
  public var parts: some Sequence<ArraySlice<Element>> {
    stride(from: 0, to: count, by: 1000).lazy.map { self[$0..<Swift.min($0 + 1000, count)] }
  }
}

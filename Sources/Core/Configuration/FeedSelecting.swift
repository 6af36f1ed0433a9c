// The words that select feeds, on the command line and in hooks.

extension FeedSpec {
  /// Whether a word selects the feed: its name, a glob of names (`*` any text, `?` any character), or `@` and one of
  /// its tags.
  ///
  /// No name begins with `@`, so that the two cannot be mistaken for each other.
  public func isSelected(by word: String) -> Bool {
    guard word.hasPrefix("@") else { return glob(matches: name.text, pattern: word) }
    let tag = word.dropFirst()
    return tags.contains { $0 == tag }
  }
}

// What is behind a feed's address, which says how its documents are read.

/// What is behind a feed's address.
public enum FeedKind: Hashable, Sendable {
  /// RSS, Atom or JSON Feed, told apart by content.
  case feed
  /// Any other JSON, whose items are found by a mapping.
  case json(JSONMapping)
  /// Anything: the body is the file that is wanted.
  case asset

  /// The mapping, where there is one.
  public var mapping: JSONMapping? {
    if case .json(let mapping) = self { mapping } else { nil }
  }
}

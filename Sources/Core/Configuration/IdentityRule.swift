// What a feed's items are told apart by.

/// What a feed's items are told apart by.
public enum IdentityRule: String, Hashable, Sendable, CaseIterable {
  /// The guid; without one the link, and without a link title and content.
  case guid
  /// The link, whatever the guid; without a link title and content.
  case link
  /// The title, whatever guid and link; without a title the content.
  case title
}

// Feeds of the catalog: those that stand in the store, not in a file, so that all machines that share it have them. Anybody
// who can write the store can add one, so it has nothing but an address and words; what is done with it, a profile of
// the configuration says.

/// A feed of the catalog.
public struct CatalogFeed: Hashable, Sendable {
  public let name: FeedName
  /// Its http or https address, without a user or password.
  public let address: WebAddress
  /// The profile with its settings; nil for the defaults alone.
  public let profile: String?
  public let tags: [String]

  /// Reads the texts of a list or a store.
  public init(
    name: String, url: String, profile: String? = nil, tags: [String] = []
  ) throws(CatalogMistake) {
    guard let known = FeedName(name) else { throw .name(name) }
    guard url.utf8.count <= 8192, let address = WebAddress(url) else { throw .url(url) }
    guard !address.hasUser else { throw .password }
    if let profile, FeedName(profile) == nil { throw .profile(profile) }
    if let tag = tags.first(where: { !isTag($0) }) { throw .tag(tag) }
    guard tags.count <= Self.mostTags else { throw .manyTags }
    (self.name, self.address, self.profile, self.tags) = (known, address, profile, tags)
  }

  public static let mostTags = 100
}

/// Why a feed cannot be in the catalog; texts are as they were given.
public enum CatalogMistake: Error, Hashable, Sendable {
  case name(String)
  case url(String)
  /// The address has a user or a password, which is not for everybody who reads the store.
  case password
  case profile(String)
  case tag(String)
  case manyTags
}

/// A change of the catalog: a feed that was added or has changed, or nil for one that was removed.
public struct CatalogChange: Hashable, Sendable {
  public var name: FeedName
  public var feed: CatalogFeed?

  public init(name: FeedName, feed: CatalogFeed?) {
    self.name = name
    self.feed = feed
  }
}

/// Whether a text is a tag: letters and digits of any script, `-`, `_` and `.`, beginning with a letter, digit or `_`, so that
/// shells need no quotes.
public func isTag(_ text: String) -> Bool {
  let scalars = text.unicodeScalars
  guard let first = scalars.first, first == "_" || first.isLetterOrDigit, scalars.count <= 100 else {
    return false
  }
  return scalars.allSatisfy(isTagScalar)
}

/// Whether a tag may contain a scalar, also as a mark of the letter before it.
///
/// Not for a Character: U+0D4E makes one of itself and a backquote, which then counts as a letter.
public func isTagScalar(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .spacingMark: true
  default: scalar.isLetterOrDigit || "-_.".unicodeScalars.contains(scalar)
  }
}

extension Unicode.Scalar {
  fileprivate var isLetterOrDigit: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber,
      .otherNumber:
      true
    default: false
    }
  }
}

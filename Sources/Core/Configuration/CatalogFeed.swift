// The catalog: feeds that are stored in the database instead of a file. Anybody who can write the store can add one, so it has
// nothing but an address and words; its settings are a profile of the configuration.

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
  ) throws(TextProblem) {
    func problem(_ text: String, _ what: String, _ cure: String) -> TextProblem {
      TextProblem(what: "\"\(cleanText(text, limit: 100))\" is no \(what)", cure: cure)
    }
    guard let known = FeedName(name) else {
      throw problem(name, "name of a feed", "write 1 to 100 letters, digits, -, _ and .")
    }
    guard url.utf8.count <= 8192, let address = WebAddress(url) else {
      throw problem(url, "http or https address", "write https://…")
    }
    guard !address.hasUser else {
      throw TextProblem(
        what: "the address has a user or a password", cure: "all who read the database would see it")
    }
    if let profile, FeedName(profile) == nil {
      throw problem(profile, "name of a profile", "write one from profiles:")
    }
    if let tag = tags.first(where: { !isTag($0) }) {
      throw problem(tag, "tag", "write letters, digits, -, _ and .")
    }
    guard tags.count <= Self.mostTags else {
      throw TextProblem(what: "\(tags.count) tags are too many", cure: "write at most \(Self.mostTags)")
    }
    (self.name, self.address, self.profile, self.tags) = (known, address, profile, tags)
  }

  public static let mostTags = 100
}

/// The profiles of a configuration, as feeds without an address.
public struct FeedProfiles: Hashable, Sendable {
  /// A feed with the defaults alone; nil if these hold a secret, which is not for any address that somebody adds.
  public var standard: FeedSpec?
  public var named: [String: FeedSpec] = [:]
  /// The network settings of a feed without any of these.
  public var network = Shared<NetworkSettings>.standard

  public init() {}

  /// A feed of the catalog with the settings of its profile.
  ///
  /// If the configuration has no such profile, the feed is fetched only when it is named.
  public func spec(_ feed: CatalogFeed) -> FeedSpec {
    let url = SecretText.plain(feed.address.text)
    let fingerprint = Fingerprint(of: feed.address.text).value
    guard var spec = feed.profile.map({ named[$0] }) ?? standard else {
      var unknown = FeedSpec(name: feed.name, url: url)
      unknown.sharedNetwork = network
      unknown.minimumInterval = .never
      unknown.tags = feed.tags
      unknown.fingerprint = fingerprint
      return unknown
    }
    (spec.name, spec.url) = (feed.name, url)
    spec.fingerprint &+= fingerprint
    spec.tags += feed.tags.filter { !spec.tags.contains($0) }
    return spec
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

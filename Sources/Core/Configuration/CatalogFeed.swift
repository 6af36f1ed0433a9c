// The catalog: feeds that are stored in the database instead of a file. Anybody who can write the store can add one, so it has
// nothing but an address and tags; the configuration has the settings of tags.

/// A feed of the catalog.
public struct CatalogFeed: Equatable, Sendable {
  public var name: FeedName
  /// Its http or https address, without a user or password.
  public let address: WebAddress
  public let tags: [String]

  /// Reads the texts of a list or a store.
  public init(
    name: String, url: String, tags: [String] = []
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
    if let tag = tags.first(where: { !isTag($0) }) {
      throw problem(tag, "tag", "write letters, digits, -, _ and .")
    }
    guard tags.count <= Self.mostTags else {
      throw TextProblem(what: "\(tags.count) tags are too many", cure: "write at most \(Self.mostTags)")
    }
    (self.name, self.address, self.tags) = (known, address, tags)
  }

  public static let mostTags = 100
}

/// The settings of the feeds of the catalog, as feeds without an address.
public struct CatalogSettings: Equatable, Sendable {
  /// A feed with the defaults alone; nil if these hold a secret, which is not for any address that somebody adds.
  public var standard: FeedSpec?
  /// Feeds with the settings of a tag.
  public var byTag: [String: FeedSpec] = [:]
  /// The network settings of a feed without any of these.
  @Shared public var network = NetworkSettings()

  public init() {}

  /// A feed of the catalog with the settings of its first tag that has some, else with the defaults.
  ///
  /// Without any settings, the feed is fetched only when it is named.
  public func spec(_ feed: CatalogFeed) -> FeedSpec {
    let fingerprint = Fingerprint(of: feed.address.text).value
    guard var spec = settings(of: feed) else {
      var unknown = FeedSpec(name: feed.name, .web(feed.address))
      unknown.$network = $network
      unknown.minimumInterval = .never
      unknown.tags = feed.tags
      unknown.fingerprint = fingerprint
      return unknown
    }
    spec.name = feed.name
    spec.source = .web(feed.address)
    spec.fingerprint &+= fingerprint
    spec.tags += feed.tags.filter { !spec.tags.contains($0) }
    return spec
  }

  /// Whether a feed has settings; else the defaults hold a secret.
  public func haveSettings(of feed: CatalogFeed) -> Bool { settings(of: feed) != nil }

  private func settings(of feed: CatalogFeed) -> FeedSpec? {
    feed.tags.lazy.compactMap { byTag[$0] }.first ?? standard
  }
}

/// Whether a text is a tag: letters and digits of any script, `-`, `_` and `.`, beginning with a letter, digit or `_`, so that
/// shells need no quotes.
public func isTag(_ text: String) -> Bool {
  let scalars = text.unicodeScalars
  guard let first = scalars.first, first.beginsTag, scalars.count <= 100 else { return false }
  return scalars.allSatisfy(isTagScalar)
}

/// A name such as a folder's as a tag: its words with `-` between them; nil if that is no tag.
public func tagText(_ name: String) -> String? {
  let letters = name.unicodeScalars.filter { !"'’ʼ`".unicodeScalars.contains($0) }
  let words = letters.split { !isTagScalar($0) || $0 == "-" }
  let text = words.map(String.init).joined(separator: "-").unicodeScalars.drop { !$0.beginsTag }
  let tag = String(text)
  return isTag(tag) ? tag : nil
}

/// Whether a tag may contain a scalar, also as a mark of the letter before it.
///
/// Not for a Character: U+0D4E makes one of itself and a backquote, which then counts as a letter.
func isTagScalar(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .spacingMark: true
  default: scalar.isLetterOrDigit || "-_.".unicodeScalars.contains(scalar)
  }
}

extension Unicode.Scalar {
  fileprivate var beginsTag: Bool { self == "_" || isLetterOrDigit }

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

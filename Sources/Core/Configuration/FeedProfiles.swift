// Profiles: the settings of the feeds of the catalog, which have none of their own.

/// The profiles of a configuration, as feeds without an address.
public struct FeedProfiles: Hashable, Sendable {
  /// A feed with the defaults alone; nil if these hold a secret, which is not for any address that somebody adds.
  public var standard: FeedSpec?
  public var named: [String: FeedSpec] = [:]
  /// The network settings of a feed without any of these.
  public var network = SharedNetwork.standard

  public init() {}

  /// A feed of the catalog with the settings of its profile.
  ///
  /// If the configuration has no such profile, the feed is fetched only when it is named.
  public func spec(_ feed: CatalogFeed) -> FeedSpec {
    let url = SecretText.plain(feed.address.text)
    guard var spec = feed.profile.map({ named[$0] }) ?? standard else {
      var unknown = FeedSpec(name: feed.name, url: url)
      unknown.sharedNetwork = network
      unknown.minimumInterval = .never
      unknown.tags = feed.tags
      return unknown
    }
    (spec.name, spec.url) = (feed.name, url)
    spec.tags += feed.tags.filter { !spec.tags.contains($0) }
    return spec
  }

  /// The facts about all of them.
  public var facts: FeedListFacts {
    var facts = FeedListFacts()
    for spec in named.values { facts.add(spec) }
    if let standard { facts.add(standard) }
    return facts
  }
}

// Configured feeds as a list of subscriptions that other programs can read.

/// What other programs may learn of the configured feeds.
public struct ExportedFeeds: Hashable, Sendable {
  /// Why a list of subscriptions has no place for a feed.
  public enum Hindrance: Hashable, Sendable {
    /// No feed reader can read what is at its address.
    case kindJSON, kindAsset
    /// Its address is a secret, which is not even fetched.
    case secretAddress
  }

  /// A feed that other programs do not learn of.
  public struct LeftOut: Hashable, Sendable {
    /// Its name.
    public var feed: FeedName
    /// Why.
    public var hindrance: Hindrance

    /// A feed that is left out.
    public init(_ feed: FeedName, _ hindrance: Hindrance) {
      self.feed = feed
      self.hindrance = hindrance
    }
  }

  /// The feeds that other programs can read, in the order of the configuration.
  public var subscriptions: [Subscription] = []
  /// All others, in that order, too.
  public var leftOut: [LeftOut] = []

  /// The feeds with the titles and pages that are configured or were learned.
  public init(_ feeds: [FeedSpec], _ states: [FeedName: FeedState]) {
    for feed in feeds {
      switch (feed.kind, feed.url) {
      case (.json, _): leftOut.append(LeftOut(feed.name, .kindJSON))
      case (.asset, _): leftOut.append(LeftOut(feed.name, .kindAsset))
      case (.feed, .secret): leftOut.append(LeftOut(feed.name, .secretAddress))
      case (.feed, .plain(let url)):
        let label = FeedLabel(feed, states[feed.name] ?? FeedState())
        subscriptions.append(
          Subscription(
            url: url, title: label.title, link: label.link.isEmpty ? nil : label.link, tags: feed.tags))
      }
    }
  }
}

// Configured feeds as a list of subscriptions that other programs can read.

public import Model

/// What other programs may learn of the configured feeds.
public struct ExportedFeeds: Hashable, Sendable {
  /// The feeds that other programs can read, in the order of the configuration.
  public var subscriptions: [Subscription] = []
  /// Those whose address is a secret: they are left out, and the secret is not even fetched.
  public var secret: [FeedName] = []

  /// The feeds with the titles and pages that are configured or were learned.
  public init(_ feeds: [FeedSpec], _ states: [FeedName: FeedState]) {
    for feed in feeds where feed.kind == .feed {
      guard case .plain(let url) = feed.url else {
        secret.append(feed.name)
        continue
      }
      let label = FeedLabel(feed, states[feed.name] ?? FeedState())
      subscriptions.append(
        Subscription(
          url: url, title: label.title, link: label.link.isEmpty ? nil : label.link, tags: feed.tags))
    }
  }
}

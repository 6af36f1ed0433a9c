// A feed as lists of subscriptions hand it from one program to the next.

/// One feed of a list of subscriptions: what OPML, newsboat and bgfetch have in common.
public struct Subscription: Hashable, Sendable {
  /// Where the feed is, as the list writes it.
  public var url: String
  /// What people call it; nil where the list does not say.
  public var title: String?
  /// Its page; nil where the list does not say.
  public var link: String?
  /// Its folders, the outermost first, and its tags, as the list writes them; one may come twice.
  public var tags: [String]

  /// A subscription.
  public init(url: String, title: String? = nil, link: String? = nil, tags: [String] = []) {
    self.url = url
    self.title = title
    self.link = link
    self.tags = tags
  }
}

/// A subscription that can stand in the configuration.
public struct NamedSubscription: Hashable, Sendable {
  /// The name it is given there.
  public var name: FeedName
  /// What it is, its tags as the configuration takes them; no title where the name says as much.
  public var subscription: Subscription

  /// A subscription under a name.
  public init(name: FeedName, subscription: Subscription) {
    self.name = name
    self.subscription = subscription
  }
}

// What a feed is called in messages.

/// What messages say of a feed: its name, its title and its page.
public struct FeedLabel: Hashable, Sendable {
  /// Its name.
  public var name: FeedName
  /// The user's title, else the feed's own, else the name.
  public var title: String
  /// Its page; empty unless http or https.
  public var link: String

  /// The label of a configured feed.
  public init(_ feed: FeedSpec, _ state: FeedState) {
    name = feed.name
    title = cleanText(feed.title ?? state.title ?? feed.name.text, limit: 256)
    if title.isEmpty { title = feed.name.text }
    link = webLink(state.link)
  }
}

/// A link as hooks get it: http or https, as it was written, or empty (DESIGN: nothing from a feed is run or opened
/// as anything else).
///
/// The fragment stays, for it may be the place that is meant, such as one comment of a page.
func webLink(_ link: String?) -> String {
  guard let link, WebAddress(link) != nil else { return "" }
  return link
}

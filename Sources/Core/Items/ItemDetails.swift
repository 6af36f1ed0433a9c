// The parts of an item that only readers need: pages, other feed readers, templates. Classification ignores them.

/// The parts of an item beyond title, link, summary, author and date, as its feed gave them.
public struct ItemDetails: Hashable, Sendable {
  /// The full content, or the summary if there is no other: HTML or text, not cleaned.
  ///
  /// Every output must escape it.
  public var content: String?
  /// The categories or tags, as plain text.
  public var categories: [String] = []
  /// The page with the comments, http or https.
  public var comments: String?
  /// The address of the first image, http or https.
  public var image: String?
  /// The files it refers to, in document order.
  public var enclosures: [Enclosure] = []
  /// The playing time of an episode.
  public var duration: Interval?
  /// The season of an episode, at least 1.
  public var season: Int?
  /// The number of an episode in its season, at least 1.
  public var episode: Int?

  public init() {}

  public var isEmpty: Bool { self == ItemDetails() }
}

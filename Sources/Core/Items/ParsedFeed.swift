// The content of a feed document, the same for every format. Formats creates it, `classify` reads it.

/// The format of a feed document.
public enum FeedFormat: String, Sendable {
  /// RSS of any version, with RDF.
  case rss
  case atom
  /// JSON Feed 1.0 and 1.1.
  case json = "json-feed"
  /// Other JSON, read by a mapping of the configuration.
  case mapped = "json"
  /// An HTML page, read by selectors of the configuration.
  case page = "html"
}

/// The content of a feed document.
public struct ParsedFeed: Equatable, Sendable {
  public var format: FeedFormat
  /// The title as plain text.
  public var title: String?
  /// The web page of the feed, absolute if document or address allow it.
  public var link: String?
  /// The identity that the document declares.
  public var id: String?
  /// When it was published.
  public var published: Instant?
  /// When it last changed.
  public var updated: Instant?
  /// The items in document order, at most `maximumItems`.
  public var items: [ParsedItem] = []
  /// The number of items beyond `maximumItems`, which were not read.
  public var leftOut = 0
  /// The number of parts that were left out or cut: elements nested too deep, addresses and titles too long, files and
  /// categories beyond the number that an item may have.
  public var partsLeftOut = 0
  /// The `ttl`, skip times and update period of the document.
  public var hints = FeedHints()
  /// The address to which the feed says that it has moved (`itunes:new-feed-url`).
  public var newAddress: String?
  /// The WebSub hubs at which to subscribe.
  public var hubLinks = HubLinks()
  /// Whether the end of the document was there; complete items before a missing end are kept.
  public var isComplete = true

  /// The most items that are read, so that a hostile document cannot take many times its own size in memory.
  public static let maximumItems = 50_000

  public init(format: FeedFormat) {
    self.format = format
  }
}

/// One entry of a document.
public struct ParsedItem: Equatable, Sendable {
  /// `guid`, `id` or `rdf:about` as declared, trimmed; nil if absent or empty.
  public var id: String?
  /// The title as plain text: markup reduced, entities decoded, white space folded.
  public var title: String?
  /// The item's page, resolved; not necessarily http, but never a program.
  public var link: String?
  /// When it was published.
  public var published: Instant?
  /// When it last changed.
  public var updated: Instant?
  /// The summary or description, markup included; its addresses are absolute, and none is a program.
  public var summary: String?
  /// The full content, like `summary`; nil if there is only a summary.
  public var content: String?
  public var author: String?
  public var categories: [String] = []
  /// The files it refers to: enclosures and media content, in document order, without repeats; of several forms of one file
  /// the default.
  public var enclosures: [Enclosure] = []
  /// Its images: thumbnails, iTunes and JSON Feed images, in document order, without repeats.
  ///
  /// An image in media content is an enclosure.
  public var images: [Enclosure] = []
  /// The cover of the podcast, if this is an episode without an image of its own.
  public var cover: String?
  /// The page with its comments, resolved.
  public var comments: String?
  /// The playing time of an episode.
  public var duration: Interval?
  /// The season of an episode, at least 1.
  public var season: Int?
  /// The number of an episode in its season, at least 1.
  public var episode: Int?
  /// The changed lines, if it is a change of a watched page.
  var change: PageChange?

  public init() {}

  /// Whether it has nothing to identify or announce it.
  public var isEmpty: Bool {
    id == nil && title == nil && link == nil && published == nil && updated == nil && summary == nil
      && content == nil && enclosures.isEmpty
  }
}

/// A file that an item refers to.
public struct Enclosure: Equatable, Sendable {
  public var url: String
  /// Its media type as declared.
  public var type: String?
  /// Its length in bytes as declared; nil if absent, zero or not a number.
  public var length: Int64?
  /// Other forms of the same content, the best first: other sizes of a video, or other formats of a recording.
  ///
  /// Only one form is downloaded. They are not stored with an item.
  public var renditions: [Enclosure] = []

  public init(url: String, type: String? = nil, length: Int64? = nil) {
    (self.url, self.type, self.length) = (url, type, length)
  }
}

/// How often a document asks to be fetched.
public struct FeedHints: Equatable, Sendable {
  /// RSS `ttl`: how long the document may be kept.
  public var timeToLive: Interval?
  /// RSS `skipHours`: hours of the day in UTC, 0 to 23, in which not to fetch.
  public var skipHours: Set<Int> = []
  /// RSS `skipDays`: days of the week in UTC, 0 is Sunday, on which not to fetch.
  public var skipDays: Set<Int> = []
  /// `sy:updatePeriod` divided by `sy:updateFrequency`.
  public var updateInterval: Interval?

  public init() {}
}

/// Why bytes are not a feed.
public enum FeedReadingFailure: Error, Equatable, Sendable {
  case empty
  case html
  /// An HTML page that links to a feed with this address.
  case page(linkingTo: String)
  /// A kind of file that is recognised, for example `a PNG image`.
  case other(String)
  /// JSON or XML that is not a feed, or an unknown kind; the text says what was found.
  case unknown(String)
  /// The configuration's `json` mapping does not fit; the text says what the document has.
  case unmapped(String)
  /// Reading was stopped early.
  case stopped
}

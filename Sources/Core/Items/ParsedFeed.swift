// The content of a feed document, the same for every format. FeedReading creates it, `classify` reads it.

/// The formats a feed document may have.
public enum FeedFormat: String, Hashable, Sendable {
  /// RSS 2.0 and its forerunners 0.93 and 0.94.
  case rss20 = "rss2.0"
  /// RSS 0.90 to 0.92.
  case rss09 = "rss0.9x"
  /// RSS 1.0 and 1.1.
  case rdf
  /// Atom (RFC 4287).
  case atom10 = "atom1.0"
  /// Atom 0.3.
  case atom03 = "atom0.3"
  /// JSON Feed 1.0 and 1.1.
  case json = "json1.x"
  /// Other JSON, read by a mapping of the configuration.
  case mapped = "json"
}

/// A feed document's content.
public struct ParsedFeed: Hashable, Sendable {
  /// The format it was in.
  public var format: FeedFormat
  /// The title as plain text.
  public var title: String?
  /// The page the feed belongs to, absolute where the document or its address allows.
  public var link: String?
  /// The identity the document declares.
  public var id: String?
  /// When it was published.
  public var published: Instant?
  /// When it last changed.
  public var updated: Instant?
  /// The items in document order, at most `maximumItems`.
  public var items: [ParsedItem] = []
  /// How many items of the document were not read, because it has more than `maximumItems`.
  public var leftOut = 0
  /// What the document asks of those who fetch it.
  public var hints = FeedHints()
  /// Where changes can be subscribed to.
  public var hubLinks = HubLinks()
  /// Whether the document was whole: false where its end is missing.
  ///
  /// The items that were whole are there all the same.
  public var isComplete = true

  /// Items beyond this number are left out, so that a hostile document cannot take many times its own size in memory.
  public static let maximumItems = 50_000

  /// A document of a format with nothing in it.
  public init(format: FeedFormat) {
    self.format = format
  }
}

/// One entry as the document has it.
public struct ParsedItem: Hashable, Sendable {
  /// `guid`, `id` or `rdf:about` exactly as declared, blanks around it removed; nil if absent or empty.
  public var id: String?
  /// The title as plain text: markup reduced, entities decoded, white space folded.
  public var title: String?
  /// The item's page, resolved; nil if absent.
  ///
  /// Not necessarily http.
  public var link: String?
  /// When it was published.
  public var published: Instant?
  /// When it last changed.
  public var updated: Instant?
  /// The summary or description as the document has it, markup included.
  public var summary: String?
  /// The full content as the document has it, markup included; nil if there is only a summary.
  public var content: String?
  /// Whoever wrote it.
  public var author: String?
  /// Its categories.
  public var categories: [String] = []
  /// The files it refers to: enclosures and media content, in document order, without repeats.
  public var enclosures: [Enclosure] = []
  /// Its images: thumbnails, iTunes and JSON Feed images, in document order, without repeats; media content that is an
  /// image is an enclosure.
  public var images: [Enclosure] = []

  /// An item with nothing in it.
  public init() {}

  /// Whether there is nothing in it that could tell it from others, or that anyone could be told of.
  public var saysNothing: Bool {
    id == nil && title == nil && link == nil && published == nil && updated == nil && summary == nil
      && content == nil && enclosures.isEmpty
  }
}

/// A file that an item refers to.
public struct Enclosure: Hashable, Sendable {
  /// Where it is, resolved.
  public var url: String
  /// Its media type as declared.
  public var type: String?
  /// Its length in bytes as declared; nil if absent, zero or no number.
  public var length: Int64?

  /// A file at an address.
  public init(url: String, type: String? = nil, length: Int64? = nil) {
    self.url = url
    self.type = type
    self.length = length
  }
}

/// What a feed document asks of those who fetch it.
public struct FeedHints: Hashable, Sendable {
  /// RSS `ttl`: how long the document may be kept.
  public var timeToLive: Interval?
  /// RSS `skipHours`: hours of the day in UTC, 0 to 23, in which not to ask.
  public var skipHours: Set<Int> = []
  /// RSS `skipDays`: days of the week in UTC, 0 is Sunday, on which not to ask.
  public var skipDays: Set<Int> = []
  /// `sy:updatePeriod` divided by `sy:updateFrequency`.
  public var updateInterval: Interval?

  /// No wishes.
  public init() {}
}

/// Why bytes are no feed.
public enum FeedReadingFailure: Error, Hashable, Sendable {
  /// Nothing but white space.
  case empty
  /// An HTML page.
  case html
  /// A kind of file that is recognisably something else, for example `a PNG image`.
  case other(String)
  /// JSON or XML that is no feed, or nothing that can be recognised; the text says what was found.
  case unknown(String)
  /// What the configuration's `json` describes is not there; the text says what is.
  case unmapped(String)
  /// Nothing is known: reading was stopped.
  case stopped
}

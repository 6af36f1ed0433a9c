// The long parts of items.

/// The parts of an item beyond title, link, summary, author and date, as its feed gave them.
public struct ItemDetails: Equatable, Sendable {
  /// The full content, or the summary if there is no other: HTML or text with absolute addresses, otherwise not cleaned.
  ///
  /// Every output must escape it.
  public var content: String?
  /// The length of the end of the content that is not stored, because all of it is too long; nil if nothing is missing.
  public var rest: ByteCount?
  /// The categories or tags, as plain text.
  public var categories: [String] = []
  /// The page with the comments, http or https.
  public var comments: String?
  /// The address of the first image, or else of the cover of its podcast, http or https.
  public var image: String?
  /// The files it refers to, in document order; their addresses are http or https.
  public var enclosures: [Enclosure] = []
  /// The playing time of an episode.
  public var duration: Interval?
  /// The season of an episode, at least 1.
  public var season: Int?
  /// The number of an episode in its season, at least 1.
  public var episode: Int?
  /// How often the item's page was tried for the content; nil if the content is not, or no longer, to be taken from a page.
  public var pageTries: Int?

  public init() {}

  public var isEmpty: Bool { self == ItemDetails() }
}

/// The limits on the stored details of one item.
public enum DetailBounds {
  /// The content, unless the configuration says otherwise.
  public static let content = ByteCount(1 << 20)
  /// The content, whatever the configuration says.
  public static let mostContent = ByteCount(4 << 20)
  /// The content of an item whose summary is made from it whenever it is read.
  public static let contentOfSummary = ByteCount(8 << 10)
  static let categories = 32
  /// The bytes of a category, and of a media type.
  static let word = 128
  static let enclosures = 32
  /// The bytes of an address; longer addresses are left out, because a cut one leads elsewhere.
  static let address = 2048
  /// How long the details of a seen item are kept after the item was first seen or last updated; as long as its document has
  /// the item, they are kept longer.
  public static let age = Interval.days(30)
}

extension ItemDetails {
  /// The details of an item of a document, cleaned and bounded.
  ///
  /// - Parameters:
  ///   - item: the item.
  ///   - limit: the most bytes of content; nil keeps no content.
  init(_ item: ParsedItem, keeping limit: ByteCount?) {
    if let limit, let text = item.article { keep(text, limit: limit) }
    categories = item.categories.prefix(DetailBounds.categories).map {
      cleanText($0, limit: DetailBounds.word)
    }.filter { !$0.isEmpty }
    comments = storedAddress(item.comments)
    // Media RSS has images among the files.
    let images = item.images + item.enclosures.filter { $0.type?.hasPrefix("image/") ?? false }
    image = images.lazy.compactMap { storedAddress($0.url) }.first ?? storedAddress(item.cover)
    enclosures = item.enclosures.lazy.compactMap { file in
      storedAddress(file.url).map {
        Enclosure(
          url: $0, type: file.type.map { cleanText($0, limit: DetailBounds.word) }, length: file.length)
      }
    }.prefix(DetailBounds.enclosures).map(\.self)
    duration = item.duration
    season = item.season
    episode = item.episode
  }
}

extension ItemDetails {
  /// Whether the content is all of a text, which is short enough to make the summary from it at each reading.
  func hasWholeContent(_ text: String) -> Bool {
    let size = text.utf8.count
    return content?.utf8.count == size && size <= DetailBounds.contentOfSummary.bytes
  }

  /// Takes a content, or the beginning of one that is too long, without the pictures inside its addresses.
  public mutating func keep(_ text: String, limit: ByteCount) {
    let isTooLong = text.utf8.count > limit.bytes
    let beginning = ArticleBeginning(
      isTooLong ? withoutEmbeddedPictures(text) : text, limit: Int(limit.bytes))
    content = beginning.html
    rest = beginning.rest > 0 ? ByteCount(Int64(beginning.rest)) : nil
  }
}

extension ParsedItem {
  /// The text to read: the content or, if that says less, the summary.
  ///
  /// Some feeds have the article as its description, and a picture or "Read more" as its content.
  fileprivate var article: String? {
    guard var content, let summary, content.utf8.count < summary.utf8.count else { return content ?? summary }
    func length(_ html: String) -> Int { plainText(fromHTML: html, limit: 1 << 20).utf8.count }
    guard length(content) < length(summary) else { return content }
    let hasMedia = content.withUTF8 { html in
      HTMLTree(html, isItem: true)?.nodes.contains {
        [.img, .iframe, .video, .audio, .embed, .object].contains($0.element)
      } ?? false
    }
    return hasMedia ? content + "\n" + summary : summary
  }
}

/// A web address that is short enough to store.
private func storedAddress(_ address: String?) -> String? {
  address.flatMap { $0.utf8.count <= DetailBounds.address && WebAddress($0) != nil ? $0 : nil }
}

// The parts of an item that only readers need: pages, other feed readers, templates. Recognising items does not use them.

/// The parts of an item beyond title, link, summary, author and date, as its feed gave them.
public struct ItemDetails: Hashable, Sendable {
  /// The full content, or the summary if there is no other: HTML or text with absolute addresses, otherwise not cleaned.
  ///
  /// Every output must escape it.
  public var content: String?
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

  public init() {}

  public var isEmpty: Bool { self == ItemDetails() }
}

/// The limits on the stored details of one item.
public enum DetailBounds {
  /// The content, unless the configuration says otherwise.
  public static let content = ByteCount(64 << 10)
  /// The content, whatever the configuration says.
  public static let mostContent = ByteCount(4 << 20)
  /// The content of a watched page, which has to hold a fingerprint at least.
  public static let leastPage = ByteCount(1 << 10)
  /// The content of an item whose summary is made from it whenever it is read.
  public static let contentOfSummary = ByteCount(8 << 10)
  public static let categories = 32
  /// The bytes of a category, and of a media type.
  public static let word = 128
  public static let enclosures = 32
  /// The bytes of an address; longer addresses are left out, because a cut one leads elsewhere.
  public static let address = 2048
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
    if let limit, let text = item.content ?? item.summary {
      content = scalarPrefix(of: text, limit: Int(limit.bytes))
    }
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

  /// Cuts a longer content between two scalars.
  mutating func cutContent(at limit: ByteCount) {
    content = content.map { scalarPrefix(of: $0, limit: Int(limit.bytes)) }
  }
}

/// A web address that is short enough to store.
private func storedAddress(_ address: String?) -> String? {
  guard var address, address.utf8.count <= DetailBounds.address else { return nil }
  return address.withUTF8(isWebAddress) ? address : nil
}

/// Whether text is an http or https address with a host, without white space and control characters.
///
/// `WebAddress` also reads its parts, which takes ten times as long.
private func isWebAddress(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
  guard
    let scheme = ["https://", "http://"].first(where: { scheme in
      text.count > scheme.utf8.count && zip(text, scheme.utf8).allSatisfy { asciiLowercased($0) == $1 }
    })
  else { return false }
  return !"/?#:@".utf8.contains(text[scheme.utf8.count]) && text.allSatisfy { $0 > 0x20 && $0 != 0x7F }
}

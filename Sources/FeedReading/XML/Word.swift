// The names of elements, attributes and JSON members that readers know, and how a name in a document is recognised.

/// A name that some reader knows, without regard to case.
///
/// The raw values are how documents write it, in lower case; none is longer than sixteen bytes.
enum Word: String, CaseIterable {
  /// Any other name.
  case unknown = ""

  // Roots and structure.
  case rss, rdf, feed, channel, item, entry, html, head, body, items
  // What feeds and items say.
  case title, link, guid, id, description, summary, content, encoded, author, name, creator, category, subject
  case enclosure, group, origlink, subtitle, abstract, email, thumbnail, image
  // Dates.
  case pubdate, lastbuilddate, date, published, updated, issued, modified, created, lastmod
  // Wishes.
  case ttl, skiphours, hour, skipdays, day, updateperiod, updatefrequency
  // Attributes.
  case url, href, rel, type, length, filesize, ispermalink, term, mode, version, about, base, text
  // Lists of subscriptions.
  case opml, outline, xmlurl, htmlurl, iscomment
  // JSON Feed.
  case homepageurl = "home_page_url"
  case feedurl = "feed_url"
  case externalurl = "external_url"
  case contenthtml = "content_html"
  case contenttext = "content_text"
  case datepublished = "date_published"
  case datemodified = "date_modified"
  case bannerimage = "banner_image"
  case authors, tags, attachments, hubs
  case mimetype = "mime_type"
  case sizeinbytes = "size_in_bytes"
}

/// The first sixteen bytes of a name in lower case, and its length: what names are compared by.
///
/// Two names of more than sixteen bytes that begin alike and are of one length are taken for the same, which harms
/// nobody: no known name is that long.
struct NameKey: Equatable {
  private let low: UInt64
  private let high: UInt64
  private let count: Int

  /// What declares namespaces.
  static let xmlns = NameKey("xmlns")

  /// The key of a name.
  init(_ name: UnsafeBufferPointer<UInt8>) {
    count = name.count
    low = Self.word(name, 0)
    high = name.count > 8 ? Self.word(name, 8) : 0
  }

  /// The key of a name that is known when the program is built.
  init(_ name: StaticString) {
    self.init(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  /// Up to eight bytes from a place on, with the bit set that tells small letters from capitals.
  private static func word(_ name: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt64 {
    let lowerCase: UInt64 = 0x2020_2020_2020_2020
    let count = min(8, name.count - start)
    if count == 8 {
      return UnsafeRawBufferPointer(name).loadUnaligned(fromByteOffset: start, as: UInt64.self) | lowerCase
    }
    var word: UInt64 = 0
    for offset in 0..<count { word |= UInt64(name[start + offset]) << UInt64(8 * offset) }
    return word | lowerCase & (1 << UInt64(8 * count) - 1)
  }

  /// How many slots there are for names.
  static let slots = 512

  /// A slot, which names that differ seldom share.
  var slot: Int {
    Int(truncatingIfNeeded: ((low ^ high &* 0x9E37_79B9_7F4A_7C15) &* 0xFF51_AFD7_ED55_8CCD) >> 55)
  }

  /// The known name that this is.
  var word: Word {
    var slot = slot
    while true {
      let (key, word) = Self.table[slot]
      if key == self || word == .unknown { return word }
      slot = (slot + 1) & (Self.slots - 1)
    }
  }

  /// All known names by their slots, open addressing; about a sixth of it is filled.
  private static let table: [(NameKey, Word)] = {
    var table = [(NameKey, Word)](repeating: (NameKey(""), .unknown), count: slots)
    for word in Word.allCases where word != .unknown {
      let bytes = Array(word.rawValue.utf8)
      let key = bytes.withUnsafeBufferPointer { NameKey($0) }
      var slot = key.slot
      while table[slot].1 != .unknown { slot = (slot + 1) & (slots - 1) }
      table[slot] = (key, word)
    }
    return table
  }()
}

// What identifies an item: its keys, in which order they count, and what a feed's documents taught about them.

/// The fingerprints of everything that may identify an item; all of them are kept, whichever decides.
public struct IdentityKeys: Hashable, Sendable {
  /// Of the guid; nil if it has none.
  public var guid: UInt64?
  /// Of the link in the form in which links are compared; nil if it has none.
  public var link: UInt64?
  /// Of the title; nil if it has none.
  public var title: UInt64?
  /// Of title and content.
  public var content: UInt64

  /// The keys of an item.
  public init(guid: UInt64? = nil, link: UInt64? = nil, title: UInt64? = nil, content: UInt64) {
    self.guid = guid
    self.link = link
    self.title = title
    self.content = content
  }
}

extension ParsedItem {
  /// Everything that may identify the item.
  var identityKeys: IdentityKeys {
    var content = Fingerprint()
    content.add(title)
    content.add(self.content ?? summary)
    if title == nil, self.content ?? summary == nil {
      // An item without any words is known by its files and its date.
      for enclosure in enclosures { content.add(fileOf: enclosure) }
      content.add(published.map { String($0.secondsSince1970) })
    }
    return IdentityKeys(
      guid: id.map(Self.addressKey), link: link.map(Self.addressKey),
      title: title.map { title in
        var print = Fingerprint()
        print.add(title)
        return print.value
      }, content: content.value)
  }

  /// The hash of what an edit would change: title, link, text without markup, enclosure addresses without
  /// query.
  func editHash(_ keys: IdentityKeys) -> UInt64 {
    var hash = Fingerprint()
    hash.add(title)
    hash.add(keys.link.map { String($0) })
    hash.add(visibleTextOf: content ?? summary ?? "")
    for enclosure in enclosures { hash.add(fileOf: enclosure) }
    return hash.value
  }

  private static func addressKey(_ text: String) -> UInt64 {
    var print = Fingerprint()
    print.add(address: text)
    return print.value
  }
}

extension Fingerprint {
  /// Adds a file's address without its query, in which podcasts count their listeners.
  fileprivate mutating func add(fileOf enclosure: Enclosure) {
    var reference = URIReference(enclosure.url).withoutFragment
    reference.query = nil
    add(reference.text)
  }

  /// Adds a text without its tags and white space, so that new markup around the same words is no edit.
  mutating func add(visibleTextOf text: String) {
    var text = text
    text.withUTF8 { bytes in
      var isInTag = false
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "<"): isInTag = true
        case UInt8(ascii: ">"): isInTag = false
        case 0x09, 0x0A, 0x0D, 0x20: break
        default: if !isInTag { add(byte: byte) }
        }
      }
    }
    add(byte: 0xFF)
  }
}

/// One thing that items may be told apart by.
enum IdentityLevel: CaseIterable {
  case guid, link, title, content
  /// The date, and where an item has none its content.
  case dateOrContent

  /// What tells items with these keys apart under a rule: the first decides, and each further one is asked where a
  /// document or the store has the ones before it more than once.
  static func chain(_ keys: IdentityKeys, _ rule: IdentityRule) -> [IdentityLevel] {
    if rule == .guid, keys.guid != nil { return [.guid, .link, .title, .dateOrContent] }
    if rule != .title, keys.link != nil { return [.link, .title, .dateOrContent] }
    if rule == .title, keys.title != nil { return [.title, .dateOrContent] }
    return [.content, .dateOrContent]
  }

  /// The rule by whose name people know it; nil where it has none.
  var rule: IdentityRule? {
    switch self {
    case .guid: .guid
    case .link: .link
    case .title: .title
    case .content, .dateOrContent: nil
    }
  }

  /// What an item of a document has here.
  func value(of sighting: Sighting) -> IdentityValue {
    if self == .dateOrContent, let date = sighting.date { return .date(date) }
    return .key(key(of: sighting.keys))
  }

  /// What a known item has here; for the date also what counts where the document has none.
  func values(of known: KnownItem) -> [IdentityValue] {
    let key = IdentityValue.key(key(of: known.keys))
    guard self == .dateOrContent, let date = known.published else { return [key] }
    return [.date(date), key]
  }

  /// The key that counts here, of all that an item has; nil where it has none.
  func key(of keys: IdentityKeys) -> UInt64? {
    switch self {
    case .guid: keys.guid
    case .link: keys.link
    case .title: keys.title
    case .content, .dateOrContent: keys.content
    }
  }
}

/// What an item has at one level.
enum IdentityValue: Hashable {
  case key(UInt64?)
  case date(Instant)
}

/// What a feed's documents have shown about the identities of its items.
public struct IdentityHistory: Hashable, Sendable {
  /// Whether the server renews guids while links stay, so that links decide.
  public var ignoresGuids = false
  /// Documents in a row that spoke against `ignoresGuids` as it stands; the third turns it round.
  public var contraryDocuments = 0
  /// The identity in force that the last document held more than once, so that further ones had to tell its items apart.
  public var repeated: IdentityRule?
  /// How many items the last document had that had any, those that were not read included; nil before the first.
  public var documentItems: Int?
  /// When a document last replaced most items of the one before.
  public var replacedAt: Instant?
  /// Whether that document had mostly known items under other identities: the site was rebuilt, which says nothing
  /// about how the feed moves on.
  public var isRebuilt = false
  /// How many items of that document were taken for old ones and stored as seen.
  public var quietItems = 0

  /// The history of a feed that was never fetched.
  public init() {}

  /// How many items the last document had, if they were more than are read; else nil.
  public var itemsOfCutDocument: Int? { documentItems.flatMap { $0 > ParsedFeed.maximumItems ? $0 : nil } }

  /// What decides about a feed configured with this rule.
  public func rule(_ configured: IdentityRule) -> IdentityRule {
    configured == .guid && ignoresGuids ? .link : configured
  }
}

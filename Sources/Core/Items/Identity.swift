// The identity of items: their keys, the order in which keys count, and the facts that a feed's documents have shown.

/// The fingerprints of everything that may identify an item; all are stored, whichever decides.
public struct IdentityKeys: Hashable, Sendable {
  public var guid: UInt64?
  /// The link's fingerprint by `ComparableAddress`.
  public var link: UInt64?
  public var title: UInt64?
  /// The fingerprint of title and content.
  public var content: UInt64

  public init(guid: UInt64? = nil, link: UInt64? = nil, title: UInt64? = nil, content: UInt64) {
    self.guid = guid
    self.link = link
    self.title = title
    self.content = content
  }
}

extension ParsedItem {
  /// Its keys, and the hash of what an edit would change: title, link, text without markup, enclosure addresses without
  /// query.
  ///
  /// They are made together, because most of a feed is text, and one pass over it is faster than two.
  func fingerprints() -> (keys: IdentityKeys, editHash: UInt64) {
    fingerprints(link: link.map(Self.addressKey))
  }

  /// The same with the key of another link.
  func fingerprints(link: UInt64?) -> (keys: IdentityKeys, editHash: UInt64) {
    var content = Fingerprint()
    content.add(title)
    var edit = content
    edit.add(link.map { String($0) })
    if let text = self.content ?? summary {
      content.add(text, visiblyTo: &edit)
    } else {
      content.add(nil)
      edit.add(byte: 0xFF)
    }
    for enclosure in enclosures { edit.add(fileOf: enclosure) }
    if title == nil, self.content ?? summary == nil {
      // An item without any text is identified by its files and its date.
      for enclosure in enclosures { content.add(fileOf: enclosure) }
      content.add(published.map { String($0.secondsSince1970) })
    }
    let keys = IdentityKeys(
      guid: id.map(Self.addressKey), link: link,
      title: title.map { title in
        var print = Fingerprint()
        print.add(title)
        return print.value
      }, content: content.value)
    return (keys, edit.value)
  }

  private static func addressKey(_ text: String) -> UInt64 {
    var print = Fingerprint()
    print.add(address: text)
    return print.value
  }
}

extension Fingerprint {
  /// Adds a file's address without its query, which podcasts use to count listeners.
  fileprivate mutating func add(fileOf enclosure: Enclosure) {
    var reference = URIReference(enclosure.url).withoutFragment
    reference.query = nil
    add(reference.text)
  }
}

/// Something that may identify an item.
enum IdentityLevel: CaseIterable {
  case guid, link, title, content
  /// The date, or the content of an item without one.
  case dateOrContent

  /// The levels that identify items with these keys under a rule.
  ///
  /// The first one decides; each further one decides among items that are equal at all levels before it.
  static func chain(_ keys: IdentityKeys, _ rule: IdentityRule) -> [IdentityLevel] {
    if rule == .guid, keys.guid != nil { return [.guid, .link, .title, .dateOrContent] }
    if rule != .title, keys.link != nil { return [.link, .title, .dateOrContent] }
    if rule == .title, keys.title != nil { return [.title, .dateOrContent] }
    return [.content, .dateOrContent]
  }

  /// The rule of this name, if it has one.
  var rule: IdentityRule? {
    switch self {
    case .guid: .guid
    case .link: .link
    case .title: .title
    case .content, .dateOrContent: nil
    }
  }

  func value(of sighting: Sighting) -> IdentityValue {
    if self == .dateOrContent, let date = sighting.date { return .date(date) }
    return .key(key(of: sighting.keys))
  }

  /// The values of a known item; with a date also the value that counts if the document has no date.
  func values(of known: KnownItem) -> [IdentityValue] {
    let key = IdentityValue.key(key(of: known.keys))
    guard self == .dateOrContent, let date = known.published else { return [key] }
    return [.date(date), key]
  }

  /// The key of this level, if the item has one.
  func key(of keys: IdentityKeys) -> UInt64? {
    switch self {
    case .guid: keys.guid
    case .link: keys.link
    case .title: keys.title
    case .content, .dateOrContent: keys.content
    }
  }
}

enum IdentityValue: Hashable {
  case key(UInt64?)
  case date(Instant)
}

/// The facts that a feed's documents have shown about the identities of its items.
public struct IdentityHistory: Hashable, Sendable {
  /// Whether the server renews guids while links stay, so that links decide.
  public var ignoresGuids = false
  /// Documents in a row that contradict `ignoresGuids`; the third one flips it.
  public var contraryDocuments = 0
  /// The identity that several items of the last document shared, so that further levels had to decide.
  public var repeated: IdentityRule?
  /// The number of items of the last document, unread ones included; nil before the first document.
  public var documentItems: Int?
  /// When a document last replaced most items of the one before.
  public var replacedAt: Instant?
  /// Whether that document had mostly known items under new identities: the site was rebuilt, which says nothing about how
  /// fast its items change.
  public var isRebuilt = false
  /// How many items of that document were taken for old ones and stored as seen.
  public var quietItems = 0
  /// Documents in a row whose items had the titles of known ones under other guids and links.
  public var renamedDocuments = 0
  /// The identity that would have recognised most new items of the last such document, if they are known ones; it stays once
  /// it is configured.
  public var doubt: IdentityRule?

  public init() {}

  /// The number of items of the last document, if there were too many to read all.
  public var itemsOfCutDocument: Int? { documentItems.flatMap { $0 > ParsedFeed.maximumItems ? $0 : nil } }

  /// Whether several documents in a row were recognised by titles and dates alone.
  public var ignoresLinks: Bool { renamedDocuments > 1 && doubt == nil }

  /// Records that the document has not changed, so that its guids and links are the same.
  public mutating func noteUnchanged(under configured: IdentityRule) {
    renamedDocuments = 0
    if doubt != configured { doubt = nil }
  }

  /// The rule that applies to a feed configured with `configured`.
  public func rule(_ configured: IdentityRule) -> IdentityRule {
    configured == .guid && ignoresGuids ? .link : configured
  }
}

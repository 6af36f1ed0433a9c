// The identity of items: their keys, the order in which keys count, and the facts that a feed's documents have shown.
//
// Identities of old items change at servers that renew guids, and at sites that were rebuilt. Renaming.swift has feeds that
// change both guids and links.

/// The fingerprints of everything that may identify an item; all are stored, whichever decides.
public struct IdentityKeys: Equatable, Sendable {
  public var guid: UInt64?
  /// The link's fingerprint (ComparableAddress.swift).
  public var link: UInt64?
  public var title: UInt64?
  /// The fingerprint of title and content.
  public var content: UInt64

  public init(guid: UInt64? = nil, link: UInt64? = nil, title: UInt64? = nil, content: UInt64) {
    (self.guid, self.link, self.title, self.content) = (guid, link, title, content)
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
    for enclosure in enclosures { edit.add(withoutParameters(enclosure.url)) }
    if title == nil, self.content ?? summary == nil {
      // An item without any text is identified by its files and its date.
      for enclosure in enclosures { content.add(withoutParameters(enclosure.url)) }
      content.add(published.map { String($0.secondsSince1970) })
    }
    let keys = IdentityKeys(
      guid: id.map(Self.addressKey), link: link,
      title: title.map { Fingerprint(of: $0).value }, content: content.value)
    return (keys, edit.value)
  }

  private static func addressKey(_ text: String) -> UInt64 {
    var print = Fingerprint()
    print.add(address: text)
    return print.value
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
public struct IdentityHistory: Equatable, Sendable {
  /// The number of items of the last document, unread ones included; nil before the first document.
  public var documentItems: Int?
  /// When a document last replaced most items of the one before.
  public var replacedAt: Instant?
  /// Whether that document had mostly known items under new identities: the site was rebuilt, which says nothing about how
  /// fast its items change.
  public var isRebuilt = false
  /// How many items of that document were taken for old ones and stored as seen.
  public var quietItems = 0
  /// The number of items of the last document, if there were too many to read all.
  public var itemsOfCutDocument: Int? { documentItems.flatMap { $0 > ParsedFeed.maximumItems ? $0 : nil } }
}

extension Recognition {
  /// Matches items whose guid is new while their link is known; returns whether the document renewed all guids.
  ///
  /// A link counts only if it is unique in document and store, and the titles or the dates must be equal. A new guid at an old address may
  /// also mean a new item: then its date is later, or other items kept their guids. So an item with a date that is not later
  /// always matches. Any other item matches only if no guid stayed and links match most of the document; if it is the only
  /// such item, a later date still makes it new.
  mutating func matchRenewedGuids() -> Bool {
    let keepsNoGuid = !sightings.indices.contains { sightings[$0].keys.guid != nil && matches[$0] != nil }
    let candidates = renewedCandidates()
    let renewsMost = keepsNoGuid && candidates.count * 2 > itemCount
    var accepted = 0
    for (index, number) in candidates {
      let sighting = sightings[index]
      let isLater = sighting.isLater(than: known[number])
      let isDated = sighting.date != nil && known[number].published != nil
      guard isDated && !isLater || renewsMost && (!isLater || candidates.count > 1) else { continue }
      match(index, with: number)
      accepted += 1
    }
    return keepsNoGuid && accepted > 0
  }

  /// Items with a new guid, a link unique in document and store, and the title or the date of the known item with that link.
  private func renewedCandidates() -> [(index: Int, number: Int)] {
    guard leavesKnown else { return [] }
    let unmatched = unmatched.filter { sightings[$0].keys.guid != nil && sightings[$0].keys.link != nil }
    guard !unmatched.isEmpty else { return [] }
    var inDocument: [UInt64: Int] = [:]
    for index in indices {
      if let link = sightings[index].keys.link { inDocument[link, default: 0] += 1 }
    }
    var inStore: [UInt64: (count: Int, number: Int)] = [:]
    for number in known.indices {
      guard let link = known[number].keys.link, inDocument[link] != nil else { continue }
      inStore[link] = ((inStore[link]?.count ?? 0) + 1, number)
    }
    return unmatched.compactMap { index in
      guard let link = sightings[index].keys.link, inDocument[link] == 1, let found = inStore[link],
        found.count == 1, isFree(found.number)
      else { return nil }
      let (sighting, item) = (sightings[index], known[found.number])
      guard sighting.hasTitle(of: item) || sighting.date != nil && sighting.date == item.published else {
        return nil
      }
      return (index, found.number)
    }
  }
}

/// A document that replaced most of a feed's items at once, after a site was rebuilt or moved: its old items are not announced.
struct MassChange {
  /// Items dated at this moment or before, or without a date, are old.
  private let newest: Instant

  /// Nil if the document is not a mass change.
  ///
  /// - Parameters:
  ///   - recognition: the matches so far.
  ///   - state: the feed's state before this document.
  ///   - now: the start of the round.
  init?(_ recognition: Recognition, state: FeedState, at now: Instant) {
    let history = state.identity
    let isLarge = recognition.known.count >= 10 && recognition.unmatched.count >= 5
    guard let former = history.documentItems, let lastSuccess = state.lastSuccess,
      isLarge || state.hasOtherRequest, recognition.replacesMost(of: former),
      !history.isUsedToReplacing(at: now)
    else { return nil }
    // An item may be dated before the last fetch and still have appeared after it, so known items set a bound, too.
    let newestKnown = recognition.known.lazy.compactMap(\.published).max()
    newest = min(lastSuccess, newestKnown ?? lastSuccess)
  }

  /// Whether an unmatched item existed before the change.
  func isOld(_ sighting: Sighting) -> Bool {
    sighting.date.map { $0 <= newest } ?? true
  }
}

extension Recognition {
  /// Whether three in four of the `former` items are gone, and at least a quarter as many new ones came.
  func replacesMost(of former: Int) -> Bool {
    (former - matchCount) * 4 >= former * 3 && !unmatched.isEmpty && unmatched.count >= former / 4
  }
}

extension IdentityHistory {
  /// Whether the feed replaced most of a document recently without a rebuild: then it always does, and its items are news.
  func isUsedToReplacing(at now: Instant) -> Bool {
    guard let replacedAt, !isRebuilt, replacedAt <= now else { return false }
    return now.since(replacedAt) < .days(90)
  }

  /// Records a document that has items.
  ///
  /// - Parameters:
  ///   - recognition: the final matches.
  ///   - leftOut: the number of items that were not read.
  ///   - quiet: the number of items that a mass change stored as seen; nil if there was no mass change.
  ///   - now: the start of the round.
  mutating func record(
    _ recognition: Recognition, leftOut: Int, quiet: Int?, at now: Instant
  ) {
    guard recognition.itemCount > 0 else { return }
    let former = documentItems ?? 0
    let replacesMost = former > 0 && recognition.replacesMost(of: former)
    if quiet != nil || replacesMost {
      replacedAt = now
      isRebuilt = !replacesMost
      quietItems = quiet ?? 0
    }
    documentItems =
      leftOut > 0 ? max(recognition.itemCount, ParsedFeed.maximumItems) + leftOut : recognition.itemCount
  }
}

// JSON of any form, in which a mapping of the configuration finds items and their parts.

import Core

/// Reads a document by a mapping.
///
/// Of several pointers to the items, the first one that finds usable items counts. An empty array there is a feed without
/// items, and so is null, which Go writes for an empty array. If there is nothing at all, or nothing that fits the mapping,
/// the failure says what the document has instead.
func readMappedJSON(
  _ source: UnsafeBufferPointer<UInt8>, _ mapping: JSONMapping, address: String?,
  shouldStop: @escaping ShouldStop
) -> Result<ParsedFeed, FeedReadingFailure> {
  if let other = otherThanJSON(source, address: address) { return .failure(.unmapped(other)) }
  var best: MappedReader?
  for pointer in mapping.items {
    var json = JSONScanner(source, shouldStop: shouldStop)
    var reader = MappedReader(mapping, MappedLinks(base: documentBase(address), documentSize: source.count))
    var steps = Int.max
    PointerWalk([pointer]).go(over: &json, steps: &steps) { json, _ in reader.takeItems(&json) }
    if json.isStopped { return .failure(.stopped) }
    if let fault = json.faultAtEnd { return .failure(.unmapped(fault)) }
    if !reader.feed.items.isEmpty { return .success(reader.feed) }
    if reader.isPlaceThere, best == nil || best?.found == 0 { best = reader }
  }
  guard let best else { return .failure(.unmapped(missing(mapping.items, in: source, shouldStop))) }
  guard best.found == 0 else { return .failure(.unmapped(best.misfit)) }
  return .success(best.feed)
}

/// A description of a document that does not begin like a JSON object or array; nil for these, and for null.
private func otherThanJSON(_ source: UnsafeBufferPointer<UInt8>, address: String?) -> String? {
  switch source.first(where: { $0 > 0x20 }) {
  case UInt8(ascii: "{"), UInt8(ascii: "["): return nil
  case UInt8(ascii: "n") where isNull(source): return nil
  case UInt8(ascii: "<"):
    var xml = XMLScanner(source, address: address)
    switch xml.findRoot() {
    case .rss, .atom: return "not JSON: RSS or Atom, which kind: feed reads"
    case .html: return "not JSON: an HTML page"
    case .other(let found): return "not JSON: \(found)"
    }
  default: return "not JSON: text that begins with neither { nor ["
  }
}

private func isNull(_ source: UnsafeBufferPointer<UInt8>) -> Bool {
  let text = source.drop { $0 <= 0x20 }
  return text.starts(with: "null".utf8) && text.dropFirst(4).allSatisfy { $0 <= 0x20 }
}

/// The reason why there are no items: the last existing value on the way to them, and what it is.
private func missing(
  _ pointers: [JSONPointer], in source: UnsafeBufferPointer<UInt8>, _ shouldStop: @escaping ShouldStop
) -> String {
  let places = pointers.map { $0.text.isEmpty ? "the root" : $0.text }.joined(separator: " or ")
  var found: String?
  var tokens = pointers.first?.text.split(separator: "/", omittingEmptySubsequences: false) ?? []
  while found == nil, !tokens.isEmpty {
    let text = tokens.joined(separator: "/")
    tokens.removeLast()
    guard let prefix = try? JSONPointer(parsing: text) else { continue }
    var json = JSONScanner(source, shouldStop: shouldStop)
    var steps = Int.max
    PointerWalk([prefix]).go(over: &json, steps: &steps) { json, _ in
      if found == nil {
        found = (text.isEmpty ? "the document" : text) + " is " + json.shape()
      } else {
        json.skip()
      }
    }
  }
  return "json.items finds no items at \(places)" + (found.map { "; " + $0 } ?? "")
}

extension JSONScanner {
  /// A description of the fault if the document does not end behind its root value.
  fileprivate var faultAtEnd: String? {
    mutating get {
      if isBroken { return "JSON that is broken or not whole" }
      switch peek() {
      case 0: return nil
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        return "not one JSON document but several, one behind the other (NDJSON)"
      default: return "JSON with something else behind it"
      }
    }
  }
}

/// One walk over a document with one pointer to the items.
private struct MappedReader {
  var feed = ParsedFeed(format: .mapped)
  /// Whether the pointer finds an object, an array or null.
  var isPlaceThere = false
  /// The number of values at the items' place, usable or not, up to `maximumItems`.
  var found = 0
  /// A description of the first one.
  private var firstShape: String?
  /// The pointers to the parts that make a value an item.
  private let identifying: [JSONPointer]

  /// The number of values in items that may still be visited, so that no document takes minutes.
  private var stepsLeft = 1_000_000
  private let targets: [MappedItem.Target]
  private let walk: PointerWalk
  private var links: MappedLinks

  init(_ mapping: JSONMapping, _ links: MappedLinks) {
    self.links = links
    let aims = JSONMapping.Part.allCases.flatMap { part in
      (mapping.parts[part] ?? []).enumerated().map { number, pointer in
        (target: MappedItem.Target(part: part, rank: Int.max - number), pointer: pointer)
      }
    }
    targets = aims.map(\.target)
    identifying = JSONMapping.Part.telling.flatMap { mapping.parts[$0] ?? [] }
    walk = PointerWalk(aims.map(\.pointer))
  }

  /// Reads the value at the items' place.
  mutating func takeItems(_ json: inout JSONScanner) {
    switch json.peek() {
    case UInt8(ascii: "["):
      isPlaceThere = true
      guard json.enter("[") else { return }
      while json.nextValue() { takeItem(&json) }
    case UInt8(ascii: "{"):
      isPlaceThere = true
      takeItem(&json)
    case UInt8(ascii: "n"):
      isPlaceThere = true
      json.skip()
    default:
      json.skip()
    }
  }

  private mutating func takeItem(_ json: inout JSONScanner) {
    guard json.peek() != UInt8(ascii: "n"), found < ParsedFeed.maximumItems else {
      if json.peek() != UInt8(ascii: "n") { feed.leftOut += 1 }
      json.skip()
      return
    }
    found += 1
    let start = json.position
    var item = MappedItem()
    let targets = targets
    var links = links
    walk.go(over: &json, steps: &stepsLeft) { json, pointers in
      item.take(&json, pointers.lazy.map { targets[$0] }, &links)
    }
    self.links = links
    feed.take(item.item)
    if feed.items.isEmpty, firstShape == nil, !json.isBroken {
      firstShape = shapeOfItem(at: start, &json)
    }
  }

  /// A description of the value in place of a text that would make an item, or of the item itself.
  private func shapeOfItem(at start: Int, _ json: inout JSONScanner) -> String {
    for pointer in identifying where !pointer.text.isEmpty {
      json.rewind(to: start)
      var found: String?
      var steps = Int.max
      PointerWalk([pointer]).go(over: &json, steps: &steps) { json, _ in
        if found == nil, json.peek() != UInt8(ascii: "\"") { found = json.shape() } else { json.skip() }
      }
      if let found { return "\(pointer.text) of the first is \(found)" }
    }
    json.rewind(to: start)
    return "the first is " + json.shape()
  }

  /// The reason why none of the values is an item.
  var misfit: String {
    let pointers = identifying.map { $0.text.isEmpty ? "\"\"" : $0.text }
    return "json finds \(pointers.joined(separator: ", ")) in none of \(found) "
      + (found == 1 ? "item" : "items") + (firstShape.map { "; " + $0 } ?? "")
  }
}

/// The links of a mapped document.
private struct MappedLinks {
  /// The base of relative links; nil if the document's address is not known.
  private(set) var base: BaseAddress?
  private var resolver: LinkResolver

  init(base: BaseAddress?, documentSize: Int) {
    self.base = base
    resolver = LinkResolver(documentSize: documentSize)
  }

  mutating func link(_ text: UnsafeBufferPointer<UInt8>) -> String? { resolver.link(text, base: &base) }
}

private struct MappedItem {
  /// The part of an item to which a pointer leads.
  struct Target {
    let part: JSONMapping.Part
    /// The pointer's rank; values of higher ranks replace others.
    let rank: Int
  }

  private var id = ItemDraft.Ranked<String>()
  private var updated = ItemDraft.Ranked<Instant>()
  private var draft = ItemDraft()
  private var assetRank = Int.min

  /// Takes the next value if it is a number or a text that is not empty.
  mutating func take(_ json: inout JSONScanner, _ targets: some Sequence<Target>, _ links: inout MappedLinks)
  {
    let isNumber = json.peek() != UInt8(ascii: "\"")
    guard let text = json.text().map(trimmed), !text.isEmpty else { return }
    for target in targets { take(text, isNumber: isNumber, target, &links) }
  }

  /// The finished item; nil if it has no id, title, link or summary.
  var item: ParsedItem? {
    var draft = draft
    draft.id = id.value
    draft.updated = updated.value
    let item = draft.item
    return item.id != nil || item.title != nil || item.link != nil || item.summary != nil ? item : nil
  }

  private mutating func take(
    _ text: UnsafeBufferPointer<UInt8>, isNumber: Bool, _ target: Target, _ links: inout MappedLinks
  ) {
    let rank = target.rank
    switch target.part {
    case .id:
      if id.wants(rank) { id.take(nonEmpty(text), rank: rank) }
    case .title:
      if draft.title.wants(rank) { draft.title.take(plainTitle(text, .unsaid), rank: rank) }
    case .link:
      if draft.link.wants(rank) { draft.link.take(webLink(text, &links), rank: rank) }
    case .published:
      if draft.published.wants(rank) { draft.published.take(date(text, isNumber: isNumber), rank: rank) }
    case .updated:
      if updated.wants(rank) { updated.take(date(text, isNumber: isNumber), rank: rank) }
    case .summary:
      if draft.summary.wants(rank) { draft.summary.take(nonEmpty(text), rank: rank) }
    case .author:
      if draft.wantsAuthor(rank) { draft.add(author: plainTitle(text, .unsaid), rank: rank) }
    case .assets:
      takeAsset(text, rank: rank, &links)
    }
  }

  private mutating func takeAsset(
    _ text: UnsafeBufferPointer<UInt8>, rank: Int, _ links: inout MappedLinks
  ) {
    guard wantsAsset(rank), let url = links.link(text) else { return }
    var rank = rank
    if !isWebAddress(url) {
      // A document without an address, such as a file, may name files by relative paths. Their downloads fail with a
      // message. They count only if no pointer finds a web address.
      guard links.base == nil, URIReference(url).isRelativeOrFile else { return }
      rank -= .max
    }
    guard wantsAsset(rank) else { return }
    if rank > assetRank { draft.removeEnclosures() }
    assetRank = rank
    draft.add(Enclosure(url: url))
  }

  private func wantsAsset(_ rank: Int) -> Bool {
    rank > assetRank || rank == assetRank && draft.enclosures.count < ItemDraft.maximumCount
  }

  private func webLink(_ text: UnsafeBufferPointer<UInt8>, _ links: inout MappedLinks) -> String? {
    links.link(text).flatMap { isWebAddress($0) ? $0 : nil }
  }
}

/// The moment of a date in JSON: a time since 1970 in seconds or finer units, or a date as in feeds.
private func date(_ text: UnsafeBufferPointer<UInt8>, isNumber: Bool) -> Instant? {
  // Thirteen digits are milliseconds even in quotes. Shorter and longer ones may be 20261121 or 20261121083000.
  if isNumber || text.count == 13, let moment = unixTime(text) { return moment }
  guard !isNumber, let moment = feedDate(text) else { return nil }
  // Go and .NET write 0001-01-01 for a missing date.
  return moment < firstDate ? nil : moment
}

/// 2 January of the year 1.
private let firstDate = Instant(
  secondsSince1970: CivilTime(year: 1, month: 1, day: 2).daysSince1970 * 86_400)

/// The moment of a number of seconds, milliseconds, microseconds or nanoseconds since 1970, distinguished by its size.
private func unixTime(_ text: UnsafeBufferPointer<UInt8>) -> Instant? {
  guard var value = wholePart(of: text), value > 0 else { return nil }
  // As seconds this would be the year 5138, as milliseconds it is 1973.
  while value >= 100_000_000_000 { value /= 1000 }
  return Instant(secondsSince1970: value)
}

/// The whole part of a number.
///
/// Some languages write large ones with an exponent, as `1.7952e9`.
private func wholePart(of text: UnsafeBufferPointer<UInt8>) -> Int64? {
  if text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
    guard text.count <= 40, let value = Double(String(decoding: text, as: UTF8.self)) else { return nil }
    return Int64(exactly: value.rounded(.towardZero))
  }
  return number(UnsafeBufferPointer(rebasing: text.prefix { $0 != UInt8(ascii: ".") }))
}

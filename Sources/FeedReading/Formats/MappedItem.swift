// The parts of one item as a mapping finds them: what text, a number or a date in JSON comes to.

import Core

/// What makes the addresses of a mapped document whole.
struct MappedLinks {
  /// Where relative ones begin; nil if the document's address is not known.
  private(set) var base: BaseAddress?
  private var resolver: LinkResolver

  /// Links of a document of some size.
  init(base: BaseAddress?, documentSize: Int) {
    self.base = base
    resolver = LinkResolver(documentSize: documentSize)
  }

  /// An address, resolved; nil if it is none.
  mutating func link(_ text: UnsafeBufferPointer<UInt8>) -> String? { resolver.link(text, base: &base) }
}

/// An item under construction, part by part.
struct MappedItem {
  /// Where a value goes.
  struct Target {
    /// The part it is.
    let part: JSONMapping.Part
    /// The higher, the better the pointer that led to it.
    let rank: Int
  }

  private var id = ItemDraft.Ranked<String>()
  private var updated = ItemDraft.Ranked<Instant>()
  private var draft = ItemDraft()
  private var assetRank = Int.min

  /// Takes the value that comes next, if it is text or a number; anything else, and what is empty, is nothing.
  mutating func take(_ json: inout JSONScanner, _ targets: [Target], _ links: inout MappedLinks) {
    let isNumber = json.peek() != UInt8(ascii: "\"")
    guard let text = json.text().map(trimmed), !text.isEmpty else { return }
    for target in targets { take(text, isNumber: isNumber, target, &links) }
  }

  /// The item; nil if nothing in it tells it from others.
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
      // In a document without an address, such as a file, these are files that cannot be had: their downloads say so.
      // They count where no pointer leads to one that can.
      guard links.base == nil, URIReference(url).isRelativeOrFile else { return }
      rank -= .max
    }
    guard wantsAsset(rank) else { return }
    if rank > assetRank { draft.removeEnclosures() }
    assetRank = rank
    draft.add(Enclosure(url: url))
  }

  private func wantsAsset(_ rank: Int) -> Bool {
    rank > assetRank || rank == assetRank && draft.enclosureCount < ItemDraft.maximumCount
  }

  /// An address of the web, resolved; nil for any other.
  private func webLink(_ text: UnsafeBufferPointer<UInt8>, _ links: inout MappedLinks) -> String? {
    links.link(text).flatMap { isWebAddress($0) ? $0 : nil }
  }
}

/// The moment that a date in JSON means: the time since 1970 in seconds or finer units, else what a feed's date means.
private func date(_ text: UnsafeBufferPointer<UInt8>, isNumber: Bool) -> Instant? {
  // Thirteen digits are milliseconds even in quotes; shorter and longer ones may be 20261121 and 20261121083000.
  if isNumber || text.count == 13, let moment = unixTime(text) { return moment }
  guard !isNumber, let moment = feedDate(text) else { return nil }
  // Go and .NET write 0001-01-01 for no date at all.
  return moment < firstDate ? nil : moment
}

/// 2 January of the year 1.
private let firstDate = Instant(
  secondsSince1970: CivilTime(year: 1, month: 1, day: 2).daysSince1970 * 86_400)

/// The moment of a number of seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by its size.
private func unixTime(_ text: UnsafeBufferPointer<UInt8>) -> Instant? {
  guard var value = wholePart(of: text), value > 0 else { return nil }
  // As seconds this would be the year 5138, as milliseconds it is 1973.
  while value >= 100_000_000_000 { value /= 1000 }
  return Instant(secondsSince1970: value)
}

/// The whole part of a number; some languages write large ones with an exponent, as `1.7952e9`.
private func wholePart(of text: UnsafeBufferPointer<UInt8>) -> Int64? {
  if text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
    guard text.count <= 40, let value = Double(String(decoding: text, as: UTF8.self)) else { return nil }
    return Int64(exactly: value.rounded(.towardZero))
  }
  return number(UnsafeBufferPointer(rebasing: text.prefix { $0 != UInt8(ascii: ".") }))
}

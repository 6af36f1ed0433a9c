// Holds a document's items against those seen before, and says which are new.

public import Model
public import Timing

/// What a document's items are, held against those seen before.
public struct Classification: Hashable, Sendable {
  /// Items never seen before, oldest first; filtered ones and those of a baseline are stored as seen.
  public var newItems: [ItemRecord] = []
  /// Known items that the document shows in another form.
  public var changedItems: [ChangedItem] = []
  /// Whether this is the feed's first successful fetch.
  public var isBaseline = false

  /// A document in which nothing is new.
  public init() {}

  /// The places in `newItems` of those that count as new: not filtered, not part of a quiet baseline.
  public var announcedItems: [Int] {
    newItems.indices.filter { !newItems[$0].isSeen }
  }

  /// The known items that are reported as updated.
  public var updatedItems: [ChangedItem] {
    changedItems.filter { $0.updatedAt != nil }
  }

  /// How many items are new or reported as updated.
  public var count: Int { announcedItems.count + updatedItems.count }
}

/// Says which items of a document are new, by identity and not by date.
///
/// An item that left the document and comes back is known. A filtered item is known too, and does not become new when
/// the filter goes. An edit is reported at most once a day an item; one that comes sooner changes what is stored, and
/// is reported when the day is over.
///
/// - Parameters:
///   - document: what the feed says now.
///   - known: every item ever seen of the feed.
///   - feed: the feed's first-run rule, filter and updated rule.
///   - hasBaseline: whether a first successful fetch is behind the feed.
///   - now: the start of the run.
/// - Returns: new items oldest first, and known ones that changed; the rest of the document is unchanged.
public func classify(
  _ document: ParsedFeed, known: [KnownItem], feed: FeedSpec, hasBaseline: Bool, at now: Instant
) -> Classification {
  let index = IdentityIndex(known, document: document.items)
  let filter = CompiledFilter(feed.filter)
  var result = Classification()
  result.isBaseline = !hasBaseline
  var taken: Set<String> = []
  for item in newestLast(document.items) {
    let contentHash = item.contentHash
    guard taken.insert(index.key(item, contentHash: contentHash)).inserted else { continue }
    let editHash = item.editHash
    guard let before = index.match(item, contentHash: contentHash) else {
      let isFiltered = !filter.lets(item)
      result.newItems.append(
        record(item, contentHash: contentHash, editHash: editHash, isSeen: isFiltered, isFiltered: isFiltered)
      )
      continue
    }
    guard before.editHash != editHash else { continue }
    result.changedItems.append(
      change(of: before, to: item, contentHash: contentHash, editHash: editHash, feed: feed, at: now))
  }
  if result.isBaseline { quiet(&result.newItems, beyond: feed.firstRun) }
  return result
}

/// The document's items with the newest last: by date where all have one, else against the order of the
/// document.
private func newestLast(_ items: [ParsedItem]) -> [ParsedItem] {
  let reversed = Array(items.reversed())
  let dates = reversed.compactMap { $0.published ?? $0.updated }
  guard dates.count == reversed.count else { return reversed }
  // The order of the document decides between equal dates, so the sort must be stable.
  return zip(dates, reversed).enumerated().sorted {
    ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
  }.map(\.element.1)
}

/// Marks the items of a first fetch as seen, but for the newest so many.
private func quiet(_ items: inout [ItemRecord], beyond rule: FirstRun) {
  var left =
    switch rule {
    case .none: 0
    case .latest: 1
    case .all: items.count
    case .newest(let count): count
    }
  for place in items.indices.reversed() where !items[place].isSeen {
    if left > 0 {
      left -= 1
    } else {
      items[place].isSeen = true
    }
  }
}

private func record(
  _ item: ParsedItem, contentHash: UInt64, editHash: UInt64, isSeen: Bool, isFiltered: Bool
) -> ItemRecord {
  ItemRecord(
    guid: item.id, link: item.link, contentHash: contentHash, editHash: editHash,
    title: item.title.map { cleanText($0, limit: 1024) },
    summary: (item.summary ?? item.content).map {
      cleanText(plainText(fromHTML: $0, limit: 4096), limit: 4096)
    },
    author: item.author.map { cleanText($0, limit: 256) }, published: item.published ?? item.updated,
    isSeen: isSeen, isFiltered: isFiltered)
}

private func change(
  of before: KnownItem, to item: ParsedItem, contentHash: UInt64, editHash: UInt64, feed: FeedSpec,
  at now: Instant
) -> ChangedItem {
  let isReported = feed.updated == .notify && !before.isFiltered
  // A report from the future was made under a clock that has been set back since; it holds no longer than any other.
  let isTooSoon = before.updatedAt.map { max(now.since($0), $0.since(now)) < .days(1) } ?? false
  var after = record(
    item, contentHash: contentHash, editHash: editHash, isSeen: !isReported || isTooSoon,
    isFiltered: before.isFiltered)
  // Keeping the old hash is what brings an edit that came too soon back tomorrow.
  if isReported, isTooSoon { after.editHash = before.editHash }
  return ChangedItem(number: before.number, record: after, updatedAt: isReported && !isTooSoon ? now : nil)
}

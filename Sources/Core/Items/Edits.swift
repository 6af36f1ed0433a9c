// Updates of known items: what changes in the store, and what is reported, at most once a day per item.

/// The edits of one feed's known items.
struct EditRule {
  /// The feed's filter and updated rule.
  let feed: FeedSpec
  /// The filter, compiled.
  let filter: CompiledFilter
  /// The start of the run.
  let now: Instant

  /// What a sight of a known item changes; nil if nothing.
  ///
  /// An edit that comes within a day of the last one reported changes what is stored, and is held: it is reported when
  /// the day is over, unless it was taken back by then. A filter looks at what was edited anew. A pruned item stays pruned,
  /// and its edits are not reported.
  func change(of before: KnownItem, to sighting: Sighting) -> ChangedItem? {
    let form = sighting.item.editHash(sighting.keys)
    let isEdited = form != before.heldEdit ?? before.editHash
    let isFiltered = isEdited ? !filter.lets(sighting.item) : before.isFiltered
    let isToTell = feed.updated == .notify && !isFiltered && !before.isPruned && form != before.editHash
    let isTold = isToTell && !isTooSoon(after: before.updatedAt)
    let held = isToTell && !isTold ? form : nil
    let hasOtherGuid = sighting.keys.guid != nil && sighting.keys.guid != before.keys.guid
    guard isEdited || isTold || held != before.heldEdit || hasOtherGuid else { return nil }
    let record = ItemRecord(
      sighting, editHash: held == nil ? form : before.editHash, isSeen: !isTold, isFiltered: isFiltered)
    return ChangedItem(
      number: before.number, record: before.isPruned ? record.pruned : record, heldEdit: held,
      updatedAt: isTold ? now : nil)
  }

  /// The held edits whose day is over, of items that no document need show.
  func changes(of held: [KnownItem]) -> [ChangedItem] {
    guard feed.updated == .notify else { return [] }
    return held.compactMap { item in
      guard item.heldEdit != nil, !item.isFiltered, !isTooSoon(after: item.updatedAt) else { return nil }
      return ChangedItem(number: item.number, record: nil, updatedAt: now)
    }
  }

  private func isTooSoon(after last: Instant?) -> Bool {
    // One from the future comes from a clock that was wrong.
    guard let last, last <= now else { return false }
    return now.since(last) < .days(1)
  }
}

/// What a fetch reports whose answer was 304: edits that came too soon after the last ones, when their day is over.
///
/// - Parameters:
///   - known: every item that is stored of the feed.
///   - feed: its updated rule.
///   - state: the feed's, before this fetch.
///   - now: the start of the run.
/// - Returns: the held edits told now; nothing is new.
public func classifyUnchanged(
  known: [KnownItem], feed: FeedSpec, state: FeedState, at now: Instant
) -> Classification {
  var result = Classification()
  result.identity = state.identity
  let rule = EditRule(feed: feed, filter: CompiledFilter(ItemFilter()), now: now)
  result.changedItems = rule.changes(of: known)
  result.heldEditDue = heldEditDue(known, changed: result.changedItems)
  return result
}

/// Whether an edit that was held back may be reported now, though the document did not change.
public func hasHeldEdits(_ state: FeedState, _ feed: FeedSpec, at now: Instant) -> Bool {
  guard feed.updated == .notify, let due = state.heldEditDue else { return false }
  return due <= now || due.since(now) > .days(1)
}

/// When the first of the edits that are still held back may be reported; nil if there is none.
func heldEditDue(_ known: [KnownItem], changed: [ChangedItem]) -> Instant? {
  guard known.contains(where: { $0.heldEdit != nil }) || changed.contains(where: { $0.heldEdit != nil })
  else {
    return nil
  }
  let changes = Dictionary(changed.map { ($0.number, $0.heldEdit) }) { first, _ in first }
  return known.lazy.compactMap { item in
    let held = changes[item.number] ?? item.heldEdit
    return held == nil ? nil : item.updatedAt.map { $0 + .days(1) }
  }.min()
}

extension ItemRecord {
  /// What is stored of an item: its texts cleaned and cut.
  init(_ sighting: Sighting, editHash: UInt64, isSeen: Bool, isFiltered: Bool) {
    let item = sighting.item
    self.init(
      guid: item.id.map(storedGuid), link: item.link.flatMap { $0.utf8.count <= 4096 ? $0 : nil },
      keys: sighting.keys, editHash: editHash, title: item.title.map { cleanText($0, limit: 1024) },
      summary: (item.summary ?? item.content).map {
        cleanText(plainText(fromHTML: $0, limit: 4096), limit: 4096)
      },
      author: item.author.map { cleanText($0, limit: 256) }, published: sighting.date, isSeen: isSeen,
      isFiltered: isFiltered)
  }
}

/// A guid as people may name it: as declared, and where it is very long its beginning with a number for the whole.
private func storedGuid(_ guid: String) -> String {
  guard guid.utf8.count > 1024 else { return guid }
  var print = Fingerprint()
  print.add(guid)
  return String(guid.unicodeScalars.prefix(200)) + "…" + String(print.value, radix: 16)
}

// Edits of known items: what changes in the store, and which edits are reported, at most once per item in the time that
// `updated.at-most` gives.

/// Decides about the edits of one feed's known items.
struct EditRule {
  /// The feed's filter and updated rule.
  let feed: FeedSpec
  let filter: CompiledFilter
  /// The start of the run.
  let now: Instant

  /// The change that a sighting of a known item makes, or nil.
  ///
  /// If the item is `renamed`, known only by its title, another link is not an edit to report.
  ///
  /// An edit too soon after the last report is stored, but its report is postponed until the time is over, and cancelled if
  /// the edit is reverted by then. The filter checks edited items again. A pruned item stays pruned, and its edits are not
  /// reported.
  func change(of before: KnownItem, to sighting: Sighting, renamed: Bool = false) -> ChangedItem? {
    let form = sighting.editHash
    let isEdited = form != before.storedEdit
    let isFiltered = isEdited ? !filter.accepts(sighting.item) : before.isFiltered
    let isSame = renamed && before.postponedEdit == nil && sighting.hasWords(of: before)
    let differsFromReport = form != before.editHash && !isSame
    let wantsReport = feed.updated.isReported && differsFromReport && !isFiltered && !before.isPruned
    let isReported = wantsReport && !isTooSoon(after: before.updatedAt)
    let postponed = wantsReport && !isReported ? form : nil
    let hasOtherGuid = sighting.keys.guid != nil && sighting.keys.guid != before.keys.guid
    guard isEdited || isReported || postponed != before.postponedEdit || hasOtherGuid else { return nil }
    let record = ItemRecord(
      sighting, editHash: postponed == nil ? form : before.editHash, isSeen: !isReported,
      isFiltered: isFiltered, keeping: feed.contentLimit)
    return ChangedItem(
      number: before.number, record: before.isPruned ? record.pruned : record, postponedEdit: postponed,
      updatedAt: isReported ? now : nil)
  }

  /// The postponed edits that are due, of items that need not be in a document.
  func changes(of items: [KnownItem]) -> [ChangedItem] {
    guard feed.updated.isReported else { return [] }
    return items.compactMap { item in
      guard item.postponedEdit != nil, !item.isFiltered, !isTooSoon(after: item.updatedAt) else { return nil }
      return ChangedItem(number: item.number, record: nil, updatedAt: now)
    }
  }

  private func isTooSoon(after last: Instant?) -> Bool {
    // A time in the future comes from a wrong clock.
    guard let last, last <= now else { return false }
    return now.since(last) < feed.updated.atMost
  }
}

/// The classification after a 304: postponed edits that are due, and nothing new.
///
/// - Parameters:
///   - known: every stored item of the feed.
///   - feed: its updated rule.
///   - state: the feed's state before this fetch.
///   - now: the start of the run.
/// - Returns: the classification.
public func classifyUnchanged(
  known: [KnownItem], feed: FeedSpec, state: FeedState, at now: Instant
) -> Classification {
  var result = Classification()
  result.identity = state.identity
  let rule = EditRule(feed: feed, filter: CompiledFilter(ItemFilter()), now: now)
  result.changedItems = rule.changes(of: known)
  result.postponedEditDue = postponedEditDue(known, changed: result.changedItems, atMost: feed.updated.atMost)
  return result
}

/// Whether a postponed edit is due, even if the document has not changed.
public func isPostponedEditDue(_ state: FeedState, _ feed: FeedSpec, at now: Instant) -> Bool {
  guard feed.updated.isReported, let due = state.postponedEditDue else { return false }
  // A moment further away was stored by a wrong clock, or under a longer `at-most`.
  return due <= now || due.since(now) > feed.updated.atMost
}

/// When the first of the postponed edits is due; nil if there is none.
func postponedEditDue(_ known: [KnownItem], changed: [ChangedItem], atMost: Interval) -> Instant? {
  guard
    known.contains(where: { $0.postponedEdit != nil }) || changed.contains(where: { $0.postponedEdit != nil })
  else {
    return nil
  }
  let changes = Dictionary(changed.map { ($0.number, $0.postponedEdit) }) { first, _ in first }
  return known.lazy.compactMap { item in
    let postponed = changes[item.number] ?? item.postponedEdit
    return postponed == nil ? nil : item.updatedAt.map { $0 + atMost }
  }.min()
}

extension ItemRecord {
  /// An item to store: its texts cleaned and cut, and at most `limit` bytes of its content (nil means none).
  init(
    _ sighting: Sighting, editHash: UInt64, isSeen: Bool, isFiltered: Bool, keeping limit: ByteCount?
  ) {
    let item = sighting.item
    self.init(
      guid: item.id.map(storedGuid), link: item.link.flatMap { $0.utf8.count <= 4096 ? $0 : nil },
      keys: sighting.keys, editHash: editHash, title: item.title.map { cleanText($0, limit: 1024) },
      summary: nil, author: item.author.map { cleanText($0, limit: 256) }, published: sighting.date,
      isSeen: isSeen, isFiltered: isFiltered)
    // Nobody sees filtered items.
    let details = isFiltered ? ItemDetails() : ItemDetails(item, keeping: limit)
    self.details = details.isEmpty ? nil : details
    guard let text = item.summary ?? item.content else { return }
    if item.summary == nil || item.content == nil, details.hasWholeContent(text) {
      isSummaryOfContent = true
    } else {
      summary = Self.summary(of: text)
    }
  }
}

/// The guid as declared; a very long one is cut and gets a fingerprint of the whole.
private func storedGuid(_ guid: String) -> String {
  guard guid.utf8.count > 1024 else { return guid }
  var print = Fingerprint()
  print.add(guid)
  return String(guid.unicodeScalars.prefix(200)) + "…" + String(print.value, radix: 16)
}

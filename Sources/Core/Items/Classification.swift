// Compares a document's items with the known ones and says which are new or updated, and which edits are reported, at most
// once per item in the time that `updated` gives.
//
// The way: `ParsedFeed` is what a document says, `Sighting` one of its items with its keys, `Recognition` matches sightings with
// known items, `Classification` is the result.

/// The items of a document compared with the known ones.
public struct Classification: Sendable {
  /// Items never seen before, oldest first; filtered ones and those of a baseline are stored as seen.
  public var newItems: [ItemRecord] = []
  /// Known items whose form or identity changed.
  public var changedItems: [ChangedItem] = []
  /// Whether this is the feed's first successful fetch.
  public var isBaseline = false
  /// The number of items that a mass change stored as seen; nil if there was no mass change.
  public var quietItems: Int?
  /// The number of items known by what they say, under other guids and links.
  var renamedItems = 0
  /// The number of new items that the filter leaves out.
  var filtered = 0
  /// Other known items whose contents were taken, or tried to be taken, from their pages.
  public var articles: [Int64: ItemRecord] = [:]
  /// The facts that the feed's documents have shown about identities, this one included.
  public var identity = IdentityHistory()
  /// Whether this document renewed guids while links stayed.
  var renewsGuids = false
  /// The items of the document with their indices, newest first, for their assets; only if the feed downloads, and without
  /// pruned items.
  var shownItems: [ShownItem] = []
  /// The numbers of the known items in the document.
  public var recognised: [Int64] = []

  public init() {}

  /// The indices in `newItems` of those to announce: neither filtered nor stored as seen.
  public var announcedItems: [Int] {
    newItems.indices.filter { !newItems[$0].isSeen }
  }

  /// The number of new items that are stored as seen, but are not filtered.
  public var storedAsSeen: Int { newItems.count { $0.isSeen && !$0.isFiltered } }

  /// The known items to report as updated.
  public var updatedItems: [ChangedItem] {
    changedItems.filter { $0.updatedAt != nil }
  }

  /// The number of items to announce as new or updated.
  public var count: Int { announcedItems.count + updatedItems.count }
}

/// An item of a document, and its index there.
struct ShownItem: Sendable {
  var item: FoundAsset.ItemReference
  /// Its index in the document.
  var index: Int
  /// Whether the filter rejects it.
  var isFiltered: Bool
}

/// Says which items of a document are new, by identity and not by date.
///
/// An item that left the document and returns is known. A filtered item is known too, and does not become new when the
/// filter is removed. Identities are tried in this order: those of the feed's rule, identities that the feed's items gained after
/// they were stored (`Recognition`), links if guids were renewed (`matchRenewedGuids`), what items say if guids and links were
/// renewed (`matchRenamed`), titles and dates if a site was rebuilt or most guids and links are renewed (`matchRebuilt`).
///
/// - Parameters:
///   - document: the parsed document.
///   - known: every stored item of the feed.
///   - feed: its identity, first run, filter and updated rules.
///   - state: the feed's state.
///   - now: the start of the round.
///   - shouldStop: called now and then; after it returns true the result is meaningless.
/// - Returns: new items oldest first, and known ones that changed; the rest of the document is unchanged.
public func classify(
  _ document: ParsedFeed, known: [KnownItem], feed: FeedSpec, state: FeedState, at now: Instant,
  shouldStop: @escaping ShouldStop = { false }
) -> Classification {
  var recognition = Recognition(sightings(document.items, shouldStop), known: known)
  recognition.matchByIdentity(feed.identity)
  recognition.matchByFormerIdentity(feed.identity)
  var result = Classification()
  result.isBaseline = !state.hasBaseline
  result.renewsGuids = feed.identity == .guid && recognition.matchRenewedGuids()
  // A title that decides anyway needs no help.
  let keepsWords = feed.identity != .title
  var renamed = keepsWords ? recognition.matchRenamed(isMoved: state.hasOtherRequest) : []
  let massChange = MassChange(recognition, state: state, at: now)
  // A feed that renews guids and links has edited items, too.
  let renewsMost = renamed.count > 1 && 2 * renamed.count > recognition.itemCount
  if massChange != nil || renewsMost {
    renamed.formUnion(recognition.matchRebuilt(atLeast: 1))
  } else if keepsWords, recognition.matchCount == 0 {
    renamed.formUnion(recognition.matchRebuilt(atLeast: 2))
  }
  result.renamedItems = renamed.count

  // The other program may have dropped items that are still in the document.
  let newestTaken = state.hasTakenItems ? known.lazy.compactMap(\.published).max() : nil
  // `classifyPage` decides about the changes of a page.
  let filter = CompiledFilter(feed.kind.isPageText ? ItemFilter() : feed.filter, shouldStop: shouldStop)
  result.newItems = recognition.unmatched.map { index in
    let sighting = recognition.sightings[index]
    let isFiltered = !filter.accepts(sighting.item)
    if isFiltered { result.filtered += 1 }
    let isOld = massChange?.isOld(sighting) ?? false || sighting.isDated(upTo: newestTaken)
    let record = ItemRecord(
      sighting, editHash: sighting.editHash, isSeen: isFiltered || isOld, isFiltered: isFiltered,
      keeping: feed.contentLimit)
    // Filtered items are never shown.
    return isFiltered ? record.withoutTexts : record
  }
  if massChange != nil { result.quietItems = result.storedAsSeen }
  if result.isBaseline { markSeen(&result.newItems, beyond: feed.firstRun) }
  bound(&result.newItems)

  let edits = EditRule(feed: feed, filter: filter, now: now, completes: state.hasTakenItems)
  result.changedItems = recognition.sightings.indices.compactMap { index in
    recognition.match(index).flatMap {
      edits.change(of: $0, to: recognition.sightings[index], renamed: renamed.contains(index))
    }
  }

  if feed.download != nil { result.recordItems(recognition) }
  result.recognised = recognition.indices.compactMap { recognition.match($0)?.number }
  result.identity = state.identity
  result.identity.record(recognition, leftOut: document.leftOut, quiet: result.quietItems, at: now)
  return result
}

/// Marks the items of a first fetch as seen, except for the newest ones that the rule announces.
private func markSeen(_ items: inout [ItemRecord], beyond rule: FirstRun) {
  let unseen = items.indices.filter { !items[$0].isSeen }
  for index in unseen.dropLast(rule.count) { items[index].isSeen = true }
}

/// Prunes the oldest items beyond `ItemBounds.listed`.
private func bound(_ items: inout [ItemRecord]) {
  let listed = items.indices.filter { !items[$0].isFiltered }
  for index in listed.dropLast(ItemBounds.listed) { items[index] = items[index].pruned }
}

extension Classification {
  fileprivate mutating func recordItems(_ recognition: Recognition) {
    let filtered = Dictionary(changedItems.map { ($0.number, $0.record.isFiltered) }) { first, _ in first }
    var newCount = 0
    for index in recognition.indices {
      let item: FoundAsset.ItemReference
      let isFiltered: Bool
      let isPruned: Bool
      if let known = recognition.match(index) {
        item = .known(known.number)
        isFiltered = filtered[known.number] ?? known.isFiltered
        isPruned = known.isPruned
      } else {
        item = .new(newCount)
        isFiltered = newItems[newCount].isFiltered
        isPruned = newItems[newCount].isPruned
        newCount += 1
      }
      // The store no longer knows the assets of a pruned item.
      if isPruned { continue }
      shownItems.append(
        ShownItem(item: item, index: recognition.sightings[index].index, isFiltered: isFiltered))
    }
    shownItems.reverse()
  }
}

/// Decides about the edits of one feed's known items.
struct EditRule {
  /// The feed, with its updated rule.
  let feed: FeedSpec
  /// The feed's filter.
  let filter: CompiledFilter
  /// The start of the round.
  let now: Instant
  /// Whether the document completes items that another program had, which is no edit to report.
  var completes = false

  /// The change that a sighting of a known item makes, or nil.
  ///
  /// If the item is `renamed`, known only by what it says, another link is not an edit to report.
  ///
  /// An edit too soon after the last report is stored, but not reported until a document has it after that time. The filter
  /// checks edited items again. A pruned item stays pruned, and its edits are not reported.
  func change(of before: KnownItem, to sighting: Sighting, renamed: Bool = false) -> ChangedItem? {
    let form = sighting.editHash
    let isEdited = form != before.storedEdit
    let isFiltered = isEdited ? !filter.accepts(sighting.item) : before.isFiltered
    let isSame = renamed && before.postponedEdit == nil && sighting.hasWords(of: before)
    let differsFromReport = form != before.editHash && !isSame
    let isWanted = !isFiltered && !before.isPruned && !completes
    let wantsReport = feed.updated.isReported && differsFromReport && isWanted
    let isReported = wantsReport && !isTooSoon(after: before.updatedAt)
    let postponed = wantsReport && !isReported ? form : nil
    let hasOtherGuid = sighting.keys.guid != nil && sighting.keys.guid != before.keys.guid
    guard isEdited || isReported || postponed != before.postponedEdit || hasOtherGuid else { return nil }
    let record = ItemRecord(
      sighting, editHash: postponed == nil ? form : before.editHash, isSeen: !isReported,
      isFiltered: isFiltered, keeping: feed.contentLimit)
    return ChangedItem(
      number: before.number, record: before.isPruned && !completes ? record.pruned : record,
      hasNewDetails: isEdited || isReported,
      postponedEdit: postponed, updatedAt: isReported ? now : nil)
  }

  private func isTooSoon(after last: Instant?) -> Bool {
    // A time in the future comes from a wrong clock.
    guard let last, last <= now else { return false }
    return now.since(last) < feed.updated.atMost
  }
}

// Compares a document's items with the known ones and says which are new or updated.

/// What a document's items are, held against those seen before.
public struct Classification: Hashable, Sendable {
  /// Items never seen before, oldest first; filtered ones and those of a baseline are stored as seen.
  public var newItems: [ItemRecord] = []
  /// Known items that the document shows in another form or under another identity, and held edits told now.
  public var changedItems: [ChangedItem] = []
  /// Whether this is the feed's first successful fetch.
  public var isBaseline = false
  /// How many items a mass change made part of a quiet baseline; nil if there was no mass change.
  public var quietItems: Int?
  /// What the feed's documents have shown about identities, this one included.
  public var identity = IdentityHistory()
  /// Whether this document renewed guids while links stayed.
  public var renewsGuids = false
  /// When the first of the edits that are still held back may be reported.
  public var heldEditDue: Instant?

  /// The items of the document, the newest first, as far as their assets matter: only of a feed that downloads any, and
  /// none that is pruned.
  public var shownItems: [ShownItem] = []
  /// The numbers of the known items that the document shows.
  public var recognised: [Int64] = []

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

/// One item of a document, and what it is to the store.
public struct ShownItem: Hashable, Sendable {
  /// One of `newItems`, or a known item.
  public var item: FoundAsset.ItemReference
  /// Its place in the document.
  public var place: Int
  /// Whether the filter keeps it out.
  public var isFiltered: Bool

  /// An item at a place of a document.
  public init(item: FoundAsset.ItemReference, place: Int, isFiltered: Bool) {
    self.item = item
    self.place = place
    self.isFiltered = isFiltered
  }
}

/// Says which items of a document are new, by identity and not by date.
///
/// An item that left the document and comes back is known. A filtered item is known too, and does not become new when
/// the filter goes. Identities are asked in turn, from the surest: those of the feed's rule (`Recognition`), those that
/// the feed gives its items only now, links where guids were renewed (`RenewedGuids`), titles where a site was rebuilt
/// (`MassChange`).
///
/// - Parameters:
///   - document: what the feed says now.
///   - known: every item that is stored of the feed.
///   - feed: the feed's rules of identity, first run, filter and updates.
///   - state: what is remembered of the feed.
///   - now: the start of the run.
///   - shouldStop: asked now and then; once it says so, what is found is worth nothing.
/// - Returns: new items oldest first, and known ones that changed; the rest of the document is unchanged.
public func classify(
  _ document: ParsedFeed, known: [KnownItem], feed: FeedSpec, state: FeedState, at now: Instant,
  shouldStop: @escaping ShouldStop = { false }
) -> Classification {
  let rule = state.identity.rule(feed.identity)
  var recognition = Recognition(sightings(document.items, shouldStop), known: known)
  recognition.byOwnIdentity(rule)
  recognition.byFormerIdentity(rule)
  var result = Classification()
  result.isBaseline = !state.hasBaseline
  result.renewsGuids = rule == .guid && recognition.byRenewedGuids()
  let massChange = MassChange(recognition, state: state, at: now)
  if massChange != nil { recognition.byTitle() }

  let filter = CompiledFilter(feed.filter, shouldStop: shouldStop)
  result.newItems = recognition.open.map { place in
    let sighting = recognition.sightings[place]
    let isFiltered = !filter.lets(sighting.item)
    let record = ItemRecord(
      sighting, editHash: sighting.item.editHash(sighting.keys),
      isSeen: isFiltered || massChange?.isOld(sighting) ?? false, isFiltered: isFiltered)
    // Nobody ever sees it.
    return isFiltered ? record.withoutTexts : record
  }
  if massChange != nil { result.quietItems = result.newItems.count { $0.isSeen && !$0.isFiltered } }
  if result.isBaseline { quiet(&result.newItems, beyond: feed.firstRun) }
  bound(&result.newItems)
  // Hooks of downloads are told the summary of any item.
  if feed.download == nil { dropSummaries(&result.newItems) }

  let edits = EditRule(feed: feed, filter: filter, now: now)
  result.changedItems = recognition.sightings.indices.compactMap { place in
    recognition.match(place).flatMap { edits.change(of: $0, to: recognition.sightings[place]) }
  }
  let missing = known.indices.filter { known[$0].heldEdit != nil && recognition.isFree($0) }
  result.changedItems += edits.changes(of: missing.map { known[$0] })
  result.heldEditDue = heldEditDue(known, changed: result.changedItems)

  if feed.download != nil { result.noteItems(recognition) }
  result.recognised = recognition.places.compactMap { recognition.match($0)?.number }
  result.identity = state.identity
  result.identity.note(recognition, leftOut: document.leftOut, quiet: result.quietItems, at: now)
  if feed.identity == .guid { result.noteGuids(recognition) }
  return result
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

/// Prunes the oldest items where there are more than are listed.
private func bound(_ items: inout [ItemRecord]) {
  let listed = items.indices.filter { !items[$0].isFiltered }
  for place in listed.dropLast(ItemBounds.listed) { items[place] = items[place].pruned }
}

/// Leaves out the summaries of items that are stored as seen, which take most of the space: but for the newest item, and
/// where an item is called by its summary, having no title.
private func dropSummaries(_ items: inout [ItemRecord]) {
  for place in items.indices.dropLast() where items[place].isSeen && items[place].title?.isEmpty == false {
    items[place].summary = nil
  }
}

extension Classification {
  /// Notes where in the document each new and each known item stands.
  fileprivate mutating func noteItems(_ recognition: Recognition) {
    let filtered = Dictionary(changedItems.map { ($0.number, $0.record?.isFiltered) }) { first, _ in first }
    var newCount = 0
    for place in recognition.places {
      let item: FoundAsset.ItemReference
      let isFiltered: Bool
      let isPruned: Bool
      if let known = recognition.match(place) {
        item = .known(known.number)
        isFiltered = (filtered[known.number] ?? nil) ?? known.isFiltered
        isPruned = known.isPruned
      } else {
        item = .new(newCount)
        isFiltered = newItems[newCount].isFiltered
        isPruned = newItems[newCount].isPruned
        newCount += 1
      }
      // The store has forgotten which of its assets it knew.
      if isPruned { continue }
      shownItems.append(
        ShownItem(item: item, place: recognition.sightings[place].place, isFiltered: isFiltered))
    }
    shownItems.reverse()
  }

  /// Takes note of whether the guids of known items stayed.
  ///
  /// A document in which nothing changed may be an old one once more, and says nothing about that.
  fileprivate mutating func noteGuids(_ recognition: Recognition) {
    var kept = 0
    var renewed = 0
    for place in recognition.sightings.indices {
      guard let guid = recognition.sightings[place].keys.guid,
        let former = recognition.match(place)?.keys.guid
      else { continue }
      if guid == former { kept += 1 } else { renewed += 1 }
    }
    if identity.ignoresGuids { renewsGuids = renewed > 0 && kept == 0 }
    let isOther = !newItems.isEmpty || !changedItems.isEmpty
    identity.note(renewsGuids: renewsGuids, keepsGuids: isOther && kept > 0 && renewed == 0)
  }
}

/// A filter's expressions, compiled once for a document.
struct CompiledFilter {
  private let include: [PatternSearch]
  private let exclude: [PatternSearch]
  private let shouldStop: ShouldStop

  /// Compiles a filter; the configuration has already refused expressions that are none.
  ///
  /// Once it should stop, the filter lets everything through at once.
  init(_ filter: ItemFilter, shouldStop: @escaping ShouldStop = { false }) {
    self.shouldStop = shouldStop
    include = filter.include.compactMap { try? Pattern(parsing: $0) }.map(PatternSearch.init)
    exclude = filter.exclude.compactMap { try? Pattern(parsing: $0) }.map(PatternSearch.init)
  }

  /// Whether the item counts: one `include` matches, or there is none, and no `exclude` does.
  ///
  /// Each expression is held against title, link and every category, of which it sees at most 4 KiB.
  func lets(_ item: ParsedItem) -> Bool {
    lets([item.title, item.link].compactMap { $0 } + item.categories)
  }

  /// Whether what these texts belong to counts.
  func lets(_ texts: @autoclosure () -> [String]) -> Bool {
    guard !include.isEmpty || !exclude.isEmpty else { return true }
    let texts = texts().map(beginning)
    func matches(_ pattern: PatternSearch) -> Bool {
      texts.contains { !shouldStop() && pattern.matches(in: $0) }
    }
    return (include.isEmpty || include.contains(where: matches)) && !exclude.contains(where: matches)
  }

  /// The first 4 KiB of a text, without a scalar that they would divide.
  private func beginning(of text: String) -> String {
    guard text.utf8.count > 4096 else { return text }
    let end = text.utf8.index(text.startIndex, offsetBy: 4096)
    return String(text.unicodeScalars[..<end])
  }
}

/// The reason of a fetch whose document was read, for example `3 new` or `nothing new`.
public func reason(of found: Classification) -> String {
  let new = found.announcedItems.count
  let updated = found.updatedItems.count
  let pruned = found.newItems.count { $0.isPruned }
  let baseline = found.newItems.count { !$0.isFiltered } - new
  var parts: [String] = []
  if new > 0 { parts.append("\(new) new") }
  if updated > 0 { parts.append("\(updated) updated") }
  if found.isBaseline, baseline > 0 { parts.append("\(baseline) stored as seen by the first run") }
  if let quiet = found.quietItems, quiet > 0 { parts.append("\(quiet) old ones under new identities") }
  if pruned > 0, !found.isBaseline { parts.append("\(pruned) more than are listed") }
  if parts.isEmpty { parts.append("nothing new") }
  if let count = found.identity.itemsOfCutDocument {
    parts.append("only the first \(ParsedFeed.maximumItems) of \(count) items are read")
  }
  if found.renewsGuids { parts.append("guids are renewed, links decide") }
  return parts.joined(separator: ", ")
}

/// The reason of a fetch that ended with 304.
public let notModifiedReason = "not modified"

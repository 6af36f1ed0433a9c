// The items that another program has stored, taken over with their marks before a feed's first fetch. That fetch then compares its
// document with them as any fetch does (`FeedState.hasTakenItems`), so that nothing is announced twice and nothing is missed.

/// An item of another program.
public struct MarkedItem: Sendable {
  var item: ParsedItem
  var isSeen: Bool
  var isStarred: Bool

  public init(_ item: ParsedItem, isSeen: Bool, isStarred: Bool) {
    (self.item, self.isSeen, self.isStarred) = (item, isSeen, isStarred)
  }
}

/// The changes by which a feed takes over the items of another program.
public struct TakenItems: Sendable {
  /// The items that the store does not know, oldest first.
  public var new: [ItemRecord] = []
  /// The indices in `new` of those with a star.
  public var starredNew: [Int] = []
  /// The numbers of known items that the other program has as seen, as unseen, and as starred.
  public var seen: [Int64] = []
  public var unseen: [Int64] = []
  public var starred: [Int64] = []
  /// The number of ids that the store does not know, of items without more.
  public private(set) var newIDs = 0

  /// The items and marks of another program, compared with those of a feed.
  public init(_ marked: [MarkedItem], known: [KnownItem], feed: FeedSpec) {
    var recognition = Recognition(sightings(marked.map(\.item)) { false }, known: known)
    recognition.matchByIdentity(feed.identity)
    recognition.matchByFormerIdentity(feed.identity)
    let filter = CompiledFilter(feed.filter)
    for index in recognition.indices {
      let sighting = recognition.sightings[index]
      let marks = marked[sighting.index]
      if let item = recognition.match(index) {
        if marks.isSeen { seen.append(item.number) } else { unseen.append(item.number) }
        if marks.isStarred { starred.append(item.number) }
        continue
      }
      let isFiltered = !filter.accepts(sighting.item)
      let record = ItemRecord(
        sighting, editHash: sighting.editHash, isSeen: isFiltered || marks.isSeen, isFiltered: isFiltered,
        keeping: feed.contentLimit)
      if marks.isStarred { starredNew.append(new.count) }
      new.append(isFiltered ? record.withoutTexts : record)
    }
  }

  /// The items of which another program kept only the ids, their guids or links; the first fetch gives them their texts.
  ///
  /// rss2email completes a guid such as `post-1` by the address of the feed, so it is also taken without that.
  public init(seenIDs ids: [String], known: [KnownItem]) {
    let guids = Set(known.compactMap(\.keys.guid))
    for id in ids {
      let records = ([id] + guidsCompleted(to: id)).map { guid in
        var item = ParsedItem()
        item.id = guid
        item.link = WebAddress(guid)?.text
        let (keys, editHash) = item.fingerprints()
        return ItemRecord(keys: keys, editHash: editHash, isSeen: true).pruned
      }
      guard !records.contains(where: { $0.keys.guid.map(guids.contains) ?? true }) else { continue }
      new += records
      newIDs += 1
    }
  }
}

/// The guids that may have become this address: the last step of its path, and the last two.
private func guidsCompleted(to id: String) -> [String] {
  guard id.hasPrefix("http") else { return [] }
  let steps = id.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3).suffix(2)
  return steps.indices.map { steps[$0...].joined(separator: "/") }.filter { !$0.isEmpty }
}

extension FeedState {
  /// Whether its items come from another program, and no fetch has succeeded yet.
  var hasTakenItems: Bool { hasBaseline && lastSuccess == nil }
}

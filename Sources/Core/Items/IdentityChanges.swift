// Feeds that change the identities of old items: servers that renew guids, and sites that were rebuilt.

extension Recognition {
  /// Recognises items whose guid is new while their link is known; says whether the document renewed all guids.
  ///
  /// A link counts only if document and store have it once, and the title must be the same. That alone does not tell an
  /// old item with a new guid from a new item at an old address: a later date is the mark of the second, and so is an
  /// unchanged guid of others. So an item that is dated, and not later, is the same in any document. One that is undated
  /// or dated later is the same where no guid stayed and most of the document is known by links; where only one item
  /// speaks for that, a later date still makes it new.
  mutating func byRenewedGuids() -> Bool {
    let keepsNoGuid = !sightings.indices.contains { sightings[$0].keys.guid != nil && matches[$0] != nil }
    let candidates = renewedCandidates()
    let renewsMost = keepsNoGuid && candidates.count * 2 > itemCount
    var accepted = 0
    for (place, number) in candidates {
      let sighting = sightings[place]
      let isLater = sighting.isLater(than: known[number])
      let isDated = sighting.date != nil && known[number].published != nil
      guard isDated && !isLater || renewsMost && (!isLater || candidates.count > 1) else { continue }
      match(place, with: number)
      accepted += 1
    }
    return keepsNoGuid && accepted > 0
  }

  /// The items with a new guid, a link that is there once in document and store, and the title of that known item.
  private func renewedCandidates() -> [(place: Int, number: Int)] {
    let open = open.filter { sightings[$0].keys.guid != nil && sightings[$0].keys.link != nil }
    guard !open.isEmpty else { return [] }
    var inDocument: [UInt64: Int] = [:]
    for place in places {
      if let link = sightings[place].keys.link { inDocument[link, default: 0] += 1 }
    }
    var inStore: [UInt64: (count: Int, number: Int)] = [:]
    for number in known.indices {
      guard let link = known[number].keys.link, inDocument[link] != nil else { continue }
      inStore[link] = ((inStore[link]?.count ?? 0) + 1, number)
    }
    return open.compactMap { place in
      guard let link = sightings[place].keys.link, inDocument[link] == 1, let found = inStore[link],
        found.count == 1, isFree(found.number), sightings[place].hasTitle(of: known[found.number])
      else { return nil }
      return (place, found.number)
    }
  }
}

extension IdentityHistory {
  /// Counts a document that renewed guids, or one that brought something and kept them: three in a row that speak
  /// against what holds turn it round.
  mutating func note(renewsGuids: Bool, keepsGuids: Bool) {
    let isContrary = ignoresGuids ? keepsGuids : renewsGuids
    let isAsExpected = ignoresGuids ? renewsGuids : keepsGuids
    if isContrary {
      contraryDocuments += 1
    } else if isAsExpected {
      contraryDocuments = 0
    }
    if contraryDocuments >= 3 {
      ignoresGuids.toggle()
      contraryDocuments = 0
    }
  }
}

/// A document that replaced most of a feed at once.
struct MassChange {
  /// Items without a date, or dated at this moment or before, are old.
  private let newest: Instant

  /// The mass change that a document is; nil where it is none.
  ///
  /// - Parameters:
  ///   - recognition: what was recognised by identities, and by links where guids were renewed.
  ///   - state: the feed's, before this document.
  ///   - now: the start of the run.
  init?(_ recognition: Recognition, state: FeedState, at now: Instant) {
    let history = state.identity
    guard let former = history.documentItems, let lastSuccess = state.lastSuccess,
      recognition.known.count >= 10, recognition.replacesMost(of: former),
      recognition.open.count >= 5, !history.isUsedToReplacing(at: now)
    else { return nil }
    // A document that was asked for again and again may be dated before the last time, and still have come after all
    // that is known.
    let newestKnown = recognition.known.lazy.compactMap(\.published).max()
    newest = min(lastSuccess, newestKnown ?? lastSuccess)
  }

  /// Whether an unknown item was there before the change.
  func isOld(_ sighting: Sighting) -> Bool {
    sighting.date.map { $0 <= newest } ?? true
  }
}

extension Recognition {
  /// Whether three in four items of the former document, which had so many, are gone, and at least a quarter as many
  /// have come in their place.
  func replacesMost(of former: Int) -> Bool {
    (former - matchCount) * 4 >= former * 3 && !open.isEmpty && open.count >= former / 4
  }

  /// Recognises items of a mass change: by title and link, or by title and date, and none that is dated later.
  mutating func byTitle() {
    var byTitle: [UInt64: [Int]] = [:]
    for place in open { if let title = sightings[place].keys.title { byTitle[title] = [] } }
    for number in known.indices {
      guard let title = known[number].keys.title, byTitle[title] != nil, isFree(number) else { continue }
      byTitle[title]?.append(number)
    }
    for place in open.reversed() {
      let sighting = sightings[place]
      // The newest few are enough: a title that very many share says nothing.
      let candidates = sighting.keys.title.flatMap { byTitle[$0] }?.suffix(50).reversed() ?? []
      let number = candidates.first { number in
        let item = known[number]
        let isSameLink = sighting.keys.link != nil && sighting.keys.link == item.keys.link
        let isSameDate = sighting.date != nil && sighting.date == item.published
        return isFree(number) && (isSameLink || isSameDate) && !sighting.isLater(than: item)
      }
      if let number { match(place, with: number) }
    }
  }
}

extension IdentityHistory {
  /// Whether the feed replaced most of a document not long ago, so that this is how it moves on: its items are news.
  func isUsedToReplacing(at now: Instant) -> Bool {
    guard let replacedAt, !isRebuilt, replacedAt <= now else { return false }
    return now.since(replacedAt) < .days(90)
  }

  /// Takes note of a document with items in it.
  ///
  /// - Parameters:
  ///   - recognition: what was recognised in the end.
  ///   - leftOut: how many of its items were not read.
  ///   - quiet: how many of its items a mass change made part of a quiet baseline; nil if it was none.
  ///   - now: the start of the run.
  mutating func note(_ recognition: Recognition, leftOut: Int, quiet: Int?, at now: Instant) {
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
    repeated = recognition.repeated?.rule
  }
}

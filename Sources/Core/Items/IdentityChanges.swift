// Feeds that change the identities of old items: servers that renew guids, and sites that were rebuilt. Renaming.swift has
// those that change both guids and links.

extension Recognition {
  /// Matches items whose guid is new while their link is known; returns whether the document renewed all guids.
  ///
  /// A link counts only if it is unique in document and store, and the titles must be equal. A new guid at an old address may
  /// also mean a new item: then its date is later, or other items kept their guids. So an item with a date that is not later
  /// always matches. Any other item matches only if no guid stayed and links match most of the document; if it is the only
  /// such item, a later date still makes it new.
  mutating func matchRenewedGuids() -> Bool {
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

  /// Items with a new guid, a link unique in document and store, and the title of the known item with that link.
  private func renewedCandidates() -> [(place: Int, number: Int)] {
    let unmatched = unmatched.filter { sightings[$0].keys.guid != nil && sightings[$0].keys.link != nil }
    guard !unmatched.isEmpty else { return [] }
    var inDocument: [UInt64: Int] = [:]
    for place in places {
      if let link = sightings[place].keys.link { inDocument[link, default: 0] += 1 }
    }
    var inStore: [UInt64: (count: Int, number: Int)] = [:]
    for number in known.indices {
      guard let link = known[number].keys.link, inDocument[link] != nil else { continue }
      inStore[link] = ((inStore[link]?.count ?? 0) + 1, number)
    }
    return unmatched.compactMap { place in
      guard let link = sightings[place].keys.link, inDocument[link] == 1, let found = inStore[link],
        found.count == 1, isFree(found.number), sightings[place].hasTitle(of: known[found.number])
      else { return nil }
      return (place, found.number)
    }
  }
}

extension IdentityHistory {
  /// Counts a document that renewed guids, or one with changes that kept them; the third in a row that contradicts
  /// `ignoresGuids` flips it.
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

/// A document that replaced most of a feed's items at once, after a site was rebuilt: its old items are not announced.
struct MassChange {
  /// Items dated at this moment or before, or without a date, are old.
  private let newest: Instant

  /// Nil if the document is not a mass change.
  ///
  /// - Parameters:
  ///   - recognition: the matches so far.
  ///   - state: the feed's state before this document.
  ///   - now: the start of the run.
  init?(_ recognition: Recognition, state: FeedState, at now: Instant) {
    let history = state.identity
    guard let former = history.documentItems, let lastSuccess = state.lastSuccess,
      recognition.known.count >= 10, recognition.replacesMost(of: former),
      recognition.unmatched.count >= 5, !history.isUsedToReplacing(at: now)
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
  ///   - renaming: the items of it that have the titles of known ones.
  ///   - leftOut: the number of items that were not read.
  ///   - quiet: the number of items that a mass change stored as seen; nil if there was no mass change.
  ///   - now: the start of the run.
  mutating func note(
    _ recognition: Recognition, _ renaming: Renaming, leftOut: Int, quiet: Int?, at now: Instant
  ) {
    guard recognition.itemCount > 0 else { return }
    renamedDocuments = renaming.isLikely ? renamedDocuments + 1 : 0
    doubt = renaming.cure
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

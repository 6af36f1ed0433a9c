// Feeds whose servers make new guids for old items: when links decide, and for how long.

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

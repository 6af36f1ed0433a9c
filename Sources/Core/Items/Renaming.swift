// Known items that come back under another guid and another link: links with a token for each request, guids without a usable
// link, small sites that moved. What they say identifies them.

/// The words of an item, as far as they identify one under other guids and links.
private struct Saying: Hashable {
  /// The key of the content, or of the title, around whose same words the markup may differ.
  let key: UInt64
  let date: Instant?
}

/// The dates that two items may have to be the same.
private enum Dates {
  case same
  /// The same date, or none and a text.
  case sameOrNone
  /// Any dates, and a text.
  case any

  func allow(_ sighting: Sighting) -> Bool {
    switch self {
    case .same: sighting.date != nil
    case .sameOrNone: sighting.date != nil || sighting.hasText
    case .any: sighting.hasText
    }
  }
}

extension Recognition {
  /// Matches items whose guid and link are unknown with known items that the document has under no other identity; returns their
  /// indices.
  ///
  /// Title, text, files and date must be the same. Items without dates may repeat their words from time to time, so they need a
  /// text, there must be at least two of them, and no item of the document may be known otherwise. Of several equal items the
  /// newest is matched with the newest.
  ///
  /// - Parameter isMoved: whether the document has another address than the last one; the dates of items with a text may then
  ///   differ.
  mutating func matchRenamed(isMoved: Bool) -> Set<Int> {
    let dates = matchCount == 0 ? Dates.sameOrNone : .same
    let renamed = match(byTitle: false, dates).union(match(byTitle: true, dates))
    return isMoved ? renamed.union(match(byTitle: false, .any)) : renamed
  }

  /// Matches items whose texts were edited, too, as on a rebuilt site: title and date must be the same and unique.
  ///
  /// - Parameter count: how many there must be at least.
  mutating func matchRebuilt(atLeast count: Int) -> Set<Int> {
    match(byTitle: true, withWords: false, .same, atLeast: count)
  }

  private mutating func match(
    byTitle: Bool, withWords: Bool = true, _ dates: Dates, atLeast count: Int = 1
  ) -> Set<Int> {
    guard leavesKnown else { return [] }
    var groups: [Saying: (indices: [Int], numbers: [Int])] = [:]
    for index in unmatched where dates.allow(sightings[index]) {
      let keys = sightings[index].keys
      guard let key = byTitle ? keys.title : keys.content else { continue }
      let date = dates == .any ? nil : sightings[index].date
      groups[Saying(key: key, date: date), default: ([], [])].indices.append(index)
    }
    guard !groups.isEmpty else { return [] }
    for number in known.indices where isFree(number) {
      guard let key = byTitle ? known[number].keys.title : known[number].keys.content else { continue }
      groups[Saying(key: key, date: dates == .any ? nil : known[number].published)]?.numbers.append(number)
    }
    let pairs = groups.values.filter { !byTitle || $0.indices.count == 1 }
      .flatMap { zip($0.indices.reversed(), $0.numbers.reversed()) }
      .filter { !withWords || sightings[$0].hasWords(of: known[$1]) }
    guard pairs.count >= count else { return [] }
    let undated = pairs.count { sightings[$0.0].date == nil }
    var matched: Set<Int> = []
    for (index, number) in pairs where sightings[index].date != nil || undated > 1 {
      match(index, with: number)
      matched.insert(index)
    }
    return matched
  }
}

// Known items that come back under another guid and another link: links with a token for each request, guids without a usable
// link, small sites that moved. What they say identifies them.

/// The words of an item, as far as they identify one under other guids and links.
private struct Saying: Hashable {
  /// The key of the content, or of the title, around whose same words the markup may differ.
  let key: UInt64
  let date: Instant?
}

extension Recognition {
  /// Matches items whose guid and link are unknown with known items that the document has under no other identity; returns their
  /// indices.
  ///
  /// Title, text, files and date must be the same. Items without dates may repeat their words from time to time, so they need a text,
  /// there must be at least two of them, and no item of the document may be known otherwise. Of several equal items the newest is matched with the newest.
  ///
  /// - Parameter isMoved: whether the document has another address than the last one; the dates of items with a text may then
  ///   differ.
  mutating func matchRenamed(isMoved: Bool) -> Set<Int> {
    let isNew = matchCount == 0
    let equal = match(byTitle: false, withWords: true, takingUndated: isNew)
    let renamed = equal.union(match(byTitle: true, withWords: true, takingUndated: isNew))
    return isMoved
      ? renamed.union(match(byTitle: false, withWords: true, takingUndated: true, byDate: false)) : renamed
  }

  /// Matches items whose texts were edited, too, as on a rebuilt site: title and date must be the same and unique.
  ///
  /// - Parameter count: how many there must be at least.
  mutating func matchRebuilt(atLeast count: Int) -> Set<Int> {
    match(byTitle: true, withWords: false, takingUndated: false, atLeast: count)
  }

  private mutating func match(
    byTitle: Bool, withWords: Bool, takingUndated: Bool, byDate: Bool = true, atLeast count: Int = 1
  ) -> Set<Int> {
    guard leavesKnown else { return [] }
    var groups: [Saying: (indices: [Int], numbers: [Int])] = [:]
    for index in unmatched
    where byDate && sightings[index].date != nil || takingUndated && sightings[index].hasText {
      let keys = sightings[index].keys
      guard let key = byTitle ? keys.title : keys.content else { continue }
      let date = byDate ? sightings[index].date : nil
      groups[Saying(key: key, date: date), default: ([], [])].indices.append(index)
    }
    guard !groups.isEmpty else { return [] }
    for number in known.indices where isFree(number) {
      guard let key = byTitle ? known[number].keys.title : known[number].keys.content else { continue }
      groups[Saying(key: key, date: byDate ? known[number].published : nil)]?.numbers.append(number)
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

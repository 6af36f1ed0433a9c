// Known items that come back under another guid and another link: links with a token for each request, guids without a usable
// link, small sites that moved. Title and date identify them, or title and text.

/// The items of a document that have the titles of known ones under other guids and links.
struct Renaming {
  /// The indices of the matched ones.
  var indices: Set<Int> = []
  /// Whether the titles of most items stayed while hardly any guid or link did, so that all other items are new.
  var isProven = false
  /// Whether most items without a known guid or link have the title of a known item.
  var isLikely = false
  /// The identity that would recognise most of the items that are still unmatched, or that was chosen to do so.
  var cure: IdentityRule?
}

/// A sighting and the known item that it may be.
private struct Pair {
  let index: Int
  let number: Int
}

/// Parts that an item may have in common with a known one.
private enum Likeness {
  case guid, link, content, title, contentAndDate, titleAndDate, titleAndLink

  /// These parts of an item; nil if one is missing.
  func mark(_ keys: IdentityKeys, _ date: Instant?) -> Mark? {
    let key: UInt64? =
      switch self {
      case .guid: keys.guid
      case .link: keys.link
      case .content, .contentAndDate: keys.content
      case .title, .titleAndDate, .titleAndLink: keys.title
      }
    guard let key else { return nil }
    switch self {
    case .guid, .link, .content, .title: return Mark(key: key)
    case .contentAndDate, .titleAndDate: return date.map { Mark(key: key, date: $0) }
    case .titleAndLink: return keys.link.map { Mark(key: key, link: $0) }
    }
  }
}

private struct Mark: Hashable {
  let key: UInt64
  var link: UInt64?
  var date: Instant?
}

extension Recognition {
  /// Matches items whose guid and link are unknown with known items that the document has under no other identity.
  ///
  /// An item with the title, text, files and date of a known one always is that item. Other items are recognised only if
  /// hardly any guid or link of the document is known, and most items, at least two, are recognised in this way:
  ///
  /// - by title and date;
  /// - by title and text, or title alone without any text, if there is no date, or if all such dates move with the clock.
  ///
  /// The date alone identifies nothing: an item whose title was edited meanwhile is news again, because it may as well be a
  /// new one of that day. A single item without a date is recognised by title and text if the document before was like this one. Parts that
  /// several items of the document share identify none of them. An identity that was configured to end a doubt decides alone.
  ///
  /// - Parameters:
  ///   - configured: the feed's rule; a title that decides anyway needs no help.
  ///   - state: the feed's state before this document.
  ///   - isRebuilt: whether the document is a mass change.
  ///   - now: the start of the run.
  mutating func matchRenamed(
    _ configured: IdentityRule, _ state: FeedState, isRebuilt: Bool, at now: Instant
  ) -> Renaming {
    var result = Renaming()
    if state.identity.doubt == configured {
      // The doubt has stored items twice, so that even the cure finds several.
      match(pairs(configured == .guid ? .guid : configured == .link ? .link : .title), in: &result)
      result.cure = configured
    }
    let cured = result.indices
    let count = unmatched.count
    guard configured != .title, count > 0, matchCount < known.count else { return result }
    let isReplaced = matchCount * 4 <= itemCount

    for likeness in [Likeness.contentAndDate, .titleAndDate] {
      match(pairs(likeness).filter(haveSameWords), in: &result)
    }
    let titled =
      pairs(.titleAndDate)
      + pairs(.titleAndLink).filter { !sightings[$0.index].isLater(than: known[$0.number]) }
    let worded = (pairs(.content) + pairs(.title)).filter(haveSameWords)
    let undated = worded.filter { dateShift($0) == nil }
    let dated = worded.filter { dateShift($0) != nil && sightings[$0.index].hasText }
    let moving = configured == .guid && moveWithClock(dated, since: state.lastSuccess, at: now) ? dated : []

    let alike = result.indices.union((titled + undated + moving).map(\.index)).subtracting(cured).count
    result.isLikely = isReplaced && alike * 2 > count
    result.isProven = result.isLikely && alike > 1
    if result.isProven || isRebuilt { match(titled + undated, in: &result) }
    if result.isProven {
      match(moving, in: &result)
      match(pairs(.contentAndDate, several: true).filter(haveSameWords), in: &result)
    } else if result.isLikely, state.identity.renamedDocuments > 0 {
      match(undated.filter { sightings[$0.index].hasText }, in: &result)
    }
    if isReplaced, result.cure == nil { result.cure = cure(configured, dated) }
    return result
  }

  private mutating func match(_ pairs: [Pair], in result: inout Renaming) {
    for pair in pairs where matches[pair.index] == nil && isFree(pair.number) {
      match(pair.index, with: pair.number)
      result.indices.insert(pair.index)
    }
  }

  /// Pairs unmatched items with free known ones that have these parts in common, the newest with the newest.
  ///
  /// - Parameter several: whether several items of the document may share these parts.
  private func pairs(_ likeness: Likeness, several: Bool = false) -> [Pair] {
    var groups: [Mark: (indices: [Int], numbers: [Int])] = [:]
    for index in unmatched {
      guard let mark = likeness.mark(sightings[index].keys, sightings[index].date) else { continue }
      groups[mark, default: ([], [])].indices.append(index)
    }
    guard !groups.isEmpty else { return [] }
    if !several {
      for index in indices where matches[index] != nil {
        if let mark = likeness.mark(sightings[index].keys, sightings[index].date) { groups[mark] = nil }
      }
    }
    for number in known.indices where isFree(number) {
      guard let mark = likeness.mark(known[number].keys, known[number].published) else { continue }
      groups[mark]?.numbers.append(number)
    }
    return groups.values.flatMap { group in
      several || group.indices.count == 1
        ? zip(group.indices.reversed(), group.numbers.reversed()).map {
          Pair(index: $0, number: $1)
        } : []
    }.sorted { $0.index < $1.index }
  }

  private func haveSameWords(_ pair: Pair) -> Bool { sightings[pair.index].hasWords(of: known[pair.number]) }

  /// How far the date of an item has moved; nil if there is none, or none is known.
  private func dateShift(_ pair: Pair) -> Interval? {
    guard let date = sightings[pair.index].date, let before = known[pair.number].published else { return nil }
    return date.since(before)
  }

  /// Whether the dates of several items have all moved by the same time, which is not more than has passed: the server gives
  /// the time of the request, and a new issue of a column is not meant.
  private func moveWithClock(_ pairs: [Pair], since last: Instant?, at now: Instant) -> Bool {
    let shifts = pairs.compactMap { dateShift($0)?.seconds }
    guard let least = shifts.min(), let most = shifts.max(), let last, Set(pairs.map(\.index)).count > 1
    else {
      return false
    }
    return least > 0 && most - least <= 60 && most <= now.since(last).seconds + 60
  }

  /// The identity by which most of the remaining items are known.
  private func cure(_ configured: IdentityRule, _ dated: [Pair]) -> IdentityRule? {
    let count = unmatched.count
    func isMost(_ pairs: [Pair]) -> Bool {
      Set(pairs.map(\.index)).count { matches[$0] == nil } * 2 > count
    }
    if count == 0 { return nil }
    if configured == .link, isMost(pairs(.guid)) { return .guid }
    if configured == .guid, isMost(pairs(.titleAndLink)) { return .link }
    let worded = (pairs(.content) + pairs(.title)).filter(haveSameWords)
    return isMost(pairs(.titleAndDate) + worded + dated) ? .title : nil
  }
}

// Matches the items of a document with known items.

/// Matches the items of a document with known items; each known item is matched once.
///
/// The first level of identity decides. If it is not unique, in the document or in the store, the next level decides too,
/// so that items that share an identity stay apart.
struct Recognition {
  /// The items of the document, newest last.
  let sightings: [Sighting]
  /// Every stored item of the feed.
  let known: [KnownItem]
  /// For each sighting the index of its known item, if there is one.
  private(set) var matches: [Int?]
  private var isRepeat: [Bool]
  private var taken: Set<Int> = []

  init(_ sightings: [Sighting], known: [KnownItem]) {
    (self.sightings, self.known) = (sightings, known)
    matches = Array(repeating: nil, count: sightings.count)
    isRepeat = Array(repeating: false, count: sightings.count)
  }

  /// The indices of the document's different items.
  var indices: [Int] { matches.indices.filter { !isRepeat[$0] } }

  /// The indices of items without a match.
  var unmatched: [Int] { indices.filter { matches[$0] == nil } }

  var matchCount: Int { matches.count { $0 != nil } }

  /// The number of different items in the document.
  var itemCount: Int { isRepeat.count { !$0 } }

  /// The known item of a sighting.
  func match(_ index: Int) -> KnownItem? { matches[index].map { known[$0] } }

  /// Whether any known item has no match so far.
  var leavesKnown: Bool { taken.count < known.count }

  /// Whether a known item has no match so far.
  func isFree(_ number: Int) -> Bool { !taken.contains(number) }

  mutating func match(_ index: Int, with number: Int) {
    matches[index] = number
    taken.insert(number)
  }

  /// Matches items by the feed's rule, and drops items that the document repeats.
  mutating func matchByIdentity(_ rule: IdentityRule) {
    let firsts = sightings.map { IdentityLevel.chain($0.keys, rule).first }
    for first in IdentityLevel.allCases {
      let indices = sightings.indices.filter { firsts[$0] == first }
      guard let levels = indices.first.map({ IdentityLevel.chain(sightings[$0].keys, rule) }) else {
        continue
      }
      removeRepeats(indices, levels)
      recognise(indices.filter { !isRepeat[$0] }, by: levels) { _ in true }
    }
  }

  /// Matches items that gained an identity after they were stored.
  mutating func matchByFormerIdentity(_ rule: IdentityRule) {
    guard rule != .title else { return }
    if rule == .guid {
      recognise(unmatched.filter { sightings[$0].keys.guid != nil }, by: [.link, .title, .dateOrContent]) {
        $0.guid == nil
      }
    }
    let isBare = { (keys: IdentityKeys) in keys.guid == nil && keys.link == nil }
    recognise(unmatched, by: [.content, .dateOrContent], among: isBare)
    // Without guid and link an edit looks like a new item, unless title and date identify the edited one.
    recognise(
      unmatched.filter {
        isBare(sightings[$0].keys) && sightings[$0].date != nil && sightings[$0].keys.title != nil
      },
      by: [.title, .dateOrContent], exactly: true, among: isBare)
  }

  /// Matches items with free known items that are equal at the first level; further levels decide only if that is not
  /// unique, or must be equal as well if `exactly`.
  mutating func recognise(
    _ indices: [Int], by levels: [IdentityLevel], exactly: Bool = false,
    among isCandidate: (IdentityKeys) -> Bool
  ) {
    guard let first = levels.first, !indices.isEmpty, leavesKnown else { return }
    var groups: [UInt64: (indices: [Int], known: [Int])] = [:]
    for index in indices {
      guard let key = first.key(of: sightings[index].keys) else { continue }
      groups[key, default: ([], [])].indices.append(index)
    }
    for number in known.indices {
      let keys = known[number].keys
      guard let key = first.key(of: keys), groups[key] != nil, isFree(number), isCandidate(keys) else {
        continue
      }
      groups[key]?.known.append(number)
    }
    for group in groups.values { pair(group.indices, group.known, by: levels.dropFirst(), exactly: exactly) }
  }

  /// Matches a group of items that are equal so far, by the remaining levels.
  private mutating func pair(
    _ indices: [Int], _ numbers: [Int], by levels: ArraySlice<IdentityLevel>, exactly: Bool
  ) {
    guard let last = numbers.last, let newest = indices.last else { return }
    let isUnique = indices.count == 1 && numbers.count == 1
    guard let level = levels.first, !isUnique || exactly else { return match(newest, with: last) }
    var groups: [IdentityValue: (indices: [Int], known: [Int])] = [:]
    for index in indices {
      groups[level.value(of: sightings[index]), default: ([], [])].indices.append(index)
    }
    for number in numbers {
      if let value = level.values(of: known[number]).first(where: { groups[$0] != nil }) {
        groups[value]?.known.append(number)
      }
    }
    for group in groups.values { pair(group.indices, group.known, by: levels.dropFirst(), exactly: exactly) }
  }

  /// Drops items equal to another item of the document at every level; the one updated last stays, else the first.
  private mutating func removeRepeats(_ indices: [Int], _ levels: [IdentityLevel]) {
    var groups: [UInt64: [Int]] = [:]
    for index in indices {
      guard let key = levels[0].key(of: sightings[index].keys) else { continue }
      groups[key, default: []].append(index)
    }
    for group in groups.values where group.count > 1 {
      var kept: [[IdentityValue]: Int] = [:]
      for index in group {
        let values = levels.dropFirst().map { $0.value(of: sightings[index]) }
        if let former = kept[values] {
          isRepeat[isChangedLater(former, than: index) ? index : former] = true
          if isRepeat[index] { continue }
        }
        kept[values] = index
      }
    }
  }

  private func isChangedLater(_ index: Int, than other: Int) -> Bool {
    guard let one = sightings[index].item.updated, let another = sightings[other].item.updated else {
      return false
    }
    return one > another
  }
}

/// One item of a document, with its keys.
struct Sighting {
  /// The items of the document, of which this is one: a copy of each would take more memory than the document.
  private let items: [ParsedItem]
  /// Its index in the document.
  let index: Int
  /// Everything that may identify it.
  let keys: IdentityKeys
  /// The hash of what an edit would change.
  let editHash: UInt64
  /// When it was published, else when it changed.
  let date: Instant?

  var item: ParsedItem { items[index] }

  init(_ index: Int, of items: [ParsedItem]) {
    (self.items, self.index) = (items, index)
    (keys, editHash) = items[index].fingerprints()
    date = items[index].published ?? items[index].updated
  }

  /// Whether its date is later than the stored one.
  func isLater(than known: KnownItem) -> Bool {
    guard let date, let published = known.published else { return false }
    return date > published
  }

  /// Whether it has a date, which is not later than this one.
  func isDated(upTo moment: Instant?) -> Bool {
    guard let date, let moment else { return false }
    return date <= moment
  }

  /// Whether only the guid, the link or the date differs from a known item; new markup around the same words does not count.
  func hasWords(of known: KnownItem) -> Bool {
    item.fingerprints(link: known.keys.link).editHash == known.storedEdit
      || hasText && keys.content == known.keys.content
  }

  /// Whether its content key has more than the title.
  var hasText: Bool { item.content ?? item.summary != nil || item.title == nil }

  /// Whether it has the title of a known item; without titles, the contents are compared.
  func hasTitle(of known: KnownItem) -> Bool {
    keys.title == known.keys.title && (keys.title != nil || keys.content == known.keys.content)
  }
}

/// The document's items, newest last: by date if all have one, else against the order of the document.
///
/// Items without any content are dropped; once `shouldStop` returns true, all are dropped.
func sightings(_ items: [ParsedItem], _ shouldStop: ShouldStop) -> [Sighting] {
  var reversed: [Sighting] = []
  reversed.reserveCapacity(items.count)
  for index in items.indices.reversed() where !items[index].isEmpty {
    if index % 256 == 255, shouldStop() { return [] }
    reversed.append(Sighting(index, of: items))
  }
  let dates = reversed.compactMap(\.date)
  guard dates.count == reversed.count else { return reversed }
  // The document's order decides between equal dates, so the sort must be stable. Only the indices are sorted, because
  // sightings are large.
  return dates.indices.sorted { (dates[$0], $0) < (dates[$1], $1) }.map { reversed[$0] }
}

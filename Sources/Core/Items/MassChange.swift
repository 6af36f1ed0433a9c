// A feed that comes back with other identities, after its site was rebuilt: what is old in it makes no noise.

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

// Which files of a document are new, and which of them are to be downloaded.

/// The assets of a document that the store does not know, and those of them to be queued, the newest item's first.
///
/// What the store knows is given as it is now where its address has a query: an asset is known without that.
///
/// All are remembered, wanted or not, so that nothing that was passed over comes later by itself. Queued are the wanted
/// ones of new items that are not filtered; at a first fetch only those of the newest items that `first-run` names, of
/// those that have a wanted asset at all. Of known items those are queued whose key the store does not know; where one
/// item has several of one key, as many as there are more than before. Neither is what `keep` would remove at once:
/// it is held against all wanted assets that the document shows, the newest first.
///
/// Nothing of a known item is queued by the first document under `download`, by one in which the feed's identities
/// changed as a whole, and by one in which most known items have their files under other addresses than before (the feed
/// has moved to another host): these files are there already.
///
/// - Parameters:
///   - document: what the feed says now.
///   - found: what classification made of it, with `shownItems`.
///   - feed: the feed; one without `download` has no assets.
///   - state: what is remembered of it.
///   - known: every asset that the store knows of the feed's items, repeated ones as often as they are there.
///   - now: the start of the run.
///   - shouldStop: asked for each item; once it says so, what is found is worth nothing.
/// - Returns: what is to be remembered and what is to be queued.
public func findAssets(
  in document: ParsedFeed, _ found: Classification, feed: FeedSpec, state: FeedState, known: [KnownAsset],
  at now: Instant, shouldStop: ShouldStop = { false }
) -> AssetFindings {
  guard let download = feed.download else { return AssetFindings() }
  var search = AssetSearch(found, feed: feed, state: state, known: known)
  var wanted: [Candidate] = []
  var bounds = KeepBounds(download.keep, at: now)
  let wish = AssetWish(download)
  for shown in found.shownItems where document.items.indices.contains(shown.place) {
    if shouldStop() { break }
    let item = document.items[shown.place]
    for file in search.take(item, shown, download.select) {
      guard !shown.isFiltered, wish.wants(file.asset) else { continue }
      let date = item.published ?? item.updated
      let isKept = bounds.lets(
        date: date ?? search.firstSight(of: shown, at: now), size: file.asset.asset.length ?? 0)
      if let place = file.place, isKept { wanted.append(Candidate(place: place, item: shown.item)) }
    }
  }
  search.queue(wanted)
  return search.findings
}

/// An asset that may be queued.
private struct Candidate {
  /// Its place among the assets to be remembered.
  let place: Int
  /// Its item.
  let item: FoundAsset.ItemReference
}

/// The search through one document.
private struct AssetSearch {
  private(set) var findings = AssetFindings()

  private let found: Classification
  private let firstRun: FirstRun
  private let isOfFile: Bool
  private let queuesOfKnown: Bool
  private var counts: [KnownAsset: Int] = [:]
  private var itemCounts: [Int64: Int] = [:]
  /// How many known items show a wanted file that they had before, and how many show others instead.
  private var stayed = 0
  private var moved = 0

  init(_ found: Classification, feed: FeedSpec, state: FeedState, known: [KnownAsset]) {
    self.found = found
    firstRun = feed.firstRunDownload
    isOfFile = feed.file != nil
    queuesOfKnown = state.notesAssets && found.quietItems == nil
    for asset in known {
      counts[asset, default: 0] += 1
      itemCounts[asset.item, default: 0] += 1
    }
  }

  /// Remembers the files of an item that are not known, and gives all of them, those with their places.
  mutating func take(
    _ item: ParsedItem, _ shown: ShownItem, _ select: AssetSelection
  ) -> [(asset: ItemAsset, place: Int?)] {
    let files = ItemAsset.all(of: item, select, isOfFile: isOfFile)
    let description = cleanText(item.title ?? "", limit: 256)
    let before = knownNumber(of: shown.item).flatMap { itemCounts[$0] } ?? 0
    let keys = files.map(\.asset.key)
    let repeats = Dictionary(zip(keys, repeatElement(1, count: keys.count)), uniquingKeysWith: +)
    var same = 0
    var sameSelected = 0
    let result = zip(files, keys).map { file, key -> (asset: ItemAsset, place: Int?) in
      if case .known(let number) = shown.item {
        let asset = KnownAsset(item: number, key: key)
        if let count = counts[asset], count > 0 {
          counts[asset] = count - 1
          same += 1
          sameSelected += file.isSelected ? 1 : 0
          // Of several that differ by their queries none is another's renewal.
          if file.asset.url.utf8.contains(UInt8(ascii: "?")), repeats[key] == 1 {
            findings.shown.append(FoundAsset(item: shown.item, asset: file.asset, description: description))
          }
          return (file, nil)
        }
        // A feed that gives its files other names with every fetch does not fill the store for ever.
        guard itemCounts[number, default: 0] < mostAssetsOfItem else { return (file, nil) }
        itemCounts[number, default: 0] += 1
      }
      findings.known.append(
        FoundAsset(
          item: shown.item, asset: file.asset,
          description: description.isEmpty ? name(of: file.asset) : description))
      return (file, findings.known.count - 1)
    }
    if files.contains(where: \.isSelected) {
      if sameSelected > 0 { stayed += 1 } else if same < before { moved += 1 }
    }
    return result
  }

  private func knownNumber(of item: FoundAsset.ItemReference) -> Int64? {
    if case .known(let number) = item { number } else { nil }
  }

  /// When an undated item was first seen as far as it is known: a new one now.
  func firstSight(of shown: ShownItem, at now: Instant) -> Instant? {
    if case .new = shown.item { now } else { nil }
  }

  /// Queues those of the candidates that are wanted as the feed is now.
  mutating func queue(_ candidates: [Candidate]) {
    // One item alone may well have a new file instead of its old one.
    let hasMoved = moved > 1 && moved > stayed
    var itemsLeft =
      switch firstRun {
      case .none: 0
      case .latest: 1
      case .all: Int.max
      case .newest(let count): count
      }
    var last: FoundAsset.ItemReference?
    for candidate in candidates {
      switch candidate.item {
      case .known where !queuesOfKnown || hasMoved: continue
      case .known: break
      case .new(let place):
        if found.isBaseline {
          if candidate.item != last { itemsLeft -= itemsLeft == .max ? 0 : 1 }
          last = candidate.item
          guard itemsLeft >= 0 else { continue }
        } else if found.newItems[place].isSeen {
          // Old items under new identities.
          continue
        }
      }
      findings.wanted.append(findings.known[candidate.place])
    }
  }

  /// What an asset without a title is called: the name in its address.
  private func name(of asset: Asset) -> String {
    let name = cleanText(lastSegment(ofAddress: asset.url), limit: 256)
    return name.isEmpty ? cleanText(URIReference(asset.url).masked.text, limit: 256) : name
  }
}

/// Assets of one item beyond this number are not remembered, nor downloaded.
private let mostAssetsOfItem = 1000

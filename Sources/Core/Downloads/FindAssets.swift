// The assets of a document: which are new, and which of them to download.

/// The assets of a document that the store does not know, and those of them to download, the newest item's first.
///
/// All unknown assets are stored, wanted or not, so that none is downloaded later by itself. Wanted assets are downloaded:
///
/// - of new items, unless they are filtered; at a first fetch only of the newest items, as many as `first-run` says;
/// - of known items, if the store does not know the asset's key; if an item has several assets of one key, the additional
///   ones. But not from the first document under `download`, nor if all identities of the feed changed, nor if most known
///   items have their files at new addresses (the feed moved to another host): those files were downloaded before.
///
/// Assets that `keep` would remove at once are not downloaded: `keep` is applied to the files that are on the disk or queued,
/// and the wanted assets. An asset that a rule leaves out says which. If the document corrects its type or length so that
/// the rule no longer does, the asset is downloaded.
///
/// A known asset whose address has a query is returned with its present address, which may be newly signed.
///
/// - Parameters:
///   - document: the document.
///   - found: its classification, with `shownItems`.
///   - feed: the feed; without `download` it has no assets.
///   - state: the feed's state.
///   - known: every asset that the store knows of the feed's items, with repetitions.
///   - omitted: those of them that were left out because of their type or length, as they were then.
///   - files: the feed's files that are on the disk or queued; used only with `keep`.
///   - now: the start of the round.
///   - shouldStop: called for each item; after it returns true the result is incomplete and must not be used.
/// - Returns: the assets to store, and those to download.
public func findAssets(
  in document: ParsedFeed, _ found: Classification, feed: FeedSpec, state: FeedState, known: [KnownAsset],
  omitted: [KnownAsset: Asset] = [:], files: [CountedFile] = [], at now: Instant,
  shouldStop: ShouldStop = { false }
) -> AssetFindings {
  guard let download = feed.download else { return AssetFindings() }
  var search = AssetSearch(
    found: found, feed: feed, state: state, omitted: omitted, now: now,
    counts: Dictionary(known.map { ($0, 1) }, uniquingKeysWith: +),
    itemCounts: Dictionary(known.map { ($0.item, 1) }, uniquingKeysWith: +))
  var candidates: [Candidate] = []
  let rule = DownloadRule(download)
  for shown in found.shownItems where document.items.indices.contains(shown.index) {
    if shouldStop() { break }
    candidates += search.add(document.items[shown.index], shown, rule)
  }
  search.queue(candidates, keep: download.keep, files)
  return search.findings
}

/// An asset that may be downloaded.
private struct Candidate {
  var found: FoundAsset
  /// The index in `AssetFindings.known`.
  let index: Int
  let counted: CountedFile
  /// Whether it is known and was left out, and the document has corrected it.
  let isCorrected: Bool
}

/// The search through one document.
private struct AssetSearch {
  var findings = AssetFindings()

  let found: Classification
  let feed: FeedSpec
  let state: FeedState
  let omitted: [KnownAsset: Asset]
  let now: Instant
  /// How many assets of each key and of each item are known.
  var counts: [KnownAsset: Int]
  var itemCounts: [Int64: Int]
  /// The known items that show a selected asset they had before, and the items that show only others.
  var stayed = 0
  var moved = 0

  /// Adds the unknown assets of an item, and returns the ones that may be downloaded.
  mutating func add(_ item: ParsedItem, _ shown: ShownItem, _ rule: DownloadRule) -> [Candidate] {
    let files = rule.files(of: item, isOfFile: feed.file != nil)
    let description = cleanText(item.title ?? "", limit: 256)
    let number = knownNumber(of: shown.item)
    let before = number.flatMap { itemCounts[$0] } ?? 0
    let keys = files.map(\.asset.key)
    let repeats = Dictionary(zip(keys, repeatElement(1, count: keys.count)), uniquingKeysWith: +)
    var same: [ItemAsset] = []
    var candidates: [Candidate] = []
    for (file, key) in zip(files, keys) {
      var found = FoundAsset(item: shown.item, asset: file.asset, description: description)
      found.asset.omittedBy = shown.isFiltered && file.isSelected ? .filter : rule.omission(of: file, item)
      guard let number, countKnown(KnownAsset(item: number, key: key)) else {
        if description.isEmpty { found.description = fileName(inAddress: file.asset.url) }
        guard add(found), file.isSelected else { continue }
        candidates.append(candidate(found, item))
        continue
      }
      same.append(file)
      // If several differ only in their queries, none replaces another one.
      if file.asset.url.utf8.contains("?"), repeats[key] == 1 { findings.shown.append(found) }
      if file.isSelected, found.asset.omittedBy == nil,
        let former = omitted[KnownAsset(item: number, key: key)],
        rule.omission(of: ItemAsset(asset: former, isSelected: true), item) != nil
      {
        findings.known.append(found)
        candidates.append(candidate(found, item, isCorrected: true))
      }
    }
    if files.contains(where: \.isSelected) {
      if same.contains(where: \.isSelected) { stayed += 1 } else if same.count < before { moved += 1 }
    }
    return candidates
  }

  /// The asset added last as a file that arrives now, after all transfers and items that the store knows.
  private func candidate(_ asset: FoundAsset, _ item: ParsedItem, isCorrected: Bool = false) -> Candidate {
    let published: Instant?
    let number: Int64
    switch asset.item {
    case .new(let index): (published, number) = (found.newItems[index].published, 1 << 60 + Int64(index))
    case .known(let known): (published, number) = (item.published ?? item.updated, known)
    }
    var file = CountedFile(transfer: 1 << 60, published: published, arrived: now)
    file.item = number
    file.index = asset.asset.index
    file.claimedSize = asset.asset.plausibleLength
    return Candidate(
      found: asset, index: findings.known.count - 1, counted: file, isCorrected: isCorrected)
  }

  /// Whether the store knows an asset; each one that it knows counts once.
  private mutating func countKnown(_ asset: KnownAsset) -> Bool {
    guard let count = counts[asset], count > 0 else { return false }
    counts[asset] = count - 1
    return true
  }

  /// Adds an unknown asset; false if its item has too many.
  private mutating func add(_ asset: FoundAsset) -> Bool {
    if let number = knownNumber(of: asset.item) {
      // A feed may give its files new names with every fetch; that must not fill the store.
      guard itemCounts[number, default: 0] < mostAssetsOfItem else { return false }
      itemCounts[number, default: 0] += 1
    }
    findings.known.append(asset)
    return true
  }

  private func knownNumber(of item: FoundAsset.ItemReference) -> Int64? {
    if case .known(let number) = item { number } else { nil }
  }

  /// Chooses the candidates to download, the newest first.
  mutating func queue(_ candidates: [Candidate], keep: KeepRule, _ files: [CountedFile]) {
    // A single item may have a new file in place of its old one.
    let hasMoved = moved > 1 && moved > stayed
    var itemsLeft = feed.firstRunDownload.count
    var last: FoundAsset.ItemReference?
    var chosen: [Candidate] = []
    for var candidate in candidates.sorted(by: { $0.counted > $1.counted })
    where candidate.found.asset.omittedBy == nil {
      switch candidate.found.item {
      case .known where !state.recordsAssets: candidate.found.asset.omittedBy = .earlier
      // These files were downloaded before, under another identity or from another host.
      case .known where found.quietItems != nil || hasMoved && !candidate.isCorrected: continue
      case .known: break
      case .new(let index):
        if found.isBaseline {
          if candidate.found.item != last { itemsLeft -= 1 }
          last = candidate.found.item
          if itemsLeft < 0 { candidate.found.asset.omittedBy = .firstRun }
        } else if found.newItems[index].isSeen {
          // An old item under a new identity.
          continue
        }
      }
      findings.known[candidate.index] = candidate.found
      if candidate.found.asset.omittedBy == nil { chosen.append(candidate) }
    }
    let bounds = filesBeyond(keep, withGuessedSizes(chosen.map(\.counted) + files), at: now)
    for (candidate, bound) in zip(chosen, bounds) {
      findings.known[candidate.index].asset.omittedBy = bound
      if bound == nil { findings.wanted.append(candidate.found) }
    }
  }
}

/// Assets of one item beyond this number are neither stored nor downloaded.
private let mostAssetsOfItem = 1000

/// A file that an item refers to.
struct ItemAsset {
  var asset: Asset
  /// Whether it is a file that downloads are about, even if a rule leaves it out.
  let isSelected: Bool
}

/// Decides by the configuration which assets to download.
struct DownloadRule {
  private let download: DownloadSpec
  private let filter: CompiledFilter
  private let types: [String]

  init(_ download: DownloadSpec) {
    self.download = download
    filter = CompiledFilter(download.filter)
    types = download.types.map { $0.lowercased() }
  }

  /// Where an item refers to a file; a rendition is another form of an enclosure.
  private enum Origin {
    case enclosure, rendition, image, link
  }

  /// The http and https files of an item, each address once: enclosures, images, the link.
  ///
  /// Enclosures are selected; images of a type in `types`, too, and the link if it has one and no other file does. Of the forms
  /// of an enclosure the first is that no rule omits, else the default.
  ///
  /// In a feed that is a file, enclosures with relative or file addresses count too: the failed download tells the author
  /// what is wrong. Other schemes (`magnet:`, `ftp:`) are for other programs.
  ///
  /// All files are returned, so that old items have no unknown assets after `types` changes.
  func files(of item: ParsedItem, isOfFile: Bool = false) -> [ItemAsset] {
    var files: [(file: Enclosure, origin: Origin)] = []
    for file in item.enclosures {
      let forms = [file] + file.renditions
      let chosen = file.renditions.isEmpty ? 0 : forms.firstIndex { omission(of: $0, item) == nil } ?? 0
      files += forms.enumerated().map { ($1, $0 == chosen ? .enclosure : .rendition) }
    }
    files += item.images.map { ($0, .image) }
    if let link = item.link { files.append((Enclosure(url: link), .link)) }
    var indices: [String: Int] = [:]
    var merged: [(file: Enclosure, isSelected: Bool)] = []
    var hasWanted = false
    for (file, origin) in files {
      let isNamed = isNamed(file, origin)
      let isSelected = origin == .enclosure || isNamed && (origin == .image || !hasWanted)
      hasWanted = hasWanted || isNamed
      // A file that is both an enclosure and the link is selected by either.
      if let index = indices[file.url] {
        merged[index].isSelected = merged[index].isSelected || isSelected
      } else if file.url.utf8.count <= 4096,
        WebAddress(file.url) != nil
          || isOfFile && origin == .enclosure && URIReference(file.url).isRelativeOrFile
      {
        indices[file.url] = merged.count
        merged.append((file, isSelected))
      }
    }
    var index = 0
    return merged.map { file, isSelected in
      if isSelected { index += 1 }
      let type = file.type.map { cleanText($0, limit: 256) }
      return ItemAsset(
        asset: Asset(url: file.url, type: type, length: file.length, index: isSelected ? index : 0),
        isSelected: isSelected)
    }
  }

  /// Whether `types` names the type of a file.
  ///
  /// If the type is unknown, an image counts as an image, a link as a page, and an enclosure as a file of any type.
  private func isNamed(_ file: Enclosure, _ origin: Origin) -> Bool {
    guard !types.isEmpty else { return origin == .enclosure }
    switch origin {
    case .rendition: return false
    case .enclosure: return isWanted(type: knownType(file.type, file.url))
    case .image: return isWanted(type: knownType(file.type, file.url) ?? "image/unknown")
    case .link: return isWanted(type: knownType(nil, file.url) ?? "text/html")
    }
  }

  private func omission(of file: Enclosure, _ item: ParsedItem) -> OmissionRule? {
    let asset = Asset(url: file.url, type: file.type, length: file.length, index: 1)
    return omission(of: ItemAsset(asset: asset, isSelected: true), item)
  }

  /// The rule by which a selected asset is not downloaded, by everything known before it is requested.
  ///
  /// An unknown type matches all `types`. The document's length counts only if it is too large; the server's counts later.
  func omission(of file: ItemAsset, _ item: ParsedItem) -> OmissionRule? {
    guard file.isSelected else { return nil }
    if let limit = download.maxSize, let length = file.asset.plausibleLength, length > limit.bytes {
      return .maxSize
    }
    if !isWanted(type: knownType(file.asset.type, file.asset.url)) { return .types }
    return filter.accepts(item, file: file.asset) ? nil : .file
  }

  private func isWanted(type: String?) -> Bool {
    guard !types.isEmpty, let type else { return true }
    return types.contains { glob(matches: type, pattern: $0) }
  }

  private func knownType(_ type: String?, _ url: String) -> String? {
    mediaType(type) ?? fileExtension(ofAddress: url).flatMap { mediaType(ofExtension: $0) }
  }
}

/// The unknown assets of one document, and which of them to download.
public struct AssetFindings: Sendable {
  /// Assets to store as known, wanted or not; a known asset is queued later only if it was left out, and the document
  /// corrected it.
  public var known: [FoundAsset] = []
  /// Assets to queue, in the order of their downloads; each is in `known` too.
  public var wanted: [FoundAsset] = []
  /// Known assets with their present addresses, whose queries may be newly signed.
  public var shown: [FoundAsset] = []

  public init() {}

  /// The one file named by a push.
  public init(ofPush asset: Asset, of item: FoundAsset.ItemReference, description: String) {
    var found = FoundAsset(item: item, asset: asset, description: description)
    found.isPushed = true
    (known, wanted) = ([found], [found])
  }

  /// Whether there is nothing to write.
  public var isEmpty: Bool { known.isEmpty && wanted.isEmpty && shown.isEmpty }
}

/// An asset of an item.
public struct FoundAsset: Equatable, Sendable {
  public var item: ItemReference
  public var asset: Asset
  /// The transfer's name for people.
  public var description: String
  /// Whether a push named the asset, so that the user wrote its host.
  public var isPushed = false

  /// A new item of a commit, or a known item.
  public enum ItemReference: Hashable, Sendable {
    /// The index in `FeedCommit.newItems`.
    case new(Int)
    /// The store's number.
    case known(Int64)
  }
}

/// An asset that the store knows.
public struct KnownAsset: Hashable, Sendable {
  /// The item's number.
  public var item: Int64
  /// `Asset.key`.
  public var key: UInt64

  public init(item: Int64, key: UInt64) {
    (self.item, self.key) = (item, key)
  }
}

/// Whether the configuration wants an asset of a known item, however old, when the person asks for the item's files.
///
/// An asset that was not selected when it was found has the index 0. Files named by pushes are always wanted.
public func isWanted(_ asset: Asset, of item: ParsedItem, in feed: FeedSpec) -> Bool {
  if let address = WebAddress(asset.url), feed.isPushAddress(address) { return true }
  guard let download = feed.download else { return false }
  return asset.index > 0
    && DownloadRule(download).omission(of: ItemAsset(asset: asset, isSelected: true), item) == nil
}

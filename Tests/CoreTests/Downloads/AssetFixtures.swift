// Feeds whose documents have files, and the files that are found in them.

import Core

protocol AssetFixtures: NewsFixtures {}

extension AssetFixtures {
  /// The feed, the first document and its classification; the store's numbers are the places in `records`, from 1.
  func items(_ count: Int, assets: (Int) -> [String] = { ["https://cdn.example/\($0).mp3"] })
    -> [ParsedItem]
  {
    (1...count).map { number in
      with(item("id\(number)", title: "T\(number)", day: number)) {
        $0.enclosures = assets(number).map { Enclosure(url: $0) }
      }
    }
  }

  /// An item of the first day with one file.
  func file(_ url: String, type: String? = nil, length: Int64? = nil, title: String? = "Title") -> ParsedItem
  {
    with(item("1", title: title, day: 1)) {
      $0.enclosures = [Enclosure(url: url, type: type, length: length)]
    }
  }

  func downloading(_ change: (inout FeedSpec) -> Void = { _ in }) -> FeedSpec {
    feed {
      $0.download = DownloadSpec()
      change(&$0)
    }
  }

  /// The findings in a document after an earlier one, whose items are known, and whose assets are known unless
  /// `recordsAssets` is false.
  func findings(
    _ items: [ParsedItem], after earlier: [ParsedItem]? = nil, _ feed: FeedSpec, recordsAssets: Bool = true,
    files: [CountedFile] = [], knowing formerFeed: FeedSpec? = nil
  ) -> AssetFindings {
    var state = FeedState()
    var known: [KnownItem] = []
    var assets: [KnownAsset] = []
    var omitted: [KnownAsset: Asset] = [:]
    if let earlier {
      var first = formerFeed ?? feed
      if formerFeed == nil { first.download = DownloadSpec() }
      let found = classify(earlier, feed: first, isFirst: true)
      known = self.known(found.newItems)
      state.identity = found.identity
      state.hasBaseline = true
      state.lastSuccess = now - .hours(1)
      state.recordsAssets = recordsAssets
      if recordsAssets {
        let all = findAssets(
          in: document(earlier), found, feed: first, state: FeedState(), known: [], at: now)
        assets = all.known.map { asset in
          guard case .new(let place) = asset.item else { return KnownAsset(item: 0, key: 0) }
          let stored = KnownAsset(item: known[place].number, key: asset.asset.key)
          if [.types, .maxSize].contains(asset.asset.omittedBy) { omitted[stored] = asset.asset }
          return stored
        }
      }
    }
    let found = Core.classify(document(items), known: known, feed: feed, state: state, at: now)
    return findAssets(
      in: document(items), found, feed: feed, state: state, known: assets, omitted: omitted, files: files,
      at: now)
  }

  func known(_ records: [ItemRecord]) -> [KnownItem] {
    records.enumerated().map { KnownItem($1, number: Int64($0 + 1)) }
  }

  func wanted(_ findings: AssetFindings) -> [String] {
    findings.wanted.map { String($0.asset.url.split(separator: "/").last ?? "") }
  }

  func episode(_ id: String, day: Int? = nil, length: Int64? = nil) -> ParsedItem {
    with(item(id, title: id, day: day)) {
      $0.enclosures = [Enclosure(url: "https://cdn.example/\(id).mp3", length: length)]
    }
  }

  func omissions(_ findings: AssetFindings) -> [String] {
    findings.known.compactMap { found in found.asset.omittedBy.map { "\(found.description) \($0.rawValue)" } }
  }
}

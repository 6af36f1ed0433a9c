// The new files of a document, and which of them are downloaded.

import Core
import Testing

@Suite struct FindAssetsTests: NewsFixtures {
  /// The feed, the first document and its classification; the store's numbers are the places in `records`, from 1.
  private func items(_ count: Int, assets: (Int) -> [String] = { ["https://cdn.example/\($0).mp3"] })
    -> [ParsedItem]
  {
    (1...count).map { number in
      var item = self.item("id\(number)", title: "T\(number)", day: number)
      item.enclosures = assets(number).map { Enclosure(url: $0) }
      return item
    }
  }

  private func downloading(_ change: (inout FeedSpec) -> Void = { _ in }) -> FeedSpec {
    feed {
      $0.download = DownloadSpec()
      change(&$0)
    }
  }

  /// The findings in a document after an earlier one, whose items are known, and whose assets are known unless
  /// `knowsAssets` is false.
  private func findings(
    _ items: [ParsedItem], after earlier: [ParsedItem]? = nil, _ feed: FeedSpec, notesAssets: Bool = true,
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
      state.notesAssets = notesAssets
      if notesAssets {
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

  private func known(_ records: [ItemRecord]) -> [KnownItem] {
    records.enumerated().map { place, record in
      KnownItem(
        number: Int64(place + 1), keys: record.keys, published: record.published, editHash: record.editHash,
        postponedEdit: nil, updatedAt: nil, isFiltered: record.isFiltered)
    }
  }

  private func wanted(_ findings: AssetFindings) -> [String] {
    findings.wanted.map { String($0.asset.url.split(separator: "/").last ?? "") }
  }

  @Test func `a feed without download has no assets`() {
    #expect(findings(items(3), feed()).isEmpty)
  }

  @Test(
    arguments: [
      (.none, []), (.latest, ["3.mp3"]), (.all, ["3.mp3", "2.mp3", "1.mp3"]),
      (.newest(2), ["3.mp3", "2.mp3"]), (.newest(0), []), (.newest(9), ["3.mp3", "2.mp3", "1.mp3"]),
    ] as [(FirstRun, [String])])
  func `the first fetch downloads as many as first-run says, the newest first, and stores all`(
    rule: FirstRun, urls: [String]
  ) {
    let found = findings(items(3), downloading { $0.firstRunDownload = rule })

    #expect(wanted(found) == urls)
    #expect(found.known.count == 3)
  }

  @Test func `the latest is the newest item with a wanted asset, with all its assets`() {
    let shown = items(4) { number in
      [
        [], ["https://a.example/1.mp3"], ["https://a.example/2.mp3", "https://a.example/2.ogg"],
        ["https://a.example/3.pdf"], [],
      ][number]
    }

    let found = findings(shown, downloading { $0.download?.types = ["audio/*"] })

    #expect(wanted(found) == ["2.mp3", "2.ogg"])
    #expect(found.wanted.map(\.asset.index) == [1, 2])
  }

  @Test func `items that a first fetch does not announce are downloaded all the same`() {
    let feed = downloading {
      $0.firstRun = .none
      $0.firstRunDownload = .all
    }

    #expect(findings(items(2), feed).wanted.count == 2)
  }

  @Test func `later every new item's asset is downloaded, the newest first`() {
    let found = findings(items(4), after: items(2), downloading())

    #expect(wanted(found) == ["4.mp3", "3.mp3"])
    #expect(found.known.count == 2)
    #expect(found.wanted.map(\.item) == [.new(1), .new(0)])
    #expect(found.wanted.map(\.description) == ["T4", "T3"])
  }

  @Test func `a filtered item's asset is stored and not downloaded`() {
    let found = findings(items(3), after: items(2), downloading { $0.filter.exclude = ["T3"] })

    #expect(found.wanted.isEmpty)
    #expect(found.known.map(\.item) == [.new(0)])
  }

  @Test func `a new asset of a known item is downloaded, one with another query is not`() {
    let later = items(2) { number in
      number == 1
        ? ["https://cdn.example/1.mp3?modified=2"]
        : ["https://cdn.example/2.mp3", "https://cdn.example/2b.mp3"]
    }

    let found = findings(later, after: items(2), downloading())

    #expect(wanted(found) == ["2b.mp3"])
    #expect(found.wanted.map(\.item) == [.known(2)])
    #expect(found.known == found.wanted)
  }

  @Test func `a known asset with a query gets its present address`() {
    func shown(_ token: Int) -> [ParsedItem] {
      items(2) { ["https://cdn.example/\($0).mp3" + ($0 == 1 ? "?token=\(token)" : "")] }
    }

    let found = findings(shown(2), after: shown(1), downloading())

    #expect(found.known.isEmpty)
    #expect(found.wanted.isEmpty)
    #expect(found.shown.map(\.asset.url) == ["https://cdn.example/1.mp3?token=2"])
  }

  @Test func `assets that differ only in their query are counted`() {
    func shown(_ ids: [Int]) -> [ParsedItem] {
      items(1) { _ in ids.map { "https://cdn.example/dl.php?id=\($0)" } }
    }

    #expect(findings(shown([1, 2]), downloading()).wanted.count == 2)
    #expect(findings(shown([7, 8]), after: shown([1, 2]), downloading()).isEmpty)
    #expect(wanted(findings(shown([1, 2, 3]), after: shown([1, 2]), downloading())) == ["dl.php?id=3"])
  }

  @Test func `adding download later downloads only later items`() {
    let found = findings(items(4), after: items(3), downloading(), notesAssets: false)

    #expect(wanted(found) == ["4.mp3"])
    #expect(found.known.count == 4)
  }

  @Test(arguments: AssetSelection.allCases)
  func `select says which files are wanted, and all are stored`(select: AssetSelection) {
    var shown = item("1", link: "https://a.example/page", day: 1)
    shown.enclosures = [
      Enclosure(url: "https://a.example/1.mp3"), Enclosure(url: "https://a.example/both.png"),
    ]
    shown.images = [Enclosure(url: "https://a.example/i.png"), Enclosure(url: "https://a.example/both.png")]

    let found = findings([shown], downloading { $0.download?.select = select })

    let expected: [AssetSelection: [String]] = [
      .enclosures: ["1.mp3", "both.png"], .images: ["both.png", "i.png"], .links: ["page"],
      .all: ["1.mp3", "both.png", "i.png", "page"],
    ]
    #expect(wanted(found) == expected[select])
    #expect(found.known.count == 4)
    #expect(found.wanted.map(\.asset.index) == Array(1...found.wanted.count))
  }

  @Test func `another select finds nothing new in known items`() {
    var shown = items(2)
    for place in shown.indices { shown[place].images = [Enclosure(url: "https://a.example/\(place).png")] }

    let all = downloading { $0.download?.select = .all }

    #expect(findings(shown, after: shown, all).isEmpty)
  }

  @Test(
    arguments: [
      ("audio/mpeg", "https://a.example/x", true), ("AUDIO/OGG; codecs=opus", "https://a.example/x", true),
      ("video/mp4", "https://a.example/x.mp3", false), (nil, "https://a.example/x.mp3?y", true),
      (nil, "https://a.example/x.mp4", false), (nil, "https://a.example/dl.php?id=1", true),
      ("application/octet-stream", "https://a.example/x.mp4", false), ("", "https://a.example/x.opus", true),
      ("mp3", "https://a.example/x", true),
    ] as [(String?, String, Bool)])
  func `types match the type in the document, else that of the address`(
    type: String?, url: String, isWanted: Bool
  ) {
    var shown = item("1", day: 1)
    shown.enclosures = [Enclosure(url: url, type: type)]

    let found = findings([shown], downloading { $0.download?.types = ["Audio/*"] })

    #expect(found.wanted.isEmpty != isWanted)
    #expect(found.known.count == 1)
  }

  @Test(arguments: [(nil, true), (999, true), (1000, true), (1001, false)] as [(Int64?, Bool)])
  func `an asset whose declared length exceeds max-size is not requested`(length: Int64?, isWanted: Bool) {
    var shown = item("1", day: 1)
    shown.enclosures = [Enclosure(url: "https://a.example/1.mp3", length: length)]

    let found = findings([shown], downloading { $0.download?.maxSize = ByteCount(1000) })

    #expect(found.wanted.isEmpty != isWanted)
  }

  @Test func `the filter sees the address`() {
    let feed = downloading {
      $0.firstRunDownload = .all
      $0.download?.filter.include = ["\\.mp3$"]
      $0.download?.filter.exclude = ["/2"]
    }

    #expect(wanted(findings(items(3), feed)) == ["3.mp3", "1.mp3"])
  }

  @Test(
    arguments: [
      "ftp://a.example/1.mp3", "/relative.mp3", "javascript:alert(1)", "file:///etc/passwd", "magnet:?xt=x",
      "https://a.example/a b", "https://a.example/" + String(repeating: "x", count: 5000),
    ])
  func `only http and https addresses are assets`(url: String) {
    var shown = item("1", link: url, day: 1)
    shown.enclosures = [Enclosure(url: url)]

    #expect(findings([shown], downloading()).isEmpty)
  }

  @Test(
    arguments: [("1.mp3", 1), ("file:///srv/1.mp3", 1), ("magnet:?xt=x", 0), ("ftp://a.example/1.mp3", 0)])
  func `relative and file addresses in a feed that is a file become failed downloads`(
    url: String, count: Int
  ) {
    var shown = item("1", day: 1)
    shown.enclosures = [Enclosure(url: url)]
    var feed = downloading { $0.firstRunDownload = .all }
    feed.url = .plain("file:///srv/planet.xml")

    #expect(findings([shown], feed).wanted.count == count)
  }

  @Test(
    arguments: [
      (2, nil, nil, ["4.mp3", "3.mp3"]), (0, nil, nil, ["4.mp3"]),
      (nil, 98, nil, ["4.mp3", "3.mp3", "2.mp3"]), (nil, 1, nil, ["4.mp3"]),
      (nil, nil, 250, ["4.mp3", "3.mp3"]), (nil, nil, 1, ["4.mp3"]),
    ] as [(Int?, Int64?, Int64?, [String])])
  func `assets that keep would remove at once are not downloaded, except the newest`(
    count: Int?, days: Int64?, size: Int64?, urls: [String]
  ) {
    var shown = items(4)
    for place in shown.indices { shown[place].enclosures[0].length = 100 }
    var keep = KeepRule()
    keep.count = count
    keep.age = days.map { .days($0) }
    keep.size = size.map { ByteCount($0) }
    let feed = downloading {
      $0.firstRunDownload = .all
      $0.download?.keep = keep
    }

    #expect(wanted(findings(shown, feed)) == urls)
  }

  private func disk(_ days: [Int], size: Int64? = 100) -> [CountedFile] {
    days.enumerated().map { place, day in
      var file = CountedFile(
        transfer: Int64(place + 1), published: now - .days(100) + .days(Int64(day)), arrived: now - .hours(1),
        size: size)
      file.item = Int64(place + 1)
      return file
    }
  }

  private func keeping(_ change: (inout KeepRule) -> Void) -> FeedSpec {
    var keep = KeepRule()
    change(&keep)
    return downloading { $0.download?.keep = keep }
  }

  private func episode(_ id: String, day: Int? = nil, length: Int64? = nil) -> ParsedItem {
    var item = self.item(id, title: id, day: day ?? 0)
    if day == nil { item.published = nil }
    item.enclosures = [Enclosure(url: "https://cdn.example/\(id).mp3", length: length)]
    return item
  }

  private func omissions(_ findings: AssetFindings) -> [String] {
    findings.known.compactMap { found in found.asset.omittedBy.map { "\(found.description) \($0.rawValue)" } }
  }

  @Test func `keep counts files, not the items of the document`() {
    let three = keeping { $0.count = 3 }
    let five = items(5)

    // Nothing is on the disk, although three newer items are in the document.
    #expect(wanted(findings(five + [episode("old", day: 0)], after: five, three)) == ["old.mp3"])
    let found = findings(five + [episode("old", day: 0)], after: five, three, files: disk([3, 4, 5]))
    #expect(found.wanted.isEmpty)
    #expect(omissions(found) == ["old download.keep.count"])
    #expect(
      wanted(findings(five + [episode("old", day: 4)], after: five, three, files: disk([3, 4, 5]))) == [
        "old.mp3"
      ])
  }

  @Test func `of the files of one item the first ones are downloaded`() {
    var item = episode("1", day: 9)
    item.enclosures += ["ogg", "opus"].map { Enclosure(url: "https://cdn.example/1.\($0)") }

    let found = findings([item], after: items(1), keeping { $0.count = 2 }, files: disk([1, 2]))

    #expect(wanted(found) == ["1.mp3", "1.ogg"])
    #expect(omissions(found) == ["1 download.keep.count"])
  }

  @Test(arguments: [true, false])
  func `an undated podcast gets its new episode wherever it is listed`(isFirst: Bool) {
    let known = (1...5).map { episode("ep\($0)") }
    let listed = isFirst ? [episode("new")] + known : known + [episode("new")]
    let files = disk([1, 1, 1]).map { CountedFile(transfer: $0.transfer, date: now - .hours(1), size: 100) }

    #expect(wanted(findings(listed, after: known, keeping { $0.count = 3 }, files: files)) == ["new.mp3"])
  }

  @Test(arguments: [0, -62_135_596_800, 4_070_908_800, 253_402_300_799] as [Int64])
  func `an episode with an impossible date is new, and does not keep later ones out`(date: Int64) {
    var strange = episode("strange")
    strange.published = Instant(secondsSince1970: date)
    let two = keeping {
      $0.count = 2; $0.age = .days(30)
    }

    #expect(
      wanted(findings(items(3) + [strange], after: items(3), two, files: disk([90, 91]))) == ["strange.mp3"])
    let placed = CountedFile(transfer: 9, published: strange.published, arrived: now - .days(2), size: 100)
    let found = findings(
      [strange, episode("next", day: 99)], after: [strange], two, files: [placed] + disk([90]))
    #expect(wanted(found) == ["next.mp3"])
  }

  @Test(
    arguments: [
      (nil, 100, 2), (0, 100, 2), (-5, 100, 2), (.max, 100, 2), (1 << 40, 100, 2), (900, 100, 2),
      (900, nil, 1),
      (.max, nil, 2), (0, nil, 2),
    ] as [(Int64?, Int64?, Int)])
  func `the sizes on the disk count, and those in the document only where there are none`(
    claimed: Int64?, real: Int64?, count: Int
  ) {
    let new = [episode("a", day: 98, length: claimed), episode("b", day: 99, length: claimed)]
    let feed = keeping { $0.size = ByteCount(1000) }

    let found = findings(
      items(2) + new, after: items(2), feed, files: real == nil ? [] : disk([1, 2], size: real))

    #expect(found.wanted.count == count)
    #expect(found.wanted.count + omissions(found).count == 2)
  }

  @Test func `files that are queued count like those on the disk`() {
    var queued = disk([80, 81], size: nil)
    for place in queued.indices { queued[place].claimedSize = 600 }
    let feed = keeping { $0.size = ByteCount(1000) }

    #expect(
      omissions(findings([episode("old", day: 5)], after: items(1), feed, files: queued)) == [
        "old download.keep.size"
      ])
  }

  @Test func `queueing agrees with retention`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let new = (0..<Int.random(in: 1...6, using: &random)).map { number in
        episode("n\(number)", day: Bool.random() ? Int.random(in: 0...120, using: &random) : nil, length: 100)
      }
      let files = disk(
        (0..<Int.random(in: 0...5, using: &random)).map { _ in Int.random(in: 0...99, using: &random) })
      let feed = keeping {
        $0.count = 3; $0.age = .days(50); $0.size = ByteCount(250)
      }
      var keep = KeepRule()
      (keep.count, keep.age, keep.size) = (3, .days(50), ByteCount(250))

      let found = findings(items(1) + new, after: items(1), feed, files: files)

      let placed = found.wanted.enumerated().map { place, asset in
        guard case .new(let number) = asset.item else { return disk([1])[0] }
        let published = new.first { $0.title == asset.description }?.published
        var file = CountedFile(transfer: 100 + Int64(place), published: published, arrived: now, size: 100)
        file.item = 100 + Int64(number)
        return file
      }
      let all = (files + placed).map {
        PlacedTransfer($0, file: PlacedFile(directory: "/", name: "", size: 100, sha256: "", placed: now))
      }
      let removed = filesToRemove(all, keep: keep, at: now).map(\.transfer)
      #expect(removed.filter { $0 >= 100 } == [])
      #expect(found.wanted.count + omissions(found).count == new.count)
    }
  }

  @Test func `a rule that leaves out an asset is recorded with it`() {
    let feed = downloading {
      $0.filter.exclude = ["Spam"]
      $0.firstRunDownload = .latest
      $0.download?.types = ["audio/*"]
      $0.download?.maxSize = ByteCount(1000)
      $0.download?.filter.exclude = ["trailer"]
    }
    var film = episode("film", day: 5)
    film.enclosures[0].type = "video/mp4"
    let shown = [
      episode("new", day: 9), episode("Spam", day: 8), episode("trailer", day: 7),
      episode("large", day: 6, length: 1001),
      film, episode("old", day: 4),
    ]

    let found = findings(shown, feed)

    #expect(wanted(found) == ["new.mp3"])
    #expect(
      Set(omissions(found)) == [
        "Spam filter", "trailer download.filter", "large download.max-size", "film download.types",
        "old first-run.download",
      ])
    let later = findings([shown[0]], after: [shown[0]], downloading(), notesAssets: false)
    #expect(omissions(later) == ["new download"])
  }

  @Test(
    arguments: [
      ("text/html", "audio/mpeg", 1), ("text/html", "video/mp4", 0), ("text/html", "text/html", 0),
      ("audio/mpeg", "audio/ogg", 0), (nil, "audio/mpeg", 1),
    ] as [(String?, String, Int)])
  func `an asset whose type the document corrects is downloaded`(former: String?, type: String, count: Int) {
    func shown(_ type: String?) -> [ParsedItem] {
      var item = self.item("1", title: "T", day: 1)
      item.enclosures = [Enclosure(url: "https://cdn.example/get.html?x=1", type: type)]
      return [item]
    }
    let feed = downloading { $0.download?.types = ["audio/*"] }

    let found = findings(shown(type), after: shown(former), feed, knowing: feed)

    #expect(found.wanted.count == count)
    #expect(found.wanted == found.known)
  }

  @Test func `an asset whose length the document corrects is downloaded`() {
    let feed = downloading { $0.download?.maxSize = ByteCount(1000) }

    let found = findings(
      [episode("1", day: 1, length: 10)], after: [episode("1", day: 1, length: 5000)], feed, knowing: feed)

    #expect(wanted(found) == ["1.mp3"])
  }

  @Test func `files that are added later to several known items are downloaded`() {
    let bare = (1...3).map { (number: Int) in
      self.item("id\(number)", link: "https://a.example/\(number)", title: "T\(number)", day: number)
    }
    let later = zip(bare, 1...3).map { item, number in
      var item = item
      item.enclosures = [Enclosure(url: "https://cdn.example/\(number).mp3")]
      return item
    }

    #expect(wanted(findings(later, after: bare, downloading())) == ["3.mp3", "2.mp3", "1.mp3"])
  }

  @Test func `a feed whose files have all moved is not downloaded again, a single new file is`() {
    let moved = items(4) { ["https://new.example/\($0).mp3"] }
    let one = items(3) { ["https://\($0 == 2 ? "new" : "cdn").example/\($0).mp3"] }

    let found = findings(moved, after: items(3), downloading())

    #expect(wanted(found) == ["4.mp3"])
    #expect(found.known.count == 4)
    #expect(wanted(findings(one, after: items(3), downloading())) == ["2.mp3"])
  }

  @Test func `renewed guids do not download known files again`() {
    func shown(_ prefix: String) -> [ParsedItem] {
      (1...5).map { number in
        var item = self.item(
          "\(prefix)\(number)", link: "https://a.example/\(number)", title: "T\(number)", day: number)
        item.enclosures = [Enclosure(url: "https://cdn.example/\(number).mp3")]
        return item
      }
    }

    #expect(findings(shown("new"), after: shown("old"), downloading()).isEmpty)
  }

  @Test func `a mass change downloads only later items`() {
    func shown(_ prefix: String, _ days: ClosedRange<Int>) -> [ParsedItem] {
      days.map { day in
        var item = self.item(
          "\(prefix)\(day)", link: "https://a.example/\(prefix)/\(day)", title: "\(prefix) \(day)", day: day)
        item.enclosures = [Enclosure(url: "https://cdn.example/\(prefix)\(day).mp3")]
        return item
      }
    }

    let found = findings(shown("b", 1...20), after: shown("a", 1...20), downloading())

    #expect(found.wanted.isEmpty)
    #expect(found.known.count == 40)
  }

  @Test func `an item without a title gets its file's name`() {
    var shown = item("1", title: nil, day: 1)
    shown.enclosures = [Enclosure(url: "https://a.example/talks/my%20talk.mp3?x=1")]
    var bare = item("2", title: " ", day: 2)
    bare.enclosures = [Enclosure(url: "https://a.example/?key=secret")]

    #expect(findings([shown], downloading()).wanted.map(\.description) == ["my talk.mp3"])
    #expect(findings([bare], downloading()).wanted.map(\.description) == ["https://a.example/?key=***"])
  }

  @Test func `a feed that keeps renaming its files does not fill the store`() {
    let many = items(1) { _ in (0..<1500).map { "https://cdn.example/\($0).mp3" } }

    #expect(findings(many, after: items(1), downloading()).known.count < 1001)
  }
}

// The new files of a document, and which of them are downloaded.

import Core
import Testing

@Suite struct FindAssetsTests: AssetFixtures {
  @Test(
    arguments: [
      (.none, []), (.latest, ["3.mp3"]), (.all, ["3.mp3", "2.mp3", "1.mp3"]),
      (.newest(2), ["3.mp3", "2.mp3"]), (.newest(0), []), (.newest(9), ["3.mp3", "2.mp3", "1.mp3"]),
    ] as [(FirstRun, [String])])
  func `the first fetch downloads as many as first-run says, the newest first, and stores all`(
    rule: FirstRun, urls: [String]
  ) {
    // Whether items are announced does not matter.
    let found = findings(items(3), downloading { ($0.firstRunDownload, $0.firstRun) = (rule, .none) })

    #expect(wanted(found) == urls)
    #expect(found.known.count == 3)
    #expect(findings(items(3), feed()).isEmpty, "a feed without download has no assets")
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
    let found = findings(items(4), after: items(3), downloading(), recordsAssets: false)

    #expect(wanted(found) == ["4.mp3"])
    #expect(found.known.count == 4)
  }

  @Test(
    arguments: [
      ([], ["1.mp3", "both.png"]), (["image/*"], ["both.png", "i.png", "j"]), (["audio/*"], ["1.mp3"]),
      (["text/html"], ["page"]), (["text/*", "audio/*"], ["1.mp3"]),
      (["*/*"], ["1.mp3", "both.png", "i.png", "j"]),
      (["video/*"], []),
    ] as [([String], [String])])
  func `types say which files are wanted, pictures and the link if they name them, and all are stored`(
    types: [String], expected: [String]
  ) {
    var shown = item("1", link: "https://a.example/page", day: 1)
    shown.enclosures = [
      Enclosure(url: "https://a.example/1.mp3"), Enclosure(url: "https://a.example/both.png"),
    ]
    shown.images = ["i.png", "both.png", "j"].map { Enclosure(url: "https://a.example/" + $0) }

    let found = findings([shown], downloading { $0.download?.types = types })

    #expect(wanted(found) == expected)
    #expect(found.known.count == 5)
  }

  @Test(
    arguments: [
      ([], nil, ["1080.mp4"]), (["audio/*"], nil, ["sound.ogg"]), (["video/*"], 600, ["480.mp4"]),
      ([], 30, ["sound.ogg"]), (["image/*"], nil, []), (["video/*"], 1, []),
    ] as [([String], Int64?, [String])])
  func `of the forms of a file the first is wanted that no rule leaves out, and all are stored`(
    types: [String], limit: Int64?, expected: [String]
  ) {
    var shown = item("1", day: 1)
    var file = Enclosure(url: "https://a.example/1080.mp4", length: 1000 << 20)
    file.renditions = [
      Enclosure(url: "https://a.example/480.mp4", length: 500 << 20),
      Enclosure(url: "https://a.example/sound.ogg", length: 20 << 20),
    ]
    shown.enclosures = [file]
    let feed = downloading {
      $0.download?.types = types
      $0.download?.maxSize = limit.map { ByteCount($0 << 20) }
    }

    let sound = downloading { $0.download?.types = ["audio/*"] }

    let found = findings([shown], feed)

    #expect(wanted(found) == expected)
    #expect(found.known.count == 3)
    #expect(findings([shown], after: [shown], sound).wanted.isEmpty)
  }

  @Test func `other types find nothing new in known items`() {
    var shown = items(2)
    for place in shown.indices { shown[place].images = [Enclosure(url: "https://a.example/\(place).png")] }

    let all = downloading { $0.download?.types = ["*/*"] }

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
    let found = findings([file(url, type: type)], downloading { $0.download?.types = ["Audio/*"] })

    #expect(found.wanted.isEmpty != isWanted)
    #expect(found.known.count == 1)
  }

  @Test(arguments: [(nil, true), (999, true), (1000, true), (1001, false)] as [(Int64?, Bool)])
  func `an asset whose declared length exceeds max-size is not requested`(length: Int64?, isWanted: Bool) {
    let feed = downloading { $0.download?.maxSize = ByteCount(1000) }

    #expect(findings([file("https://a.example/1.mp3", length: length)], feed).wanted.isEmpty != isWanted)
  }

  @Test(
    arguments: [
      ("the file's own size", with(ItemCondition()) { $0.size.above = ByteCount(500) }, ["2.mp3"]),
      ("its address is its link", with(ItemCondition()) { $0.patterns[.link] = ["/1\\.mp3$"] }, ["2.mp3"]),
      ("the title of its item", with(ItemCondition()) { $0.patterns[.title] = ["^1"] }, []),
      ("the playing time of its item", with(ItemCondition()) { $0.duration.below = .minutes(5) }, []),
    ] as [(String, ItemCondition, [String])])
  func `a filter of files has the words of a filter of items`(
    rule: String, condition: ItemCondition, left: [String]
  ) {
    let shown = with(file("https://a.example/1.mp3", length: 900)) {
      ($0.title, $0.duration) = ("1", .minutes(1))
      $0.enclosures.append(Enclosure(url: "https://a.example/2.mp3", length: 100))
    }

    let found = findings(
      [shown], downloading { $0.download?.filter.exclude = [condition] })

    #expect(wanted(found) == left, "\(rule)")
  }

  @Test func `the filter sees the address`() {
    let feed = downloading {
      $0.firstRunDownload = .all
      $0.download?.filter.include = ["\\.mp3$"]
      $0.download?.filter.exclude = ["/2"]
    }

    #expect(wanted(findings(items(3), feed)) == ["3.mp3", "1.mp3"])
  }

  @Test(arguments: [
    "ftp://a.example/1.mp3", "/relative.mp3", "javascript:alert(1)", "file:///etc/passwd", "magnet:?xt=x",
    "https://a.example/a b", "https://a.example/" + String(repeating: "x", count: 5000),
  ])
  func `only http and https addresses are assets`(url: String) {
    #expect(findings([with(file(url)) { $0.link = url }], downloading()).isEmpty)
  }

  @Test(
    arguments: [("1.mp3", 1), ("file:///srv/1.mp3", 1), ("magnet:?xt=x", 0), ("ftp://a.example/1.mp3", 0)])
  func `relative and file addresses in a feed that is a file become failed downloads`(
    url: String, count: Int
  ) {
    let feed = downloading { ($0.firstRunDownload, $0.url) = (.all, .plain("file:///srv/planet.xml")) }

    #expect(findings([file(url)], feed).wanted.count == count)
  }

  @Test func `a rule that leaves out an asset is recorded with it`() {
    let feed = downloading {
      ($0.filter.exclude, $0.firstRunDownload) = (["Spam"], .latest)
      $0.download?.types = ["audio/*"]
      $0.download?.maxSize = ByteCount(1000)
      $0.download?.filter.exclude = ["trailer"]
    }
    var film = episode("film", day: 5)
    film.enclosures[0].type = "video/mp4"
    let shown = [
      episode("new", day: 9), episode("Spam", day: 8), episode("trailer", day: 7),
      episode("large", day: 6, length: 1001), film, episode("old", day: 4),
    ]

    let found = findings(shown, feed)

    #expect(wanted(found) == ["new.mp3"])
    #expect(
      Set(omissions(found)) == [
        "Spam filter", "trailer download.filter", "large download.max-size", "film download.types",
        "old first-run",
      ])
    let later = findings([shown[0]], after: [shown[0]], downloading(), recordsAssets: false)
    #expect(omissions(later) == ["new download"])
  }

  @Test(
    arguments: [
      ("text/html", "audio/mpeg", 1), ("text/html", "video/mp4", 0), ("text/html", "text/html", 0),
      ("audio/mpeg", "audio/ogg", 0), (nil, "audio/mpeg", 1),
    ] as [(String?, String, Int)])
  func `an asset whose type or length the document corrects is downloaded`(
    former: String?, type: String, count: Int
  ) {
    func shown(_ type: String?) -> [ParsedItem] { [file("https://cdn.example/get.html?x=1", type: type)] }
    let typed = downloading { $0.download?.types = ["audio/*"] }
    let small = downloading { $0.download?.maxSize = ByteCount(1000) }
    let (long, short) = (episode("1", day: 1, length: 5000), episode("1", day: 1, length: 10))

    let found = findings(shown(type), after: shown(former), typed, knowing: typed)

    #expect(found.wanted.count == count)
    #expect(found.wanted == found.known)
    #expect(wanted(findings([short], after: [long], small, knowing: small)) == ["1.mp3"])
  }

  @Test func `files that are added later to known items are downloaded, but not again with renewed guids`() {
    func shown(_ prefix: String, files: Bool = true) -> [ParsedItem] {
      (1...5).map { (number: Int) in
        with(
          self.item(
            "\(prefix)\(number)", link: "https://a.example/\(number)", title: "T\(number)", day: number)
        ) { if files { $0.enclosures = [Enclosure(url: "https://cdn.example/\(number).mp3")] } }
      }
    }

    #expect(
      wanted(findings(shown("id"), after: shown("id", files: false), downloading()))
        == ["5.mp3", "4.mp3", "3.mp3", "2.mp3", "1.mp3"])
    #expect(findings(shown("new"), after: shown("old"), downloading()).isEmpty)
  }

  @Test func `a feed whose files have all moved is not downloaded again, a single new file is`() {
    let moved = items(4) { ["https://new.example/\($0).mp3"] }
    let one = items(3) { ["https://\($0 == 2 ? "new" : "cdn").example/\($0).mp3"] }

    let found = findings(moved, after: items(3), downloading())

    #expect(wanted(found) == ["4.mp3"])
    #expect(found.known.count == 4)
    #expect(wanted(findings(one, after: items(3), downloading())) == ["2.mp3"])
  }

  @Test func `a mass change downloads only later items`() {
    func shown(_ prefix: String) -> [ParsedItem] {
      (1...20).map { (day: Int) in
        with(
          item(
            "\(prefix)\(day)", link: "https://a.example/\(prefix)/\(day)", title: "\(prefix) \(day)", day: day
          )
        ) { $0.enclosures = [Enclosure(url: "https://cdn.example/\(prefix)\(day).mp3")] }
      }
    }

    let found = findings(shown("b"), after: shown("a"), downloading())

    #expect(found.wanted.isEmpty)
    #expect(found.known.count == 40)
  }

  @Test(arguments: [
    ("https://a.example/talks/my%20talk.mp3?x=1", nil, "my talk.mp3"),
    ("https://a.example/?key=secret", " ", "https://a.example/?key=***"),
  ])
  func `an item without a title gets its file's name`(url: String, title: String?, name: String) {
    #expect(findings([file(url, title: title)], downloading()).wanted.map(\.description) == [name])
  }

  @Test func `a feed that keeps renaming its files does not fill the store`() {
    let many = items(1) { _ in (0..<1500).map { "https://cdn.example/\($0).mp3" } }

    #expect(findings(many, after: items(1), downloading()).known.count < 1001)
  }
}

// The news of a document: identities, edits, filters and the first run.

import Testing

@testable import Core

@Suite struct ClassificationTests: NewsFixtures {
  @Test(
    arguments: [
      ("dates decide", [("c", 3), ("a", 1), ("b", 2)], ["a", "b", "c"]),
      ("one without a date: the places decide", [("a", 1), ("c", nil), ("b", 2)], ["b", "c", "a"]),
      ("an item without any content is left out", [(nil, nil), ("a", nil), (nil, nil)], ["a"]),
      ("one given twice is one", [("a", nil), ("a", nil)], ["a"]),
    ] as [(String, [(String?, Int?)], [String])])
  func `items never seen are new, oldest first`(order: String, items: [(String?, Int?)], new: [String]) {
    let found = classify(items.map { id, day in id == nil ? ParsedItem() : item(id, day: day) })

    #expect(found.newItems.map(\.guid) == new, "\(order)")
    #expect(found.announcedItems == Array(new.indices), "\(order)")
  }

  @Test func `a document seen before has nothing new in any order`() {
    let items = [item("a"), item(nil, link: "https://x.example/b"), item(nil, title: "only a title")]

    let found = classify(items.reversed(), known: known(items))

    #expect(found.newItems.isEmpty)
    #expect(found.changedItems.isEmpty)
  }

  @Test(
    arguments: [
      ("guid", "a", "https://x.example/1", "a", "https://x.example/2", "New title", 0, 1),
      ("link", nil, "https://x.example/1", nil, "https://x.example/1", "Edited", 0, 1),
      ("another link", nil, "https://x.example/1", nil, "https://x.example/2", "Title", 1, 0),
      ("title and content", nil, nil, nil, nil, "Title", 0, 0),
      ("another title", nil, nil, nil, nil, "Two", 1, 0),
    ] as [(String, String?, String?, String?, String?, String, Int, Int)])
  func `the guid decides, without one the link, without both title and content`(
    mark: String, guid: String?, link: String?, newGUID: String?, newLink: String?, title: String, new: Int,
    changed: Int
  ) {
    let found = classify([item(newGUID, link: newLink, title: title)], known: known([item(guid, link: link)]))

    #expect(found.newItems.count == new, "\(mark)")
    #expect(found.changedItems.count == changed, "\(mark)")
  }

  @Test func `a link that several items without guid share is distinguished by the content`() {
    let both = [
      item(nil, link: "https://x.example/log", title: "1.1"),
      item(nil, link: "https://x.example/log", title: "1.0"),
    ]

    #expect(classify(both).newItems.count == 2)
    #expect(classify(both, known: known(both)).count == 0)
  }

  @Test(arguments: [false, true])
  func `an edit is silent by default, and announced with updated: notify`(isReported: Bool) {
    let spec = feed { if isReported { $0.updated = .notify } }

    let found = classify([item("a", title: "Other")], known: known([item("a")]), feed: spec)

    #expect(found.count == (isReported ? 1 : 0))
    #expect(found.updatedItems.map(\.updatedAt) == (isReported ? [now] : []))
    #expect(found.changedItems.map(\.record.title) == ["Other"])
    #expect(found.changedItems[0].record.isSeen == !isReported)
  }

  @Test func `other markup or white space around the same words is not an edit`() {
    let before = known([item("a", content: "<p>One  two</p>")])

    #expect(
      classify([item("a", content: "<div class=x>One\n<b>two</b></div>")], known: before).changedItems.isEmpty
    )
  }

  @Test func `an enclosure whose query changed is not an edit, but another file is`() {
    func withEnclosure(_ url: String) -> ParsedItem {
      with(item("a")) { $0.enclosures = [Enclosure(url: url)] }
    }
    let before = known([withEnclosure("https://x.example/1.mp3?modified=1")])

    #expect(
      classify([withEnclosure("https://x.example/1.mp3?modified=2")], known: before).changedItems.isEmpty)
    #expect(classify([withEnclosure("https://x.example/2.mp3")], known: before).changedItems.count == 1)
  }

  @Test(
    arguments: [
      (FirstRun.none, []), (.latest, ["c"]), (.newest(2), ["b", "c"]), (.all, ["a", "b", "c"]),
      (.newest(9), ["a", "b", "c"]),
    ] as [(FirstRun, [String])])
  func `a first run announces as many items as first-run says, and stores the rest as seen`(
    rule: FirstRun, announced: [String]
  ) {
    let found = classify(
      [item("c", day: 3), item("b", day: 2), item("a", day: 1)], feed: feed { $0.firstRun = rule },
      isFirst: true)

    #expect(found.newItems.count == 3)
    #expect(found.announcedItems.map { found.newItems[$0].guid } == announced)
    #expect(found.isBaseline)
  }

  @Test func `a filtered item is stored as seen and does not become new when the filter goes`() {
    let filtering = feed { $0.filter.exclude = ["(?i)sponsored"] }
    let items = [item("a", title: "SPONSORED: buy"), item("b", title: "News")]

    let found = classify(items, feed: filtering)
    let later = classify(items, known: known(items, feed: filtering))

    #expect(found.announcedItems.map { found.newItems[$0].guid } == ["b"])
    #expect(later.count == 0)
  }

  /// A filter that leaves out what meets these conditions.
  private static func excluding(_ changes: (inout ItemCondition) -> Void...) -> ItemFilter {
    with(ItemFilter()) { $0.exclude = changes.map { with(ItemCondition(), $0) } }
  }

  @Test(
    arguments: [
      ("no condition", ItemFilter(), ["talk", "trailer", "note"]),
      ("shorter, unknown is not", excluding { $0.duration.below = .minutes(3) }, ["talk", "note"]),
      ("longer", excluding { $0.duration.above = .minutes(3) }, ["trailer", "note"]),
      ("the largest file", excluding { $0.size.above = ByteCount(1000) }, ["trailer", "note"]),
      ("smaller", excluding { $0.size.below = ByteCount(1000) }, ["talk", "note"]),
      ("author", excluding { $0.patterns[.author] = ["^Jane$"] }, ["trailer", "note"]),
      ("a missing text is empty", excluding { $0.patterns[.author] = ["^$"] }, ["talk"]),
      (
        "a summary stands for a missing content", excluding { $0.patterns[.text] = ["sponsored by us"] },
        ["talk", "trailer"]
      ),
      ("soft hyphens hide no word", excluding { $0.patterns[.text] = ["for sale"] }, ["talk", "trailer"]),
      ("markup is no text", excluding { $0.patterns[.text] = ["b>"] }, ["talk", "trailer", "note"]),
      (
        "one of the expressions", excluding { $0.patterns[.category] = ["x", "^news$"] }, ["talk", "trailer"]
      ),
      (
        "all parts", excluding { $0.patterns = [.category: ["news"], .title: ["absent"]] },
        ["talk", "trailer", "note"]
      ),
      (
        "one of the conditions",
        excluding({ $0.patterns[.title] = ["talk"] }, { $0.patterns[.link] = ["/note"] }),
        ["trailer"]
      ),
      ("a text alone is not the author", with(ItemFilter()) { $0.include = ["Jane"] }, []),
      (
        "included and not excluded",
        with(excluding { $0.duration.above = .minutes(3) }) { $0.include = ["talk", "trailer"] }, ["trailer"]
      ),
    ] as [(String, ItemFilter, [String])])
  func `a filter leaves out items that meet a condition, or no condition of include`(
    rule: String, filter: ItemFilter, announced: [String]
  ) {
    let talk = with(item("talk", title: "talk", content: nil)) {
      ($0.duration, $0.author) = (.minutes(50), "Jane")
      $0.enclosures = [
        Enclosure(url: "https://x.example/1", length: 90_000),
        Enclosure(url: "https://x.example/2", length: 1),
      ]
    }
    let trailer = with(item("trailer", title: "trailer", content: nil)) {
      $0.duration = .minutes(1)
      $0.enclosures = [Enclosure(url: "https://x.example/3", length: 900)]
    }
    let note = with(item("note", link: "https://x.example/note", title: "note", content: nil)) {
      $0.summary = "<p>Sponsored? No: <b>sponsored</b> by us; for sa&shy;le"
      $0.categories = ["old", "news"]
    }
    let found = classify([talk, trailer, note], feed: feed { $0.filter = filter })

    #expect(Set(found.announced) == Set(announced), "\(rule)")
    #expect(found.filtered == 3 - announced.count, "\(rule)")
    #expect(found.newItems.count == 3, "\(rule)")
  }

  @Test func `an include filter lets through what matches title, link or category`() {
    let tagged = with(item("c", title: "Nothing")) { $0.categories = ["swift"] }
    let filtering = feed { $0.filter.include = ["swift"] }

    let found = classify(
      [item("a", title: "About swift"), item("b", link: "https://x.example/swift/1"), tagged, item("d")],
      feed: filtering)

    #expect(Set(found.announcedItems.map { found.newItems[$0].guid }) == ["a", "b", "c"])
  }

  @Test func `the reason says what was found`() {
    let first = classify([item("a"), item("b")], isFirst: true)
    let next = classify([item("c")], known: known([item("a")]))

    let filtered = classify([item("c"), item("d", title: "Ad")], feed: feed { $0.filter.exclude = ["Ad"] })

    #expect(reason(of: filtered) == "1 new, 1 left out by filter")
    #expect(reason(of: first) == "2 stored as seen by the first run")
    #expect(reason(of: next) == "1 new")
    #expect(reason(of: classify([item("a")], known: known([item("a")]))) == "nothing new")
  }

  @Test func `stored text is cleaned of markup and terminal escapes`() {
    var hostile = item("a", title: "a\u{1B}[31mb\u{202E}c")
    hostile.summary = "<p>One &amp; <script>alert(1)</script>two</p>"

    let record = classify([hostile]).newItems[0]

    #expect(record.title == "abc")
    #expect(record.summary == "One & two")
  }

  @Test func `of two items with one guid, the one with the same link matches`() {
    let both = [item("same", link: "https://x.example/1"), item("same", link: "https://x.example/2")]

    let found = classify([both[0]], known: known(both))

    #expect(found.changedItems.isEmpty)
    #expect(found.newItems.isEmpty)
  }
}

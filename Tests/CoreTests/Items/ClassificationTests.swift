// The news of a document: identities, edits, filters and the first run.

import Core
import Testing

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

    #expect(found.newItems.isEmpty && found.changedItems.isEmpty)
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
    #expect(found.changedItems.map(\.record?.title) == ["Other"])
    #expect(found.changedItems[0].record?.isSeen == !isReported)
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

  @Test(arguments: [
    ([], ["talk", "trailer", "note"], "3 new"),
    ([rule { $0.duration.below = .minutes(3) }], ["talk", "note"], "2 new, 1 left out by filter r"),
    ([rule { $0.duration.above = .minutes(3) }], ["trailer", "note"], "2 new, 1 left out by filter r"),
    ([rule { $0.size.above = ByteCount(1000) }], ["trailer", "note"], "2 new, 1 left out by filter r"),
    ([rule { $0.size.below = ByteCount(1000) }], ["talk", "note"], "2 new, 1 left out by filter r"),
    ([rule { $0.patterns[.author] = ["^Jane$"] }], ["trailer", "note"], "2 new, 1 left out by filter r"),
    ([rule { $0.patterns[.author] = ["^$"] }], ["talk"], "1 new, 2 left out by filter r"),
    // Markup is no text, and a summary stands for a missing content.
    (
      [rule { $0.patterns[.content] = ["sponsored by us"] }], ["talk", "trailer"],
      "2 new, 1 left out by filter r"
    ),
    ([rule { $0.patterns[.summary] = ["b>"] }], ["talk", "trailer", "note"], "3 new"),
    (
      [rule { $0.patterns = [.category: ["x", "^news$"], .title: ["."]] }], ["talk", "trailer"],
      "2 new, 1 left out by filter r"
    ),
    (
      [rule { $0.patterns = [.category: ["news"], .title: ["absent"]] }], ["talk", "trailer", "note"], "3 new"
    ),
    (
      [rule { ($0.patterns[.link], $0.feeds) = (["."], ["@other", "moon"]) }], ["talk", "trailer", "note"],
      "3 new"
    ),
    ([rule { ($0.patterns[.link], $0.feeds) = ([".*"], ["@radio"]) }], [], "3 left out by filter r"),
    (
      [
        rule { ($0.patterns[.author], $0.effect) = (["Jane"], .accept) },
        rule { $0.patterns[.title] = [".*"] },
      ],
      ["talk"], "1 new, 2 left out by filter r"
    ),
    (
      [rule { ($0.duration.below, $0.effect) = (.hours(9), .seen) }], ["note"],
      "1 new, 2 stored as seen by filter r"
    ),
  ])
  func `a rule applies to items of its feeds that meet all of its conditions`(
    rules: [FilterRule], announced: [String], reason: String
  ) {
    let talk = with(item("talk", content: nil)) {
      ($0.duration, $0.author) = (.minutes(50), "Jane")
      $0.enclosures = [
        Enclosure(url: "https://x.example/1", length: 90_000),
        Enclosure(url: "https://x.example/2", length: 1),
      ]
    }
    let trailer = with(item("trailer", content: nil)) {
      $0.duration = .minutes(1)
      $0.enclosures = [Enclosure(url: "https://x.example/3", length: 900)]
    }
    let note = with(item("note", content: nil)) {
      ($0.summary, $0.categories) = ("<p>Sponsored? No: <b>sponsored</b> by us", ["old", "news"])
    }
    let found = classify([talk, trailer, note], feed: feed { $0.tags = ["radio"] }, rules: rules)

    #expect(Set(found.announced) == Set(announced))
    #expect(found.newItems.count == 3)
    #expect(Core.reason(of: found) == reason)
    #expect(found.newItems.allSatisfy { $0.isFiltered || $0.title != nil })
  }

  @Test func `a rule that stores as seen silences edits, too`() {
    let spec = feed { ($0.updated, $0.updated.atMost) = (.notify, .zero) }
    let seen = Self.rule { ($0.patterns[.title], $0.effect) = (["Edited"], .seen) }
    let before = known([item("a"), item("b")])
    let edited = [item("a", title: "Edited"), item("b", title: "Other")]

    let found = classify(edited, known: before, feed: spec, rules: [seen])

    #expect(found.updatedItems.map { $0.record?.title } == ["Other"])
    #expect(found.changedItems.allSatisfy { $0.record?.isFiltered == false })
  }

  @Test func `items that a rule stores as seen are not those of the first run`() {
    let seen = Self.rule { ($0.patterns[.title], $0.effect) = (["A"], .seen) }
    let items = [item("a", title: "A"), item("b"), item("c")]
    let all = classify(items, feed: feed { $0.firstRun = .all }, isFirst: true, rules: [seen])
    let none = classify(items, isFirst: true, rules: [seen])

    #expect([all, none].map(\.quietedItems) == [0, 2])
    #expect(reason(of: all) == "2 new, 1 stored as seen by filter r")
    #expect(reason(of: none) == "1 stored as seen by filter r, 2 stored as seen by the first run")
  }

  private static func rule(_ change: (inout FilterRule) -> Void) -> FilterRule {
    with(FilterRule()) {
      $0.name = "r"
      change(&$0)
    }
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

    #expect(reason(of: first) == "2 stored as seen by the first run")
    #expect(reason(of: next) == "1 new")
    #expect(reason(of: classify([item("a")], known: known([item("a")]))) == "nothing new")
  }

  @Test func `stored text is cleaned of markup and terminal escapes`() {
    var hostile = item("a", title: "a\u{1B}[31mb\u{202E}c")
    hostile.summary = "<p>One &amp; <script>alert(1)</script>two</p>"

    let record = classify([hostile]).newItems[0]

    #expect(record.title == "abc" && record.summary == "One & two")
  }

  @Test func `of two items with one guid, the one with the same link matches`() {
    let both = [item("same", link: "https://x.example/1"), item("same", link: "https://x.example/2")]

    let found = classify([both[0]], known: known(both))

    #expect(found.changedItems.isEmpty && found.newItems.isEmpty)
  }
}

// The news of a document: identities, edits, filters and the first run.

import Core
import Testing

@Suite struct ClassificationTests: NewsFixtures {
  @Test func `items never seen are new, oldest first`() {
    let found = classify([item("c", day: 3), item("b", day: 2), item("a", day: 1)])

    #expect(found.newItems.map(\.guid) == ["a", "b", "c"])
    #expect(found.announcedItems == [0, 1, 2])
  }

  @Test func `an item without any content is left out`() {
    let found = classify([ParsedItem(), item("a"), ParsedItem()])

    #expect(found.newItems.map(\.guid) == ["a"])
  }

  @Test func `dates decide the order only if every item has one`() {
    let byDate = classify([item("a", day: 1), item("c", day: 3), item("b", day: 2)])
    let byPlace = classify([item("a", day: 1), item("c"), item("b", day: 2)])

    #expect(byDate.newItems.map(\.guid) == ["a", "b", "c"])
    #expect(byPlace.newItems.map(\.guid) == ["b", "c", "a"])
  }

  @Test func `a document seen before has nothing new in any order`() {
    let items = [item("a"), item(nil, link: "https://x.example/b"), item(nil, title: "only a title")]

    let found = classify(items.reversed(), known: known(items))

    #expect(found.newItems.isEmpty)
    #expect(found.changedItems.isEmpty)
  }

  @Test func `an item that left and comes back is known`() {
    let all = known([item("a"), item("b")])

    #expect(classify([item("b"), item("a")], known: all).count == 0)
  }

  @Test func `the guid decides if there is one, whatever the link and title`() {
    let before = known([item("a", link: "https://x.example/1")])

    let found = classify([item("a", link: "https://x.example/2", title: "New title")], known: before)

    #expect(found.newItems.isEmpty)
    #expect(found.changedItems.count == 1)
  }

  @Test func `the link decides if there is no guid`() {
    let before = known([item(nil, link: "https://x.example/1")])

    #expect(
      classify([item(nil, link: "https://x.example/1", title: "Edited")], known: before).newItems.isEmpty)
    #expect(classify([item(nil, link: "https://x.example/2")], known: before).newItems.count == 1)
  }

  @Test func `title and content decide if there is neither guid nor link`() {
    let before = known([item(nil, title: "One")])

    #expect(classify([item(nil, title: "One")], known: before).newItems.isEmpty)
    #expect(classify([item(nil, title: "Two")], known: before).newItems.count == 1)
  }

  @Test func `items with one guid in a document are distinguished by the link`() {
    let both = [item("same", link: "https://x.example/1"), item("same", link: "https://x.example/2")]

    let found = classify(both)

    #expect(found.newItems.count == 2)
    #expect(classify(both, known: known(both)).count == 0)
  }

  @Test func `a link that several items without guid share is distinguished by the content`() {
    let both = [
      item(nil, link: "https://x.example/log", title: "1.1"),
      item(nil, link: "https://x.example/log", title: "1.0"),
    ]

    #expect(classify(both).newItems.count == 2)
    #expect(classify(both, known: known(both)).count == 0)
  }

  @Test func `one item given twice in a document is one`() {
    #expect(classify([item("a"), item("a")]).newItems.count == 1)
  }

  @Test func `a feed that begins to give guids keeps its items`() {
    let before = known([item(nil, link: "https://x.example/1")])

    #expect(classify([item("guid-1", link: "https://x.example/1")], known: before).newItems.isEmpty)
  }

  @Test func `an edit is silent by default`() {
    let before = known([item("a")])

    let found = classify([item("a", title: "Other")], known: before)

    #expect(found.count == 0)
    #expect(found.changedItems.map(\.record?.title) == ["Other"])
    #expect(found.changedItems[0].record?.isSeen == true)
  }

  @Test func `an edit is announced with updated: notify`() {
    let before = known([item("a")])

    let found = classify([item("a", title: "Other")], known: before, feed: feed { $0.updated = .notify })

    #expect(found.count == 1)
    #expect(found.updatedItems.map(\.updatedAt) == [now])
    #expect(found.changedItems[0].record?.isSeen == false)
  }

  @Test func `other markup or white space around the same words is not an edit`() {
    let before = known([item("a", content: "<p>One  two</p>")])

    #expect(
      classify([item("a", content: "<div class=x>One\n<b>two</b></div>")], known: before).changedItems.isEmpty
    )
  }

  @Test func `an enclosure whose query changed is not an edit, but another file is`() {
    func withEnclosure(_ url: String) -> ParsedItem {
      var changed = item("a")
      changed.enclosures = [Enclosure(url: url)]
      return changed
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

  @Test func `an include filter lets through what matches title, link or category`() {
    var tagged = item("c", title: "Nothing")
    tagged.categories = ["swift"]
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

    #expect(record.title == "abc")
    #expect(record.summary == "One & two")
  }

  @Test func `of two items with one guid, the one with the same link matches`() {
    let before = known([item("same", link: "https://x.example/1"), item("same", link: "https://x.example/2")])

    let found = classify([item("same", link: "https://x.example/1")], known: before)

    #expect(found.changedItems.isEmpty)
    #expect(found.newItems.isEmpty)
  }
}

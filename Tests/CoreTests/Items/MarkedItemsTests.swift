// Items of another program, and the first document after them.

import Core
import Testing

@Suite struct MarkedItemsTests: NewsFixtures {
  private func taken(
    _ items: [MarkedItem], known: [KnownItem] = [], feed: FeedSpec? = nil
  ) -> TakenItems {
    TakenItems(items, known: known, feed: feed ?? self.feed())
  }

  private func known(_ taken: TakenItems) -> [KnownItem] {
    taken.new.enumerated().map { index, record in
      var item = KnownItem(record, number: Int64(index + 1))
      item.isPruned = record.isPruned
      return item
    }
  }

  /// The first document of a feed with such items.
  private func first(_ items: [ParsedItem], after taken: TakenItems, feed: FeedSpec? = nil) -> Classification
  {
    Core.classify(
      document(items), known: known(taken), feed: feed ?? self.feed(),
      state: with(FeedState()) { $0.hasBaseline = true }, at: now)
  }

  @Test func `new items keep their marks, oldest first`() {
    let taken = taken([
      MarkedItem(item("c", day: 3), isSeen: false, isStarred: true),
      MarkedItem(item("a", day: 1), isSeen: true, isStarred: false),
      MarkedItem(item("b", day: 2), isSeen: true, isStarred: true),
    ])

    #expect(taken.new.map(\.guid) == ["a", "b", "c"])
    #expect(taken.new.map(\.isSeen) == [true, true, false])
    #expect(taken.starredNew == [1, 2])
  }

  @Test func `known items get marks, and lose none`() {
    let items = [item("a", link: "https://x.example/a"), item(nil, link: "https://x.example/b"), item("c")]
    let known = known(items)
    let numbers = Dictionary(zip(known.map(\.keys.guid), known.map(\.number))) { first, _ in first }

    let taken = taken(
      [
        MarkedItem(items[0], isSeen: true, isStarred: true),
        MarkedItem(items[1], isSeen: false, isStarred: false),
        MarkedItem(items[2], isSeen: true, isStarred: false),
      ], known: known)

    #expect(taken.new == [])
    #expect(taken.starred.count == 1)
    #expect(taken.seen.count == 2)
    #expect(taken.unseen.count == 1)
    #expect(Set(taken.starred).isSubset(of: Set(numbers.values)))
  }

  @Test func `a filtered item is stored as seen, without its texts`() {
    let taken = taken(
      [MarkedItem(item("a", title: "Advert"), isSeen: false, isStarred: false)],
      feed: feed { $0.filter.exclude = ["Advert"] })

    #expect(taken.new.map(\.isFiltered) == [true])
    #expect(taken.new.map(\.isSeen) == [true])
    #expect(taken.new.map(\.title) == [nil])
  }

  @Test(
    arguments: [
      ("an item that the other program had", "a", 1, []), ("one after them", "z", 9, ["z"]),
      ("one without a date", "z", nil, ["z"]), ("an older one that the other program dropped", "z", 0, []),
    ] as [(String, String, Int?, [String])])
  func `the first document has what came after the other program`(
    row: String, id: String, day: Int?, announced: [String]
  ) {
    let had = [1, 2].map { MarkedItem(item($0 == 1 ? "a" : "b", day: $0), isSeen: true, isStarred: false) }

    let found = first([item("b", day: 2), item(id, day: day)], after: taken(had))

    #expect(found.announced == announced, "\(row)")
    #expect(!found.isBaseline, "\(row)")
  }

  @Test func `a document that completes such items reports no edits`() {
    let feed = feed { $0.updated = .notify }
    let had = taken([
      MarkedItem(item("a", content: "As the other program has it"), isSeen: true, isStarred: false)
    ])

    let found = first([item("a", content: "As the feed has it")], after: had, feed: feed)

    #expect(found.updatedItems == [])
    #expect(found.changedItems.map(\.record.title) == ["Title"])
  }

  @Test(arguments: [
    ("a guid", "tag:a,1", item0("tag:a,1", nil)),
    ("a guid that is the link", "https://x.example/1", item0("https://x.example/1", nil)),
    ("a link alone", "https://x.example/1", item0(nil, "https://x.example/1")),
    ("a guid that was completed", "https://x.example/feeds/a-1", item0("a-1", "https://y.example/1")),
    ("a guid of two steps", "https://x.example/node/7", item0("node/7", "https://y.example/1")),
  ])
  func `ids are known items, which the first document makes whole`(row: String, id: String, item: ParsedItem)
  {
    let had = TakenItems(seenIDs: [id], known: [])

    let found = first([item, self.item("new")], after: had)

    #expect(had.new.allSatisfy { $0.isPruned }, "\(row)")
    #expect(had.newIDs == 1, "\(row)")
    #expect(found.announced == ["new"], "\(row)")
    #expect(found.changedItems.map(\.record.isPruned) == [false], "\(row)")
    #expect(found.changedItems.map(\.record.title) == ["Title"], "\(row)")
    #expect(TakenItems(seenIDs: [id], known: known(had)).new == [], "\(row)")
  }

  private static func item0(_ id: String?, _ link: String?) -> ParsedItem {
    var item = ParsedItem()
    (item.id, item.link, item.title) = (id, link, "Title")
    return item
  }
}

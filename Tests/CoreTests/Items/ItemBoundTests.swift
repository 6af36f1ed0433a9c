// The stored part of a document with many items, and of items that will not be read.

import Testing

@testable import Core

@Suite struct ItemBoundTests: NewsFixtures {
  private func many(_ count: Int) -> [ParsedItem] {
    (0..<count).map { item("\($0)", link: "https://planet.example/\($0)", title: "T\($0)", day: $0 % 90) }
  }

  @Test func `the oldest of more new items than are listed are pruned and count as seen`() {
    let found = classify(many(ItemBounds.listed + 3))

    #expect(found.newItems.count == ItemBounds.listed + 3)
    #expect(found.newItems.map(\.isPruned).prefix(4) == [true, true, true, false])
    #expect(found.newItems[0].isSeen)
    #expect(found.newItems[0].guid == nil)
    #expect(found.newItems[0].title == nil)
    #expect(found.newItems[0].keys.guid != nil)
    #expect(found.count == ItemBounds.listed)
    #expect(reason(of: found) == "\(ItemBounds.listed) new, 3 more than are listed")
  }

  @Test func `a document of which only a part was read says so`() {
    let document = with(document([item("1")])) { $0.leftOut = 7 }

    let found = Core.classify(document, known: [], feed: feed(), state: FeedState(), at: now)

    #expect(found.identity.itemsOfCutDocument == ParsedFeed.maximumItems + 7)
    #expect(reason(of: found).hasSuffix("only the first 50000 of 50007 items are read"))
  }

  @Test func `an edit of a pruned item is noted and not reported`() throws {
    let feed = feed { $0.updated = .notify }
    var known = known([item("1", title: "before", day: 1)], feed: feed)
    known[0].isPruned = true

    let found = classify([item("1", title: "after", day: 1)], known: known, feed: feed)

    let change = try #require(found.changedItems.first)
    #expect(found.count == 0)
    #expect(change.updatedAt == nil)
    #expect(change.record.isPruned)
    #expect(change.record.title == nil)
    #expect(change.record.editHash != known[0].editHash)
    #expect(found.recognised == [known[0].number])
  }

  @Test func `assets of pruned items are not looked at`() {
    let feed = feed { $0.download = DownloadSpec() }
    var known = known([item("1", day: 1), item("2", day: 2)], feed: feed)
    known[0].isPruned = true

    let found = classify([item("1", day: 1), item("2", day: 2)], known: known, feed: feed)

    #expect(found.shownItems.map(\.item) == [.known(known[1].number)])
  }
}

// The item that stands for a pushed file.

import Core
import Testing

@Suite struct PushedItemTests {
  private let url = "https://planet.example/{content-id}.mp3"

  private func item(
    _ values: [(String, String)], url: String? = nil, description: String? = nil, at moment: Instant = now
  ) throws -> (item: ItemRecord, asset: Asset) {
    let feed = try pushed(url: url ?? self.url, description: description)
    return try #require(try pushedItem(payload(values), feed: feed, at: moment))
  }

  @Test func `it is an unseen one with its one file`() throws {
    let (item, asset) = try item([("content-id", "42")], description: "Episode {content-id}")

    #expect(item.title == "Episode 42")
    #expect(item.guid == "42")
    #expect(!item.isSeen && !item.isFiltered)
    #expect(asset == Asset(url: "https://planet.example/42.mp3"))
  }

  @Test func `it is the same one for the same content-id, and another for another`() throws {
    let first = try item([("content-id", "42"), ("x", "1")]).item
    let later = try item([("content-id", "42"), ("x", "2")], at: now + .days(1)).item
    let other = try item([("content-id", "43")]).item

    #expect(later.keys.guid == first.keys.guid)
    #expect(other.keys.guid != first.keys.guid)
  }

  @Test func `without a content-id the address tells it apart`() throws {
    let template = "https://planet.example/{part}"
    let first = try item([("part", "a")], url: template).item
    let later = try item([("part", "a")], url: template, at: now + .days(1)).item
    let other = try item([("part", "b")], url: template).item

    #expect(first.guid == "https://planet.example/a")
    #expect(later.keys.guid == first.keys.guid)
    #expect(other.keys.guid != first.keys.guid)
  }

  @Test func `a file that has one address for good is a new item with every push`() throws {
    let first = try item([], url: "https://planet.example/latest.mp3").item
    let later = try item([], url: "https://planet.example/latest.mp3", at: now + .hours(1)).item

    #expect(later.keys.guid != first.keys.guid)
  }

  @Test func `an item of the feed's document with that guid is the same`() throws {
    var entry = ParsedItem()
    entry.id = "42"
    entry.title = "The forty-second"
    var document = ParsedFeed(format: .rss20)
    document.items = [entry]
    let found = classify(document, known: [], feed: try feed(), state: fetched(.hours(1)), at: now)
    let ofDocument = try #require(found.newItems.first)
    let ofPush = try item([("content-id", "42")]).item

    #expect(ofPush.keys.guid == ofDocument.keys.guid)
    #expect(
      classify(document, known: [known(ofPush)], feed: try feed(), state: fetched(.hours(1)), at: now)
        .newItems == [])
  }

  @Test func `a feed whose pushes bring no file has no such item`() throws {
    #expect(try pushedItem(payload([("content-id", "42")]), feed: pushed(), at: now) == nil)
  }

  private func known(_ item: ItemRecord) -> KnownItem {
    KnownItem(
      number: 1, keys: item.keys, published: item.published, editHash: item.editHash, heldEdit: nil,
      updatedAt: nil, isFiltered: false)
  }
}

// The details that are stored of an item, and their limits.

import Testing

@testable import Core

@Suite struct ItemDetailsTests: NewsFixtures {
  private func episode() -> ParsedItem {
    var item = item("1", content: "<p>Text</p>")
    item.categories = ["linux", "  two\u{1B}[31m  words "]
    item.comments = "https://site.example/1#comments"
    item.images = [
      Enclosure(url: "data:image/png;base64,AAAA"), Enclosure(url: "https://site.example/1.png"),
    ]
    item.enclosures = [Enclosure(url: "https://site.example/1.mp3", type: "audio/mpeg", length: 7)]
    item.duration = .seconds(3723)
    item.season = 2
    item.episode = 7
    return item
  }

  @Test func `a new item keeps what its feed gave`() throws {
    let details = try #require(classify([episode()]).newItems.first?.details)

    #expect(details.content == "<p>Text</p>")
    #expect(details.categories == ["linux", "two words"])
    #expect(details.comments == "https://site.example/1#comments")
    #expect(details.image == "https://site.example/1.png")
    #expect(
      details.enclosures == [Enclosure(url: "https://site.example/1.mp3", type: "audio/mpeg", length: 7)])
    #expect(details.duration == .seconds(3723))
    #expect(details.season == 2)
    #expect(details.episode == 7)
  }

  @Test(
    arguments: [
      ("a summary as it is", nil, "<b onclick=x>\u{202E}", "<b onclick=x>\u{202E}"),
      ("the content", "<p>A long story", "A long…", "<p>A long story"),
      ("a content of as many words", "<p>A b", "<div class=long>A b</div>", "<p>A b"),
      ("a summary that says more", "Read more", "<p>A long story", "<p>A long story"),
      ("a picture and what is said of it", "<img src=x>", "<p>A long story", "<img src=x>\n<p>A long story"),
    ])
  func `the content is the fuller text:`(what: String, content: String?, summary: String, kept: String) {
    var item = item("1", content: content)
    item.summary = summary

    #expect(ItemDetails(item, keeping: DetailBounds.content).content == kept)
  }

  @Test func `the summary of an item with one short text is made when it is read`() throws {
    func record(_ change: (inout ParsedItem) -> Void, limit: Int64? = nil) throws -> ItemRecord {
      var item = item("1", content: nil)
      change(&item)
      let feed = feed { if let limit { $0.contentLimit = ByteCount(limit) } }
      return try #require(classify([item], feed: feed).newItems.first)
    }
    let text = "<p>Some &amp; <b>words</b></p>"
    for record in [try record { $0.content = text }, try record { $0.summary = text }] {
      #expect(record.isSummaryOfContent)
      #expect(record.summary == "Some & words")
      var other = record
      other.details?.content = "Other"
      #expect(other.summary == "Some & words")
      other.summary = nil
      #expect(other.summary == nil)
    }
    for record in [
      try record { ($0.content, $0.summary) = ("Content", text) },
      try record({ $0.content = text }, limit: 25),
      try record { $0.content = text + String(repeating: "<br>", count: 8 << 10) },
    ] {
      #expect(!record.isSummaryOfContent)
      #expect(record.summary == "Some & words")
    }
    #expect(try record { _ in }.summary == nil)
  }

  @Test(arguments: [("aé", 1, "a"), ("aé", 2, "a"), ("aé", 3, "aé"), ("😀😀", 5, "😀"), ("e\u{301}", 1, "e")])
  func `a longer content is cut between scalars`(text: String, limit: Int64, expected: String) {
    let content = ItemDetails(item("1", content: text), keeping: ByteCount(limit)).content

    #expect(content?.unicodeScalars.elementsEqual(expected.unicodeScalars) == true)
  }

  @Test func `a feed may keep no content, and still has the rest`() throws {
    var item = episode()
    let details = try #require(classify([item], feed: feed { $0.contentLimit = nil }).newItems.first?.details)
    #expect(details.content == nil)
    #expect(details.episode == 7)

    item = self.item("2", content: "Text")
    #expect(classify([item], feed: feed { $0.contentLimit = nil }).newItems.first?.details == nil)
  }

  @Test func `details are bounded, whatever a feed sends`() throws {
    var item = item("1", content: String(repeating: "x", count: 10 << 20))
    item.categories = (0..<200).map { "\($0) " + String(repeating: "c", count: 4000) }
    item.comments = "https://site.example/" + String(repeating: "c", count: 5000)
    item.images = [Enclosure(url: "https://site.example/" + String(repeating: "i", count: 5000))]
    item.enclosures = (0..<200).map {
      Enclosure(url: "https://site.example/\($0)", type: String(repeating: "t", count: 4000))
    }

    let details = ItemDetails(item, keeping: DetailBounds.content)

    #expect(details.content?.utf8.count == 1 << 20)
    #expect(details.rest == ByteCount(9 << 20))
    #expect(details.categories.count == 32)
    #expect(details.categories.allSatisfy { $0.utf8.count <= 128 })
    #expect(details.comments == nil)
    #expect(details.image == nil)
    #expect(details.enclosures.count == 32)
    #expect(details.enclosures.allSatisfy { $0.type?.utf8.count ?? 0 <= 128 })
  }

  @Test(arguments: [
    "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "ftp://site.example/1", "/relative", "",
    "https://", "https://a b.example/",
  ])
  func `only addresses on the web are kept`(address: String) {
    var item = item("1", content: nil)
    item.comments = address
    item.images = [Enclosure(url: address)]
    item.enclosures = [Enclosure(url: address, type: "image/png")]

    #expect(ItemDetails(item, keeping: nil).isEmpty)
  }

  @Test(
    arguments: [
      (
        "the item's own image", ["https://s.example/1.jpg"], "https://s.example/c.jpg",
        "https://s.example/1.jpg"
      ),
      ("else an image among its files", [], nil, "https://s.example/1.png"),
      ("else its podcast's cover", nil, "https://s.example/c.jpg", "https://s.example/c.jpg"),
      ("and no other address", nil, "javascript:x", nil),
    ] as [(String, [String]?, String?, String?)])
  func `the image of an item is its own, one of its files, or the podcast's cover`(
    rule: String, images: [String]?, cover: String?, image: String?
  ) {
    var item = item("1")
    item.cover = cover
    item.images = (images ?? []).map { Enclosure(url: $0) }
    item.enclosures = [Enclosure(url: "https://s.example/1.mp3", type: "audio/mpeg")]
    if images != nil { item.enclosures.append(Enclosure(url: "https://s.example/1.png", type: "image/png")) }

    #expect(ItemDetails(item, keeping: nil).image == image, "\(rule)")
  }

  @Test
  func `filtered items keep nothing except their identity, and those beyond the listed ones no details`()
    throws
  {
    let found = classify([episode()], feed: feed { $0.filter.exclude = ["Title"] })
    let many = classify((0...ItemBounds.listed).map { item("\($0)", title: "\($0)") })

    let filtered = try #require(found.newItems.first)
    #expect(filtered.isFiltered)
    #expect(filtered.keys.guid != nil)
    #expect(filtered.guid == nil)
    #expect(filtered.title == nil)
    #expect(filtered.details == nil)
    #expect(many.newItems.filter { $0.details == nil }.map(\.isPruned) == [true])
  }

  @Test func `an edit updates the details, one that is filtered removes them, what only readers see is none`()
    throws
  {
    let before = known([episode()])
    let edited = with(episode()) { $0.content = "<p>Better</p>" }
    var other = episode()
    other.duration = nil
    other.episode = 8
    other.comments = nil
    other.categories = []
    let filtered = feed { $0.filter.exclude = ["Title"] }

    #expect(classify([edited], known: before).changedItems.first?.record.details?.content == "<p>Better</p>")
    let change = try #require(classify([edited], known: before, feed: filtered).changedItems.first)
    #expect(change.record.details == nil)
    #expect(classify([other], known: before).changedItems == [])
  }
}

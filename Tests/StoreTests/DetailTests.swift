// The long parts of items: stored whole, compressed, bounded when they are read, and deleted when they are no longer needed.

import Testing

@testable import Core
@testable import Store

@Suite final class DetailTests: StoreSuite {
  private func record(
    _ guid: String, content: String? = nil, isSeen: Bool = false,
    change: (inout ItemDetails) -> Void = { _ in }
  ) -> ItemRecord {
    var record = item(guid, title: "Title", isSeen: isSeen)
    record.summary = "Summary"
    var details = ItemDetails()
    details.content = content
    change(&details)
    record.details = details.isEmpty ? nil : details
    return record
  }

  @discardableResult
  private func commit(
    _ items: [ItemRecord], shown: [Int64]? = [], at time: Instant = now
  ) async throws -> [Int64] {
    var commit = fetch(planet, items, at: time)
    commit.recognised = shown
    return try #require(try await store.commit(commit, configured: [planet]))
  }

  private func details(_ number: Int64) async throws -> ItemDetails? {
    try await store.detailsOf([number])[number]
  }

  @Test func `every part comes back as it was stored`() async throws {
    let full = record("1", content: "<p>Tëxt\0\u{202E}</p>") { details in
      details.categories = ["linux", "two \"words\"\n", ""]
      details.comments = "https://site.example/1#c"
      details.image = "https://site.example/1.png"
      details.enclosures = [
        Enclosure(url: "https://site.example/1.mp3", type: "audio/mpeg", length: 7),
        Enclosure(url: "https://site.example/2.mp3"),
      ]
      details.duration = .seconds(3723)
      details.rest = ByteCount(1_300_000)
      details.season = 2
      details.episode = 7
    }
    let numbers = try await commit([full, record("2"), record("3", content: "")])

    let found = try await store.detailsOf(numbers + [999])

    #expect(found[numbers[0]] == full.details)
    #expect(found[numbers[1]] == nil)
    #expect(found[numbers[2]]?.content == "")
    #expect(try await store.item(numbers[0])?.record.summary == "Summary")
    // A list does not read them.
    #expect(try await store.item(numbers[0])?.record.details == nil)
    #expect(try await store.detailsOf([]) == [:])
  }

  @Test func `items wait for their pages until they have them, or were tried often`() async throws {
    let numbers = try await commit([
      record("1", content: "a") { $0.pageTries = 0 }, record("2", content: "b") { $0.pageTries = 2 },
      record("3", content: "c") { $0.pageTries = 3 }, record("4", content: "d"),
    ])
    let waiting = try await store.itemsWithoutPages(of: planet, tries: 3, limit: 9)
    var read = try #require(waiting.last).record
    read.details?.content = "whole"
    read.details?.pageTries = nil
    var next = fetch(planet)
    // An item that is gone meanwhile is left out.
    next.articles = [numbers[1]: read, 999: read]
    try await store.commit(next, configured: [planet])

    #expect(waiting.map(\.number) == [numbers[0], numbers[1]])
    #expect(waiting.map(\.record.details?.content) == ["a", "b"])
    #expect(try await store.itemsWithoutPages(of: planet, tries: 3, limit: 9).map(\.number) == [numbers[0]])
    #expect(try await store.itemsWithoutPages(of: planet, tries: 3, limit: 0).isEmpty)
    #expect(try await details(numbers[1])?.content == "whole")
    #expect(try await store.item(numbers[1])?.record.summary == "Summary")
  }

  @Test(arguments: [1, 200])
  func `a summary that is the text of the content is not stored twice`(count: Int) async throws {
    var record = record("1", content: String(repeating: "<p>Some &amp; <b>words</b></p>", count: count))
    record.isSummaryOfContent = true
    let numbers = try await commit([record, item("2")])
    let summary = Array(repeating: "Some & words", count: count).joined(separator: " ")

    #expect(try await store.number("SELECT max(length(summary)) FROM detail") == 1)
    #expect(try await store.item(numbers[0])?.record.summary == summary)
    #expect(try await store.item(numbers[1])?.record.summary == nil)
    #expect(try await details(numbers[0])?.content == record.details?.content)
  }

  @Test(arguments: [1, 999, 1000, 5000, 4 << 20])
  func `a content of any length comes back`(length: Int) async throws {
    let content = String(repeating: "<p>Some words of a text.</p>", count: length / 28 + 1)
    let number = try await commit([record("1", content: content)])[0]

    #expect(try await details(number)?.content == (content.utf8.count <= 4 << 20 ? content : nil))
    let stored = try #require(try await store.number("SELECT length(content) FROM detail"))
    if length >= 5000 { #expect(stored * 10 < length) }
  }

  @Test func `content that does not shrink is stored as it is`() async throws {
    var random = SystemRandomNumberGenerator()
    let content = String(
      decoding: (0..<500).map { _ in UInt8.random(in: 33..<127, using: &random) }, as: UTF8.self)
    let number = try await commit([record("1", content: content)])[0]

    #expect(try await details(number)?.content == content)
    #expect(try await store.number("SELECT content_size IS NULL FROM detail") == 1)
  }

  @Test func `an edit replaces all parts, and one without any removes them`() async throws {
    let number = try await commit([record("1", content: "old") { $0.categories = ["a"] }])[0]

    try await store.change(number, of: planet, to: record("1", content: "new"))
    #expect(try await details(number)?.content == "new")
    #expect(try await details(number)?.categories == [])
    #expect(try await store.item(number)?.record.summary == "Summary")

    var bare = record("1")
    bare.summary = nil
    try await store.change(number, of: planet, to: bare)
    #expect(try await store.number("SELECT count(*) FROM detail") == 0)
  }

  @Test func `details of old seen items go when they have left the document`() async throws {
    let items = ["seen", "unseen", "seen and shown", "seen and young", "seen and updated"].map {
      record($0, content: $0, isSeen: $0.hasPrefix("seen"))
    }
    let old = try await commit(Array(items.prefix(3) + items.suffix(1)), at: now - .days(31))
    let young = try await commit([items[3]], shown: old, at: now - .days(29))
    try await store.execute(
      "UPDATE item SET updated_at = \((now - .days(5)).secondsSince1970) WHERE number = \(old[3])")

    // A document without anything new does not push out other items.
    try await commit([], shown: [old[2]])
    #expect(try await store.detailsOf(old + young).count == 5)

    try await commit([record("new")], shown: [old[2]])
    let left = try await store.detailsOf(old + young)
    #expect(Set(left.keys) == [old[1], old[2], old[3], young[0]])
    #expect(try await store.item(old[0])?.record.title == "Title")
  }

  @Test func `details go with their items`() async throws {
    let numbers = try await commit([record("1", content: "a")])
    try await store.execute("DELETE FROM item WHERE number = \(numbers[0])")

    #expect(try await store.number("SELECT count(*) FROM detail") == 0)
  }

  @Test(
    .onFile,
    arguments: [
      // A few bytes that claim to be a text of a terabyte, of the longest allowed, of less than they are, and of nothing.
      "content_size = 1 << 40", "content_size = \(4 << 20)", "content_size = 10", "content_size = 0",
      "content_size = -1",
      // Damaged and cut bytes, bytes of another kind, and more of them than are ever stored.
      "content = x'28b52ffd00000000', content_size = 100", "content = substr(content, 1, 20)",
      "content = x'', content_size = 1", "content = zeroblob(1000), content_size = 1000",
      "content = zeroblob(\((4 << 20) + 1)), content_size = NULL",
    ])
  func `a damaged or malicious row loses its content and hides no other`(damage: String) async throws {
    let text = String(repeating: "Some words of a text. ", count: 1000)
    let numbers = try await commit([
      record("1", content: text) { $0.episode = 7 }, record("2", content: text),
    ])

    try await store.execute("UPDATE detail SET \(damage) WHERE item = \(numbers[0])")

    let found = try await store.detailsOf(numbers)
    #expect(found[numbers[0]]?.content == nil)
    #expect(found[numbers[0]]?.episode == 7)
    #expect(found[numbers[1]]?.content == text)
  }

  @Test func `a compressed bomb is not unpacked`() async throws {
    // 3 MiB of zeros take some thousand bytes; the row says that they are ten.
    let zeros = String(repeating: "\0", count: 3 << 20)
    let number = try await commit([record("1", content: zeros)])[0]
    #expect(try await store.number("SELECT length(content) FROM detail").map { $0 < 20_000 } == true)

    try await store.execute("UPDATE detail SET content_size = 10")

    #expect(try await details(number)?.content == nil)
  }

  @Test(.onFile) func `invalid UTF-8 in a row becomes readable text`() async throws {
    let number = try await commit([record("1", content: "x")])[0]
    try await store.execute("UPDATE detail SET content = x'61ff62', content_size = NULL")

    #expect(try await details(number)?.content == "a\u{FFFD}b")
  }

  @Test func `a copy for a simulation has the details`() async throws {
    let number = try await commit([record("1", content: "text")])[0]
    let other = try TemporaryDirectory()

    let copy = try await store.copyForSimulation(to: other.path)

    #expect(try await copy.detailsOf([number])[number]?.content == "text")
    await copy.close()
  }
}

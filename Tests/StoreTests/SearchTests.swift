// Searching items: queries as FTS5 reads them, and an index that follows the items.

import TestKit
import Testing

@testable import Core
@testable import Store

@Suite struct SearchQueryTests {
  @Test(arguments: [
    ("kernel", "\"kernel\"*"), ("linux kernel", "\"linux\"* \"kernel\"*"),
    ("linux kernel ", "\"linux\"* \"kernel\"*"),
    ("\"linux kernel\"", "\"linux kernel\""), ("\"linux kernel\" rele", "\"linux kernel\" \"rele\"*"),
    // A quotation mark without a second one quotes the rest.
    ("a \"b c", "\"a\"* \"b c\""), ("a\"b\"c", "\"a\"* \"b\" \"c\"*"),
    // Text that FTS5 would take for operators, columns and filters.
    ("NOT a OR b", "\"not\"* \"a\"* \"or\"* \"b\"*"), ("title:x", "\"title x\"*"),
    ("-x ^y (z", "\"x\"* \"y\"* \"z\"*"),
    ("a NEAR/2 b*", "\"a\"* \"near 2\"* \"b\"*"), ("5 + 6", "\"5\"* \"6\"*"), ("ä日本", "\"a 日 本\"*"),
    ("a\u{0}b", "\"a b\"*"),
    // A symbol at the end is whole: `#` is not the beginning of a tag's sign.
    ("c++ C#", "\"c + +\" \"c #\""), ("#tag .net", "\"#_ tag\"* \". net\"*"),
    // Marks of quotation as a phone writes them.
    ("“linux kernel” x", "\"linux kernel\" \"x\"*"),
  ])
  func `a term is a quoted prefix, and a phrase is not`(words: String, query: String) {
    #expect(SearchQuery(words)?.text == query)
  }

  @Test func `a query takes time in proportion to its words`() {
    let meter = GrowthMeter()

    let square = TokenShape.all(of: ["a", " ", "\"", "é", "-", "🇩"]).first {
      meter.isSquare(from: 1500, text: $0.text) { _ = SearchQuery(String(decoding: $0, as: UTF8.self)) }
    }

    #expect(square == nil)
  }

  @Test(arguments: ["", " ", "\"", "\"\"", "-- *", "!?", "+", "... #"])
  func `without words there is no query`(words: String) {
    #expect(SearchQuery(words) == nil)
  }
}

@Suite final class SearchTests: StoreSuite {
  override init() async throws {
    try await super.init()
    try await add(planet, record("1", "Linux 6.12 released", summary: "The kernel is out"))
    try await add(
      other,
      record("2", "Café opens", content: "<p>Fresh <b>espresso</b> &amp; Linux talks</p>", isSeen: true))
  }

  private func record(
    _ guid: String, _ title: String, summary: String? = nil, content: String? = nil, hash: UInt64 = 2,
    isSeen: Bool = false
  ) -> ItemRecord {
    var record = item(guid, title: title, isSeen: isSeen)
    record.summary = summary
    record.editHash = hash
    if let content {
      var details = ItemDetails()
      details.content = content
      record.details = details
    }
    return record
  }

  private func add(_ feed: FeedName, _ items: ItemRecord...) async throws {
    try await store.commit(fetch(feed, items), configured: [planet, other])
  }

  private func found(
    _ words: String, feeds: [FeedName]? = nil, unseenOnly: Bool = false, in store: Store? = nil
  ) async throws -> Set<String> {
    let items = try await (store ?? self.store).items(
      ItemQuery(feeds: feeds, unseenOnly: unseenOnly, words: words), among: [planet, other])
    return Set(ids(items))
  }

  @Test(
    arguments: [
      ("linux", ["1", "2"]), ("LINUX kern", ["1"]), ("kern lin", ["1"]), ("\"kernel is\"", ["1"]),
      ("\"is kernel\"", []),
      ("cafe", ["2"]), ("espresso", ["2"]), ("b", []), ("6.12", ["1"]), ("absent", []), ("...", []),
    ] as [(String, Set<String>)])
  func `items are found by the beginnings of words in title, summary and content`(
    words: String, expected: Set<String>
  )
    async throws
  {
    #expect(try await found(words) == expected)
  }

  @Test(
    arguments: [
      ("天気", "今日の天気は晴れです"), ("今日", "今日の天気は晴れです"), ("天気 晴れ", "今日の天気は晴れです"),
      ("中文", "为什么不支持中文搜索"), ("วันนี้", "ข่าววันนี้"), ("은행", "중앙은행"), ("ភាសា", "អក្សរភាសាខ្មែរ"),
      ("donaudampf", "Do\u{AD}nau\u{AD}dampf"), ("lodz", "Łódź"), ("Łódź", "Lodz"), ("æther", "Aether"),
      ("елка", "Ёлка"), ("ёлка", "елка"), ("fine", "ﬁne"), ("ﬁne", "fine"), ("abc", "ＡＢＣ"),
      ("ガス", "ｶﾞｽ"),
      ("c++", "C++20"), ("c++", "“C++”"), ("C#", "C# 12"), ("\"c\"", "C++"),
      (".net", "ASP.NET"), ("net", ".NET"), ("F#", "F#,"), ("#tag", "a #tag"), ("tag", "a #tag"),
      ("@name", "by @name:"), ("node.js", "Node.js"),
      ("\"two words\"", "Two, words"), ("“two words”", "two words"), ("🎉", "party🎉"),
    ])
  func `a word is found in any script and form`(words: String, title: String) async throws {
    try await add(planet, record("3", title))

    #expect(try await found(words) == ["3"])
  }

  @Test(
    arguments: [
      ("天晴", "今日の天気は晴れです"), ("c++", "C and C#"), ("C#", "vitamin C #health"), ("C#", "C"), ("F#", "f"),
      (".net", "net"), ("#tag", "tag"), ("@name", "me@name.example"),
      ("\"two words\"", "two wordsmiths"), ("วัน", "ว น"),
    ])
  func `a word is not found in another one`(words: String, title: String) async throws {
    try await add(planet, record("3", title))

    #expect(try await found(words) == [])
  }

  @Test func `the end of a long article is found`() async throws {
    try await add(
      planet, record("3", "Long", content: String(repeating: "<p>word</p>", count: 10_000) + "<p>last</p>"))

    #expect(try await found("last") == ["3"])
  }

  @Test(arguments: [
    "AND", "\"", "a\"b", "title:", "{title}: x", "NEAR(a b, 3)", "* *", "^", "a OR", "(", "-- a",
    "'; DROP TABLE item",
    String(repeating: "x ", count: 5000), "\u{1F600} a", "\"a b\"*",
  ])
  func `no text is an error`(words: String) async throws {
    _ = try await found(words)

    #expect(try await found("linux") == ["1", "2"])
  }

  @Test func `a search takes feeds, unseen and a limit like a list`() async throws {
    #expect(try await found("linux", feeds: [other]) == ["2"])
    #expect(try await found("linux", unseenOnly: true) == ["1"])
    let one = try await store.items(ItemQuery(words: "linux", limit: 1), among: [planet, other])
    #expect(one.count == 1)
    #expect(
      try await store.items(ItemQuery(since: now + .hours(1), words: "linux"), among: [planet, other]).isEmpty
    )
  }

  @Test func `later items, changed items and forgotten items are found as they are now`() async throws {
    #expect(try await found("linux") == ["1", "2"])
    let number = try #require(try await store.knownItems(planet).first?.number)

    try await add(planet, record("3", "Linux again"))
    try await store.change(
      number, of: planet, to: record("1", "BSD released", hash: 9), configured: [planet, other])
    #expect(try await found("linux") == ["2", "3"])
    #expect(try await found("bsd") == ["1"])

    try await store.execute("DELETE FROM item WHERE number = \(number)")
    #expect(try await found("bsd") == [])
  }

  @Test func `many changes do not make the index grow forever`() async throws {
    let items = (0..<1200).map { record("many \($0)", "Same words") }
    try await store.commit(fetch(planet, items), configured: [planet, other])
    for hash in 1...3 {
      try await store.execute("UPDATE item SET edit_hash = \(hash)")
      #expect(try await found("same").count == 1200)
    }

    let index = try Database(path: directory.path + "/search.db", access: .read)
    let rows: Int = try index.value("SELECT count(*) FROM words_docsize") ?? 0
    #expect(rows <= 3 * 1202 + 1000)
  }

  @Test func `only a search makes the index, private and beside the store`() async throws {
    #expect(!directory.names.contains("search.db"))
    _ = try await found("linux")

    #expect(try directory.mode("search.db") == 0o600)
    #expect(try await found("linux", in: try directory.open(.reading)) == ["1", "2"])
  }

  @Test func `a damaged index is rebuilt`() async throws {
    // Long enough for the header of a database.
    try directory.write(Array(repeating: UInt8(ascii: "x"), count: 100), to: "search.db")

    #expect(try await found("linux") == ["1", "2"])
    #expect(try await found("espresso") == ["2"])
  }

  @Test func `an index of another version is rebuilt`() async throws {
    _ = try await found("linux")
    let index = try Database(path: directory.path + "/search.db", access: .write)
    try index.execute("PRAGMA user_version = 77; DROP TABLE entry; CREATE TABLE entry (x)")
    index.close()

    #expect(try await found("linux") == ["1", "2"])
  }

  @Test func `a store without items finds nothing and makes no file`() async throws {
    let empty = try TemporaryDirectory()

    #expect(try await found("linux", in: try empty.open(.reading)) == [])
    #expect(empty.names == [])
  }
}

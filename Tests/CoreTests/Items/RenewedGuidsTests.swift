// Servers that make new guids for old items.

import Testing

@testable import Core

@Suite struct RenewedGuidsTests: NewsFixtures {
  private func memory() -> FeedMemory { FeedMemory(feed: feed()) }

  /// Posts with guids of one document's own.
  private func posts(_ numbers: ClosedRange<Int>, guids mark: String, isDated: Bool = true) -> [ParsedItem] {
    numbers.reversed().map { number in
      item(
        "\(mark)-\(number)", link: "https://x.example/\(number)", title: "Post \(number)",
        day: isDated ? number : nil)
    }
  }

  @Test(arguments: [true, false])
  func `guids renewed at every request neither announce old items nor hide new ones`(isDated: Bool) {
    var memory = memory()
    memory.take(posts(1...8, guids: "a", isDated: isDated))

    let counts = (0..<6).map { round in
      memory.take(posts(1...(9 + round), guids: "b\(round)", isDated: isDated)).announced.count
    }

    #expect(counts == [1, 1, 1, 1, 1, 1])
    #expect(memory.known.count == 14)
  }

  @Test func `with renewed guids an edited item is known, and guids count again when they stay`() {
    var memory = memory()
    for mark in ["a", "b", "c", "d"] { memory.take(posts(1...8, guids: mark)) }
    var edited = posts(1...8, guids: "e")
    edited[3].title = "Another title"

    #expect(memory.take(edited).newItems.isEmpty)
    for last in 8...11 { memory.take(posts(1...last, guids: "stable")) }
    #expect(memory.take(posts(1...12, guids: "stable")).announced == ["stable-12"])
  }

  @Test(
    arguments: [
      ("another title", (1...6).map { ("Version \($0)", nil) }),
      ("a later date", (1...6).map { ("Build is green", $0) }),
    ] as [(String, [(String, Int?)])])
  func `a one-item feed whose link stays announces each new guid with another title or a later date`(
    what: String, items: [(title: String, day: Int?)]
  ) {
    var memory = memory()
    let counts = items.enumerated().map { (number: Int, shown) in
      memory.take([item("g\(number)", link: "https://x.example/", title: shown.title, day: shown.day)]).count
    }

    #expect(counts == [0, 1, 1, 1, 1, 1], "\(what)")
  }

  // aurweb: guid is name and time, title the package's name, link its page.
  @Test func `an update of a package beside others that stay is new`() {
    var memory = memory()
    func package(_ name: String, _ day: Int) -> ParsedItem {
      item("\(name)-\(day)", link: "https://x.example/packages/\(name)", title: name, day: day)
    }
    memory.take([package("c", 3), package("b", 2), package("a", 1)])

    #expect(memory.take([package("a", 4), package("c", 3), package("b", 2)]).announced == ["a-4"])
  }

  @Test func `a replaced paper among new ones is new by its guid`() {
    func papers(_ numbers: ClosedRange<Int>, day: Int) -> [ParsedItem] {
      numbers.map { (number: Int) in
        item("\(number)v1", link: "https://x.example/abs/\(number)", title: "Paper \(number)", day: day)
      }
    }
    var memory = memory()
    memory.take(papers(1...20, day: 1))

    let replaced = item("7v2", link: "https://x.example/abs/7", title: "Paper 7", day: 2)

    #expect(memory.take(papers(21...40, day: 2) + [replaced]).announced.count == 21)
  }

  @Test func `one item whose guid alone was changed is the same`() {
    var memory = memory()
    memory.take(posts(1...5, guids: "a"))
    var mended = posts(1...5, guids: "a")
    mended[2].id = "mended"

    let found = memory.take(mended)

    #expect(found.newItems.isEmpty)
    #expect(!found.renewsGuids)
    #expect(memory.take(mended).changedItems.isEmpty)
  }

  @Test func `a link that document or store has twice does not decide`() {
    var memory = memory()
    memory.take([
      item("a", link: "https://x.example/", title: "T"), item("b", link: "https://x.example/", title: "T"),
    ])

    #expect(memory.take([item("c", link: "https://x.example/", title: "T")]).count == 1)
  }

  @Test func `the reason says that guids are renewed`() {
    var memory = memory()
    let reasons = ["a", "b", "c", "d", "e"].map { reason(of: memory.take(posts(1...8, guids: $0))) }

    #expect(Set(reasons.dropFirst()) == ["nothing new, guids are renewed, links decide"])
  }

  @Test func `a feed with an identity rule of its own needs no guids`() {
    var memory = FeedMemory(feed: feed { $0.identity = .link })
    for mark in ["a", "b", "c", "d", "e"] { memory.take(posts(1...8, guids: mark)) }

    #expect(memory.known.count == 8)
  }
}

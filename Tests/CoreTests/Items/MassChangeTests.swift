// A feed that comes back under other identities, and feeds that replace all they have every day.

import Core
import Testing

@Suite struct MassChangeTests: NewsFixtures {
  private func memory(_ items: [ParsedItem]) -> FeedMemory {
    var memory = FeedMemory(feed: feed())
    memory.take(items)
    return memory
  }

  private func posts(
    _ numbers: ClosedRange<Int>, site: String, guids: String, isDated: Bool = true, titles: String = "Post"
  ) -> [ParsedItem] {
    numbers.reversed().map { number in
      item(
        "\(guids)\(number)", link: "https://\(site).example/\(number)", title: "\(titles) \(number)",
        day: isDated ? number : nil)
    }
  }

  /// How many items of a second document are announced after a first one, both without dates.
  private func news(
    _ numbers: ClosedRange<Int>, _ site: String, _ guids: String, _ titles: String = "Post",
    after first: ClosedRange<Int>, _ firstSite: String = "old"
  ) -> Int {
    var memory = memory(posts(first, site: firstSite, guids: "a", isDated: false))
    return memory.take(posts(numbers, site: site, guids: guids, isDated: false, titles: titles)).count
  }

  // FreshRSS #5151, gPodder #1337: WordPress guids `?p=123` become permalinks of a new host.
  @Test func `a site that moves keeps its items by title and date, and announces later ones`() {
    var memory = memory(posts(1...20, site: "old", guids: "?p="))

    let found = memory.take(
      posts(1...20, site: "new", guids: "permalink/") + [
        item("permalink/new", link: "https://new.example/new", title: "We moved", day: 101)
      ])

    #expect(found.announced == ["permalink/new"])
    #expect(found.newItems.count == 1)
    #expect(found.changedItems.count == 20)
  }

  @Test func `undated items under other identities become a quiet baseline with one notice`() {
    var memory = memory(posts(1...20, site: "old", guids: "a", isDated: false))

    let found = memory.take(posts(1...20, site: "new", guids: "b", isDated: false, titles: "Other"))
    let next = memory.take(posts(1...21, site: "new", guids: "b", isDated: false, titles: "Other"))

    #expect(found.count == 0)
    #expect(found.quietItems == 20)
    #expect(reason(of: found) == "20 old items under new identities")
    #expect(next.announced == ["b21"])
    #expect(next.quietItems == nil)
  }

  @Test func `old dates are a quiet baseline, later ones are new`() {
    var memory = memory(posts(1...20, site: "old", guids: "a"))

    let found = memory.take(posts(12...25, site: "new", guids: "b", titles: "Other"))

    #expect(found.announced == ["b21", "b22", "b23", "b24", "b25"])
    #expect(found.quietItems == 9)
  }

  @Test func `a large undated feed is quiet if it is rebuilt and shrinks, a small one never is`() {
    #expect(news(21...30, "new", "b", "X", after: 1...30) == 0)
    #expect(news(1...9, "new", "b", "X", after: 1...9) == 9)
  }

  @Test func `new items at unknown links are new in a document that shrank, or with renewed guids`() {
    #expect(news(31...32, "old", "a", after: 1...30) == 2)
    #expect(news(1...21, "old", "b", after: 1...20) == 1)
  }

  @Test func `a feed that replaces all it has each day is dated later, and new each day`() {
    var memory = memory([])
    let counts = (1...5).map { day in
      memory.take(
        (1...50).map { (number: Int) in
          let name = "\(day).\(number)"
          return item(name, link: "https://arxiv.example/" + name, title: name, day: day)
        },
        after: .days(1)
      ).count
    }

    #expect(counts == [50, 50, 50, 50, 50])
  }

  @Test func `a document dated before the last 304 is new if it is later than all that is known`() {
    var memory = memory(posts(1...20, site: "x", guids: "a"))
    memory.state.lastSuccess = now

    #expect(memory.take(posts(21...40, site: "x", guids: "a")).count == 20)
  }

  @Test func `an undated feed that replaces all it has is quiet once, and not again`() {
    var memory = memory(posts(1...20, site: "x", guids: "a", isDated: false))

    let counts = (1...5).map { round in
      let first = round * 100
      return memory.take(
        posts(first...(first + 19), site: "x", guids: "a", isDated: false), after: .days(1)
      ).count
    }

    #expect(counts == [0, 20, 20, 20, 20])
  }

  // A laptop that sleeps at night sees a news ticker move on in small steps by day, and whole in the morning.
  @Test func `an undated ticker that is sometimes fetched rarely loses one morning and no more`() {
    var memory = memory(posts(1...20, site: "x", guids: "a", isDated: false))
    var last = 20
    var lost = 0
    for _ in 1...4 {
      for step in [30, 3, 3, 3] {
        last += step
        let found = memory.take(posts((last - 19)...last, site: "x", guids: "a", isDated: false))
        lost += min(step, 20) - found.count
      }
    }

    #expect(lost == 20)
  }

  @Test func `a site that is rebuilt, taken back and rebuilt again within days announces nothing old`() {
    var memory = memory(posts(1...20, site: "old", guids: "a"))
    let sites = ["new", "old", "new", "newer", "old"]

    let counts = sites.enumerated().map { round, site in
      memory.take(
        posts(2...20, site: site, guids: site) + [
          item("\(site)-\(round)", link: "https://\(site).example/x\(round)", title: "X", day: 51 + round)
        ], after: .days(1)
      ).announced
    }

    #expect(counts == [["new-0"], ["old-1"], ["new-2"], ["newer-3"], ["old-4"]])
  }

  // WordPress begins with one post, `Hello world!`; the old ones are imported when somebody has the time.
  @Test(arguments: [true, false])
  func `a placeholder page during a move does not make the old posts of a site new`(isDated: Bool) {
    var memory = memory(posts(1...20, site: "old", guids: "a", isDated: isDated))

    let greeting = memory.take([
      item("hello", link: "https://new.example/", title: "Hello world!", day: isDated ? 51 : nil)
    ])
    let moved = memory.take(posts(1...20, site: "new", guids: "b", isDated: isDated))

    #expect(greeting.announced == ["hello"])
    #expect(moved.count == 0)
  }

  @Test func `another site under the same name is quiet, and an unseen item that moved stays unseen`() {
    var memory = memory(posts(1...20, site: "old", guids: "a"))
    var moved = memory

    let other = memory.take(posts(1...20, site: "two", guids: "b", titles: "Quite another"))
    let found = moved.take(posts(1...20, site: "new", guids: "b"))

    #expect(other.count == 0)
    #expect(other.quietItems == 20)
    #expect(found.changedItems.count == 20)
    #expect(found.changedItems.allSatisfy { $0.updatedAt == nil })
  }
}

// The marks that distinguish items: rules, repeated identities, and identities that come and go.

import Testing

@testable import Core

@Suite struct IdentityTests: NewsFixtures {
  private func memory(_ rule: IdentityRule = .guid) -> FeedMemory {
    FeedMemory(feed: feed { $0.identity = rule })
  }

  // FreshRSS #1887, #4485, #5329: every item has the feed's address as its guid.
  @Test func `a feed whose items all share a guid loses none`() {
    var memory = memory()
    memory.take([item("feed", link: "https://x.example/2"), item("feed", link: "https://x.example/1")])

    let next = memory.take([
      item("feed", link: "https://x.example/3"), item("feed", link: "https://x.example/2"),
    ])
    let alone = memory.take([item("feed", link: "https://x.example/4")])
    let old = memory.take([item("feed", link: "https://x.example/1")])

    #expect(next.newItems.map(\.link) == ["https://x.example/3"])
    #expect(alone.newItems.map(\.link) == ["https://x.example/4"])
    #expect(old.newItems.isEmpty)
    #expect(old.changedItems.isEmpty)
  }

  @Test func `a changelog whose items share guid and link is distinguished by titles`() {
    var memory = memory()
    let log = "https://x.example/changelog"
    memory.take([item("log", link: log, title: "1.1"), item("log", link: log, title: "1.0")])

    let found = memory.take([item("log", link: log, title: "1.2"), item("log", link: log, title: "1.1")])
    let alone = memory.take([item("log", link: log, title: "1.3")])

    #expect(found.newItems.map(\.title) == ["1.2"])
    #expect(alone.newItems.map(\.title) == ["1.3"])
    #expect(memory.take([item("log", link: log, title: "1.0")]).newItems.isEmpty)
  }

  @Test func `alerts that share everything but the date are distinguished by it`() {
    var memory = memory()
    let items = (1...3).map { item("alert", link: "https://x.example/", title: "Alert", day: $0) }
    memory.take(items)

    #expect(memory.known.count == 3)
    #expect(
      memory.take(items.reversed() + [item("alert", link: "https://x.example/", title: "Alert", day: 4)])
        .newItems.map(\.published) == [now - .days(96)])
    #expect(memory.take([items[1]]).newItems.isEmpty)
  }

  @Test func `a guid that repeats in some documents only keeps its items apart in all`() {
    var memory = memory()
    let one = item("g", link: "https://x.example/1")
    let two = item("g", link: "https://x.example/2")
    memory.take([one])
    memory.take([two, one])

    #expect([[one], [two], [one, two], [two]].map { memory.take($0).newItems.count } == [0, 0, 0, 0])
    #expect(memory.known.count == 2)
  }

  @Test(
    arguments: [
      ("a weather feed with one item of one guid", "12 degrees", "Sun", "13 degrees", "Rain"),
      ("a toot without a title", nil, "one", nil, "one, edited"),
    ] as [(String, String?, String, String?, String)])
  func `other words under a known guid are an edit, not new`(
    feed: String, title: String?, text: String, newTitle: String?, newText: String
  ) {
    var memory = memory()
    memory.take([item("https://x.example/1", link: "https://x.example/1", title: title, content: text)])

    let found = memory.take([
      item("https://x.example/1", link: "https://x.example/1", title: newTitle, content: newText)
    ])

    #expect(found.newItems.isEmpty, "\(feed)")
    #expect(found.changedItems.count == 1, "\(feed)")
  }

  @Test func `the later of two revisions of an entry in one document counts`() {
    var old = item("a", link: "https://x.example/a", content: "First", day: 1)
    old.updated = now - .days(50)
    var new = old
    new.content = "Second"
    new.updated = now - .days(40)

    for document in [[old, new], [new, old]] {
      #expect(classify(document).newItems.map(\.summary) == ["Second"])
    }
  }

  @Test func `an item given twice and edited is still known`() {
    var memory = memory()
    memory.take(Array(repeating: item("a", link: "https://x.example/a"), count: 2))

    let after = item("a", link: "https://x.example/a", title: "Other")
    #expect(memory.take([after, after]).newItems.isEmpty)
  }

  @Test(arguments: [
    ("http://x.example/a", "https://x.example/a", true),
    ("https://x.example/a", "https://www.X.example:443/a/", true),
    ("https://x.example/a", "https://x.example/a?utm_source=rss&utm_medium=feed", true),
    ("https://x.example/a?id=1", "https://x.example/a?fbclid=9&id=1&gclid=7", true),
    ("https://x.example/a", "https://x.example/a#xtor=RSS-16", true),
    ("https://x.example/a", "https://x.example/a#", true),
    ("https://x.example/a", "https://x.example/a;jsessionid=0123", true),
    ("https://x.example/t?p=1", "https://x.example/t?p=1&sid=0123456789abcdef0123456789abcdef", true),
    ("https://x.example", "https://x.example/", true),
    ("https://x.example/%7Ea/caf%c3%a9%2F(1)", "https://x.example/~a/café%2f%281%29", true),
    ("https://x.example/a?b=%3d%2a&c=%C3%A9", "https://x.example/a?b=%3D*&c=é", true),
    ("https://x.example/a#%e2%82%ac", "https://x.example/a#€", true),
    ("https://x.example/a", "https://x.example:/a", true),
    ("http://x.example:80/a", "https://x.example:443/a", true),
    ("https://x.example/a%2Fb", "https://x.example/a/b", false),
    ("https://x.example/a%3Fb", "https://x.example/a?b", false),
    ("https://x.example/a%23b", "https://x.example/a#b", false),
    ("https://x.example/%2541", "https://x.example/%41", false),
    ("https://x.example/?a=b%26c=d", "https://x.example/?a=b&c=d", false),
    ("https://x.example/?q=c%2B%2B", "https://x.example/?q=c++", false),
    ("https://x.example/?q=50%", "https://x.example/?q=50%25", false),
    ("https://x.example/%E9", "https://x.example/%C3%A9", false),
    ("https://x.example/?id=1", "https://x.example/?id=2", false),
    ("https://x.example/?sid=1", "https://x.example/?sid=2", false),
    ("https://x.example/a", "https://x.example/a#comment-5", false),
    ("https://x.example/a#1", "https://x.example/a#2", false),
    ("https://x.example/a", "https://x.example/A", false),
    ("https://x.example/a", "https://x.example:8443/a", false),
    ("https://x.example/a?b", "https://x.example/a#b", false),
    ("https://x.example/a", "ftp://x.example/a", false),
    ("tag:x.example,2026:a", "tag:x.example,2026:A", false),
  ])
  func `links and guids are compared without what changes by itself`(one: String, two: String, isSame: Bool) {
    #expect(classify([item(nil, link: two)], known: known([item(nil, link: one)])).newItems.isEmpty == isSame)
    #expect(classify([item(two)], known: known([item(one)])).newItems.isEmpty == isSame)
  }

  // Feedbin #515: a site moves to https, and its guids and links with it.
  @Test func `a move to https is neither news nor an edit`() {
    let before = (1...3).map { item("http://x.example/?p=\($0)", link: "http://x.example/\($0)") }
    let after = (1...3).map { item("https://x.example/?p=\($0)", link: "https://x.example/\($0)/") }

    let found = classify(after, known: known(before), feed: feed { $0.updated = .notify })

    #expect(found.newItems.isEmpty)
    #expect(found.changedItems.isEmpty)
  }

  @Test func `under identity link a new guid changes nothing, and a new link is new`() {
    var memory = memory(.link)
    // arXiv gives a paper a new guid with each version.
    memory.take([item("oai:arXiv.org:2401.1v1", link: "https://arxiv.org/abs/2401.1", day: 1)])

    #expect(
      memory.take([item("oai:arXiv.org:2401.1v2", link: "https://arxiv.org/abs/2401.1", day: 2)])
        .newItems.isEmpty)
    #expect(memory.take([item("oai:arXiv.org:2401.1v2", link: "https://arxiv.org/abs/2401.2")]).count == 1)
  }

  @Test func `under identity title neither guid nor link counts, and without a title the content does`() {
    var memory = memory(.title)
    memory.take([
      item("a", link: "https://x.example/1", title: "One"), item("b", title: nil, content: "One"),
      item("c", title: nil, content: "Two"),
    ])

    #expect(memory.known.count == 3)
    let other = "https://x.example/2"
    #expect(memory.take([item("b", link: other, title: "One", content: "new")]).newItems.isEmpty)
    #expect(memory.take([item("d", title: nil, content: "One")]).newItems.isEmpty)
    #expect(memory.take([item("b", link: other, title: "Two")]).count == 1)
  }

  @Test(arguments: IdentityRule.allCases, IdentityRule.allCases)
  func `another identity rule makes no known item new`(before: IdentityRule, after: IdentityRule) {
    var memory = memory(before)
    let items = (1...4).map { (number: Int) in
      item("g\(number)", link: "https://x.example/\(number)", title: "T\(number)", day: number)
    }
    memory.take(items)

    memory.feed.identity = after

    #expect(memory.take(items).newItems.isEmpty)
  }

  @Test func `a feed that begins or ceases to give guids or links keeps its items`() {
    func items(_ guid: String?, _ link: String?) -> [ParsedItem] {
      (1...3).map { number in
        item(guid.map { "\($0)\(number)" }, link: link.map { "\($0)/\(number)" }, title: "T\(number)")
      }
    }
    let site = "https://x.example"

    for marks in [
      [nil, "g", nil, "g"].map { ($0, site as String?) }, [(nil, nil), (nil, site), ("g", site)],
    ] {
      var memory = memory()
      #expect(
        marks.map { memory.take(items($0.0, $0.1)).newItems.count }
          == [3] + Array(repeating: 0, count: marks.count - 1))
    }
  }

  @Test func `an edited item without guid and link is known by title and date, without a date it is new`() {
    var dated = memory()
    dated.take([item(nil, title: "Notice", content: "a", day: 1)])
    var undated = memory()
    undated.take([item(nil, title: "Notice", content: "a")])

    #expect(dated.take([item(nil, title: "Notice", content: "b", day: 1)]).newItems.isEmpty)
    #expect(dated.take([item(nil, title: "Notice", content: "c", day: 2)]).newItems.count == 1)
    #expect(undated.take([item(nil, title: "Notice", content: "b")]).newItems.count == 1)
  }

  @Test func `items without any words are distinguished by their files`() {
    let items = (1...3).map { number in
      var item = item(nil, title: nil, content: nil)
      item.enclosures = [Enclosure(url: "https://x.example/\(number).mp3?t=1")]
      return item
    }
    var again = items
    again[0].enclosures = [Enclosure(url: "https://x.example/1.mp3?t=2")]

    #expect(classify(items).newItems.count == 3)
    #expect(classify(again, known: known(items)).newItems.isEmpty)
  }

  @Test func `an empty document forgets nothing`() {
    var memory = memory()
    let items = (1...12).map { (number: Int) in item("g\(number)", day: number) }
    memory.take(items)

    #expect(memory.take([]).count == 0)
    #expect(memory.take(items).count == 0)
    #expect(memory.state.identity.documentItems == 12)
  }

  @Test func `a guid of any length is stored short, and still distinguishes items`() {
    let long = String(repeating: "g", count: 1 << 18)
    let before = classify([item(long + "1"), item(long + "2")])

    #expect(before.newItems.count == 2)
    #expect(before.newItems.allSatisfy { ($0.guid?.utf8.count ?? 0) <= 1024 })
    #expect(Set(before.newItems.map(\.guid)).count == 2)
    #expect(classify([item(long + "2")], known: known([item(long + "1"), item(long + "2")])).count == 0)
  }

  @Test func `a feed of a hundred thousand items that share everything is classified in time`() {
    let items = (0..<1000).map { item("g", link: "https://x.example/", title: "T", day: $0) }
    let one = known([items[0]])[0]
    let all = (0..<100_000).map { (number: Int) in
      with(one) { ($0.number, $0.published) = (Int64(number), now - .days(Int64(100 - number))) }
    }

    #expect(classify(items, known: all).newItems.isEmpty)
  }
}

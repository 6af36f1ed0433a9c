// Known items under other guids and other links: which are recognised, and which are news.

import TestKit
import Testing

@testable import Core

@Suite struct RenamingTests: NewsFixtures {
  /// The items of the fetch with this number, from 0.
  typealias Feed = @Sendable (Int) -> [ParsedItem]

  /// A feed with a name, and how many of its items are announced again.
  struct Case: Sendable {
    let parts: (name: String, again: Int, items: Feed)

    init(_ name: String, again: Int = 0, items: @escaping Feed) { parts = (name, again, items) }
  }

  private static let fixtures = Fixtures()

  private struct Fixtures: NewsFixtures {}

  private static func post(
    _ number: Int, _ fetch: Int, guid: String? = nil, link: String? = "https://x.example/d?v=",
    title: String? = nil, text: String? = nil, day: Int? = nil
  ) -> ParsedItem {
    fixtures.item(
      guid.map { "\($0)\(number)-\(fetch)" }, link: link.map { "\($0)\(number)-\(fetch)" }, title: title,
      content: text, day: day)
  }

  /// Feeds whose items never change except in guid and link, and how many of them are announced again.
  static let restless: [Case] = [
    .init("links with a token") { fetch in
      (1...5).map { post($0, fetch, title: "P\($0)", text: "t\($0)", day: $0) }
    },
    .init("guids and links, in any order") { fetch in
      let items = (1...5).map { post($0, fetch, guid: "g", title: "P\($0)", text: "t", day: $0) }
      return fetch % 2 == 0 ? items : items.reversed()
    },
    .init("guids without links") { fetch in
      (1...5).map { post($0, fetch, guid: "g", link: nil, title: "P\($0)", text: "t", day: $0) }
    },
    .init("guids with one link, undated, and texts that change", again: 25) { fetch in
      (1...5).map {
        fixtures.item("\($0)-\(fetch)", link: "https://x.example/", title: "P\($0)", content: "t\(fetch)")
      }
    },
    .init("undated") { fetch in (1...3).map { post($0, fetch, title: "P\($0)", text: "t") } },
    .init("tokens in the texts, too") { fetch in
      (1...3).map { post($0, fetch, title: "P\($0)", text: "t\(fetch)", day: $0) }
    },
    .init("items without titles") { fetch in (1...3).map { post($0, fetch, text: "toot \($0)", day: $0) } },
    .init("items without texts") { fetch in (1...3).map { post($0, fetch, title: "P\($0)", day: $0) } },
    .init("one title, other dates") { fetch in
      (1...3).map { post($0, fetch, title: "Column", text: "t", day: $0) }
    },
    .init("one title and date, other texts") { fetch in
      (1...3).map { post($0, fetch, title: "Update", text: "t\($0)", day: 1) }
    },
    .init("two that are equal beside others") { fetch in
      [1, 2, 3, 4, 4].enumerated().map { (place: Int, number: Int) in
        post(place, fetch, title: "P\(number)", text: "t", day: number)
      }
    },
    .init("one item") { fetch in [post(1, fetch, guid: "g", title: "P", text: "t", day: 1)] },
    .init("one item without a date", again: 5) { fetch in
      [post(1, fetch, guid: "g", title: "P", text: "t")]
    },
    .init("two items") { fetch in (1...2).map { post($0, fetch, title: "P\($0)", text: "t", day: $0) } },
    .init("one link that stays") { fetch in
      (1...5).map { post($0, $0 == 1 ? 0 : fetch, title: "P\($0)", text: "t", day: $0) }
    },
    .init("undated, without texts", again: 15) { fetch in (1...3).map { post($0, fetch, title: "P\($0)") } },
    .init("a title that is edited at the same time", again: 5) { fetch in
      (1...5).map { post($0, fetch, title: "P\($0)" + ($0 == 2 ? "\(fetch)" : ""), text: "t", day: $0) }
    },
    .init("a site that moves") { fetch in
      (1...4).map {
        let site = fetch < 2 ? "https://old.example" : "https://new.example/blog"
        return fixtures.item(
          "\(site)/?p=\($0)", link: "\(site)/\($0)", title: "P\($0)", content: "<img src=\"\(site)/a.png\">t",
          day: $0)
      }
    },
  ]

  @Test(arguments: restless.rows)
  func `an item under another guid and link is new once`(row: TableRow) {
    let (name, again, items) = Self.restless[row.index].parts
    var memory = FeedMemory(feed: self.feed { $0.updated = .notify })
    memory.take(items(0))

    let found = (1...5).map { memory.take(items($0), after: .days(2)) }

    #expect(found.map(\.announcedItems.count).reduce(0, +) == again, "\(name)")
    #expect(memory.known.count == items(0).count + again, "\(name)")
    if name.hasPrefix("links") {
      #expect(found.allSatisfy { $0.count == 0 }, "another link is no edit: \(name)")
    }
  }

  /// Feeds with something new in every document.
  static let news: [Case] = [
    .init("a daily column") { fetch in [post(fetch, 0, guid: "g", title: "Column", text: "t", day: fetch)] },
    .init("a daily column with its last issues") { fetch in
      (fetch...fetch + 3).map { post($0, 0, title: "Column", text: "t", day: $0) }
    },
    .init("a daily column whose links have tokens") { fetch in
      (fetch...fetch + 3).map { post($0, fetch, title: "Column", text: "t", day: $0) }
    },
    .init("one more among links with tokens") { fetch in
      (0...5 + fetch).map { post($0, fetch, guid: "g", title: "P\($0)", text: "t", day: $0) }
    },
    .init("one more among links with tokens, undated") { fetch in
      (0...15 + fetch).map { post($0, fetch, title: "P\($0)", text: "t") }
    },
    .init("one more with the title, date and text of another one") { fetch in
      (0...5 + fetch).map { post($0, 0, guid: "g", title: "Update", text: "t", day: 1) }
    },
    .init("the latest, with another text") { fetch in
      [post(fetch, 0, title: "Status", text: "t\(fetch)", day: 1)]
    },
    .init("the latest photo of a day") { fetch in
      var item = post(fetch, 0, title: "Photo", day: 1)
      item.enclosures = [Enclosure(url: "https://x.example/\(fetch).jpg")]
      return [item]
    },
  ]

  @Test(arguments: news.rows)
  func `an item that only looks like another one is news`(row: TableRow) {
    let (name, _, items) = Self.news[row.index].parts
    var memory = FeedMemory(feed: self.feed())
    memory.take(items(0))

    #expect((1...4).map { memory.take(items($0), after: .days(1)).count } == [1, 1, 1, 1], "\(name)")
  }

  @Test func `a new post of the day of an old one is news, although the site was rebuilt`() {
    var memory = FeedMemory(feed: feed())
    memory.take((1...10).map { Self.post($0, 0, guid: "g", title: "P\($0)", text: "t\($0)", day: $0) })

    let rebuilt =
      (2...10).map { Self.post($0, 1, guid: "g", title: "P\($0)", text: "t\($0)", day: $0) }
      + [Self.post(11, 1, guid: "g", title: "Breaking: something else", text: "t", day: 1)]
    let found = memory.take(rebuilt, after: .days(1))

    #expect(found.announcedItems.map { found.newItems[$0].title } == ["Breaking: something else"])
    #expect(found.renamedItems == 9)
  }

  @Test func `an item that was stored under another form of its link is known by title and date`() {
    let items = (1...3).map { (number: Int) in
      item(nil, link: "https://x.example/%7E\(number)", title: "P\(number)", day: number)
    }
    var known = known(items)
    for place in known.indices { known[place].keys.link = UInt64(place) }

    #expect(classify(items, known: known).newItems.isEmpty)
  }
}

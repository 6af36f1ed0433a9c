// A small feed that comes back from another address: which items are the same, and which are news.

import Core
import TestKit
import Testing

@Suite struct MovedSiteTests: NewsFixtures {
  /// A way in which a site moves, and how many of its five items are known, how many stored as old, and how many announced.
  struct Move: Sendable {
    let name: String
    let known: Int
    let old: Int
    let announced: Int
    let change: @Sendable (Int, inout ParsedItem) -> Void

    init(
      _ name: String, known: Int = 5, old: Int = 0, announced: Int = 0,
      _ change: @escaping @Sendable (Int, inout ParsedItem) -> Void
    ) {
      (self.name, self.known, self.old, self.announced) = (name, known, old, announced)
      self.change = change
    }
  }

  /// The fifth of five posts is the newest.
  private func posts() -> [ParsedItem] {
    (1...5).map { (number: Int) in
      item(
        "a\(number)", link: "https://old.example/\(number)", title: "P\(number)", content: "Text \(number)",
        day: number)
    }
  }

  private func found(_ move: Move, isMoved: Bool) -> Classification {
    var memory = FeedMemory(feed: feed())
    memory.take(posts())
    memory.state.hasOtherRequest = isMoved
    let fresh = item("fresh", link: "https://new.example/fresh", title: "Fresh", content: "News", day: 101)
    let moved = posts().enumerated().map { index, post in
      var post = post
      move.change(index + 1, &post)
      return post
    }
    return memory.take([fresh] + moved, after: .days(2))
  }

  /// Moves that need no change of the configuration, such as a redirect.
  static let any: [Move] = [
    .init("new guids") { $1.id = "b\($0)" },
    .init("new guids and hosts") { ($1.id, $1.link) = ("b\($0)", "https://new.example/\($0)") },
    .init("new guids and titles, links and dates stay") { ($1.id, $1.title) = ("b\($0)", "Q\($0)") },
    .init("new guids and dates, links and titles stay") { number, item in
      item.id = "b\(number)"
      item.published = item.published.map { $0 + .hours(3) }
    },
    .init("new guids, links and texts, titles and dates stay") { number, item in
      (item.id, item.link, item.content) = ("b\(number)", "https://new.example/\(number)", "Other \(number)")
    },
    .init("no guids, new links and texts") { number, item in
      (item.id, item.link, item.content) = (nil, "https://new.example/\(number)", "Other \(number)")
    },
  ]

  @Test(arguments: any.rows)
  func `items with the same links, or the same titles and dates, are the same`(row: TableRow) {
    let move = Self.any[row.index]
    for isMoved in [false, true] {
      let found = found(move, isMoved: isMoved)

      #expect(found.announcedItems.map { found.newItems[$0].title } == ["Fresh"], "\(move.name)")
      #expect(found.newItems.count == 1, "\(move.name)")
    }
  }

  /// Moves that are only known by the address in the configuration.
  static let configured: [Move] = [
    .init("other dates, titles and texts stay") { number, item in
      (item.id, item.link) = ("b\(number)", "https://new.example/\(number)")
      item.published = item.published.map { $0 + .days(96) }
    },
    .init("dates gone, titles and texts stay") { number, item in
      (item.id, item.link, item.published) = ("b\(number)", "https://new.example/\(number)", nil)
    },
    .init("only dates stay", known: 0, old: 5) { number, item in
      (item.id, item.link) = ("b\(number)", "https://new.example/\(number)")
      (item.title, item.content) = ("Q\(number)", "Other \(number)")
    },
    .init("nothing stays, and the dates are new", known: 0, announced: 5) { number, item in
      (item.id, item.link) = ("b\(number)", "https://new.example/\(number)")
      (item.title, item.content) = ("Q\(number)", "Other \(number)")
      item.published = item.published.map { $0 + .days(96) }
    },
  ]

  @Test(arguments: configured.rows)
  func `from another address, texts without dates tell the same items, and old ones are not announced`(
    row: TableRow
  ) {
    let move = Self.configured[row.index]

    let found = found(move, isMoved: true)

    #expect(found.recognised.count == move.known, "\(move.name)")
    #expect(found.storedAsSeen == move.old, "\(move.name)")
    #expect(found.announcedItems.count == move.announced + 1, "\(move.name)")
    #expect(self.found(move, isMoved: false).announcedItems.count == 6, "\(move.name)")
  }
}

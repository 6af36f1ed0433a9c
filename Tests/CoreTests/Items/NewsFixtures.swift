// Helpers of the tests of news: items, documents, and a feed that stores what it has shown.

import Core

/// Short ways to make items, and to compare documents with known items.
protocol NewsFixtures {}

extension NewsFixtures {
  /// The moment at which tests begin.
  var now: Instant { Instant(secondsSince1970: 1_800_000_000) }

  func feed(_ change: (inout FeedSpec) -> Void = { _ in }) -> FeedSpec {
    var feed = FeedSpec(
      name: FeedName("planet").unsafelyUnwrapped, url: .plain("https://planet.example/atom.xml"))
    change(&feed)
    return feed
  }

  /// An item; `day` is how many days after day 0, which is 100 days before now, it was published.
  func item(
    _ id: String?, link: String? = nil, title: String? = "Title", content: String? = "Text", day: Int? = nil
  ) -> ParsedItem {
    var item = ParsedItem()
    item.id = id
    item.link = link
    item.title = title
    item.content = content
    item.published = day.map { now - .days(Int64(100 - $0)) }
    return item
  }

  func document(_ items: [ParsedItem]) -> ParsedFeed { with(ParsedFeed(format: .rss)) { $0.items = items } }

  func classify(
    _ items: [ParsedItem], known: [KnownItem] = [], feed: FeedSpec? = nil, isFirst: Bool = false,
    at time: Instant? = nil
  ) -> Classification {
    let state = with(FeedState()) {
      $0.hasBaseline = !isFirst
      $0.lastSuccess = isFirst ? nil : now - .hours(1)
    }
    return Core.classify(
      document(items), known: known, feed: feed ?? self.feed(), state: state, at: time ?? now)
  }

  /// The records in the store after a document was committed.
  func known(_ items: [ParsedItem], feed: FeedSpec? = nil) -> [KnownItem] {
    var memory = FeedMemory(feed: feed ?? self.feed())
    memory.take(items)
    return memory.known
  }
}

/// A feed with its state and items, as the store would keep them from document to document.
struct FeedMemory: NewsFixtures {
  var feed: FeedSpec
  var known: [KnownItem] = []
  var state = FeedState()
  /// When the next document comes.
  var time = Instant(secondsSince1970: 1_800_000_000)

  init(feed: FeedSpec) { self.feed = feed }

  /// Fetches a document, stores the result, and lets an hour pass.
  @discardableResult
  mutating func take(_ items: [ParsedItem], after wait: Interval = .hours(1)) -> Classification {
    let found = Core.classify(document(items), known: known, feed: feed, state: state, at: time)
    store(found)
    state.hasBaseline = true
    time = time + wait
    return found
  }

  /// Fetches and gets 304.
  mutating func takeNothing(after wait: Interval = .hours(1)) { time = time + wait }

  private mutating func store(_ found: Classification) {
    for change in found.changedItems {
      guard let place = known.firstIndex(where: { $0.number == change.number }) else { continue }
      let former = known[place]
      known[place] = KnownItem(change.record, number: former.number)
      known[place].keys.guid = change.record.keys.guid ?? former.keys.guid
      known[place].keys.link = change.record.keys.link ?? former.keys.link
      known[place].postponedEdit = change.postponedEdit
      known[place].updatedAt = change.updatedAt ?? former.updatedAt
    }
    for record in found.newItems { known.append(KnownItem(record, number: Int64(known.count + 1))) }
    state.identity = found.identity
    state.lastSuccess = time
  }
}

extension KnownItem {
  /// A record as the store knows it.
  init(_ record: ItemRecord, number: Int64) {
    self.init(
      number: number, keys: record.keys, published: record.published, editHash: record.editHash,
      postponedEdit: nil, updatedAt: nil, isFiltered: record.isFiltered)
  }
}

extension Classification {
  /// The guids of what is announced, else the titles.
  var announced: [String] { announcedItems.map { newItems[$0].guid ?? newItems[$0].title ?? "?" } }
}

// A text in a test is a condition, as it is in the configuration.
extension ItemCondition: ExpressibleByStringLiteral {
  init(stringLiteral pattern: String) { self.init(any: pattern) }
}

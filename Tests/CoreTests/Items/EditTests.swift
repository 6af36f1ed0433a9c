// Edited items: what counts as an edit, and when it is reported.

import Core
import Testing

@Suite struct EditTests: NewsFixtures {
  private func memory(_ change: (inout FeedSpec) -> Void = { _ in }) -> FeedMemory {
    var feed = feed { $0.updated = .notify }
    change(&feed)
    return FeedMemory(feed: feed)
  }

  private func version(_ number: Int, title: String = "Title") -> [ParsedItem] {
    [item("a", title: title, content: "Version \(number)")]
  }

  /// A fetch: the version of the item, nil for 304; how many edits are reported, and the hours until the next fetch.
  typealias Fetch = (version: Int?, reports: Int, hours: Int64)

  @Test(
    arguments: [
      ("later on the same day: when the day is over", nil, [(3, 0, 22), (3, 0, 1), (3, 1, 48), (3, 0, 1)]),
      ("and then the server answers 304", nil, [(3, 0, 1), (nil, 0, 95), (3, 1, 1), (3, 0, 1)]),
      ("and taken back before its day is over: never", nil, [(3, 0, 1), (2, 0, 48), (2, 0, 1)]),
      (
        "again and again with at-most 0s, as of a status page: each", .zero,
        [(3, 1, 0), (4, 1, 0), (4, 0, 1)]
      ),
      ("with at-most 2h: after this time", .hours(2), [(3, 0, 1), (3, 1, 1)]),
    ] as [(String, Interval?, [Fetch])])
  func `a second edit is reported once, when at-most has passed since the first`(
    edited: String, atMost: Interval?, fetches: [Fetch]
  ) {
    var memory = memory { if let atMost { $0.updated.atMost = atMost } }
    var last = 1
    memory.take(version(1))
    for fetch in [(2, 1, atMost == .zero ? 0 : 1)] + fetches {
      let wait = Interval.hours(fetch.hours)
      guard let version = fetch.version else {
        memory.takeNothing(after: wait)
        continue
      }
      let found = memory.take(self.version(version), after: wait)
      #expect(found.count == fetch.reports, "\(edited)")
      if fetch.reports == 1 { #expect(reason(of: found) == "1 updated", "\(edited)") }
      guard version != last else { continue }
      #expect(found.changedItems.map(\.record.summary) == ["Version \(version)"], "\(edited)")
      last = version
    }
    #expect(memory.known.map(\.postponedEdit) == [nil], "\(edited)")
  }

  @Test func `a postponed edit is reported if at-most is shorter, or the clock was set back`() {
    var memory = memory()
    for number in 1...3 { memory.take(version(number)) }
    var shorter = memory
    shorter.feed.updated.atMost = .zero
    var setBack = memory
    setBack.time = memory.time - .days(400)

    #expect(shorter.take(version(3)).count == 1)
    #expect(setBack.take(version(3)).count == 1)
  }

  @Test func `a postponed edit is dropped if edits are silent meanwhile`() {
    var memory = memory()
    for number in 1...3 { memory.take(version(number), after: .hours(8)) }
    memory.time = memory.time + .days(2)
    memory.feed.updated = .silent

    #expect(memory.take(version(3)).count == 0)
    memory.feed.updated = .notify
    #expect(memory.take(version(3)).count == 0)
  }

  @Test func `an edited item is reported if it passes the filter now, and not listed if it no longer does`() {
    var memory = memory { $0.filter.exclude = ["Sponsored"] }
    memory.take(version(1, title: "Sponsored") + [item("b", title: "News")])

    let found = memory.take(version(1, title: "Review") + [item("b", title: "Sponsored")])

    #expect(found.updatedItems.map(\.number) == [2])
    #expect(found.changedItems.map(\.record.isFiltered) == [true, false])
  }

  @Test
  func `without reports an edited item that now passes is stored as seen, an unedited one stays filtered`() {
    var memory = memory { ($0.filter.exclude, $0.updated) = (["Sponsored"], .silent) }
    memory.take(version(1, title: "Sponsored"))
    var unedited = memory
    unedited.feed.filter.exclude = []

    let found = memory.take(version(1, title: "Review"))

    #expect(found.count == 0)
    #expect(found.changedItems.map(\.record.isFiltered) == [false])
    #expect(unedited.take(version(1, title: "Sponsored")).changedItems.isEmpty)
  }
}

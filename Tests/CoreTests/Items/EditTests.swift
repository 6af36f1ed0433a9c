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

  @Test func `a second edit within a day is reported when the day is over, without another change`() {
    var memory = memory()
    memory.take(version(1))
    #expect(memory.take(version(2)).count == 1)

    #expect(memory.take(version(3), after: .hours(22)).count == 0)
    #expect(memory.take(version(3), after: .hours(1)).count == 0)
    #expect(memory.take(version(3)).count == 1)
    #expect(memory.take(version(3), after: .days(2)).count == 0)
  }

  @Test func `a postponed edit is reported although the server answers 304`() {
    var memory = memory()
    memory.take(version(1))
    memory.take(version(2))
    memory.take(version(3))

    #expect(memory.takeNothing(after: .hours(23)).count == 0)
    let later = memory.takeNothing()

    #expect(later.updatedItems.map(\.number) == [1])
    #expect(reason(of: later) == "1 updated")
    #expect(memory.takeNothing(after: .days(3)).count == 0)
    #expect(memory.state.postponedEditDue == nil)
  }

  @Test func `a postponed edit is reported although the item has left the document`() {
    var memory = memory()
    memory.take(version(1))
    memory.take(version(2))
    memory.take(version(3), after: .days(1))

    #expect(memory.take([item("b")]).updatedItems.map(\.number) == [1])
  }

  @Test func `an edit that was taken back before its day is over is not reported`() {
    var memory = memory()
    memory.take(version(1))
    memory.take(version(2))
    memory.take(version(3))

    let back = memory.take(version(2), after: .days(2))

    #expect(back.changedItems.map(\.record?.summary) == ["Version 2"])
    #expect(memory.take(version(2)).count == 0)
    #expect(memory.state.postponedEditDue == nil)
  }

  @Test func `a postponed edit is dropped if edits are silent meanwhile`() {
    var memory = memory()
    memory.take(version(1))
    memory.take(version(2))
    memory.take(version(3), after: .days(2))
    memory.feed.updated = .silent

    #expect(memory.takeNothing().count == 0)
    #expect(memory.take(version(3)).count == 0)
    memory.feed.updated = .notify
    #expect(memory.take(version(3)).count == 0)
  }

  @Test func `with at-most 0s every edit is reported, as of a status page`() {
    var memory = memory { $0.updated.atMost = .zero }
    memory.take(version(1))

    for number in 2...6 { #expect(memory.take(version(number), after: .minutes(5)).count == 1) }
    #expect(memory.take(version(6)).count == 0)
    #expect(memory.state.postponedEditDue == nil)
  }

  @Test func `at-most is the time until the next report`() {
    var memory = memory { $0.updated.atMost = .hours(2) }
    memory.take(version(1))
    #expect(memory.take(version(2)).count == 1)

    #expect(memory.take(version(3)).count == 0)
    #expect(memory.takeNothing().count == 1)
  }

  @Test func `a shorter at-most reports a postponed edit at once`() {
    var memory = memory()
    memory.take(version(1))
    memory.take(version(2))
    memory.take(version(3))
    memory.feed.updated.atMost = .zero

    #expect(memory.takeNothing().count == 1)
  }

  @Test func `a clock that was set back does not postpone an edit for long`() {
    var memory = memory()
    memory.take(version(1))
    memory.take(version(2))
    memory.take(version(3))
    memory.time = memory.time - .days(400)

    #expect(memory.takeNothing().count == 1)
  }

  @Test func `an edited item is reported if it passes the filter now, and not listed if it no longer does`() {
    var memory = memory { $0.filter.exclude = ["Sponsored"] }
    memory.take(version(1, title: "Sponsored") + [item("b", title: "News")])

    let found = memory.take(version(1, title: "Review") + [item("b", title: "Sponsored")])

    #expect(found.updatedItems.map(\.number) == [2])
    #expect(found.changedItems.map(\.record?.isFiltered) == [true, false])
  }

  @Test func `an edited item that now passes the filter is stored as seen if edits are silent`() {
    var memory = memory {
      $0.filter.exclude = ["Sponsored"]
      $0.updated = .silent
    }
    memory.take(version(1, title: "Sponsored"))

    let found = memory.take(version(1, title: "Review"))

    #expect(found.count == 0)
    #expect(found.changedItems.map(\.record?.isFiltered) == [false])
  }

  @Test func `the filter is not applied again to an unchanged item`() {
    var memory = memory { $0.filter.exclude = ["Title"] }
    memory.take(version(1))
    memory.feed.filter.exclude = []

    #expect(memory.take(version(1)).changedItems.isEmpty)
  }
}

// What a run that stays begins, and how long it sleeps.

import Testing

@testable import Core

@Suite struct WatchBooksTests {
  private let later = now + .hours(1)
  private func outlook(_ due: Set<WatchDemand>) -> WatchOutlook { WatchOutlook(due: due, next: later) }
  private func demand(_ text: String, since: Instant? = nil) throws -> WatchDemand {
    .feed(try name(text), since: since)
  }

  /// Books after a cycle for something, and what there is to do after it.
  private func books(
    after begun: Set<WatchDemand>, at moment: Instant = now, leaving left: Set<WatchDemand>
  ) -> (WatchScheduler, WatchStep) {
    var books = WatchScheduler()
    #expect(books.step(outlook(begun), isUrgent: false, at: moment).cycle != nil)
    books.endFetching()
    books.endCycle()
    let step = books.step(outlook(left), isUrgent: false, at: moment)
    return (books, step)
  }

  @Test func `with nothing to do the daemon sleeps until the next moment, or without end`() {
    var books = WatchScheduler()

    #expect(books.step(outlook([]), isUrgent: true, at: now) == WatchStep(wake: later))
    #expect(books.step(WatchOutlook(), isUrgent: false, at: now) == WatchStep())
  }

  @Test func `a due feed begins a cycle at once, and only one`() throws {
    var books = WatchScheduler()

    let first = books.step(outlook([try demand("a")]), isUrgent: false, at: now)
    #expect(first.cycle == .watch)
    #expect(!books.mayBegin(at: now))
    let second = books.step(outlook([try demand("b")]), isUrgent: true, at: now)
    #expect(second.cycle == nil)
    #expect(books.isFetching)
  }

  @Test func `a push among what is due is the cause`() throws {
    var books = WatchScheduler()

    let step = books.step(
      outlook([try demand("a"), .push(try name("b"), 1)]), isUrgent: true, at: now)

    #expect(step.cycle == .push)
  }

  @Test func `work that a cycle left waits a minute, then longer, at most as long as a timer`() throws {
    let a = try demand("a")
    var (books, step) = books(after: [a], leaving: [a])
    var moment = now

    for rest in [1, 2, 3, 4, 5, 5] as [Int64] {
      #expect(step == WatchStep(wake: moment + .minutes(rest)))
      // Somebody who asks for something else does not hurry it.
      #expect(books.step(outlook([a]), isUrgent: true, at: moment + .seconds(20)).cycle == nil)
      moment = moment + .minutes(rest)
      #expect(books.step(outlook([a]), isUrgent: false, at: moment).cycle == .watch)
      books.endFetching()
      books.endCycle()
      step = books.step(outlook([a]), isUrgent: false, at: moment)
    }
  }

  @Test func `new work does not wait for the work that was left`() throws {
    let (a, b) = (try demand("a"), try demand("b"))
    var (books, _) = books(after: [a], leaving: [a])

    // Nobody is in a hurry: other feeds may be due in the same seconds.
    #expect(
      books.step(outlook([a, b]), isUrgent: false, at: now + .seconds(1))
        == WatchStep(wake: now + WatchScheduler.pace))
    #expect(books.step(outlook([a, b]), isUrgent: false, at: now + WatchScheduler.pace).cycle == .watch)
  }

  @Test(arguments: [nil, now - .minutes(1)])
  func `a feed that was fetched and is due again by then is not what was left`(before: Instant?) throws {
    let again = try demand("a", since: now)
    var (books, step) = books(after: [try demand("a", since: before)], leaving: [again])

    #expect(step == WatchStep(wake: now + WatchScheduler.pace))
    #expect(books.step(outlook([again]), isUrgent: false, at: now + WatchScheduler.pace).cycle == .watch)
  }

  @Test func `work that becomes due within the pause waits for its end`() throws {
    let soon = WatchOutlook(next: now + .seconds(3))
    var (books, _) = books(after: [try demand("a")], leaving: [])

    #expect(books.step(soon, isUrgent: false, at: now) == WatchStep(wake: now + WatchScheduler.pace))
  }

  @Test func `a delivery has its moment, pause or not`() throws {
    let (a, b) = (try demand("a"), try demand("b"))
    let moment = now + .seconds(3)
    var (books, _) = books(after: [a], leaving: [])

    #expect(
      books.step(WatchOutlook(next: later, deliveries: moment), isUrgent: false, at: now)
        == WatchStep(wake: moment))
    #expect(
      books.step(WatchOutlook(due: [b], deliveries: moment), isUrgent: false, at: now)
        == WatchStep(wake: moment))
    #expect(books.step(outlook([.deliveries]), isUrgent: false, at: moment).cycle == .watch)
  }

  @Test func `after a cycle for pushes alone there is no pause`() throws {
    let (push, b) = (WatchDemand.push(try name("a"), 1), try demand("b", since: now + .seconds(3)))
    var (pushed, step) = books(after: [push], leaving: [])

    #expect(step == WatchStep(wake: later))
    #expect(
      pushed.step(WatchOutlook(next: now + .seconds(3)), isUrgent: false, at: now)
        == WatchStep(wake: now + .seconds(3)))
    #expect(pushed.step(outlook([b]), isUrgent: false, at: now + .seconds(3)).cycle == .watch)

    var (both, _) = books(after: [push, try demand("c")], leaving: [])
    #expect(both.step(outlook([b]), isUrgent: false, at: now + .seconds(3)).cycle == nil)
  }

  @Test func `a demand of a person starts at once`() throws {
    var (books, step) = books(after: [try demand("a")], leaving: [])
    #expect(step == WatchStep(wake: later))

    let urgent = books.step(outlook([.push(try name("a"), 8)]), isUrgent: true, at: now + .seconds(1))

    #expect(urgent.cycle == .push)
  }

  @Test func `a push that came during a cycle is not what it left`() throws {
    var books = WatchScheduler()
    let a = try name("a")
    #expect(books.step(outlook([.push(a, 1)]), isUrgent: true, at: now).cycle == .push)
    #expect(books.step(WatchOutlook(), isUrgent: true, at: now).cycle == nil)

    books.endFetching()
    let step = books.step(outlook([.push(a, 2)]), isUrgent: false, at: now)

    #expect(step.cycle == .push)
  }

  @Test func `deliveries that a cycle could not hand over rest, too`() {
    var books = WatchScheduler()
    #expect(books.step(outlook([.deliveries]), isUrgent: false, at: now).cycle == .watch)
    books.endFetching()
    // While it delivers, deliveries are not counted.
    #expect(books.step(outlook([]), isUrgent: false, at: now) == WatchStep(wake: later))
    books.endCycle()

    #expect(
      books.step(outlook([.deliveries]), isUrgent: false, at: now) == WatchStep(wake: now + .minutes(1)))
  }

  @Test func `after something went wrong nothing begins for a minute, then it does`() throws {
    var books = WatchScheduler()
    let due = outlook([try demand("a")])
    books.fail(at: now)

    #expect(!books.mayBegin(at: now + .seconds(59)))
    #expect(
      books.step(due, isUrgent: true, at: now + .seconds(1)) == WatchStep(wake: now + .minutes(1)))
    #expect(books.mayBegin(at: now + .minutes(1)))
    #expect(books.step(due, isUrgent: false, at: now + .minutes(1)).cycle == .watch)
  }

  @Test func `a clock that was set ends every rest`() throws {
    let a = try demand("a")
    var (books, _) = books(after: [a], leaving: [a])
    books.fail(at: now)

    books.startOver()

    #expect(books.step(outlook([a]), isUrgent: false, at: now - .days(1)).cycle == .watch)
  }

  @Test func `transfers go on beside cycles, and one process of them at a time`() throws {
    var books = WatchScheduler()
    var due = WatchOutlook(transfers: now)

    #expect(books.step(due, isUrgent: false, at: now).transfers)
    #expect(!books.step(due, isUrgent: true, at: now).transfers)
    due.due = [try demand("a")]
    #expect(books.step(due, isUrgent: false, at: now).cycle == .watch)
  }

  @Test func `transfers that may go on later are waited for`() {
    var books = WatchScheduler()

    let step = books.step(WatchOutlook(transfers: now + .minutes(7)), isUrgent: false, at: now)

    #expect(step == WatchStep(wake: now + .minutes(7)))
  }

  @Test func `transfers that were left rest, unless a cycle or a person wakes them`() throws {
    let due = WatchOutlook(transfers: now)
    func left() -> WatchScheduler {
      var books = WatchScheduler()
      #expect(books.step(due, isUrgent: false, at: now).transfers)
      books.endTransfers()
      #expect(books.step(due, isUrgent: false, at: now) == WatchStep(wake: now + .minutes(5)))
      return books
    }

    var rested = left()
    #expect(!rested.step(due, isUrgent: false, at: now + .minutes(4)).transfers)
    #expect(rested.step(due, isUrgent: false, at: now + .minutes(5)).transfers)
    var urgent = left()
    #expect(urgent.step(due, isUrgent: true, at: now + .seconds(1)).transfers)
    var queued = left()
    #expect(queued.step(outlook([try demand("a")]), isUrgent: false, at: now).cycle == .watch)
    queued.endFetching()
    #expect(queued.step(due, isUrgent: false, at: now).transfers)
  }
}

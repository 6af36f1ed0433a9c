// What `run --watch` starts, and how long it sleeps.

import Testing

@testable import Core

@Suite struct WatchSchedulerTests {
  private let later = now + .hours(1)
  private func outlook(_ due: Set<WatchDemand>) -> WatchOutlook { WatchOutlook(due: due, next: later) }
  private func demand(_ text: String, since: Instant? = nil) throws -> WatchDemand {
    .feed(try name(text), since: since)
  }

  /// A scheduler after a cycle for some work, and its next step.
  private func scheduler(
    after begun: Set<WatchDemand>, at moment: Instant = now, leaving left: Set<WatchDemand>
  ) -> (WatchScheduler, WatchStep) {
    var scheduler = WatchScheduler()
    #expect(scheduler.step(outlook(begun), isUrgent: false, at: moment).cycle != nil)
    scheduler.endFetching()
    scheduler.endCycle()
    let step = scheduler.step(outlook(left), isUrgent: false, at: moment)
    return (scheduler, step)
  }

  @Test func `with nothing to do the daemon sleeps until the next moment, or forever`() {
    var scheduler = WatchScheduler()

    #expect(scheduler.step(outlook([]), isUrgent: true, at: now) == WatchStep(wake: later))
    #expect(scheduler.step(WatchOutlook(), isUrgent: false, at: now) == WatchStep())
  }

  @Test func `a due feed begins a cycle at once, and only one`() throws {
    var scheduler = WatchScheduler()

    let first = scheduler.step(outlook([try demand("a")]), isUrgent: false, at: now)
    #expect(first.cycle == .watch)
    #expect(!scheduler.mayBegin(at: now))
    let second = scheduler.step(outlook([try demand("b")]), isUrgent: true, at: now)
    #expect(second.cycle == nil)
    #expect(scheduler.isFetching)
  }

  @Test func `a push among what is due is the cause`() throws {
    var scheduler = WatchScheduler()

    let step = scheduler.step(
      outlook([try demand("a"), .push(try name("b"), 1)]), isUrgent: true, at: now)

    #expect(step.cycle == .push)
  }

  @Test func `work that a cycle left waits a minute, then longer, at most as long as a timer`() throws {
    let a = try demand("a")
    var (scheduler, step) = scheduler(after: [a], leaving: [a])
    var moment = now

    for rest in [1, 2, 3, 4, 5, 5] as [Int64] {
      #expect(step == WatchStep(wake: moment + .minutes(rest)))
      // A command about something else does not shorten the wait.
      #expect(scheduler.step(outlook([a]), isUrgent: true, at: moment + .seconds(20)).cycle == nil)
      moment = moment + .minutes(rest)
      #expect(scheduler.step(outlook([a]), isUrgent: false, at: moment).cycle == .watch)
      scheduler.endFetching()
      scheduler.endCycle()
      step = scheduler.step(outlook([a]), isUrgent: false, at: moment)
    }
  }

  @Test func `new work does not wait for the work that was left`() throws {
    let (a, b) = (try demand("a"), try demand("b"))
    var (scheduler, _) = scheduler(after: [a], leaving: [a])

    // It waits a little, because other feeds may be due in the same seconds.
    #expect(
      scheduler.step(outlook([a, b]), isUrgent: false, at: now + .seconds(1))
        == WatchStep(wake: now + WatchScheduler.pace))
    #expect(scheduler.step(outlook([a, b]), isUrgent: false, at: now + WatchScheduler.pace).cycle == .watch)
  }

  @Test(arguments: [nil, now - .minutes(1)])
  func `a feed that was fetched and is due again is new work`(before: Instant?) throws {
    let again = try demand("a", since: now)
    var (scheduler, step) = scheduler(after: [try demand("a", since: before)], leaving: [again])

    #expect(step == WatchStep(wake: now + WatchScheduler.pace))
    #expect(scheduler.step(outlook([again]), isUrgent: false, at: now + WatchScheduler.pace).cycle == .watch)
  }

  @Test func `work that becomes due within the pause waits for its end`() throws {
    let soon = WatchOutlook(next: now + .seconds(3))
    var (scheduler, _) = scheduler(after: [try demand("a")], leaving: [])

    #expect(scheduler.step(soon, isUrgent: false, at: now) == WatchStep(wake: now + WatchScheduler.pace))
  }

  @Test func `a delivery starts at its time, even within the pause`() throws {
    let (a, b) = (try demand("a"), try demand("b"))
    let moment = now + .seconds(3)
    var (scheduler, _) = scheduler(after: [a], leaving: [])

    #expect(
      scheduler.step(WatchOutlook(next: later, deliveries: moment), isUrgent: false, at: now)
        == WatchStep(wake: moment))
    #expect(
      scheduler.step(WatchOutlook(due: [b], deliveries: moment), isUrgent: false, at: now)
        == WatchStep(wake: moment))
    #expect(scheduler.step(outlook([.deliveries("desktop")]), isUrgent: false, at: moment).cycle == .watch)
  }

  @Test func `after a cycle for pushes alone there is no pause`() throws {
    let (push, b) = (WatchDemand.push(try name("a"), 1), try demand("b", since: now + .seconds(3)))
    var (pushed, step) = scheduler(after: [push], leaving: [])

    #expect(step == WatchStep(wake: later))
    #expect(
      pushed.step(WatchOutlook(next: now + .seconds(3)), isUrgent: false, at: now)
        == WatchStep(wake: now + .seconds(3)))
    #expect(pushed.step(outlook([b]), isUrgent: false, at: now + .seconds(3)).cycle == .watch)

    var (both, _) = scheduler(after: [push, try demand("c")], leaving: [])
    #expect(both.step(outlook([b]), isUrgent: false, at: now + .seconds(3)).cycle == nil)
  }

  @Test func `a command of the user starts work at once`() throws {
    var (scheduler, step) = scheduler(after: [try demand("a")], leaving: [])
    #expect(step == WatchStep(wake: later))

    let urgent = scheduler.step(outlook([.push(try name("a"), 8)]), isUrgent: true, at: now + .seconds(1))

    #expect(urgent.cycle == .push)
  }

  @Test func `a push that came during a cycle is new work`() throws {
    var scheduler = WatchScheduler()
    let a = try name("a")
    #expect(scheduler.step(outlook([.push(a, 1)]), isUrgent: true, at: now).cycle == .push)
    #expect(scheduler.step(WatchOutlook(), isUrgent: true, at: now).cycle == nil)

    scheduler.endFetching()
    let step = scheduler.step(outlook([.push(a, 2)]), isUrgent: false, at: now)

    #expect(step.cycle == .push)
  }

  @Test func `deliveries that a cycle could not make wait, too`() {
    var scheduler = WatchScheduler()
    #expect(scheduler.step(outlook([.deliveries("desktop")]), isUrgent: false, at: now).cycle == .watch)
    scheduler.endFetching()
    // While it delivers, deliveries are not counted.
    #expect(scheduler.step(outlook([]), isUrgent: false, at: now) == WatchStep(wake: later))
    scheduler.endCycle()

    #expect(
      scheduler.step(outlook([.deliveries("desktop")]), isUrgent: false, at: now)
        == WatchStep(wake: now + .minutes(1)))
  }

  @Test func `a hook that is busy elsewhere does not delay the deliveries of another`() {
    var scheduler = WatchScheduler()
    #expect(scheduler.step(outlook([.deliveries("slow")]), isUrgent: false, at: now).cycle == .watch)
    scheduler.endFetching()
    scheduler.endCycle()
    #expect(scheduler.step(outlook([.deliveries("slow")]), isUrgent: false, at: now).cycle == nil)

    let both = outlook([.deliveries("slow"), .deliveries("desktop")])
    #expect(scheduler.step(both, isUrgent: false, at: now + .seconds(5)).cycle == .watch)
  }

  @Test func `after an error nothing begins for a minute`() throws {
    var scheduler = WatchScheduler()
    let due = outlook([try demand("a")])
    scheduler.fail(at: now)

    #expect(!scheduler.mayBegin(at: now + .seconds(59)))
    #expect(
      scheduler.step(due, isUrgent: true, at: now + .seconds(1)) == WatchStep(wake: now + .minutes(1)))
    #expect(scheduler.mayBegin(at: now + .minutes(1)))
    #expect(scheduler.step(due, isUrgent: false, at: now + .minutes(1)).cycle == .watch)
  }

  @Test func `setting the clock ends every wait`() throws {
    let a = try demand("a")
    var (scheduler, _) = scheduler(after: [a], leaving: [a])
    scheduler.fail(at: now)

    scheduler.startOver()

    #expect(scheduler.step(outlook([a]), isUrgent: false, at: now - .days(1)).cycle == .watch)
  }

  @Test func `transfers run beside cycles, one process at a time`() throws {
    var scheduler = WatchScheduler()
    var due = WatchOutlook(transfers: now)

    #expect(scheduler.step(due, isUrgent: false, at: now).transfers)
    #expect(!scheduler.step(due, isUrgent: true, at: now).transfers)
    due.due = [try demand("a")]
    #expect(scheduler.step(due, isUrgent: false, at: now).cycle == .watch)
  }

  @Test func `the daemon wakes for transfers that can continue later`() {
    var scheduler = WatchScheduler()

    let step = scheduler.step(WatchOutlook(transfers: now + .minutes(7)), isUrgent: false, at: now)

    #expect(step == WatchStep(wake: now + .minutes(7)))
  }

  @Test func `transfers that were left wait, unless a cycle or the user wakes them`() throws {
    let due = WatchOutlook(transfers: now)
    func left() -> WatchScheduler {
      var scheduler = WatchScheduler()
      #expect(scheduler.step(due, isUrgent: false, at: now).transfers)
      scheduler.endTransfers()
      #expect(scheduler.step(due, isUrgent: false, at: now) == WatchStep(wake: now + .minutes(5)))
      return scheduler
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

// When `run --watch` starts runs, and how long it sleeps.

import Testing

@testable import Core

@Suite struct WatchSchedulerTests {
  private let later = now + .hours(1)
  private let other: FeedName
  private var next: DueOutlook.NextFeed { soon(.hours(1)) }

  init() throws { other = try name("other") }

  private func soon(_ wait: Interval) -> DueOutlook.NextFeed { DueOutlook.NextFeed(other, at: now + wait) }

  private func outlook(_ due: Set<WatchDemand>) -> DueOutlook { DueOutlook(due: due, next: next) }
  private func demand(_ text: String, since: Instant? = nil) throws -> WatchDemand {
    .feed(try name(text), since: since)
  }

  /// A scheduler after a run for some work, and its next step.
  private func scheduler(
    after begun: Set<WatchDemand>, at moment: Instant = now, leaving left: Set<WatchDemand>
  ) -> (WatchScheduler, WatchStep) {
    var scheduler = WatchScheduler()
    #expect(scheduler.step(outlook(begun), isUrgent: false, at: moment).startsRun)
    scheduler.endFetching()
    scheduler.endRun()
    let step = scheduler.step(outlook(left), isUrgent: false, at: moment)
    return (scheduler, step)
  }

  @Test func `with nothing to do the daemon sleeps until the next moment, or forever`() {
    var scheduler = WatchScheduler()

    #expect(scheduler.step(outlook([]), isUrgent: true, at: now) == WatchStep(wake: later))
    #expect(scheduler.step(DueOutlook(), isUrgent: false, at: now) == WatchStep())
  }

  @Test func `a due feed starts a run at once, and only one`() throws {
    var scheduler = WatchScheduler()

    #expect(scheduler.step(outlook([try demand("a")]), isUrgent: false, at: now).startsRun)
    #expect(!scheduler.mayStart(at: now))
    #expect(!scheduler.step(outlook([try demand("b")]), isUrgent: true, at: now).startsRun)
    #expect(scheduler.isFetching)
  }

  @Test func `work that a run left waits a minute, then longer, at most as long as a timer`() throws {
    let a = try demand("a")
    var (scheduler, step) = scheduler(after: [a], leaving: [a])
    var moment = now

    for rest in [1, 2, 3, 4, 5, 5] as [Int64] {
      #expect(step == WatchStep(wake: moment + .minutes(rest)))
      // A command about something else does not shorten the wait.
      #expect(!scheduler.step(outlook([a]), isUrgent: true, at: moment + .seconds(20)).startsRun, "\(rest)")
      moment = moment + .minutes(rest)
      #expect(scheduler.step(outlook([a]), isUrgent: false, at: moment).startsRun, "\(rest)")
      scheduler.endFetching()
      scheduler.endRun()
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
    #expect(scheduler.step(outlook([a, b]), isUrgent: false, at: now + WatchScheduler.pace).startsRun)
  }

  @Test(arguments: [nil, now - .minutes(1)])
  func `a feed that was fetched and is due again is new work`(before: Instant?) throws {
    let again = try demand("a", since: now)
    var (scheduler, step) = scheduler(after: [try demand("a", since: before)], leaving: [again])

    #expect(step == WatchStep(wake: now + WatchScheduler.pace))
    #expect(scheduler.step(outlook([again]), isUrgent: false, at: now + WatchScheduler.pace).startsRun)
  }

  @Test func `the daemon wakes for work that becomes due within the pause, and for transfers that continue`()
    throws
  {
    var (scheduler, _) = scheduler(after: [try demand("a")], leaving: [])
    var fresh = WatchScheduler()

    #expect(
      scheduler.step(DueOutlook(next: soon(.seconds(3))), isUrgent: false, at: now)
        == WatchStep(wake: now + WatchScheduler.pace))
    #expect(
      fresh.step(DueOutlook(later: now + .minutes(7)), isUrgent: false, at: now)
        == WatchStep(wake: now + .minutes(7)))
  }

  @Test func `a delivery starts at its time, even within the pause`() throws {
    let (a, b) = (try demand("a"), try demand("b"))
    let moment = now + .seconds(3)
    var (scheduler, _) = scheduler(after: [a], leaving: [])

    #expect(
      scheduler.step(DueOutlook(next: next, later: moment), isUrgent: false, at: now)
        == WatchStep(wake: moment))
    #expect(
      scheduler.step(DueOutlook(due: [b], later: moment), isUrgent: false, at: now)
        == WatchStep(wake: moment))
    #expect(scheduler.step(outlook([.deliveries("desktop")]), isUrgent: false, at: moment).startsRun)
  }

  @Test func `after a run for pushes alone there is no pause`() throws {
    let (push, b) = (WatchDemand.push(try name("a"), 1), try demand("b", since: now + .seconds(3)))
    var (pushed, step) = scheduler(after: [push], leaving: [])

    #expect(step == WatchStep(wake: later))
    #expect(
      pushed.step(DueOutlook(next: soon(.seconds(3))), isUrgent: false, at: now)
        == WatchStep(wake: now + .seconds(3)))
    #expect(pushed.step(outlook([b]), isUrgent: false, at: now + .seconds(3)).startsRun)

    var (both, _) = scheduler(after: [push, try demand("c")], leaving: [])
    #expect(!both.step(outlook([b]), isUrgent: false, at: now + .seconds(3)).startsRun)
  }

  @Test func `a command of the user starts work at once`() throws {
    var (scheduler, step) = scheduler(after: [try demand("a")], leaving: [])
    #expect(step == WatchStep(wake: later))

    let urgent = scheduler.step(outlook([.push(try name("a"), 8)]), isUrgent: true, at: now + .seconds(1))

    #expect(urgent.startsRun)
  }

  @Test func `a push that came during a run is new work`() throws {
    var scheduler = WatchScheduler()
    let a = try name("a")
    #expect(scheduler.step(outlook([.push(a, 1)]), isUrgent: true, at: now).startsRun)
    #expect(!scheduler.step(DueOutlook(), isUrgent: true, at: now).startsRun)

    scheduler.endFetching()
    #expect(scheduler.step(outlook([.push(a, 2)]), isUrgent: false, at: now).startsRun)
  }

  @Test func `deliveries that a run could not make wait, too, but not those of another hook`() {
    var scheduler = WatchScheduler()
    #expect(scheduler.step(outlook([.deliveries("slow")]), isUrgent: false, at: now).startsRun)
    scheduler.endFetching()
    // While it delivers, deliveries are not counted.
    #expect(scheduler.step(outlook([]), isUrgent: false, at: now) == WatchStep(wake: later))
    scheduler.endRun()

    #expect(
      scheduler.step(outlook([.deliveries("slow")]), isUrgent: false, at: now)
        == WatchStep(wake: now + .minutes(1)))
    let both = outlook([.deliveries("slow"), .deliveries("desktop")])
    #expect(scheduler.step(both, isUrgent: false, at: now + .seconds(5)).startsRun)
  }

  @Test func `after an error nothing begins for a minute, and setting the clock ends every wait`() throws {
    let a = try demand("a")
    var scheduler = WatchScheduler()
    var (set, _) = self.scheduler(after: [a], leaving: [a])
    let due = outlook([a])
    scheduler.fail(at: now)
    set.fail(at: now)
    set.startOver()

    #expect(!scheduler.mayStart(at: now + .seconds(59)))
    #expect(scheduler.step(due, isUrgent: true, at: now + .seconds(1)) == WatchStep(wake: now + .minutes(1)))
    #expect(scheduler.mayStart(at: now + .minutes(1)))
    #expect(scheduler.step(due, isUrgent: false, at: now + .minutes(1)).startsRun)
    #expect(set.step(due, isUrgent: false, at: now - .days(1)).startsRun)
  }

  @Test func `what a run could not do for an error is tried when the error is a minute old`() throws {
    let a = try demand("a")
    var scheduler = WatchScheduler()
    #expect(scheduler.step(outlook([a]), isUrgent: false, at: now).startsRun)

    scheduler.endFetching()
    scheduler.endRun()
    scheduler.fail(at: now + .seconds(1))

    let soon = scheduler.step(outlook([a]), isUrgent: false, at: now + .seconds(60))
    #expect(soon == WatchStep(wake: now + .seconds(61)))
    #expect(scheduler.step(outlook([a]), isUrgent: false, at: now + .seconds(61)).startsRun)
  }

  @Test func `a server that may soon be ready is tried each second, without a word for half a minute`() throws
  {
    let a = try demand("a")
    var (scheduler, _) = self.scheduler(after: [a], leaving: [])
    var reports: [Bool] = []
    for second in 0...30 as ClosedRange<Int64> {
      #expect(scheduler.mayStart(at: now + .seconds(second)))
      reports.append(scheduler.fail(at: now + .seconds(second), mayPass: true))
    }
    #expect(reports == Array(repeating: false, count: 30) + [true])
    #expect(!scheduler.mayStart(at: now + .seconds(39)))
    #expect(scheduler.mayStart(at: now + .seconds(40)))
    // Success ends what is remembered of the errors.
    scheduler.succeed()
    reports = [scheduler.fail(at: now + .minutes(1), mayPass: true), scheduler.fail(at: now + .minutes(1))]
    #expect(reports == [false, true])
    #expect(!scheduler.mayStart(at: now + .seconds(119)))
    // The work of the run does not rest.
    #expect(scheduler.step(outlook([a]), isUrgent: false, at: now + .minutes(2)).startsRun)
  }

  @Test func `transfers that were left wait, unless a command wakes them`() {
    let due = outlook([.transfers])
    let (rested, step) = scheduler(after: [.transfers], leaving: [.transfers])
    #expect(step == WatchStep(wake: now + .minutes(1)))

    var (later, urgent) = (rested, rested)
    #expect(!later.step(due, isUrgent: false, at: now + .seconds(59)).startsRun)
    #expect(later.step(due, isUrgent: false, at: now + .minutes(1)).startsRun)
    #expect(urgent.step(due, isUrgent: true, at: now + .seconds(1)).startsRun)
  }
}

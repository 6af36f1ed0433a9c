// The moment that the store may keep for a feed that is not due: runs that use it fetch the same feeds as other runs.

import Core
import Testing

@Suite struct LastingMomentTests {

  /// A feed in a state of any kind, with hours and a pause too.
  private func anyFeed(_ numbers: inout SeededNumbers) throws -> (FeedSpec, FeedState) {
    var (feed, state) = try randomFeed(&numbers)
    func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &numbers) == 0 }
    if oneIn(4) { feed.hours = try WeeklyHours(parsing: oneIn(2) ? "mon-fri 08:00-18:00" : "22:00-02:30") }
    if oneIn(12) { feed.minimumInterval = .never }
    if oneIn(8) {
      state.pause = Pause(until: oneIn(3) ? nil : now + .hours(.random(in: -5...60, using: &numbers)))
    }
    if oneIn(4) { state.hints.skipDays = [2, 3] }
    if oneIn(4) { state.hints.timeToLive = .minutes(.random(in: 1...20_000, using: &numbers)) }
    if oneIn(10) { (state.goneSince, state.backoffClass) = (now - .hours(3), .gone) }
    if oneIn(15) { state.hasTransferUnderWay = true }
    return (feed, state)
  }

  @Test(arguments: 1...6) func `no feed is due a run's wait before its moment`(seed: UInt64) throws {
    var numbers = SeededNumbers(state: seed)
    var lasting = 0
    for _ in 0..<1000 {
      let (feed, state) = try anyFeed(&numbers)
      let zone = Bool.random(using: &numbers) ? Zone.utc : TestZone.berlin
      guard let moment = dueDecision(feed, state, context(zone: zone)).lastingMoment else { continue }
      lasting += 1
      // The index is made again each day, so two days are more than enough.
      let end = min(moment - DueDecision.longestWait, now + .days(2))
      guard end > now else { continue }
      for _ in 0..<5 {
        let later = now + .seconds(.random(in: 0..<end.since(now).seconds, using: &numbers))
        #expect(
          !dueDecision(feed, state, context(now: later, zone: zone)).isDue,
          "\(feed) \(state) at \(later.rfc3339), recorded \(moment.rfc3339)")
      }
    }
    #expect(lasting > 200)
  }

  @Test func `a moment that depends on other feeds is not stored`() throws {
    let feed = try feed("hourly", interval: .every(.minutes(5)))
    let hosts = ["planet.example": with(HostState()) { $0.limitedUntil = now + .hours(3) }]
    let state = fetched(.minutes(10))
    let underWay = with(state) { $0.hasTransferUnderWay = true }

    #expect(dueDecision(feed, state, context(hosts: hosts)).lastingMoment == nil)
    #expect(dueDecision(feed, underWay, context()).lastingMoment == nil)
    #expect(dueDecision(feed, state, context()).lastingMoment == nil)
    #expect(dueDecision(feed, fetched(.minutes(1)), context(named: [try name("other")])).lastingMoment == nil)
    #expect(dueDecision(feed, fetched(.minutes(1)), context()).lastingMoment != nil)
  }
}

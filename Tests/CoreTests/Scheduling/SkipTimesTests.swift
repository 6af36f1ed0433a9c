// `skipHours` and `skipDays` of a document: how they postpone a feed.

import Core
import Testing

@Suite struct SkipTimesTests {
  private func decision(
    hours: Set<Int> = [], days: Set<Int> = [], freshnessLimit: Interval = .days(7),
    _ context: PlanningContext = context()
  ) throws -> DueDecision {
    var state = fetched(.days(1))
    state.hints.skipHours = hours
    state.hints.skipDays = days
    return dueDecision(
      try feed(interval: .every(.hours(1)), freshnessLimit: freshnessLimit), state, context)
  }

  @Test func `a feed is not fetched in an hour that its document skips`() throws {
    let decision = try decision(hours: [9, 10, 11])

    #expect(decision.reason == .postponed(.skipTimes, until: now + .hours(2)))
  }

  @Test func `skipped times end with the hour and the day, whenever the run is`() throws {
    let run = context(now: now + .minutes(25) + .seconds(7))

    #expect(try decision(hours: [10], run).dueAt == now + .hours(1))
    #expect(try decision(days: [1], run).dueAt == now + .hours(14))
  }

  @Test func `hours to skip join over midnight`() throws {
    let night = context(now: now + .hours(13))

    #expect(try decision(hours: [23, 0, 1], night).dueAt == now + .hours(16))
  }

  @Test func `a feed is not fetched on a day that its document skips`() throws {
    // 2026-11-02 is a Monday.
    #expect(try decision(days: [1, 2]).dueAt == now + .hours(14 + 24))
  }

  @Test func `skipped days and hours add up`() throws {
    #expect(try decision(hours: [0, 1], days: [1]).dueAt == now + .hours(16))
  }

  @Test func `hours and days are those of UTC`() throws {
    let zone = try #require(Zone(name: "Test", posix: "TST-5"))

    #expect(try decision(hours: [15], context(zone: zone)).isDue)
    #expect(!(try decision(hours: [10], context(zone: zone)).isDue))
  }

  @Test func `an hour that is not skipped postpones nothing`() throws {
    #expect(try decision(hours: [9, 11]).isDue)
  }

  @Test func `a document that skips every hour or every day is not followed`() throws {
    #expect(try decision(hours: Set(0...23)).isDue)
    #expect(try decision(days: Set(0...6)).isDue)
  }

  @Test func `naming overrides skipped hours`() throws {
    #expect(try decision(hours: [10], context(named: [try name("planet")])).isDue)
  }

  @Test func `a freshness limit of zero ignores skipped hours`() throws {
    #expect(try decision(hours: [10], freshnessLimit: .zero).isDue)
  }

  @Test func `a skipped hour postpones a feed even after weeks without a run`() throws {
    var state = fetched(.days(30))
    state.hints.skipHours = [10]

    #expect(dueDecision(try feed(), state, context()).dueAt == now + .hours(1))
  }

  @Test func `skipHours and skipDays last no longer than the freshness limit`() throws {
    var state = fetched(.minutes(58))
    state.hints.skipDays = [1, 2, 3, 4]

    let decision = dueDecision(try feed(freshnessLimit: .hours(3)), state, context())

    #expect(decision.dueAt == now + .hours(3))
  }
}

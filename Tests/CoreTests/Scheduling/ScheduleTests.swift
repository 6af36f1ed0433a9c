// When a cron schedule makes a feed due, alone and with an interval.

import Core
import Testing

@Suite struct ScheduleTests {
  @Test func `a schedule makes a feed due from its matching minute on`() throws {
    let feed = try feed(schedule: ["30 10 * * *"])

    #expect(dueDecision(feed, fetched(.hours(2)), context()).dueAt == now + .minutes(30))
    #expect(dueDecision(feed, fetched(.hours(2)), context(now: now + .minutes(45))).isDue)
  }

  @Test func `a schedule without an interval decides alone`() throws {
    let feed = try feed(schedule: ["*/10 7-22 * * *"])

    let decision = dueDecision(feed, fetched(.minutes(3)), context(now: now))

    #expect(decision.isDue)
    #expect(decision.reason == .reached(.schedule, at: now))
  }

  @Test func `a schedule without an interval decides alone even without validators`() throws {
    var state = fetched(.minutes(3))
    state.validators.entityTag = nil

    #expect(dueDecision(try feed(schedule: ["*/10 * * * *"]), state, context()).isDue)
  }

  @Test func `a run that starts with the matching minute uses it up`() throws {
    let feed = try feed(schedule: ["0 10 * * *"])

    let decision = dueDecision(feed, fetched(.zero), context())

    #expect(decision.dueAt == now + .hours(24))
  }

  @Test func `a schedule counts from the end of the interval less slack`() throws {
    let feed = try feed(interval: .every(.hours(1)), schedule: ["0 * * * *"])

    // Fetched at 10:00:20; less slack the hour ends at 10:58:20.
    let decision = dueDecision(
      feed, fetched(.zero, before: now + .seconds(20)), context(now: now + .minutes(1)))

    #expect(decision.dueAt == now + .hours(1))
  }

  @Test func `a schedule passes over matches inside the interval`() throws {
    let feed = try feed(interval: .every(.hours(3)), schedule: ["15 * * * *"])

    #expect(dueDecision(feed, fetched(.zero), context()).dueAt == now + .hours(3) + .minutes(15))
  }

  @Test func `the first of several expressions to fire counts`() throws {
    let feed = try feed(schedule: ["0 20 * * *", "30 11 * * *", "0 12 * * *"])

    #expect(dueDecision(feed, fetched(.hours(1)), context()).dueAt == now + .minutes(90))
  }

  @Test func `missed minutes count as one`() throws {
    let feed = try feed(schedule: ["*/10 * * * *"])
    let first = dueDecision(feed, fetched(.days(3)), context())
    let after = stateAfterSuccess(
      fetched(.days(3)), attempt(feed), result: .noData, reason: "", hints: nil
    ).state

    #expect(first.isDue)
    #expect(dueDecision(feed, after, context(now: now + .seconds(30))).dueAt == now + .minutes(10))
  }

  @Test func `a failure does not use up the matching minute`() throws {
    let feed = try feed(schedule: ["0 10 * * *"])
    let failed = stateAfterFailure(
      fetched(.hours(20)), attempt(feed), failure: .truncated, reason: ""
    ).state

    #expect(!dueDecision(feed, failed, context(now: now + .minutes(1))).isDue)
    #expect(dueDecision(feed, failed, context(now: now + .minutes(17))).isDue)
  }

  @Test func `a schedule is read in the run's zone`() throws {
    let zone = try #require(Zone(name: "Test", posix: "TST-5"))
    let feed = try feed(schedule: ["30 15 * * *"])

    #expect(dueDecision(feed, fetched(.hours(1)), context(zone: zone)).dueAt == now + .minutes(30))
  }
}

// Pauses, and when a paused feed is due.

import Core
import Testing

@Suite struct PauseTests {
  private func paused(until: Instant? = nil, _ state: FeedState = fetched(.hours(9))) -> FeedState {
    var state = state
    state.pause = Pause(until: until)
    return state
  }

  @Test func `a paused feed is not due, also if it was never fetched`() throws {
    for state in [paused(), paused(FeedState())] {
      let decision = dueDecision(try feed(), state, context())

      #expect(decision.reason == .paused)
      #expect(decision.dueAt == nil)
    }
  }

  @Test func `a pause with an end lasts until then`() throws {
    let state = paused(until: now + .hours(3))

    #expect(dueDecision(try feed(), state, context()).reason == .postponed(.pause, until: now + .hours(3)))
    #expect(dueDecision(try feed(), state, context(now: now + .hours(3))).isDue)
    #expect(
      dueDecision(try feed(), paused(until: now - .seconds(1)), context()).reason
        == dueDecision(try feed(), fetched(.hours(9)), context()).reason)
  }

  @Test func `a pause that ends in the night ends in the morning`() throws {
    var feed = try feed()
    feed.hours = try WeeklyHours(parsing: "08:00-18:00")

    #expect(dueDecision(feed, paused(until: now + .hours(12)), context()).dueAt == now + .hours(22))
  }

  @Test func `naming a paused feed fetches it, and --force without names does not`() throws {
    let feed = try feed()

    #expect(dueDecision(feed, paused(), context(named: [feed.name])).reason == .named)
    #expect(dueDecision(feed, paused(), context(named: [feed.name], isForced: true)).reason == .named)
    #expect(dueDecision(feed, paused(), context(isForced: true)).reason == .paused)
    #expect(
      dueDecision(feed, paused(until: now + .days(1)), context(isForced: true)).reason
        == .postponed(.pause, until: now + .days(1)))
  }

  @Test func `a clock set back neither ends nor lengthens a pause`() throws {
    let until = now + .days(400)
    let state = paused(until: until, fetched(.zero, before: now + .days(365)))

    #expect(dueDecision(try feed(), state, context()).reason == .postponed(.pause, until: until))
  }

  @Test func `a run does not wait for a server while the feed is paused`() throws {
    var state = paused(until: now + .seconds(30))
    state.freshness = ServerFreshness(notBefore: now + .seconds(40), source: "ttl")

    #expect(!dueDecision(try feed(), state, context()).isDue)
  }

  @Test func `why reports a pause, but not one that has ended`() throws {
    func row(_ state: FeedState) throws -> WhyReport.Row? {
      whyReport(try feed(), state, context()).rows.first { $0.rule == "pause" }
    }

    let forGood = try #require(try row(paused()))
    #expect(forGood.value == "until bgfetch unpause")
    #expect(forGood.binds)
    let limited = try #require(try row(paused(until: now + .hours(3))))
    #expect(limited.value == "until 2026-11-02 13:00:00")
    #expect(limited.allowsFrom == now + .hours(3))
    #expect(try row(paused(until: now)) == nil)
    #expect(
      whyReport(try feed(), paused(), context()).conclusion == "paused; name it to fetch it anyway")
  }

  @Test func `the plan says which feeds are skipped because they are paused`() throws {
    let plan = duePlan(
      [try feed("one"), try feed("two"), try feed("three")],
      [
        try name("one"): paused(), try name("two"): paused(until: now + .days(1)),
        try name("three"): fetched(.zero),
      ],
      context())

    #expect(plan.due.isEmpty)
    #expect(plan.skipped.map(\.isPaused) == [true, true, false])
  }
}

// The order of the feeds of a run, and the feeds that it skips.

import Core
import Testing

@Suite struct DuePlanTests {
  private func names(_ feeds: [PlannedFeed]) -> [String] { feeds.map(\.feed.name.text) }

  @Test func `the most overdue comes first, those never fetched before them`() throws {
    let feeds = try ["hour", "day", "new", "week"].map { try feed($0) }
    let states = [
      feeds[0].name: fetched(.hours(2)), feeds[1].name: fetched(.days(1)), feeds[3].name: fetched(.days(7)),
    ]

    let plan = duePlan(feeds, states, context())

    #expect(names(plan.due) == ["new", "week", "day", "hour"])
  }

  @Test func `feeds last fetched before the clock was set back come before the overdue ones`() throws {
    // Otherwise they would never be fetched if the budget ends each run and another feed is due in every run.
    let feeds = [try feed("busy", interval: .everyRun), try feed("ahead")]
    let states = [feeds[0].name: fetched(.hours(1)), feeds[1].name: fetched(.zero, before: now + .days(30))]

    #expect(names(duePlan(feeds, states, context()).due) == ["ahead", "busy"])
  }

  @Test func `feeds equally overdue keep the order of the configuration`() throws {
    let feeds = try (0..<100).map { try feed("feed\(99 - $0)") }

    #expect(names(duePlan(feeds, [:], context()).due) == feeds.map(\.name.text))
  }

  @Test func `a feed in flight in two crashes in a row comes last`() throws {
    let feeds = try ["crashing", "unlucky", "other"].map { try feed($0) }
    var crashing = FeedState()
    crashing.crashes = 2
    var unlucky = FeedState()
    unlucky.crashes = 1

    let plan = duePlan(
      feeds, [feeds[0].name: crashing, feeds[1].name: unlucky, feeds[2].name: fetched(.days(1))], context())

    #expect(names(plan.due) == ["unlucky", "other", "crashing"])
    #expect(plan.due.map(\.comesLast) == [false, false, true])
  }

  @Test func `skipped feeds keep the order of the configuration`() throws {
    let feeds = try ["c", "a", "b"].map { try feed($0) }
    let states = Dictionary(
      uniqueKeysWithValues: zip(feeds.map(\.name), [10, 30, 20].map { fetched(.minutes($0)) }))

    let plan = duePlan(feeds, states, context())

    #expect(plan.skipped.map(\.name.text) == ["c", "a", "b"])
    #expect(plan.due.isEmpty)
  }

  @Test func `each feed is in the plan exactly once`() throws {
    let feeds = try (0..<50).map { try feed("feed\($0)") }
    let states = Dictionary(
      uniqueKeysWithValues: feeds.enumerated().map { ($1.name, fetched(.minutes(Int64($0 * 3)))) })

    let plan = duePlan(feeds, states, context())

    #expect(!plan.due.isEmpty && !plan.skipped.isEmpty)
    #expect(Set(names(plan.due) + plan.skipped.map(\.name.text)) == Set(feeds.map(\.name.text)))
    #expect(plan.due.count + plan.skipped.count == feeds.count)
  }

  @Test func `a feed that waits for its server comes after those that do not`() throws {
    let feeds = [try feed("waiting"), try feed("ready")]
    var waiting = fetched(.days(1))
    waiting.freshness = ServerFreshness(notBefore: now + .seconds(30), source: "ttl")

    let plan = duePlan(feeds, [feeds[0].name: waiting, feeds[1].name: fetched(.hours(2))], context())

    #expect(names(plan.due) == ["ready", "waiting"])
  }
}

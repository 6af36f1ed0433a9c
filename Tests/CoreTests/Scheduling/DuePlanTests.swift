// The order of the feeds of a run, and the feeds that it skips.

import Core
import Testing

@Suite struct DuePlanTests {
  private func names(_ feeds: [QueuedFeed]) -> [String] { feeds.map(\.name.text) }

  @Test func `the most overdue comes first, those never fetched before them`() throws {
    func due(_ states: KeyValuePairs<String, FeedState?>) throws -> [QueuedFeed] {
      let pairs = try states.compactMap { text, state in try state.map { (try name(text), $0) } }
      return duePlan(
        try states.map { try feed($0.key, interval: $0.key == "busy" ? .everyRun : nil) },
        Dictionary(uniqueKeysWithValues: pairs), context()
      ).due
    }
    let crashes = [2, 1].map { count in with(FeedState()) { $0.crashes = count } }
    let waiting = fetched(.days(1)) { $0.freshness = freshness(until: now + .seconds(30)) }

    #expect(
      names(
        try due(["hour": fetched(.hours(2)), "day": fetched(.days(1)), "new": nil, "week": fetched(.days(7))])
      )
        == ["new", "week", "day", "hour"])
    // Otherwise feeds last fetched before the clock was set back would never be fetched if the budget ends each run and
    // another feed is due in every run.
    #expect(
      names(try due(["busy": fetched(.hours(1)), "ahead": fetched(.zero, before: now + .days(30))]))
        == ["ahead", "busy"])
    // A feed in flight in two crashes in a row comes last.
    let crashed = try due(["crashing": crashes[0], "unlucky": crashes[1], "other": fetched(.days(1))])
    #expect(names(crashed) == ["unlucky", "other", "crashing"])
    #expect(crashed.map(\.comesLast) == [false, false, true])
    // A feed that waits for its server comes after the ones that do not.
    #expect(names(try due(["waiting": waiting, "ready": fetched(.hours(2))])) == ["ready", "waiting"])
  }

  @Test func `feeds equally overdue, and skipped ones, keep the order of the configuration`() throws {
    let feeds = try (0..<100).map { try feed("feed\(99 - $0)") }
    let three = try ["c", "a", "b"].map { try feed($0) }
    let states = Dictionary(
      uniqueKeysWithValues: zip(three.map(\.name), [10, 30, 20].map { fetched(.minutes($0)) }))

    let plan = duePlan(three, states, context())

    #expect(names(duePlan(feeds, [:], context()).due) == feeds.map(\.name.text))
    #expect(plan.skipped.map(\.name.text) == ["c", "a", "b"])
    #expect(plan.due.isEmpty)
  }

  @Test func `each feed is in the plan exactly once`() throws {
    let feeds = try (0..<50).map { try feed("feed\($0)") }
    let states = Dictionary(
      uniqueKeysWithValues: feeds.enumerated().map { ($1.name, fetched(.minutes(Int64($0 * 3)))) })

    let plan = duePlan(feeds, states, context())

    #expect(!plan.due.isEmpty)
    #expect(!plan.skipped.isEmpty)
    #expect(Set(names(plan.due) + plan.skipped.map(\.name.text)) == Set(feeds.map(\.name.text)))
    #expect(plan.due.count + plan.skipped.count == feeds.count)
  }
}

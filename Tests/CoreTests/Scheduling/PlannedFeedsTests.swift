// The plan of a round, made from parts of the feeds.

import Testing

@testable import Core

@Suite struct PlannedFeedsTests {
  /// The plan of feeds in parts of a size.
  private func plan(
    _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext, by size: Int
  ) -> (plan: PlannedFeeds, skipped: [SkippedFeed]) {
    var plan = PlannedFeeds()
    var skipped: [SkippedFeed] = []
    for start in stride(from: 0, to: feeds.count, by: size) {
      skipped += plan.add(Array(feeds[start..<min(start + size, feeds.count)]), states, context)
    }
    plan.sort()
    return (plan, skipped)
  }

  /// Feeds of a few hosts in random states.
  private func world(_ numbers: inout SeededNumbers) throws -> ([FeedSpec], [FeedName: FeedState]) {
    var states: [FeedName: FeedState] = [:]
    let feeds = try (0..<40).map { number in
      var feed = try feed(
        "f\(number)", url: "https://h\(Int.random(in: 0..<4, using: &numbers)).example/feed")
      if Bool.random(using: &numbers) { feed.minimumInterval = .everyRun }
      // Few different ages, so that many feeds are equally overdue.
      var state = fetched(.hours(Int64.random(in: 0..<4, using: &numbers)))
      switch Int.random(in: 0..<8, using: &numbers) {
      case 0: return feed
      case 1: state.crashes = 2
      case 2: state.pause = Pause(until: nil)
      case 3: state.freshness = freshness(until: now + .seconds(30))
      case 4: state.rateLimit = limit(until: now + .minutes(5))
      default: break
      }
      states[feed.name] = state
      return feed
    }
    return (feeds, states)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `a plan in parts is the plan in one piece`(seed: UInt64) throws {
    var numbers = SeededNumbers(state: seed)
    let (feeds, states) = try world(&numbers)
    let named = Bool.random(using: &numbers) ? [] : Set(feeds.prefix(7).map(\.name))
    let context = PlanningContext(now: now, zone: .utc, machine: "m", named: named)
    let whole = duePlan(feeds, states, context)

    for size in [1, 2, 7, 40] {
      let (parts, skipped) = plan(feeds, states, context, by: size)

      #expect(parts.due.map(\.name) == whole.due.map(\.name), "seed \(seed), parts of \(size)")
      #expect(parts.due.map(\.waitUntil) == whole.due.map(\.waitUntil), "\(size)")
      #expect(parts.due.map(\.comesLast) == whole.due.map(\.comesLast), "\(size)")
      #expect(skipped == whole.skipped, "\(size)")
      #expect(parts.skippedNamed == whole.skipped.filter { named.contains($0.name) }, "\(size)")
      #expect(parts.paused == whole.skipped.count { $0.isPaused }, "\(size)")
      #expect(
        parts.nextDue == whole.skipped.compactMap(\.decision.dueAt).filter { $0 > now }.min(), "\(size)")
    }
  }

  @Test func `a feed that may not start is in neither list, and a limited plan has feeds of few hosts`()
    throws
  {
    var (plan, limited) = (PlannedFeeds(), PlannedFeeds())
    let feeds = try ["a1", "b1", "a2", "c1", "a3"].map {
      try feed($0, url: "https://\($0.prefix(1)).example/\($0)")
    }

    let skipped = plan.add(feeds, [:], context()) { feed, _ in feed.name.text == "b1" }
    _ = limited.add(feeds, [:], context())
    limited.sort(keeping: RoundLimit(hosts: 2, feeds: 3))

    #expect(plan.due.map(\.name.text) == ["b1"])
    #expect(skipped.isEmpty)
    #expect(limited.due.map(\.name.text) == ["a1", "b1", "a2"])
  }

  @Test func `feeds are in parts of at most a thousand, all or those of some names`() throws {
    let all = FeedList(try (0..<2001).map { try feed("f\($0)") })

    #expect(FeedList([]).parts.map(\.count) == [])
    #expect(all.parts.map(\.count) == [1000, 1000, 1])
    #expect(all.parts.flatMap(\.self) == all.all)
    #expect(all.parts(of: []).map(\.count) == [])
    let names = all.all.map(\.name).dropFirst(500)
    #expect(all.parts(of: Array(names)).map(\.count) == [1000, 501])
    #expect(all.parts(of: Array(names)).joined().map(\.name) == Array(names))
  }
}

// Pushes that bring files of their own: which are taken now, and what is said of those that wait.

import Core
import Testing

@Suite struct FilePushesTests {
  private let feed: FeedSpec

  init() throws {
    feed = try pushed(
      url: "https://planet.example/{content-id}", limit: PushLimit(count: 2, interval: .hours(1)))
  }

  private func context(
    _ pushes: [StoredPush], fetches: [Instant] = [], named: Set<FeedName> = []
  ) -> PlanningContext {
    PlanningContext(
      now: now, zone: .utc, machine: "test", named: named,
      pushes: pushDemands(pushes, fetches: [feed.name: fetches]))
  }

  private func taken(
    _ context: PlanningContext, _ state: FeedState = FeedState(), of other: FeedSpec? = nil
  ) -> [Int64] {
    let feed = other ?? feed
    return filePushes([feed], [feed.name: state], context).map(\.push.number)
  }

  @Test func `as many are taken as the limit allows, the oldest first`() throws {
    let pushes = [try waiting(1, .minutes(3)), try waiting(2, .minutes(2)), try waiting(3, .minutes(1))]

    #expect(taken(context(pushes)) == [1, 2])
    #expect(taken(context(pushes, fetches: [now - .minutes(5)])) == [1])
    #expect(taken(context([])) == [])
  }

  @Test func `a run of other feeds takes none`() throws {
    let push = try waiting()

    #expect(taken(context([push], named: [try name("moon")])) == [])
    #expect(taken(context([push], named: [feed.name])) == [1])
  }

  @Test func `a push without a file of its own is none of them`() throws {
    #expect(taken(context([try waiting()]), of: try pushed()) == [])
  }

  @Test func `that the feed is gone holds no file that is somewhere else`() throws {
    var gone = failing(2, .gone, .days(1))
    gone.isGone = true
    var limited = fetched(.hours(2))
    limited.rateLimit = RateLimit(until: now + .hours(3), unnamed: 0, status: 429)

    #expect(taken(context([try waiting()]), gone) == [1])
    #expect(taken(context([try waiting()]), limited) == [])
  }

  @Test func `why says what waits, and what holds it`() throws {
    let pushes = [try waiting(1), try waiting(2)]
    let spent = context(pushes, fetches: [now - .minutes(10), now - .minutes(5)])
    func notes(_ context: PlanningContext, _ feed: FeedSpec) -> [String] {
      whyReport(feed, fetched(.zero), context).notes
    }

    #expect(notes(context([]), feed) == [])
    #expect(notes(context(pushes), try pushed()) == [])
    #expect(notes(context([try waiting()]), feed) == ["1 push waits that brings a file, by the next run"])
    #expect(notes(context(pushes), feed) == ["2 pushes wait that bring a file each, by the next run"])
    #expect(
      notes(spent, feed) == [
        "2 pushes wait that bring a file each; held until \((now + .minutes(50)).rfc3339(in: .utc)) by the rule "
          + "push limit"
      ])
  }
}

// Which rules naming a feed and `--force` override.

import Core
import Testing

@Suite struct NamingTests {
  private func decision(_ state: FeedState, _ feed: FeedSpec, isForced: Bool = false) -> DueDecision {
    dueDecision(feed, state, context(named: [feed.name], isForced: isForced))
  }

  private var wished: FeedState {
    var state = fetched(.zero)
    state.freshness = ServerFreshness(notBefore: now + .days(1), source: "ttl")
    return state
  }

  private var limited: FeedState {
    var state = fetched(.hours(2))
    state.rateLimit = RateLimit(until: now + .hours(1), withoutRetryAfter: 0, status: 429)
    return state
  }

  private var gone: FeedState {
    var state = failing(2, .gone, .days(1))
    state.isGone = true
    return state
  }

  @Test func `naming a feed overrides interval, schedule, freshness and backoff`() throws {
    #expect(decision(fetched(.zero), try feed()).reason == .named)
    #expect(decision(fetched(.zero), try feed(schedule: ["0 3 * * *"])).reason == .named)
    #expect(decision(fetched(.zero), try feed(interval: .never)).reason == .named)
    #expect(decision(wished, try feed()).reason == .named)
    #expect(decision(failing(9, .refused, .minutes(1)), try feed()).reason == .named)
  }

  @Test func `a rate limit yields only to naming with --force`() throws {
    #expect(decision(limited, try feed()).reason == .postponed(.rateLimit, until: now + .hours(1)))
    #expect(decision(limited, try feed(), isForced: true).isDue)
  }

  @Test func `a limit on the host yields only to naming with --force`() throws {
    var host = HostState()
    host.limitedUntil = now + .hours(1)
    let feed = try feed()
    func isDue(isForced: Bool) -> Bool {
      let context = context(hosts: ["planet.example": host], named: [feed.name], isForced: isForced)
      return dueDecision(feed, fetched(.hours(2)), context).isDue
    }

    #expect(!isDue(isForced: false))
    #expect(isDue(isForced: true))
  }

  @Test func `410 yields only to naming with --force`() throws {
    #expect(!decision(gone, try feed()).isDue)
    #expect(decision(gone, try feed(), isForced: true).isDue)
  }

  @Test func `if feeds are named, the others are skipped`() throws {
    let other = try feed("other")

    let decision = dueDecision(other, FeedState(), context(named: [try name("planet")], isForced: true))

    #expect(decision.reason == .othersNamed)
  }

  @Test func `--force without names is naming all feeds, and passes no limit`() throws {
    for state in [fetched(.zero), wished, failing(9, .refused, .minutes(1))] {
      #expect(dueDecision(try feed(), state, context(isForced: true)).reason == .named)
    }
    #expect(dueDecision(try feed(interval: .never), FeedState(), context(isForced: true)).isDue)
    for state in [limited, gone] {
      #expect(!dueDecision(try feed(), state, context(isForced: true)).isDue)
    }
  }
}

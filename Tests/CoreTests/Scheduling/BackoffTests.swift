// The wait after each kind of failure, how it grows, and its jitter.

import Testing

@testable import Core

@Suite struct BackoffTests {
  @Test(
    arguments: [
      // Failures in a row, their kind, the interval and the wait in minutes.
      (1, .transient, 1, 5), (1, .transient, 5, 5), (1, .transient, 10, 10), (1, .transient, 60, 15),
      (2, .transient, 60, 30), (3, .transient, 60, 60), (7, .transient, 60, 960), (8, .transient, 60, 1440),
      (50, .transient, 60, 1440), (.max, .transient, 60, 1440), (1, .transient, 0, 5),
      (9, .transient, 1, 1280), (10, .transient, 1, 1440), (1, .refused, 60, 240), (2, .refused, 60, 480),
      (3, .refused, 60, 960), (4, .refused, 60, 1440), (40, .refused, 60, 1440), (2, .gone, 60, 30 * 1440),
    ] as [(Int, BackoffClass, Int64, Int64)])
  func `transient failures double a wait of 5 to 15 min up to a day, refusals 4 hours; gone is 30 days`(
    count: Int, kind: BackoffClass, interval: Int64, minutes: Int64
  ) throws {
    let feed = try feed(interval: interval == 0 ? .everyRun : .every(.minutes(interval)))
    let state = with(failing(count, kind, .zero)) { $0.isGone = kind == .gone }

    let wait = try #require(dueDecision(feed, state, context()).dueAt).since(now)

    #expect(wait >= .minutes(minutes))
    #expect(wait.seconds <= minutes * 66)
    #expect(wait <= .minutes(minutes + 10))
    expect("its end", feed, state, .yes, context(now: now + wait))
  }

  @Test func `jitter is fixed by machine and feed, and later only`() throws {
    let waits = try (0..<200).map { number in
      let decision = dueDecision(try feed("feed\(number)"), failing(1, .transient, .zero), context())
      return try #require(decision.dueAt).since(now).seconds - 900
    }
    let moments = try (0..<20).map { number in
      let context = PlanningContext(now: now, zone: .utc, machine: "host\(number)")
      return dueDecision(try feed(), failing(1, .transient, .zero), context).dueAt
    }

    #expect(waits.allSatisfy { (0...90).contains($0) })
    // Spread over all of the 10 %, also for names that hardly differ.
    #expect(Set(waits).count > 60)
    #expect(waits.count { $0 < 45 } > 70)
    #expect(waits.count { $0 >= 45 } > 70)
    #expect(Set(moments).count > 10)
  }

  @Test func `a failure of another kind begins its own count, and failures count on`() throws {
    let feed = try feed(interval: .every(.hours(1)))
    var state = fetched(.days(9))
    var waits: [Int64] = []
    for failure: FetchFailure in [
      .timeout(.seconds(60)), .timeout(.seconds(60)), .timeout(.seconds(60)), .status(404), .status(403),
      .status(500), .status(502),
    ] {
      state = stateAfterFailure(state, attempt(feed), failure: failure, reason: "").state
      // Less the jitter, which is less than a tenth of any of these.
      waits.append(try #require(dueDecision(feed, state, context()).dueAt).since(now).seconds / 60)
    }

    let lengths = [15, 30, 60, 240, 480, 15, 30] as [Int64]
    #expect(zip(waits, lengths).allSatisfy { $0 >= $1 && $0 <= $1 * 11 / 10 })
    #expect(state.failures == 7)
    #expect(state.backoffFailures == 2)
  }

  @Test func `a success and a rate limit end the count of a kind`() throws {
    let feed = try feed()
    let failing = failing(5, .refused, .hours(20))
    let limited = stateAfterFailure(
      failing, attempt(feed, reply(429)), failure: .rateLimited(status: 429, retryAfter: nil), reason: "")
    let success = stateAfterSuccess(failing, attempt(feed), result: .noData, reason: "", hints: nil)

    #expect(limited.state.backoffFailures == 0)
    #expect(limited.state.failures == 6)
    #expect(success.state.backoffFailures == 0)
  }

  @Test func `each failure is of one kind`() {
    for failure: FetchFailure in [
      .unresolved(host: "a", detail: ""), .unreachable(host: "a", detail: ""), .refused(host: "a"),
      .timeout(.seconds(60)), .cut(""), .truncated, .notAFeed(.html), .loginPage, .challenged("Cloudflare"),
      .proxy(""), .proxyUnreachable(""), .status(511), .status(500), .status(502), .status(408), .status(204),
      .rateLimited(status: 503, retryAfter: nil),
    ] { #expect(failure.kind == .backoff(.transient), "\(failure)") }
    for failure: FetchFailure in [.status(401), .status(403), .status(404), .status(451)] {
      #expect(failure.kind == .backoff(.refused), "\(failure)")
    }
    #expect(FetchFailure.status(410).kind == .backoff(.gone))
    for failure: FetchFailure in [
      .status(429), .rateLimited(status: 429, retryAfter: nil),
      .rateLimited(status: 503, retryAfter: .seconds(5)),
    ] { #expect(failure.kind == .rateLimit, "\(failure)") }
    for failure: FetchFailure in [.offline, .suspended, .captivePortal("portal.example")] {
      #expect(failure.kind == .uncounted, "\(failure)")
    }
  }
}

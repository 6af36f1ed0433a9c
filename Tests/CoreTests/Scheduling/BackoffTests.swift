// The wait after each kind of failure, how it grows, and its jitter.

import Core
import Testing

@Suite struct BackoffTests {
  /// The wait after failures, with and without jitter, in minutes rounded down to what jitter cannot reach.
  private func wait(_ count: Int, _ kind: BackoffClass, _ interval: MinimumInterval?) throws -> Interval {
    let decision = dueDecision(try feed(interval: interval), failing(count, kind, .zero), context())
    return try #require(decision.dueAt).since(now)
  }

  @Test(
    arguments: [
      // Failures in a row, interval in minutes, wait in minutes.
      (1, 1, 5), (1, 5, 5), (1, 10, 10), (1, 60, 15), (2, 60, 30), (3, 60, 60), (7, 60, 960), (8, 60, 1440),
      (50, 60, 1440), (.max, 60, 1440), (1, 0, 5), (9, 1, 1280), (10, 1, 1440),
    ] as [(Int, Int64, Int64)])
  func `transient failures double a wait of 5 to 15 min up to a day`(
    count: Int, interval: Int64, minutes: Int64
  ) throws {
    let wait = try wait(count, .transient, .every(.minutes(interval)))

    #expect(wait >= .minutes(minutes))
    #expect(wait.seconds <= minutes * 66 && wait <= .minutes(minutes + 10))
  }

  @Test(arguments: [(1, 4), (2, 8), (3, 16), (4, 24), (40, 24)] as [(Int, Int64)])
  func `refusals begin at 4 hours`(count: Int, hours: Int64) throws {
    let wait = try wait(count, .refused, nil)

    #expect(wait >= .hours(hours) && wait <= .hours(hours) + .minutes(10))
  }

  @Test func `every-run backs off from 5 min`() throws {
    let wait = try wait(1, .transient, .everyRun)

    #expect(wait >= .minutes(5) && wait <= .minutes(5) + .seconds(30))
  }

  @Test func `a feed that is gone is fetched every 30 days`() throws {
    var state = failing(2, .gone, .zero)
    state.isGone = true

    let wait = try #require(dueDecision(try feed(), state, context()).dueAt).since(now)

    #expect(wait >= .days(30) && wait <= .days(30) + .minutes(10))
  }

  @Test func `jitter is fixed by machine and feed, and later only`() throws {
    let waits = try (0..<200).map { number in
      let decision = dueDecision(try feed("feed\(number)"), failing(1, .transient, .zero), context())
      return try #require(decision.dueAt).since(now).seconds - 900
    }

    #expect(waits.allSatisfy { (0...90).contains($0) })
    // Spread over all of the 10 %, also for names that hardly differ.
    #expect(Set(waits).count > 60)
    #expect(waits.count { $0 < 45 } > 70 && waits.count { $0 >= 45 } > 70)
  }

  @Test func `jitter differs between machines`() throws {
    let moments = try (0..<20).map { number in
      let context = PlanningContext(now: now, zone: .utc, machine: "host\(number)")
      return dueDecision(try feed(), failing(1, .transient, .zero), context).dueAt
    }

    #expect(Set(moments).count > 10)
  }

  @Test func `backoff that ended makes a feed due`() throws {
    let decision = dueDecision(try feed(), failing(1, .transient, .minutes(17)), context())

    #expect(decision.isDue)
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
    #expect(state.failures == 7 && state.backoffFailures == 2)
  }

  @Test func `a success and a rate limit end the count of a kind`() throws {
    let feed = try feed()
    let failing = failing(5, .refused, .hours(20))
    let limited = stateAfterFailure(
      failing, attempt(feed, reply(429)), failure: .rateLimited(status: 429, retryAfter: nil), reason: "")
    let success = stateAfterSuccess(failing, attempt(feed), result: .noData, reason: "", hints: nil)

    #expect(limited.state.backoffFailures == 0 && limited.state.failures == 6)
    #expect(success.state.backoffFailures == 0)
  }

  @Test(
    arguments: [
      (.unresolved(host: "a", detail: ""), .backoff(.transient)),
      (.unreachable(host: "a", detail: ""), .backoff(.transient)),
      (.refused(host: "a"), .backoff(.transient)),
      (.timeout(.seconds(60)), .backoff(.transient)), (.cut(""), .backoff(.transient)),
      (.truncated, .backoff(.transient)), (.notAFeed(.html), .backoff(.transient)),
      (.loginPage, .backoff(.transient)), (.challenged("Cloudflare"), .backoff(.transient)),
      (.proxy(""), .backoff(.transient)), (.proxyUnreachable(""), .backoff(.transient)),
      (.status(511), .backoff(.transient)), (.captivePortal("portal.example"), .uncounted),
      (.status(500), .backoff(.transient)), (.status(502), .backoff(.transient)),
      (.status(408), .backoff(.transient)), (.status(204), .backoff(.transient)),
      (.status(401), .backoff(.refused)), (.status(403), .backoff(.refused)),
      (.status(404), .backoff(.refused)),
      (.status(451), .backoff(.refused)), (.status(410), .backoff(.gone)), (.status(429), .rateLimit),
      (.rateLimited(status: 429, retryAfter: nil), .rateLimit),
      (.rateLimited(status: 503, retryAfter: .seconds(5)), .rateLimit),
      (.rateLimited(status: 503, retryAfter: nil), .backoff(.transient)), (.offline, .uncounted),
      (.suspended, .uncounted),
    ] as [(FetchFailure, FailureKind)])
  func `each failure is of one kind`(failure: FetchFailure, kind: FailureKind) {
    #expect(failure.kind == kind)
  }
}

// The scheduler in virtual time.

import Testing

@testable import Core

@Suite struct ForecastTests {
  /// Which feeds are fetched in which run, that many seconds from now.
  private func fetches(
    _ feeds: [FeedSpec], _ states: [FeedName: FeedState] = [:], context: PlanningContext? = nil,
    for length: Interval, every tick: Interval = .minutes(5)
  ) -> [(feed: String, after: Int64)] {
    var fetches: [(String, Int64)] = []
    let context = context ?? CoreTests.context()
    forecast(feeds, states, context, for: length, every: tick) { fetch in
      fetches.append((feeds[fetch.index].name.text, fetch.run.since(context.now).seconds / 60))
    }
    return fetches
  }

  /// The minutes from now at which a feed is fetched.
  private func minutes(
    _ feed: FeedSpec, _ state: FeedState? = nil, context: PlanningContext? = nil, for length: Interval,
    every tick: Interval = .minutes(5)
  ) -> [Int64] {
    fetches([feed], state.map { [feed.name: $0] } ?? [:], context: context, for: length, every: tick)
      .map(\.after)
  }

  @Test func `a feed never fetched is fetched at once and then by its interval, by default hourly`() throws {
    #expect(minutes(try feed(interval: .every(.hours(1))), for: .hours(4)) == [0, 60, 120, 180])
    // As if its server gave validators.
    #expect(minutes(try feed(), for: .hours(3)) == [0, 60, 120])
    let without = fetched(.hours(2)) { $0.validators = Validators() }
    #expect(minutes(try feed(), without, for: .days(2)) == [22 * 60, 46 * 60])
  }

  @Test func `runs begin at multiples of the time between them`() throws {
    let feed = try feed(interval: .everyRun)
    let context = context(now: now + .seconds(61))

    var runs: [Instant] = []
    forecast([feed], [:], context, for: .minutes(12), every: .minutes(5)) { runs.append($0.run) }

    #expect(runs == [now + .minutes(5), now + .minutes(10)])
  }

  @Test func `freshness is assumed to be the same after each response`() throws {
    var state = fetched(.minutes(30))
    state.freshness = ServerFreshness(notBefore: now + .minutes(150) + .seconds(1), source: "max-age")

    // Three hours after the last answer, less the minute that a run waits.
    #expect(minutes(try feed(interval: .every(.minutes(10))), state, for: .hours(9)) == [150, 330, 510])
  }

  @Test func `limits, backoff and pauses last until they end, and naming is not assumed`() throws {
    let feed = try feed(interval: .every(.minutes(30)))
    let limited = fetched(.hours(2)) { $0.rateLimit = limit(until: now + .minutes(42)) }
    let paused = fetched(.hours(2)) { $0.pause = Pause(until: now + .minutes(95)) }
    let hosts = context(hosts: ["planet.example": limitedHost(until: now + .minutes(20))])

    #expect(minutes(feed, limited, for: .hours(2)) == [45, 75, 105])
    #expect(minutes(feed, paused, for: .hours(2)) == [95])
    #expect(minutes(feed, fetched(.hours(2)), context: hosts, for: .hours(1)) == [20, 50])
    #expect(minutes(feed, failing(1, .transient, .zero), for: .hours(1)).first ?? 0 >= 15)
    #expect(minutes(try CoreTests.feed(interval: .never), for: .days(400)) == [])
    let forGood = fetched(.hours(2)) { $0.pause = Pause(until: nil) }
    #expect(minutes(try CoreTests.feed(), forGood, for: .days(400)) == [])
  }

  @Test func `schedules and hours are those of the zone, through its changes`() throws {
    let zone = TestZone.berlin
    let daily = try feed(schedule: ["0 8 * * *"])
    let start = try at("2027-03-27T00:00:00Z")
    let state = fetched(.hours(3), before: start)

    var runs: [Instant] = []
    forecast([daily], [daily.name: state], context(now: start, zone: zone), for: .days(2), every: .minutes(5))
    {
      runs.append($0.run)
    }

    #expect(runs == [try at("2027-03-27T07:00:00Z"), try at("2027-03-28T06:00:00Z")])
  }

  @Test func `a waiting push causes one fetch, and a transfer that is a feed's fetch is assumed to succeed`()
    throws
  {
    let never = try feed(interval: .never)
    let push = StoredPush(number: 1, feed: never.name, payload: PushPayload(text: "{}"), received: now)
    let context = PlanningContext(
      now: now, zone: .utc, machine: "test", pushes: pushDemands([push], fetches: [:]))
    let asset = with(try feed(interval: .every(.hours(1)))) { $0.kind = .asset }
    let underWay = fetched(.hours(9)) { $0.hasTransferUnderWay = true }

    #expect(minutes(never, fetched(.minutes(3)), context: context, for: .days(1)) == [0])
    #expect(minutes(asset, underWay, for: .hours(3)) == [60, 120])
  }

  @Test func `a request that two feeds share is sent once`() throws {
    let one = try feed("one", interval: .every(.hours(1)))
    let two = try feed("two", interval: .every(.hours(2)))
    var totals = [FeedForecast(), FeedForecast()]

    forecast([one, two], [:], context(), for: .hours(4), every: .minutes(5)) { totals[$0.index].add($0) }
    let hosts = hostForecasts([one, two], [:], totals)

    #expect(totals.map(\.fetches) == [4, 2])
    #expect(hosts == [HostForecast(host: "planet.example", feeds: 2, requests: 4)])
  }

  @Test(arguments: (1...12).map(UInt64.init))
  func `looking at every run of all feeds finds the same fetches`(seed: UInt64) throws {
    var numbers = SeededNumbers(state: seed)
    var feeds: [FeedSpec] = []
    var states: [FeedName: FeedState] = [:]
    for number in 1...4 {
      var feed = try feed(
        "feed\(number)", interval: .every(.minutes(.random(in: 1...300, using: &numbers))),
        schedule: Bool.random(using: &numbers)
          ? ["*/\(Int.random(in: 7...59, using: &numbers)) 6-22 * * *"] : [])
      if Bool.random(using: &numbers) { feed.hours = try WeeklyHours(parsing: "mon-fri 08:00-18:00") }
      var state = fetched(.minutes(.random(in: 0...300, using: &numbers)))
      if Bool.random(using: &numbers) {
        state.freshness = ServerFreshness(
          notBefore: now + .seconds(.random(in: 0...10_000, using: &numbers)), source: "max-age")
      }
      if Bool.random(using: &numbers) {
        state.hints.skipHours = Set((0..<5).map { _ in Int.random(in: 0...23, using: &numbers) })
      }
      feeds.append(feed)
      states[feed.name] = state
    }

    // Each run decides again, as real ones do, from the state that the forecast of a single run leaves.
    let tick = Interval.minutes([1, 5, 7].randomElement(using: &numbers) ?? 5)
    let found = fetches(feeds, states, for: .days(2), every: tick).map { "\($0.feed) \($0.after)" }
    #expect(found == fetchesOfEveryRun(feeds, states, for: .days(2), every: tick))
  }

  /// The same by brute force: every feed is looked at in every run.
  private func fetchesOfEveryRun(
    _ feeds: [FeedSpec], _ states: [FeedName: FeedState], for length: Interval, every tick: Interval
  ) -> [String] {
    var states = states
    let wishes = states.mapValues { state in
      state.freshness.flatMap { freshness in state.lastSuccess.map { freshness.notBefore.since($0) } }
    }
    var found: [String] = []
    var run = now
    while run.secondsSince1970 % tick.seconds != 0 { run = run + .seconds(1) }
    while run < now + length {
      for feed in feeds {
        let decision = dueDecision(feed, states[feed.name] ?? FeedState(), context(now: run))
        guard decision.isDue else { continue }
        found.append("\(feed.name) \(run.since(now).seconds / 60)")
        let attempt = attempt(feed, at: run)
        var after = stateAfterSuccess(
          states[feed.name] ?? FeedState(), attempt, result: .noData, reason: "", hints: nil
        ).state
        after.freshness = (wishes[feed.name] ?? nil).map {
          ServerFreshness(notBefore: attempt.ended + $0, source: "max-age")
        }
        states[feed.name] = after
      }
      run = run + tick
    }
    return found
  }
}

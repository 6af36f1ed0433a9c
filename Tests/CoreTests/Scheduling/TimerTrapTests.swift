// The same week under timers of 1, 5, 15 and 60 minutes, in virtual time. The trap is the one of miniflux #2201: an hourly
// timer and an hourly interval that give a fetch every two hours.

import TestKit
import Testing

@testable import Core

@Suite struct TimerTrapTests {
  /// Minutes between runs, and the most seconds by which each is late.
  static let timers: [(minutes: Int64, late: Int64)] = [
    (1, 0), (1, 20), (5, 0), (5, 40), (15, 0), (15, 55), (60, 0), (60, 5), (60, 55),
  ]

  /// Fetches a feed for a week that begins on Monday at 10:00.
  ///
  /// - Parameters:
  ///   - feed: as configured.
  ///   - timer: minutes between runs.
  ///   - late: the most seconds by which a run is late.
  ///   - seed: the seed of these seconds.
  ///   - answer: the response to the nth request, from 0; nil is a 304.
  /// - Returns: the moments of the requests.
  private func week(
    _ feed: FeedSpec, everyMinutes timer: Int64, late: Int64 = 0, seed: UInt64 = 1,
    answer: (Int) -> Response? = { _ in nil }
  ) -> [Instant] {
    var numbers = SeededNumbers(state: seed)
    var state = FeedState()
    var host = HostState()
    var requests: [Instant] = []
    for tick in stride(from: 0, to: 7 * 86_400 as Int64, by: Int64.Stride(timer * 60)) {
      let run = now + .seconds(tick + Int64.random(in: 0...late, using: &numbers))
      let decision = dueDecision(feed, state, context(now: run, hosts: ["planet.example": host]))
      guard decision.isDue else { continue }
      let response = answer(requests.count) ?? reply(304)
      requests.append(max(run, decision.waitUntil ?? run))
      let fetch = with(attempt(feed, at: run, response, host: host)) { $0.ended = requests.last ?? run }
      let change = after(response, state, fetch)
      state = change.state
      host = change.host ?? host
    }
    return requests
  }

  private func after(_ response: Response, _ state: FeedState, _ fetch: FetchAttempt) -> StateChange {
    let wait = response["Retry-After"].flatMap { retryAfter($0, at: fetch.ended) }
    switch response.status {
    case 429, 503:
      return stateAfterFailure(
        state, fetch, failure: .rateLimited(status: response.status, retryAfter: wait), reason: "")
    case 400...:
      return stateAfterFailure(state, fetch, failure: .status(response.status), reason: "")
    default:
      var change = stateAfterSuccess(state, fetch, result: .noData, reason: "", hints: nil)
      change.state.validators.entityTag = "\"1\""
      return change
    }
  }

  private func gaps(_ requests: [Instant]) -> [Int64] {
    zip(requests.dropFirst(), requests).map { $0.since($1).seconds }
  }

  @Test(arguments: timers.rows, [1, 2] as [UInt64])
  func `an hourly or daily interval stays so whatever the timer`(_ row: TableRow, seed: UInt64) throws {
    let (minutes, late) = Self.timers[row.index]
    func requests(_ interval: Interval) throws -> [Instant] {
      week(try feed(interval: .every(interval)), everyMinutes: minutes, late: late, seed: seed)
    }
    let (hourly, daily) = (try requests(.hours(1)), try requests(.days(1)))

    // Slack lets each come two minutes early at most, and the timer a tick late at most.
    #expect((166...174).contains(hourly.count))
    #expect(gaps(hourly).allSatisfy { (58 * 60...60 * 60 + 60 + late).contains($0) })
    // Two minutes of slack a day are enough for an eighth request within the last quarter of an hour.
    #expect((7...8).contains(daily.count))
    #expect(gaps(daily).allSatisfy { (86_400 - 120...86_400 + 60 + late).contains($0) })
  }

  @Test(arguments: timers.rows)
  func `a schedule of eight in the morning fires once a day, in the first run from eight on`(_ row: TableRow)
    throws
  {
    let (minutes, late) = Self.timers[row.index]

    let requests = week(try feed(schedule: ["0 8 * * *"]), everyMinutes: minutes, late: late)

    // The first one is the new feed's own.
    let civil = requests.dropFirst().map { CivilTime(secondsSince1970: $0.secondsSince1970) }
    #expect(civil.map(\.day) == Array(3...9))
    #expect(civil.allSatisfy { $0.hour == 8 && $0.minute == 0 })
  }

  @Test(arguments: [1, 5, 15] as [Int64])
  func `an interval as long as the timer is kept at every run`(minutes: Int64) throws {
    let feed = try feed(interval: .every(.minutes(minutes)))
    let late = minutes == 1 ? 3 : 40 as Int64

    #expect(gaps(week(feed, everyMinutes: minutes, late: late)).allSatisfy { $0 <= minutes * 60 + late })
  }

  @Test(arguments: [60, 90, 119] as [Int64])
  func `an hourly timer with a random delay gives hourly fetches`(delay: Int64) throws {
    // systemd's RandomizedDelaySec= without FixedRandomDelay=; the slack of an hour covers two minutes.
    for seed in 1...20 as ClosedRange<UInt64> {
      #expect(week(try feed(), everyMinutes: 60, late: delay, seed: seed).count == 168)
    }
  }

  @Test(arguments: timers.rows)
  func `one 503 costs minutes, not a turn of a weekly feed`(_ row: TableRow) throws {
    let (minutes, late) = Self.timers[row.index]
    let feed = try feed(interval: .every(.days(7)), schedule: ["0 8 * * *"])
    let daily = try CoreTests.feed("daily", interval: .every(.days(1)))

    let weekly = week(feed, everyMinutes: minutes, late: late) { $0 == 0 ? reply(503) : nil }
    let second = week(daily, everyMinutes: minutes, late: late) { $0 == 1 ? reply(503) : nil }

    // 15 min, a tenth of it as jitter, and the next run after that.
    let longest = 15 * 60 + 90 + minutes * 60 + late
    #expect(weekly.count == 2)
    #expect(gaps(weekly).allSatisfy { (15 * 60...longest).contains($0) })
    #expect((15 * 60...longest).contains(gaps(second)[1]))
    #expect(second.count == 8)
  }

  @Test(arguments: timers.rows)
  func `one 429 with Retry-After of an hour costs an hour`(_ row: TableRow) throws {
    let (minutes, late) = Self.timers[row.index]
    let limited = reply(429, [("Retry-After", "3600")])

    let requests = week(try feed(), everyMinutes: minutes, late: late) { $0 == 5 ? limited : nil }

    // An hour, a tenth of it as jitter, and the next run after that.
    #expect((3600...3600 + 361 + minutes * 60 + late).contains(gaps(requests)[5]))
    #expect(gaps(requests.suffix(from: 6).map(\.self)).allSatisfy { $0 <= 3660 + late })
    #expect(requests.count >= 166)
  }

  @Test func `an hourly timer and a max-age of an hour give hourly fetches`() throws {
    let feed = try feed(interval: .every(.minutes(5)))

    let gaps = gaps(week(feed, everyMinutes: 60) { _ in reply(304, [("Cache-Control", "max-age=3600")]) })

    // Each fetch begins a second later, until after an hour of minutes one tick is too early.
    #expect(gaps.filter { $0 > 3601 }.count <= 3)
    #expect(gaps.allSatisfy { $0 >= 3600 })
  }
}

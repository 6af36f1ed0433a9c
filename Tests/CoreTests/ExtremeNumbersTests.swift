// The smallest and largest numbers in every decision: none may overflow, whatever a server or a damaged database says.

import Testing

@testable import Core

@Suite struct ExtremeNumbersTests {
  /// Numbers at which sums, products and conversions go wrong.
  static let extremes: [Int64] = [0, -1, 1 << 31, 1 << 53, 1 << 62, .max, .min]

  private func instant(_ number: Int64) -> Instant { Instant(secondsSince1970: number) }

  @Test(arguments: extremes, extremes)
  func `a response to a download may have any numbers`(one: Int64, other: Int64) throws {
    let address = try web("https://cdn.example/1.mp3")
    for total in Self.extremes.map(String.init) + ["*"] {
      let fields = [
        ("Content-Range", "bytes \(one)-\(other)/\(total)"), ("Content-Length", total),
        ("Retry-After", total), ("Age", String(other)),
      ]
      for extra in [[], [("Transfer-Encoding", "chunked")]] {
        let head = reply(206, fields + extra)
        for bytes in [max(0, one), 1000, Int64.max] {
          let there = partial { ($0.bytes, $0.total) = (bytes, max(0, other)) }
          let asset = Asset(url: address.text, length: one)
          let download = with(DownloadSpec()) { $0.maxSize = ByteCount(other) }
          for plan in [resumePlan(there, asking: address), .fresh(nil), .resume(offset: bytes, ifRange: "x")]
          {
            for status in [200, 206, 416] {
              _ = bodyPlan(
                for: reply(status, fields + extra), plan, partial: there, asset: asset, download: download,
                address: address)
            }
          }
          let length = lengthProblem(received: bytes, partial: there, asset: asset, head: head)
          #expect(other <= 0 || bytes == other || length != nil, "\(extra) \(total)")
          _ = DocumentsProblem.shortage(in: "/d", free: ByteCount(one), for: bytes, floor: ByteCount(other))
        }
      }
    }
  }

  @Test(arguments: extremes, extremes)
  func `a download may have any numbers in its state`(one: Int64, other: Int64) throws {
    let moment = instant(one)
    let failures: [TransferFailure] = [
      .fetch(.status(404)), .fetch(.status(503)), .empty, .short(received: one, total: other),
      .fetch(.rateLimited(status: 429, retryAfter: .seconds(one))), .documents(.full(path: "/d")),
    ]
    let damaged = try transfer {
      ($0.failures, $0.cuts, $0.crashes, $0.failingSince) = (Int(one), Int(other), Int(other), instant(other))
      ($0.notBefore, $0.partial.bytes, $0.partial.total) = (instant(other), max(0, one), max(0, other))
      $0.asset.length = one
    }
    for failure in failures {
      #expect(!text(of: failure).isEmpty)
      let attempt = StoppedAttempt(
        damaged, partial: damaged.partial, began: instant(other), ended: moment, machine: "test")
      _ = attempt.outcome(.failed(failure, reply(503, [("Retry-After", String(other))])))
    }
    _ = StoppedAttempt(damaged, partial: partial(), began: moment, ended: moment)
      .outcome(.budgetEnded(whileVerifying: false))
    _ = reasonToGiveUp(damaged)
    var queue = TransferQueue([try podcast()], network: NetworkSettings())
    queue.takesCrashed = true
    _ = queue.update([damaged, try transfer(2)])
    _ = queue.next(at: moment)
    queue.end(2, .postponed(damaged, instant(other)), at: moment)
  }

  @Test(arguments: extremes, extremes)
  func `a server and a stored state may have any numbers`(one: Int64, other: Int64) throws {
    let damaged = instant(other)
    var state = FeedState()
    state.lastAsked = damaged
    state.lastCounted = damaged
    state.lastSuccess = damaged
    state.failures = Int(one)
    state.backoffFailures = Int(one)
    state.crashes = Int(other)
    state.goneSince = damaged
    state.pause = Pause(until: damaged)
    state.freshness = ServerFreshness(notBefore: damaged, source: "x")
    state.rateLimit = RateLimit(until: damaged, withoutRetryAfter: Int(one), status: Int(other))
    state.hints.timeToLive = .seconds(one)
    state.hints.updateInterval = .seconds(other)
    state.hints.skipHours = [3, Int(one)]
    state.hints.skipDays = [Int(other)]
    let head = reply(
      503,
      [
        ("Cache-Control", "max-age=\(one)"), ("Age", String(other)), ("Retry-After", String(one)),
        ("Content-Length", String(other)),
      ])
    let fields = [("Cache-Control", "max-age=\(one)"), ("Age", String(other))]
    var feeds = [
      try feed("a"), try feed("b", interval: .every(.seconds(one))),
      try feed("c", schedule: ["*/7 2-4 * * mon"]), try adaptive(.every(.seconds(max(1, one)))),
    ]
    feeds[0].hours = try WeeklyHours(parsing: "mon-fri 08:00-18:00")
    feeds[1].network.delayPerHost = .seconds(one)
    for (moment, backoff) in [(instant(one), BackoffClass.transient), (now, .refused), (now, .gone)] {
      state.backoffClass = backoff
      var host = HostState()
      host.lastRequest = damaged
      host.limitedUntil = damaged
      let context = PlanningContext(
        now: moment, zone: .utc, machine: "test", hosts: ["planet.example": host],
        learned: Learned(habits: [try name("planet"): damagedHabit(one, other)]))
      for feed in feeds {
        _ = whyReport(feed, state, context)
        _ = nextDue(feed, state, context)
        let fetch = attempt(feed, at: moment, head)
        _ = stateAfterFailure(state, fetch, failure: .status(503), reason: "")
        _ = stateAfterFailure(
          state, fetch, failure: .rateLimited(status: 429, retryAfter: .seconds(one)), reason: "")
        let done = attempt(feed, at: moment, reply(200, fields))
        _ = stateAfterSuccess(state, done, result: .noData, reason: "", hints: state.hints)
        _ = stateAfterSuccess(state, done, result: .newData, reason: "", hints: nil)
      }
      _ = duePlan(feeds, Dictionary(uniqueKeysWithValues: feeds.map { ($0.name, state) }), context)
      _ = context.learnedWeek(of: feeds[3])
    }
    #expect(Interval.seconds(one) <= .longest)
  }

  private func damagedHabit(_ one: Int64, _ other: Int64) -> Habit {
    var habit = Habit()
    habit.days = Int(one)
    habit.bins = [
      HabitBin(kind: .working, minute: Int(one), weight: Double(other), at: instant(other)),
      HabitBin(kind: .working, minute: 720, weight: Double(one), at: instant(one)),
      HabitBin(kind: .weekend, minute: 1439, weight: 0x1p53, at: now),
    ]
    return habit
  }

  @Test(arguments: extremes, extremes)
  func `pushes, files and messages may have any numbers`(one: Int64, other: Int64) throws {
    var push = try waiting(1, .zero)
    push.tries = Int(one)
    push.received = instant(one)
    push.notBefore = instant(other)
    let demand = PushDemand(pushes: [push], fetches: [instant(one), instant(other)])
    let limit = PushLimit(count: 1, interval: .seconds(other))
    _ = demand.allowedFrom(limit, at: instant(other))
    _ = demand.allowance(limit, at: instant(one))
    _ = demand.ready(at: instant(one))
    let fields = JSONValue(["count": one, "title": "x"])
    let label = FeedLabel(try feed(), FeedState())
    _ = summaryEvent(
      [(feed: label, fields: fields), (feed: label, fields: fields)],
      origin: EventOrigin(round: one, time: instant(other), cause: .timer), hook: "h", first: other)
    #expect(badgeText(Int(max(0, one)), unseen: [("x", Int(max(0, other)))], as: .waybar).isEmpty == false)
  }
}

// Where habits place fetches within interval, schedule and hours.

import Core
import Testing

@Suite struct HabitPlacementTests {
  /// When a feed is due that was fetched at a moment, as `2026-11-02T11:50:00Z`.
  private func due(
    _ feed: FeedSpec, _ habit: Habit, after last: String, in zone: Zone = .utc
  ) throws -> String? {
    let moment = try at(last)
    return nextDue(feed, fetchedAt(moment), try context(moment, habit, in: zone))?.rfc3339
  }

  @Test(arguments: [
    // Far from the peak a fetch comes after four intervals.
    ("2026-11-02T00:00:00Z", "2026-11-02T04:00:00Z"), ("2026-11-02T06:00:00Z", "2026-11-02T10:00:00Z"),
    ("2026-11-02T08:00:00Z", "2026-11-02T11:50:00Z"), ("2026-11-02T10:52:00Z", "2026-11-02T11:50:00Z"),
    // A fetch that comes too soon before the peak is too late for it, and the next one is tomorrow's.
    ("2026-11-02T11:02:00Z", "2026-11-02T15:02:00Z"), ("2026-11-02T11:10:00Z", "2026-11-02T15:10:00Z"),
    ("2026-11-02T11:50:00Z", "2026-11-02T15:50:00Z"),
  ])
  func `a fetch comes ten minutes before a peak, and intervals between peaks are stretched`(
    last: String, expected: String
  ) throws {
    #expect(try due(adaptive(), habit(working: days(30, "12:00")), after: last) == expected)
  }

  @Test func `intervals are stretched less if many looks come at no particular time`() throws {
    let noon = habit(working: try days(30, "12:00"))
    // As many looks again, each at another minute of the day.
    let mixed = habit(working: (0..<30).map { [720, 420 + $0 * 31 % 1000] })

    let alone = try #require(try due(adaptive(), noon, after: "2026-11-02T13:00:00Z"))
    let besides = try #require(try due(adaptive(), mixed, after: "2026-11-02T13:00:00Z"))
    #expect(besides < alone)
  }

  @Test func `one context predicts each day like a new one`() throws {
    var moments: [String] = []
    let habit = habit(working: try days(30, "12:00"))
    var kept = try context(at("2026-11-02T08:00:00Z"), habit)
    for day in 2...6 {
      let moment = try at("2026-11-0\(day)T08:00:00Z")
      kept.move(to: moment)
      let anew = try context(moment, habit)
      #expect(
        nextDue(try adaptive(), fetchedAt(moment), kept) == nextDue(try adaptive(), fetchedAt(moment), anew),
        "\(day)")
      moments.append(nextDue(try adaptive(), fetchedAt(moment), kept)?.rfc3339 ?? "")
    }
    #expect(moments.allSatisfy { $0.hasSuffix("T11:50:00Z") })
  }

  @Test(arguments: [
    (["*/30 * * * *"], "2026-11-02T11:30:00Z"), (["*/5 * * * *"], "2026-11-02T11:50:00Z"),
    (["0 * * * *", "40 11 * * *"], "2026-11-02T11:40:00Z"),
  ])
  func `with a schedule the fetch comes at the last minute before that`(schedule: [String], expected: String)
    throws
  {
    let feed = try adaptive(.every(.minutes(30)), schedule: schedule)

    #expect(try due(feed, habit(working: days(6, "12:00")), after: "2026-11-02T10:50:00Z") == expected)
  }

  @Test func `a schedule alone is stretched to every fourth minute of it, and not while a peak lasts`() throws
  {
    let scheduled = try adaptive(nil, schedule: ["0 * * * *"])
    let noon = habit(working: try days(30, "12:00"))
    let desk = habit(working: Array(repeating: (0..<17).map { 540 + $0 * 15 }, count: 10))

    for (feed, habit, last, expected) in [
      (scheduled, noon, "00:00", "04:00"), (scheduled, noon, "08:00", "11:00"),
      (try adaptive(), desk, "08:50", "09:50"),
      // When it is over they are stretched again.
      (try adaptive(), desk, "12:50", "16:50"), (try adaptive(), desk, "14:50", "18:50"),
    ] { #expect(try due(feed, habit, after: "2026-11-02T\(last):00Z") == "2026-11-02T\(expected):00Z") }
  }

  @Test func `the longest possible interval does no harm`() throws {
    let moment = try at("2026-11-02T10:00:00Z")
    let state = fetchedAt(moment)
    let habit = habit(working: try days(6, "12:00"))

    for seconds: Int64 in [.max, .max / 2, .max / 4, 1 << 40, 1 << 36] {
      let interval = MinimumInterval.every(.seconds(seconds))
      let due = try #require(nextDue(try adaptive(interval), state, try context(moment, habit)))
      #expect(
        try due >= #require(nextDue(try feed(interval: interval), state, try context(moment, habit))),
        "\(seconds)")
    }
  }

  @Test(arguments: [MinimumInterval.everyRun, .never])
  func `without time between fetches there is nothing to place`(interval: MinimumInterval) throws {
    let habit = habit(working: try days(6, "12:00"))
    let state = fetchedAt(try at("2026-11-02T09:00:00Z"))
    let context = try context(at("2026-11-02T09:30:00Z"), habit)

    let plain = try feed(interval: interval)

    #expect(nextDue(try adaptive(interval), state, context) == nextDue(plain, state, context))
  }

  @Test func `a server that asks for more time is stretched, too, and never undercut`() throws {
    let habit = habit(working: try days(6, "12:00"))
    var state = fetchedAt(try at("2026-11-02T05:50:00Z"))
    state.freshness = ServerFreshness(notBefore: try at("2026-11-02T10:50:00Z"), source: "max-age")

    // After a fetch that comes sooner, the server would postpone the next one until after the peak.
    #expect(
      nextDue(try adaptive(), state, try context(at("2026-11-02T06:00:00Z"), habit))?.rfc3339
        == "2026-11-02T11:50:00Z")
    state.freshness = ServerFreshness(notBefore: try at("2026-11-02T12:30:00Z"), source: "max-age")
    let later = try #require(nextDue(try adaptive(), state, try context(at("2026-11-02T06:00:00Z"), habit)))
    #expect(later >= (try at("2026-11-02T12:30:00Z")))
  }

  @Test(arguments: [
    ("2026-11-02T11:50:00Z", "2026-11-03T11:50:00Z"),
    // A run that came late: a day later is after the peak, so the next one is a day after that.
    ("2026-11-02T12:20:00Z", "2026-11-04T11:50:00Z"),
  ])
  func `a daily interval follows the peak, and returns to it`(last: String, expected: String) throws {
    let habit = habit(working: try days(6, "12:00"), weekend: try days(4, "12:00"))

    #expect(try due(adaptive(.every(.hours(24))), habit, after: last) == expected)
  }

  @Test(arguments: [
    // On the way it would come at night, then when the hours begin, and that is too close to the peak.
    ("11:30-18:00", "11:50"), ("12:00-18:00", "12:00"), ("13:00-18:00", "13:00"),
  ])
  func `outside its hours a feed is not fetched for a peak`(hours: String, expected: String) throws {
    let feed = try with(adaptive()) { $0.hours = try WeeklyHours(parsing: hours) }

    #expect(
      try due(feed, habit(working: days(6, "12:00")), after: "2026-11-02T17:50:00Z")
        == "2026-11-03T\(expected):00Z")
  }

  @Test func `a peak after midnight is met on the day before, by what clocks show`() throws {
    let zone = TestZone.berlin
    let habit = habit(working: try days(8, "00:05"), weekend: try days(4, "00:05", "02:30"))

    #expect(try due(adaptive(), habit, after: "2026-11-02T21:00:00Z", in: zone) == "2026-11-02T22:55:00Z")
    // On 2026-03-29 there is no 02:30: the peak is at 03:00 of summer time.
    #expect(try due(adaptive(), habit, after: "2026-03-28T23:55:00Z", in: zone) == "2026-03-29T01:00:00Z")
    // On 2026-10-25 there are two; the first one counts.
    #expect(try due(adaptive(), habit, after: "2026-10-24T22:30:00Z", in: zone) == "2026-10-25T00:20:00Z")
  }

  @Test func `naming, a failure and a clock that was set back count as without habits`() throws {
    let habit = habit(working: try days(6, "12:00"))
    let (feed, moment) = (try adaptive(), try at("2026-11-02T10:00:00Z"))
    let state = fetchedAt(try at("2026-11-02T08:00:00Z"))
    let peak = try at("2026-11-02T11:50:00Z")
    let failed = with(state) {
      ($0.lastAsked, $0.failures, $0.backoffFailures, $0.backoffClass) = (peak, 1, 1, .transient)
    }

    expect("named", feed, state, .because(.named), try context(moment, habit, named: [feed.name]))
    expect("held", feed, state, .because(.postponed(.habits, until: peak)), try context(moment, habit))
    let decision = dueDecision(feed, failed, try context(peak + .minutes(5), habit))
    guard case .postponed(.backoff, until: _) = decision.reason else {
      return #expect(Bool(false), "\(decision.reason)")
    }
    expect(
      "set back", feed, fetchedAt(moment + .days(1)), .because(.clockSetBack), try context(moment, habit))
  }

  @Test func `fetches that the machine slept through happen when it wakes`() throws {
    let habit = habit(working: try days(6, "12:00"))
    let state = fetchedAt(try at("2026-11-02T00:00:00Z"))

    #expect(dueDecision(try adaptive(), state, try context(at("2026-11-02T11:20:00Z"), habit)).isDue)
  }

  @Test(arguments: 1...5)
  func `no habit makes a feed due sooner, later than four-fold or more often`(seed: UInt64) throws {
    var numbers = SeededNumbers(state: seed)
    func looks(_ count: Int) -> [[Int]] {
      let usual = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in
        Int.random(in: 0..<1440, using: &numbers)
      }
      return (0..<count).map { _ in usual.map { ($0 + Int.random(in: 0...30, using: &numbers)) % 1440 } }
    }
    let habit = habit(
      working: looks(Int.random(in: 0...20, using: &numbers)),
      weekend: looks(Int.random(in: 0...8, using: &numbers)))
    let zone = TestZone.berlin
    let length = Interval.minutes(Int64([5, 15, 30, 60, 180, 1440].randomElement(using: &numbers) ?? 60))
    let tick = Interval.minutes(Int64([1, 5, 15, 30].randomElement(using: &numbers) ?? 5))
    // Clocks are set back on the way.
    let start = try at("2026-10-23T06:07:08Z")

    func fetches(_ feed: FeedSpec) throws -> [Instant] {
      var state = FeedState()
      var fetches: [Instant] = []
      var now = start
      while now < start + .days(4) {
        let decision = dueDecision(feed, state, try context(now, habit, in: zone))
        if decision.isDue {
          fetches.append(now)
          state = fetchedAt(now)
        }
        // A feed that is not due is not due before its moment.
        let next = max(now + .seconds(1), decision.isDue ? now : decision.dueAt ?? now)
        now = start + .seconds((next.since(start).seconds + tick.seconds - 1) / tick.seconds * tick.seconds)
      }
      return fetches
    }
    let plain = try fetches(try feed(interval: .every(length)))
    let adapted = try fetches(try adaptive(.every(length)))

    #expect(adapted.count <= plain.count)
    for (earlier, later) in zip(adapted, adapted.dropFirst()) {
      #expect(later.since(earlier) >= length - .minutes(2))
      #expect(later.since(earlier) <= .seconds(length.seconds * 4) + tick)
    }
  }

  @Test func `why shows the prediction and when the feed would be due without it`() throws {
    let moment = try at("2026-11-02T10:00:00Z")
    func row(_ habit: Habit) throws -> WhyReport.Row {
      let report = whyReport(
        try adaptive(), fetchedAt(try at("2026-11-02T09:00:00Z")), try context(moment, habit))
      return try #require(report.rows.first { $0.rule == "habits" })
    }

    let known = try row(habit(working: days(6, "12:00")))
    #expect(known.value == "openings on 6 days")
    #expect(known.source == "openings; without them 2026-11-02 09:58:00")
    #expect(known.binds)
    #expect(try known.allowsFrom == at("2026-11-02T11:50:00Z"))

    let unknown = try row(habit(working: days(1, "12:00")))
    #expect(unknown.value == "openings on 1 of the 3 days that a prediction needs")
    #expect(unknown.source == "openings")
    #expect(!unknown.binds)
    #expect(unknown.allowsFrom == nil)
  }
}

// The work that is due, the work that comes next, and how long runs find nothing due.

import Testing

@testable import Core

@Suite struct DueOutlookTests {
  private func outlook(
    _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext
  ) -> DueOutlook {
    var outlook = DueOutlook()
    outlook.add(feeds, states, context)
    return outlook
  }

  private func quietTime(_ feeds: [FeedSpec], _ states: [FeedName: FeedState]) -> Instant? {
    outlook(feeds, states, context()).quietTime(from: now)
  }

  private func punctual(_ pushes: [FeedName: PushDemand] = [:]) -> PlanningContext {
    var context = PlanningContext(now: now, zone: .utc, machine: "test", pushes: pushes)
    context.isPunctual = true
    return context
  }

  @Test func `due feeds and others are separate, and the daemon wakes when the next one can wait no longer`()
    throws
  {
    let due = try feed("due", interval: .every(.hours(1)))
    let other = try feed("other", interval: .every(.hours(3)))
    let quarter = try feed("quarter", interval: .every(.minutes(15)))
    let new = try feed("new")
    let states = [
      due.name: fetched(.minutes(62)), other.name: fetched(.hours(2)), quarter.name: fetched(.minutes(14)),
    ]

    let outlook = outlook([due, other, quarter, new], states, punctual())

    #expect(outlook.due == [.feed(due.name, since: now - .minutes(2)), .feed(new.name, since: nil)])
    #expect(outlook.firstDue == due.name)
    // It is due a minute from now, and joins runs for a minute more.
    #expect(outlook.next == DueOutlook.NextFeed(quarter.name, at: now + .minutes(2)))
  }

  @Test func `feeds due minutes apart share the run of the first that can wait no longer`() throws {
    let feeds = try (0..<4).map { try feed("feed\($0)", interval: .every(.hours(1))) }
    // Due now, and a minute ago, and in 90 and 200 seconds.
    let states = Dictionary(
      uniqueKeysWithValues: zip(feeds.map(\.name), [3600, 3660, 3510, 3400].map { fetched(.seconds($0)) }))

    let first = outlook(feeds, states, punctual())
    #expect(first.due.isEmpty)
    #expect(first.next == DueOutlook.NextFeed(feeds[1].name, at: now + .seconds(60)))
    var later = punctual()
    later.move(to: now + .seconds(60))
    // The run that it starts also fetches the feed that became due after it.
    #expect(outlook(feeds, states, later).due == [.feed(feeds[1].name, since: now - .seconds(60))])
    #expect(
      feeds.map { dueDecision($0, states[$0.name] ?? FeedState(), later).isDue } == [
        true, true, false, false,
      ])
    // A timer's run waits for nothing.
    #expect(outlook(feeds, states, context()).due.count == 3)
  }

  @Test func `the work of a dead machine is due only where it can be taken over`() throws {
    let push = WatchDemand.push(try feed("planet").name, 1)
    let rows: [(work: Set<WatchDemand>, isDue: Bool)] = [
      ([], false), ([push], false), ([push, .transfers], true), ([push, .deliveries("desktop")], true),
    ]
    for (work, isDue) in rows {
      var outlook = DueOutlook(due: work)

      outlook.addAbandoned()

      #expect(outlook.due.contains(.abandoned) == isDue, "\(work)")
    }
  }

  @Test func `a due feed is the same demand until it is fetched, and then another one`()
    throws
  {
    let quick = try feed("quick", interval: .every(.seconds(1)))
    func due(_ state: FeedState, at moment: Instant) -> Set<WatchDemand> {
      let context = with(PlanningContext(now: moment, zone: .utc, machine: "test")) { $0.isPunctual = true }
      return outlook([quick], [quick.name: state], context).due
    }
    let first = due(FeedState(), at: now)
    let second = due(fetched(.seconds(3)), at: now)

    #expect(first == due(FeedState(), at: now + .minutes(1)))
    #expect(second == due(fetched(.seconds(3)), at: now + .minutes(1)))
    #expect(first.isDisjoint(with: second))
    #expect(second.isDisjoint(with: due(fetched(.seconds(1)), at: now)))
  }

  @Test func `the daemon does not wait with the lock for freshness that is about to end`() throws {
    let wishing = try feed("wishing", interval: .every(.minutes(5)))
    var state = fetched(.hours(1))
    state.freshness = ServerFreshness(notBefore: now + .seconds(30), source: "max-age")

    #expect(dueDecision(wishing, state, context()).waitUntil == now + .seconds(30))
    #expect(!dueDecision(wishing, state, punctual()).isDue)
    for context in [punctual(), context()] {
      let outlook = outlook([wishing], [wishing.name: state], context)
      #expect(outlook.due.isEmpty)
      #expect(outlook.next?.at == now + .seconds(30))
    }
  }

  @Test(arguments: [.everyRun, .every(.zero)] as [MinimumInterval])
  func `every-run means every five minutes if there is no timer`(interval: MinimumInterval) throws {
    let eager = try feed("eager", interval: interval)
    let scheduled = try feed("scheduled", interval: interval, schedule: ["* * * * *"])
    let states = [eager.name: fetched(.minutes(1)), scheduled.name: fetched(.minutes(1))]

    #expect(outlook([eager], states, punctual()).due.isEmpty)
    #expect(outlook([eager], states, punctual()).next?.at == now + .minutes(4))
    #expect(outlook([eager], states, context()).due.count == 1)
    #expect(outlook([scheduled], states, punctual()).due.count == 1)
  }

  @Test func `a feed that only pushes or names make due is never due by itself`() throws {
    let never = try feed("never", interval: .never)

    let outlook = outlook([never], [never.name: fetched(.hours(1))], punctual())

    #expect(outlook.due.isEmpty)
    #expect(outlook.next == nil)
  }

  @Test func `a push is known by its number, also one with a file of its own`() throws {
    let news = try feed("news", interval: .never)
    var show = try feed("show", interval: .every(.hours(1)))
    var push = PushSpec()
    push.url = try Template(parsing: "https://show.example/{content-id}.mp3")
    show.push = push
    let pushes = [news.name, show.name].map { name in
      (name, PushDemand(pushes: [StoredPush(number: 7, feed: name, payload: payload(), received: now)]))
    }
    let states = [news.name: fetched(.minutes(1)), show.name: fetched(.minutes(1))]

    let outlook = outlook([news, show], states, punctual(Dictionary(uniqueKeysWithValues: pushes)))

    #expect(outlook.due == [.push(news.name, 7), .push(show.name, 7)])
    // The end of the slack of an hourly feed.
    #expect(outlook.next?.at == now + .minutes(61))
  }

  @Test func `quiet time ends a minute before the first feed is due, at most after a day`() throws {
    let hourly = try feed("hourly", interval: .every(.hours(1)))
    let daily = try feed("daily", interval: .every(.days(1)))
    let weekly = try feed("weekly", interval: .every(.days(7)))
    let states = [hourly.name: fetched(.minutes(10)), daily.name: fetched(.minutes(10))]

    // Fifty minutes are left, less two of slack, and a run waits one for a server's freshness.
    #expect(quietTime([hourly, daily], states) == now + .minutes(47))
    // There is none while a feed is due or was never fetched.
    #expect(
      quietTime([hourly, daily], [hourly.name: fetched(.hours(2)), daily.name: fetched(.minutes(1))]) == nil)
    #expect(quietTime([daily, try feed("unknown")], states) == nil)
    #expect(quietTime([try feed("named", interval: .never)], [:]) == now + .days(1))
    #expect(quietTime([weekly], [weekly.name: fetched(.hours(1))]) == now + .days(1))
    #expect(quietTime([], [:]) == now + .days(1))
  }

  @Test(arguments: (1...200).map(UInt64.init))
  func `no plan within quiet time finds anything due`(seed: UInt64) throws {
    var numbers = SeededNumbers(state: seed)
    var feeds: [FeedSpec] = []
    var states: [FeedName: FeedState] = [:]
    for number in 1...5 {
      let minutes = Int64.random(in: 5...3000, using: &numbers)
      let schedule =
        Bool.random(using: &numbers) ? ["*/\(Int.random(in: 7...59, using: &numbers)) 6-22 * * *"] : []
      let spec = try feed("feed\(number)", interval: .every(.minutes(minutes)), schedule: schedule)
      var state = fetched(.seconds(Int64.random(in: 0...(minutes * 50), using: &numbers)))
      if Bool.random(using: &numbers) {
        let freshness = Int64.random(in: 0...10_000, using: &numbers)
        state.freshness = ServerFreshness(notBefore: now + .seconds(freshness), source: "max-age")
      }
      if Int.random(in: 0..<4, using: &numbers) == 0 {
        state.failures = 2
        state.backoffClass = .transient
      }
      feeds.append(spec)
      states[spec.name] = state
    }

    guard let end = quietTime(feeds, states) else {
      #expect(
        !duePlan(feeds, states, context()).due.isEmpty || end(of: feeds, states) <= DueDecision.longestWait)
      return
    }
    for _ in 0..<20 {
      let moment = now + .seconds(Int64.random(in: 0..<end.since(now).seconds, using: &numbers))
      #expect(duePlan(feeds, states, context(now: moment)).due.isEmpty, "seed \(seed) at \(moment.rfc3339)")
    }
  }

  /// How long it takes until the first feed is due.
  private func end(of feeds: [FeedSpec], _ states: [FeedName: FeedState]) -> Interval {
    let moments = feeds.compactMap { dueDecision($0, states[$0.name] ?? FeedState(), context()).dueAt }
    return moments.min().map { $0.since(now) } ?? .zero
  }
}

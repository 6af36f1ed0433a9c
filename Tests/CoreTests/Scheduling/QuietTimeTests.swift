// How long runs find nothing due.

import Core
import Testing

@Suite struct QuietTimeTests {
  @Test func `quiet time ends a minute before the first feed is due`() throws {
    let hourly = try feed("hourly", interval: .every(.hours(1)))
    let daily = try feed("daily", interval: .every(.days(1)))
    let states = [hourly.name: fetched(.minutes(10)), daily.name: fetched(.minutes(10))]

    // Fifty minutes are left, less two of slack, and a run waits one for a server's freshness.
    #expect(quietTime([hourly, daily], states, context()) == now + .minutes(47))
  }

  @Test func `there is no quiet time while a feed is due or was never fetched`() throws {
    let due = try feed("due", interval: .every(.hours(1)))
    let other = try feed("other", interval: .every(.days(1)))
    let states = [due.name: fetched(.hours(2)), other.name: fetched(.minutes(1))]

    #expect(quietTime([due, other], states, context()) == nil)
    #expect(quietTime([other, try feed("unknown")], states, context()) == nil)
  }

  @Test func `quiet time is a day at most, even if nothing is ever due by itself`() throws {
    let named = try feed("named", interval: .never)
    let weekly = try feed("weekly", interval: .every(.days(7)))

    #expect(quietTime([named], [:], context()) == now + .days(1))
    #expect(quietTime([weekly], [weekly.name: fetched(.hours(1))], context()) == now + .days(1))
    #expect(quietTime([], [:], context()) == now + .days(1))
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

    guard let end = quietTime(feeds, states, context()) else {
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

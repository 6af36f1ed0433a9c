// Openings, and the habits computed from them.

import Core
import Testing

@testable import Store

/// A time in UTC, which is the person's time zone.
private func moment(_ at: Instant) -> OpeningMoment { OpeningMoment(at, in: .utc) }

@Suite final class HabitTests: StoreSuite {
  private var moon: FeedName { other }
  /// 07:30 on a Monday, 2027-01-18.
  private let monday = Instant(secondsSince1970: 1_800_257_400)

  private func open(_ feeds: [FeedName]?, _ times: Instant...) async throws {
    for time in times { try await store.recordOpening(of: feeds, at: moment(time)) }
  }

  private func habit(_ feed: FeedName) async throws -> Habit? {
    try await store.habits(of: [feed])[feed]
  }

  private func bin(_ minute: Int, _ weight: Double, _ at: Instant, _ kind: DayKind = .working) -> HabitBin {
    HabitBin(kind: kind, minute: minute, weight: weight, at: at)
  }

  @Test func `an opening counts in its minute of the day, for its feed only`() async throws {
    try await open([planet], monday)

    #expect(try await habit(planet)?.bins == [bin(450, 1, monday)])
    #expect(try await habit(planet)?.days == 1)
    #expect(try await habit(moon) == nil)
    #expect(try await store.habits(of: []) == [:])
  }

  @Test func `an opening of all feeds counts for each feed and is one row`() async throws {
    try await open(nil, monday)

    let habits = try await store.habits(of: [planet, moon])
    #expect(habits[planet]?.bins == [bin(450, 1, monday)])
    #expect(habits[moon] == habits[planet])
    #expect(try await store.number("SELECT count(*) FROM opening") == 1)
    #expect(try await store.number("SELECT count(*) FROM feed") == 0)
  }

  @Test func `the rhythm of a feed is that of the 200 items that were found last`() async throws {
    func times(_ hours: [Int64]) -> Set<ItemTimes> {
      Set(hours.map { ItemTimes(published: monday - .hours($0), firstSeen: now) })
    }
    // The oldest ones are found first, as in a feed that is read for years.
    let items = (0..<205).reversed().map { item("\($0)", published: monday - .hours($0)) }
    try await store.commit(fetch(planet, items))
    try await store.commit(fetch(moon, [item("1", published: monday - .hours(1)), item("2")]))

    let news = try await store.news(of: [planet, moon, name("unknown")])

    #expect(news[planet].map { Set($0) } == times(Array(0..<200)))
    #expect(news[moon].map { Set($0) } == times([1]).union([ItemTimes(published: nil, firstSeen: now)]))
    #expect(news.count == 2)
    #expect(try await store.news(of: []) == [:])
  }

  @Test func `working days and weekends are separate, with minutes in order`() async throws {
    let saturday = monday + .days(5)
    try await open([planet], monday + .hours(12), saturday, monday, saturday + .hours(2))

    #expect(
      try await habit(planet)?.bins == [
        bin(450, 1, monday), bin(1170, 1, monday + .hours(12)),
        bin(450, 1, saturday, .weekend), bin(570, 1, saturday + .hours(2), .weekend),
      ])
    #expect(try await habit(planet)?.days == 2)
  }

  @Test func `older openings of a minute count less than newer ones`() async throws {
    let later = monday + .days(21)
    try await open([planet], monday, later)

    let bins = try #require(try await habit(planet)?.bins)
    let weight = Habit.decayed(1, from: monday, to: later) + 1
    #expect(bins == [bin(450, weight, later)])
    #expect(abs(weight - 1.5) < 0.01)
  }

  @Test(
    arguments: [
      ([0, 14], 1), ([0, 15], 2), ([0, 10, 20, 30], 1), ([0, 14, 29], 2), ([0, -14], 1),
      ([0, -15], 2),
    ] as [([Int64], Double)])
  func `openings less than 15 minutes apart are one look`(minutes: [Int64], looks: Double) async throws {
    for feeds in [[planet], nil] {
      for minute in minutes { try await open(feeds, shifted(monday, minutes: minute)) }
    }

    let weights = try await habit(moon)?.bins.map(\.weight) ?? []
    #expect(weights.reduce(0, +) == looks)
    #expect(try await habit(planet)?.bins.map(\.weight).reduce(0, +) == 2 * looks)
  }

  @Test func `a look continues past midnight, and counts as a second day`() async throws {
    let night = monday + .hours(16) + .minutes(25)
    try await open([planet], night, night + .minutes(10))

    let habit = try #require(try await habit(planet))
    #expect(habit.bins == [bin(1435, 1, night)])
    #expect(habit.days == 2)
  }

  @Test func `a feed's openings and those of all feeds form one habit`() async throws {
    try await open([planet], monday, monday + .hours(1), monday + .days(3))
    try await open(nil, monday + .minutes(30), monday + .hours(1), monday + .days(2))

    let habit = try #require(try await habit(planet))
    let own = Habit.decayed(1, from: monday, to: monday + .days(3)) + 1
    #expect(
      Set(habit.bins) == [
        bin(450, own, monday + .days(3)), bin(450, 1, monday + .days(2)),
        bin(480, 1, monday + .minutes(30)), bin(510, 1, monday + .hours(1)),
      ])
    #expect(habit.bins.map(\.minute) == [450, 450, 480, 510, 510])
    #expect(habit.days == 3)
  }

  @Test func `openings count after the clock was set back`() async throws {
    try await open([planet], monday + .days(700), monday, monday + .days(1))

    let weight = Habit.decayed(2, from: monday, to: monday + .days(1)) + 1
    #expect(try await habit(planet)?.bins == [bin(450, weight, monday + .days(1))])
  }

  @Test(.onFile) func `a new look ends the quiet note, a continued look does not`() async throws {
    let before = try await store.changes()
    try await open([planet], monday)
    #expect(try await store.changes() == before + 1)
    try await open([planet], monday + .minutes(5))
    #expect(try await store.changes() == before + 1)
    try await open(nil, monday + .minutes(5))
    #expect(try await store.changes() == before + 2)
  }

  @Test func `a forgotten feed loses its openings, but not those of all feeds`() async throws {
    try await open([planet, moon], monday)
    try await open(nil, monday + .hours(1))

    try await store.forgetDormant(configured: [moon], before: monday + .days(90))

    #expect(try await habit(planet)?.bins.count == 1)
    #expect(try await habit(moon)?.bins.count == 2)
  }

  @Test func `old openings and those of a far future are pruned`() async throws {
    try await open([planet], monday, monday + .days(100), monday + .days(1000))
    try await open(nil, monday)

    #expect(try await store.prune(before: monday + .days(1), limit: 100) == 5)

    #expect(try await habit(planet)?.days == 1)
    #expect(try await habit(planet)?.bins.map(\.at) == [monday + .days(100)])
    #expect(try await habit(moon) == nil)
  }

  @Test func `concurrent openings through two connections all count`() async throws {
    let stores = [store, try directory.open()]
    let (planet, monday) = (planet, monday)

    try await withThrowingTaskGroup(of: Void.self) { group in
      for day in 0..<40 {
        group.addTask {
          let time = moment(monday + .days(7 * Int64(day)))
          try await stores[day % 2].recordOpening(of: day % 4 < 2 ? [planet] : nil, at: time)
        }
      }
      try await group.waitForAll()
    }

    #expect(try await habit(planet)?.days == 40)
    #expect(try await store.number("SELECT count(*) FROM opening") == 2)
  }
}

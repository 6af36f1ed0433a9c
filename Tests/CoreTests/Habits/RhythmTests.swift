// The rhythms of publishers: what is learned from the times of items, and where it places fetches.

import HabitExperiment
import Testing

@testable import Core

@Suite struct RhythmTests {
  /// Mondays at 09:00 UTC, the last one on 2026-11-23.
  private func mondays(_ count: Int, minutes: Int = 0) throws -> [Instant] {
    let last = try at("2026-11-23T09:00:00Z") + .minutes(Int64(minutes))
    return (0..<count).reversed().map { last - .days(Int64(7 * $0)) }
  }

  private func items(_ moments: [Instant]) -> [ItemTimes] {
    moments.map { ItemTimes(published: $0, firstSeen: $0 + .minutes(20)) }
  }

  private func due(
    _ adapt: Adaptation, _ items: [ItemTimes], habit: Habit? = nil, interval: Interval = .hours(1),
    after last: String, planned: Instant? = nil, in zone: Zone = .utc
  ) throws -> String? {
    let feed = with(try feed(interval: .every(interval))) { $0.adapt = adapt }
    let state = with(fetchedAt(try at(last))) { $0.planned = planned }
    var learned = Learned(news: [feed.name: items])
    if let habit { learned.habits[feed.name] = habit }
    let context = PlanningContext(now: try at(last), zone: zone, machine: "test", learned: learned)
    return nextDue(feed, state, context)?.rfc3339
  }

  @Test(arguments: [
    // Away from the hour the interval is stretched fourfold.
    ("2026-11-28T12:00:00Z", "2026-11-28T16:00:00Z"), ("2026-11-30T07:30:00Z", "2026-11-30T09:15:00Z"),
    // A fetch that the interval allows too late for the hour comes as soon as it may.
    ("2026-11-30T08:50:00Z", "2026-11-30T09:48:00Z"),
  ])
  func `a weekly publisher is fetched minutes after its hour`(last: String, expected: String) throws {
    #expect(try due(.publisher, items(mondays(6)), after: last) == expected)
    #expect(try due(.both, items(mondays(6)), after: last) == expected)
    #expect(try due(.habits, items(mondays(6)), after: last) == due(.none, [], after: last))
  }

  @Test func `with both the fetch comes between the news and the look`() throws {
    let looks = habit(working: try days(30, "18:00"), weekend: try days(12, "18:00"))

    let moment = try due(
      .both, items(mondays(6)), habit: looks, interval: .hours(4), after: "2026-11-30T08:00:00Z")

    let fetch = try #require(moment)
    #expect(fetch >= "2026-11-30T11:58:00Z", "\(fetch)")
    #expect(fetch <= "2026-11-30T17:50:00Z", "\(fetch)")
  }

  @Test func `the plan made after a fetch holds, within what the interval allows`() throws {
    for (planned, expected) in [
      ("2026-11-28T13:30:00Z", "2026-11-28T13:30:00Z"), ("2026-11-28T12:10:00Z", "2026-11-28T12:58:00Z"),
      ("2026-12-05T12:00:00Z", "2026-11-28T16:00:00Z"),
    ] {
      #expect(
        try due(.publisher, items(mondays(6)), after: "2026-11-28T12:00:00Z", planned: at(planned))
          == expected)
    }
  }

  @Test func `only plausible dates count, and items in a row are one publication`() throws {
    let seen = try at("2026-11-23T10:00:00Z")
    let first = try at("2026-11-01T10:00:00Z")
    func times(_ published: Instant?, firstSeen: Instant) -> ItemTimes {
      ItemTimes(published: published, firstSeen: firstSeen)
    }

    let moments = publications(
      [
        // The first document: old dates count, a day without a time and no date at all do not.
        times(first - .days(9), firstSeen: first), times(try at("2026-10-20T00:00:00Z"), firstSeen: first),
        times(nil, firstSeen: first),
        // Found soon after, in a row.
        times(seen - .minutes(50), firstSeen: seen), times(seen - .minutes(30), firstSeen: seen),
        // In the future, long before, none: each came in the hour before it was found.
        times(seen + .days(2), firstSeen: seen + .days(1)),
        times(seen - .days(3), firstSeen: seen + .days(2)), times(nil, firstSeen: seen + .days(3)),
      ], every: .hours(1))

    #expect(
      moments == [
        first - .days(9), seen - .minutes(50), seen + .days(1) - .minutes(30), seen + .days(2) - .minutes(30),
        seen + .days(3) - .minutes(30),
      ])
  }

  @Test(arguments: [
    ("midnight in Berlin, summer and winter", "2026-10-27T23:00:00Z", true),
    ("noon in UTC", "2026-11-20T12:00:00Z", false),
  ])
  func `a time of day that almost all dates share is a placeholder`(
    name: String, last: String, clocksChange: Bool
  ) throws {
    let last = try at(last)
    let seen = last + .days(1)
    var items = (0..<12).map { number in
      // The days before 25 October began an hour earlier.
      let hour: Int64 = clocksChange && number > 2 ? 3600 : 0
      return ItemTimes(published: last - .days(Int64(number)) - .seconds(hour), firstSeen: seen)
    }
    // One of them has a time.
    items[5].published = last - .days(5) + .seconds(12_345)
    // Found ten hours after its date.
    items.append(ItemTimes(published: last + .days(2), firstSeen: last + .days(2) + .hours(10)))

    #expect(
      publications(items, every: .hours(4)) == [
        last - .days(5) + .seconds(12_345), last + .days(2) + .hours(9),
      ], "\(name)")
  }

  @Test func `who publishes at one time to the second has items that are found soon after it`() throws {
    let (mondays, seen) = (try mondays(6), try at("2026-11-23T09:20:00Z"))
    let old = mondays.map { ItemTimes(published: $0, firstSeen: seen) }

    #expect(publications(items(mondays), every: .hours(1)) == mondays)
    #expect(publications(old, every: .hours(1)).isEmpty)
  }

  @Test func `no weekday is named on which nothing was published`() throws {
    let saturday = try at("2026-11-28T09:00:00Z")
    func text(_ zone: Zone) throws -> String {
      let rhythm = try #require(Rhythm((0..<6).reversed().map { saturday - .days($0) }, in: .utc))
      return rhythm.text(in: zone, at: saturday)
    }

    #expect(try text(.utc) == "publishes Mon, Tue, Wed, Thu, Fri 08:55-09:10; Sat 09:00-09:05")
    #expect(try text(TestZone.berlin) == "publishes Mon, Tue, Wed, Thu, Fri 09:55-10:10; Sat 10:00-10:05")
  }

  @Test func `too few publications and random ones predict nothing`() throws {
    #expect(Rhythm(try mondays(2), in: .utc) == nil)
    #expect(Rhythm([], in: .utc) == nil)
    #expect(Rhythm(try mondays(4), in: .utc) != nil)
    var numbers = SeededNumbers(state: 7)
    let proven = (0..<200).count { _ in
      var moment = Instant(secondsSince1970: 1_790_000_000)
      let moments = (0..<60).map { _ in
        moment = moment + .minutes(.random(in: 1...4000, using: &numbers))
        return moment
      }
      return Rhythm(moments, in: .utc) != nil
    }
    #expect(proven <= 4)
  }

  @Test func `a publisher by another clock is followed when the person's clocks change`() throws {
    // 14:00 UTC, which is 16:00 in Berlin until 2026-10-25 and 15:00 after that.
    let monday = try at("2026-11-23T14:00:00Z")
    let rhythm = try #require(Rhythm((0..<12).reversed().map { monday - .days(7 * $0) }, in: TestZone.berlin))

    #expect(rhythm.zone == .utc)
    #expect(rhythm.text(in: TestZone.berlin, at: monday) == "publishes Mon 14:55-15:10")
    #expect(
      rhythm.text(in: TestZone.berlin, at: try at("2026-08-03T12:00:00Z")) == "publishes Mon 15:55-16:10")
  }

  @Test func `days with the same times are named together, and all of them as daily`() throws {
    let monday = try at("2026-11-23T09:00:00Z")
    func text(_ days: [Int64]) throws -> String {
      try #require(Rhythm(days.reversed().map { monday - .days($0) }, in: .utc)).text(in: .utc, at: monday)
    }

    #expect(try text(Array(0..<30)) == "publishes daily 08:55-09:10")
    #expect(try text((0..<60).filter { [0, 3].contains($0 % 7) }) == "publishes Mon, Fri 08:55-09:10")
  }

  @Test func `damaged times do no harm`() throws {
    let extremes = [Int64.min, -1 << 50, 0, 1, 1 << 50, .max].map(Instant.init(secondsSince1970:))
    let items = extremes.flatMap { published in
      extremes.map { ItemTimes(published: published, firstSeen: $0) }
    }

    for interval: Interval in [.zero, .hours(1), .seconds(.max)] {
      let rhythm = Rhythm(publications(items, every: interval), in: TestZone.berlin)
      #expect(rhythm?.week.allSatisfy(\.isFinite) ?? true, "\(interval)")
    }
  }

  // A small part of `make bench-habits`, with seeds that were not used for tuning.
  @Test(arguments: [PublisherKind.comic, .paper, .office, .podcast, .releases, .random, .silent, .changing])
  func `at equal requests news waits half as long, and at random times as long as before`(kind: PublisherKind)
  {
    let trials = (0..<3).map {
      NewsTrial(
        kind, number: $0, seed: 2029, days: 84, phases: 1, Setup(interval: .hours(2), tick: .minutes(15)))
    }

    // The bound is loose, because a few publishers over a few weeks vary; the benchmark checks bounds by kind.
    let bound = kind.isRandom ? 1.02 : kind == .office ? 0.75 : 0.6
    #expect(trials.map(\.ratio).sorted()[1] <= bound)
    for trial in trials {
      #expect(!trial.isTooSoon)
      #expect(trial.requests <= trial.plainRequests + 0.02)
    }
  }
}

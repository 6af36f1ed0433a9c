// One person's months: days, looks, publications and the moments at which the machine wakes bgfetch.

import Core

/// What happens whatever bgfetch does.
struct World {
  /// The beginning.
  let start: Instant
  /// How many days there are.
  let days: Int
  /// Where the person lives: clocks change while they are watched.
  let zone: Zone
  /// When the person looks, in order.
  let looks: [Instant]
  /// The moments at which staleness is measured, in order.
  ///
  /// They are the looks, and of people without a habit those of 24 more such lives, which bgfetch does not learn of: of few
  /// looks chance alone makes more or less than 5 %.
  let measured: [Instant]
  /// How many looks are to be expected in each minute, from the first midnight on.
  let expectation: [Double]
  /// What comes out, in order, by publisher.
  let publications: [PublisherKind: [Instant]]

  /// A world in which nothing depends on what is decided in it.
  init(_ kind: PersonKind, number: Int, seed: UInt64, days: Int) {
    var chance = Chance(seed: seed, "\(kind.rawValue) \(number)")
    let zone = Zone(name: "Europe/Berlin", posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc
    // A Monday of 2026 or one of the weeks after it.
    let first = 20_458 + Int64(chance.count(0...51)) * 7
    func moment(_ day: Int, _ minute: Int) -> Instant {
      switch zone.moments(of: CivilTime(secondsSince1970: (first + Int64(day)) * 86_400 + Int64(minute) * 60))
      {
      case .once(let moment), .skipped(firstAfter: let moment), .twice(first: let moment, second: _): moment
      }
    }
    let person = Person(kind, days: days, &chance)
    let publicHolidays = Set((0..<days / 30).map { _ in chance.count(0...days) })
    func isWorkingDay(_ day: Int) -> Bool { day % 7 < 5 && !publicHolidays.contains(day) }
    func life(_ chance: inout Chance) -> [Instant] {
      var looks: [Instant] = []
      for day in 0..<days {
        looks += person.looks(on: day, isWorkingDay: isWorkingDay(day), &chance).map {
          moment(day, $0) + .seconds(Int64(chance.count(0...59)))
        }
      }
      let end = moment(days, 0)
      return looks.sorted().filter { $0 < end }
    }
    looks = life(&chance)
    var publications: [PublisherKind: [Instant]] = [:]
    for publisher in PublisherKind.allCases {
      publications[publisher] = (0..<days).flatMap { day in
        publisher.publications(on: day, &chance).map { moment(day, $0) }
      }.sorted()
    }
    start = moment(0, 0)
    self.days = days
    self.zone = zone
    self.publications = publications
    var others = Chance(seed: seed, "\(kind.rawValue) \(number) other lives")
    measured = kind.isErratic ? (looks + (0..<24).flatMap { _ in life(&others) }).sorted() : looks
    var expectation = [Double](repeating: 0, count: (days + 1) * 1440)
    for day in 0..<days {
      let looks = person.expectation(on: day, isWorkingDay: isWorkingDay(day))
      for (minute, count) in looks.enumerated() { expectation[day * 1440 + minute] += count }
    }
    self.expectation = Array(expectation.prefix(days * 1440))
  }

  /// The end.
  var end: Instant { start + .days(Int64(days)) }
}

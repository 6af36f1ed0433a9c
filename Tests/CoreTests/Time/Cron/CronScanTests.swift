// Random expressions around clock changes, compared with a scan of every minute.

import Testing

@testable import Core

@Suite struct CronScanTests {
  @Test(arguments: [
    Change(TestZone.berlin, "2027-03-28T01:00:00Z"), Change(TestZone.berlin, "2027-10-31T01:00:00Z"),
    Change(TestZone.lordHowe, "2026-10-03T15:30:00Z"), Change(TestZone.lordHowe, "2026-04-04T15:00:00Z"),
    Change(TestZone.troll, "2026-03-29T01:00:00Z"), Change(TestZone.troll, "2026-10-25T01:00:00Z"),
    Change(TestZone.saoPaulo, "2018-11-04T03:00:00Z"), Change(TestZone.saoPaulo, "2018-02-18T02:00:00Z"),
    Change(TestZone.dublin, "2026-10-25T01:00:00Z"), Change(TestZone.apia, "2011-12-30T10:00:00Z"),
    Change(TestZone.casablanca, "2014-06-28T02:00:00Z"), Change(.utc, "2026-02-28T00:00:00Z"),
    Change(Change.nervous, "2026-05-01T02:00:00Z"), Change(Change.backAndForth, "2026-05-01T02:00:00Z"),
  ])
  func `next and previous equal a scan of every minute`(change: Change) throws {
    let clock = MinuteScan(change)
    var random = FixedRandom(state: UInt64(bitPattern: change.moment.secondsSince1970))
    for _ in 0..<25 {
      let fields = RandomFields(using: &random)
      let expression = try CronExpression(parsing: fields.text)
      let expected = clock.firings(of: fields)

      #expect(firings(of: expression, in: clock) == expected, "\(fields.text)")
      #expect(firingsBackwards(of: expression, in: clock) == expected, "\(fields.text)")
      let moments = (0..<10).map { _ in
        change.moment + .minutes(.random(in: 0...240, using: &random)) - .hours(2)
      }
      let wrong = moments.filter { moment in
        let next = expected.first { $0 >= moment }
        let previous = expected.last { $0 <= moment }
        return next != nil && expression.next(atOrAfter: moment, in: clock.zone) != next
          || previous != nil && expression.previous(atOrBefore: moment, in: clock.zone) != previous
      }
      #expect(wrong.isEmpty, "\(fields.text)")
    }
  }

  private func firings(of expression: CronExpression, in clock: MinuteScan) -> [Instant] {
    var firings: [Instant] = []
    var moment = expression.next(atOrAfter: clock.first, in: clock.zone)
    while let firing = moment, firing <= clock.last {
      // A firing that is not later than the previous one would be found forever.
      guard firings.last.map({ $0 < firing }) ?? true else { return firings + [firing] }
      firings.append(firing)
      moment = expression.next(after: firing, in: clock.zone)
    }
    return firings
  }

  private func firingsBackwards(of expression: CronExpression, in clock: MinuteScan) -> [Instant] {
    var firings: [Instant] = []
    var moment = expression.previous(atOrBefore: clock.last, in: clock.zone)
    while let firing = moment, firing >= clock.first {
      guard firings.last.map({ $0 > firing }) ?? true else { return firings + [firing] }
      firings.append(firing)
      moment = expression.previous(atOrBefore: firing - .seconds(1), in: clock.zone)
    }
    return firings.reversed()
  }
}

/// A moment at which a zone's clocks change.
struct Change: Sendable, CustomTestStringConvertible {
  let zone: Zone
  let moment: Instant

  var testDescription: String { "\(zone.name) at \(moment.rfc3339)" }

  init(_ zone: Zone, _ moment: String) {
    self.zone = zone
    self.moment = instant(moment)
  }

  /// Set back twice within the same hours, so that some times come three times.
  static let nervous = Zone(
    name: "nervous", initialOffset: 7200,
    transitions: [
      .init(at: instant("2026-05-01T02:00:00Z"), offset: 3600),
      .init(at: instant("2026-05-01T02:20:00Z"), offset: 0),
    ], footer: nil)
  /// Set back and soon forward again, so that the times of the gap were shown before.
  static let backAndForth = Zone(
    name: "back and forth", initialOffset: 3600,
    transitions: [
      .init(at: instant("2026-05-01T02:00:00Z"), offset: 0),
      .init(at: instant("2026-05-01T05:00:00Z"), offset: 3600),
    ], footer: nil)
}

/// The minutes within two days of a change, with the local time of each in seconds.
struct MinuteScan {
  let zone: Zone
  let first: Instant
  let last: Instant
  private let shown: [Int64]
  /// The local time without the latest jump forward, for the length of that jump; nil at other times.
  private let shownByOldClock: [Int64?]
  /// The minutes by which the scan begins before `first`, to know the times shown before.
  private static let lead = 2 * 1440

  init(_ change: Change) {
    zone = change.zone
    first = change.moment - .days(2)
    last = change.moment + .days(2)
    var shown: [Int64] = []
    var shownByOldClock: [Int64?] = []
    var gap: (start: Int64, end: Int64, offset: Int64)?
    var second = first.secondsSince1970 - Int64(Self.lead) * 60
    while second <= last.secondsSince1970 {
      let offset = Int64(zone.offset(at: Instant(secondsSince1970: second)))
      let before = Int64(zone.offset(at: Instant(secondsSince1970: second - 60)))
      if offset != before { gap = (second, second + offset - before, before) }
      shown.append(second + offset)
      shownByOldClock.append(gap.flatMap { second < $0.end ? second + $0.offset : nil })
      second += 60
    }
    self.shown = shown
    self.shownByOldClock = shownByOldClock
  }

  /// The minutes at which fields fire by the rules of the manual, found one by one.
  func firings(of fields: RandomFields) -> [Instant] {
    var firings: [Instant] = []
    var furthest = shown[0]
    for (index, now) in shown.enumerated() {
      defer { furthest = max(furthest, now) }
      guard index >= Self.lead else { continue }
      let fires =
        fields.hourIsStar
        ? fields.match(now) || shownByOldClock[index].map(fields.match) ?? false
        : stride(from: furthest + 60, through: now, by: 60).contains(where: fields.match)
      if fires { firings.append(first + .minutes(Int64(index - Self.lead))) }
    }
    return firings
  }
}

/// Random fields, as text and as sets, so that the scan does not depend on the parser.
struct RandomFields {
  let text: String
  let hourIsStar: Bool
  private let minutes: [Bool]
  private let hours: [Bool]
  private let days: [Bool]
  private let weekdays: [Bool]
  private let dayIsStar: Bool
  private let weekdayIsStar: Bool

  init(using random: inout FixedRandom) {
    let minute = Self.field(0...59, starts: 0.3, using: &random)
    let hour = Self.field(0...23, starts: 0.4, using: &random)
    let day = Self.field(1...31, starts: 0.7, using: &random)
    let weekday = Self.field(0...6, starts: 0.7, using: &random)
    text = "\(minute.text) \(hour.text) \(day.text) * \(weekday.text)"
    (minutes, hours, days, weekdays) = (minute.values, hour.values, day.values, weekday.values)
    hourIsStar = hour.text.hasPrefix("*")
    dayIsStar = day.text.hasPrefix("*")
    weekdayIsStar = weekday.text.hasPrefix("*")
  }

  /// Whether a local time matches the fields.
  func match(_ local: Int64) -> Bool {
    guard minutes[Int(local / 60 % 60)], hours[Int(local / 3600 % 24)] else { return false }
    let civil = CivilTime(secondsSince1970: local)
    let (day, weekday) = (days[civil.day], weekdays[civil.weekday])
    return dayIsStar || weekdayIsStar ? day && weekday : day || weekday
  }

  private static func field(
    _ range: ClosedRange<Int>, starts starProbability: Double, using random: inout FixedRandom
  ) -> (text: String, values: [Bool]) {
    var values = [Bool](repeating: false, count: range.upperBound + 1)
    func set(_ numbers: some Sequence<Int>) { for number in numbers { values[number] = true } }
    if Double.random(in: 0..<1, using: &random) < starProbability {
      let step = Bool.random(using: &random) ? 1 : Int.random(in: 2...(range.count / 2), using: &random)
      set(stride(from: range.lowerBound, through: range.upperBound, by: step))
      return (step == 1 ? "*" : "*/\(step)", values)
    }
    // Small numbers are more likely, because most changes happen in early hours.
    let numbers = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      Bool.random(using: &random)
        ? Int.random(in: range, using: &random)
        : Int.random(in: range.lowerBound...(range.lowerBound + 3), using: &random)
    }
    set(numbers)
    return (numbers.map(String.init).joined(separator: ","), values)
  }
}

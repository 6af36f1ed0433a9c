// A stretch of time as columns of text.

import Core

/// A stretch of time as columns of text, each of the same length.
struct Timeline {
  /// The beginning of the first column.
  let start: Instant
  /// The length of a column.
  let unit: Interval
  /// How many columns there are.
  let count: Int

  /// The columns between two moments that a width has room for, none shorter than a length; they begin where clocks
  /// show a round time.
  init(from: Instant, to end: Instant, width: Int, least: Interval, in zone: Zone) {
    let width = Int64(max(width, 1))
    func columns(_ unit: Int64) -> (start: Instant, count: Int64) {
      let local = from.secondsSince1970 + Int64(zone.offset(at: from))
      let start = from - .seconds(local - local / min(unit, 86_400) * min(unit, 86_400))
      return (start, max(1, (end.since(start).seconds + unit - 1) / unit))
    }
    let shortest = max(least, .seconds(1)).seconds
    var unit =
      Self.units.first { $0 >= shortest && columns($0).count <= width }
      ?? max(shortest, Self.units.last ?? shortest)
    while columns(unit).count > width { unit *= 2 }
    self.unit = .seconds(unit)
    (start, count) = (columns(unit).start, Int(columns(unit).count))
  }

  /// The column that a moment lies in.
  func column(of moment: Instant) -> Int {
    min(Int(moment.since(start).seconds / unit.seconds), count - 1)
  }

  /// How often something happens in a column, as one character.
  static func mark(_ times: Int) -> Character {
    switch times {
    case 0: "."
    case 1...9: Character(String(times))
    default: "#"
    }
  }

  /// The line above the columns: hours, days or months, where they begin.
  func axis(in zone: Zone) -> String {
    let step = TimelineStep.allCases.first { step in
      step.length.seconds / unit.seconds > Int64(step.width)
    }
    guard let step else { return "" }
    var line = ""
    for column in 0..<count {
      let begin = start + .seconds(Int64(column) * unit.seconds)
      let before = step.number(of: zone.civil(at: begin - .seconds(1)))
      let number = step.number(of: zone.civil(at: begin + unit - .seconds(1)))
      guard number != before, line.isEmpty || line.count < column else { continue }
      line += String(repeating: " ", count: column - line.count) + step.label(of: number)
    }
    return line
  }

  private static let units: [Int64] =
    [1, 5, 10, 15, 30].map { $0 * 60 } + [1, 2, 3, 4, 6, 8, 12, 24, 48, 168].map { $0 * 3600 }
}

/// What the labels of a timeline count.
private enum TimelineStep: CaseIterable {
  case hour, threeHours, sixHours, twelveHours, day, week, month, quarter, year

  /// How long it is at least.
  var length: Interval {
    switch self {
    case .hour, .threeHours, .sixHours, .twelveHours: .hours(hours)
    case .day: .days(1)
    case .week: .days(7)
    case .month: .days(28)
    case .quarter: .days(90)
    case .year: .days(365)
    }
  }

  /// How wide its label is.
  var width: Int {
    switch self {
    case .hour, .threeHours, .sixHours, .twelveHours: 5
    case .day, .week: 6
    case .month, .quarter: 3
    case .year: 4
    }
  }

  private var hours: Int64 {
    switch self {
    case .hour: 1
    case .threeHours: 3
    case .sixHours: 6
    default: 12
    }
  }

  /// Which of them a time lies in; a later one has a larger number.
  func number(of civil: CivilTime) -> Int64 {
    switch self {
    case .hour, .threeHours, .sixHours, .twelveHours:
      (civil.daysSince1970 * 24 + Int64(civil.hour)) / hours
    case .day: civil.daysSince1970
    // 1970-01-01 was a Thursday.
    case .week: (civil.daysSince1970 + 3) / 7
    case .month: Int64(civil.year * 12 + civil.month - 1)
    case .quarter: Int64(civil.year * 4 + (civil.month - 1) / 3)
    case .year: Int64(civil.year)
    }
  }

  /// What stands where one begins.
  func label(of number: Int64) -> String {
    func text(_ format: String, _ seconds: Int64) -> String {
      time(Instant(secondsSince1970: seconds), format, in: .utc)
    }
    func month(_ number: Int64) -> Int64 {
      CivilTime(year: Int(number / 12), month: Int(number % 12) + 1, day: 1).secondsSince1970
    }
    return switch self {
    case .hour, .threeHours, .sixHours, .twelveHours: text("%H:%M", number * hours * 3600)
    case .day: text("%a %d", number * 86_400)
    case .week: text("%d %b", (number * 7 - 3) * 86_400)
    case .month: text("%b", month(number))
    case .quarter: text("%b", month(number * 3))
    case .year: String(number)
    }
  }
}

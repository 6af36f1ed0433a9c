// `bgfetch history --habits`: the days of a feed as rows of blocks.

import Core

/// What a day is drawn with.
struct DayDrawing {
  /// How many columns an hour takes.
  var columnsOfHour: Int
  /// From nothing to the most, in steps.
  var heights: [Character]

  /// A drawing that fits a terminal; three columns an hour where nobody says how wide it is.
  init(columns: Int?, showsUnicode: Bool) {
    columnsOfHour = [4, 3, 2].first { $0 * 24 + Self.margin <= columns ?? 80 } ?? 1
    heights = Array(showsUnicode ? " ▁▂▃▄▅▆▇█" : " .:-=+*#@")
  }

  /// How wide the names of the rows are.
  static let margin = 8

  /// The column of a minute of the day.
  func column(of minute: Int) -> Int { minute * columnsOfHour / 60 }

  /// A row of marks, each a range of minutes of the day, which may go on into the next.
  func row(_ name: String, _ mark: Character, at minutes: [Range<Int>]) -> String {
    var columns = [Character](repeating: " ", count: 24 * columnsOfHour)
    for minute in minutes.joined() { columns[column(of: minute % 1440)] = mark }
    return line(name, String(columns))
  }

  /// The looks as bars, the highest as high as a bar can be.
  func bars(_ looks: [Double]) -> String {
    var sums = [Double](repeating: 0, count: 24 * columnsOfHour)
    for (minute, count) in looks.enumerated() { sums[column(of: minute)] += count }
    let highest = max(sums.max() ?? 0, 1)
    let steps = Double(heights.count - 1)
    // The least is seen, too.
    let bars = sums.map { $0 > 0 ? heights[max(1, Int(($0 / highest * steps).rounded()))] : heights[0] }
    return line("looks", String(bars))
  }

  /// The hours, each third one named.
  var hours: String {
    let names = stride(from: 0, to: 24, by: 3).map { hour in
      let name = (hour < 10 ? "0" : "") + String(hour)
      return name + String(repeating: " ", count: 3 * columnsOfHour - name.count)
    }
    return line("", names.joined())
  }

  private func line(_ name: String, _ text: String) -> String {
    withoutTrailingBlanks(name + String(repeating: " ", count: max(0, Self.margin - name.count)) + text)
  }
}

/// The days of a feed, drawn.
func habitLines(_ feed: FeedSpec, _ habit: Habit, _ days: [HabitDay], _ drawing: DayDrawing) -> [String] {
  let adapts = feed.adaptsToHabits ? "" : "; not used, because adapt is none"
  let count =
    switch habit.days {
    case 0: "no openings"
    case 1: "openings on 1 day"
    default: "openings on \(habit.days) days"
    }
  let lacks =
    habit.days < HabitForecast.fewestDays
    ? "; a prediction needs \(HabitForecast.fewestDays) days with openings" : ""
  var lines = ["\(feed.name): \(count)\(lacks)\(adapts)"]
  for day in days {
    // Without a prediction, "at no particular time" would claim to know.
    let looks =
      habit.days < HabitForecast.fewestDays
      ? "nothing is known yet" : day.forecast.isUnseen ? "no looks yet" : "looks " + day.forecast.text
    lines += ["  " + (day.kind == .working ? "working days" : "weekends") + ": " + looks]
    lines += [drawing.hours, drawing.bars(day.looks)]
    if !day.forecast.peaks.isEmpty {
      lines.append(
        drawing.row("peaks", "=", at: day.forecast.peaks.map { $0.begins..<($0.begins + $0.length) }))
    }
    if !day.fetches.isEmpty {
      lines.append(drawing.row("fetches", "^", at: day.fetches.map { $0..<($0 + 1) }))
    }
  }
  return lines
}

/// The days of a feed as JSON, a line each.
func habitJSON(_ feed: FeedSpec, _ habit: Habit, _ days: [HabitDay]) -> [JSONValue] {
  days.map { day in
    .object([
      ("type", .string("habits")), ("feed", .string(feed.name.text)),
      ("days", .string(day.kind == .working ? "working" : "weekend")),
      ("days-with-openings", .number(Int64(habit.days))), ("adapts", .bool(feed.adaptsToHabits)),
      (
        "looks",
        .array(
          day.looks.enumerated().filter { $0.element > 0 }.map { minute, count in
            .object([
              ("minute", .string(clockText(minute))),
              ("hundredths", .number(Int64((min(count, 1_000_000) * 100).rounded()))),
            ])
          })
      ),
      (
        "peaks",
        .array(
          day.forecast.peaks.map { peak in
            .object([("begins", .string(clockText(peak.begins))), ("ends", .string(clockText(peak.ends)))])
          })
      ), ("stretch", .number(day.forecast.stretch)),
      ("fetches", .array(day.fetches.map { .string(clockText($0)) })),
    ])
  }
}

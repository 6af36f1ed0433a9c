// `bgfetch history --habits`: when the person looks at a feed, drawn as rows of blocks.

import Core

/// The width and the characters of a drawn day.
struct DayDrawing {
  /// Columns per hour.
  var columnsOfHour: Int
  /// The bars, from empty to highest.
  var heights: [Character]

  /// A drawing that fits a terminal; without a known width, three columns per hour.
  init(columns: Int?, showsUnicode: Bool) {
    columnsOfHour = [4, 3, 2].first { $0 * 24 + Self.margin <= columns ?? 80 } ?? 1
    heights = Array(showsUnicode ? " ▁▂▃▄▅▆▇█" : " .:-=+*#@")
  }

  /// The width of the row names.
  static let margin = 8

  func column(of minute: Int) -> Int { minute * columnsOfHour / 60 }

  /// A row of marks at ranges of minutes of the day; a range may continue into the next day.
  func row(_ name: String, _ mark: Character, at minutes: [Range<Int>]) -> String {
    var columns = [Character](repeating: " ", count: 24 * columnsOfHour)
    for minute in minutes.joined() { columns[column(of: minute % 1440)] = mark }
    return line(name, String(columns))
  }

  /// The looks as bars, scaled to the highest.
  func bars(_ looks: [Double]) -> String {
    var sums = [Double](repeating: 0, count: 24 * columnsOfHour)
    for (minute, count) in looks.enumerated() { sums[column(of: minute)] += count }
    let highest = max(sums.max() ?? 0, 1)
    let steps = Double(heights.count - 1)
    // Even a very small number gets a visible bar.
    let bars = sums.map { $0 > 0 ? heights[max(1, Int(($0 / highest * steps).rounded()))] : heights[0] }
    return line("looks", String(bars))
  }

  /// The axis, which labels every third hour.
  var hours: String {
    let names = stride(from: 0, to: 24, by: 3).map { hour in
      let name = (hour < 10 ? "0" : "") + String(hour)
      return name + blanks(3 * columnsOfHour - name.count)
    }
    return line("", names.joined())
  }

  private func line(_ name: String, _ text: String) -> String {
    withoutTrailingBlanks(name + blanks(Self.margin - name.count) + text)
  }
}

/// The days of a feed, drawn.
func habitLines(_ feed: FeedSpec, _ habit: Habit, _ days: [HabitDay], _ drawing: DayDrawing) -> [String] {
  let adapts = feed.adapt != .none ? "" : "; not used, because adapt is none"
  let count = habit.days == 0 ? "no openings" : "openings on \(counted(habit.days, "day"))"
  let lacks =
    habit.days < HabitForecast.fewestDays
    ? "; a prediction needs \(HabitForecast.fewestDays) days with openings" : ""
  var lines = ["\(feed.name): \(count)\(lacks)\(adapts)"]
  for day in days {
    // Without enough days, "at no particular time" would be an unfounded claim.
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
    JSONValue([
      "type": "habits", "feed": feed.name, "days": day.kind == .working ? "working" : "weekend",
      "days-with-openings": habit.days, "adapts": feed.adapt.toHabits,
      "looks": day.looks.enumerated().filter { $0.element > 0 }.map { minute, count in
        JSONValue(["minute": clockText(minute), "hundredths": Int64((min(count, 1_000_000) * 100).rounded())])
      },
      "peaks": day.forecast.peaks.map { peak in
        JSONValue(["begins": clockText(peak.begins), "ends": clockText(peak.ends)])
      }, "stretch": day.forecast.stretch, "fetches": day.fetches.map { clockText($0) },
    ])
  }
}

// `bgfetch history --habits`: when the person looks at a feed and when it publishes, drawn as a week of bars.

import Core
import Machine

/// The width of a drawn week: a row for each day, the person's beside the publisher's.
struct WeekDrawing {
  /// Columns per day.
  let columns: Int
  /// The bars, from empty to highest.
  private let heights = Array(" ▁▂▃▄▅▆▇█")

  /// A drawing that fits a terminal; without a known width, one column per hour.
  init(columns: Int?) {
    self.columns = [48, 24, 12].first { Self.margin + 2 * $0 + Self.gap <= columns ?? 80 } ?? 12
  }

  init(_ console: Console) {
    self.init(columns: console.output.isTerminal ? StandardStream.output.columns : nil)
  }

  private static let margin = 5
  private static let gap = 2

  /// The drawing; no lines if nothing was learned.
  func lines(_ week: LearnedWeek) -> [String] {
    guard (week.looks + week.news).joined().contains(where: { $0 > 0 }) else { return [] }
    let hours = stride(from: 0, to: 24, by: 6).map { padded(clockText($0 * 60), to: columns / 4) }.joined()
    // Narrow columns have no room for minutes.
    let axis = columns < 24 ? padded("00 06 12 18", to: columns) : hours
    let (looks, news) = (bars(week.looks), bars(week.news))
    let rows = CivilTime.weekdayNames.indices.map { day in
      let name = String(CivilTime.weekdayNames[(day + 1) % 7].prefix(3))
      return (name, looks[day], news[day])
    }
    let heads = [("", padded("you look", to: columns), "it publishes"), ("", axis, axis)]
    return (heads + rows).map { name, left, right in
      withoutTrailingBlanks(padded(name, to: Self.margin) + left + blanks(Self.gap) + right)
    }
  }

  /// A bar for each part of the days, scaled to the highest of all; days without values are empty.
  private func bars(_ days: [[Double]]) -> [String] {
    let sums = days.map { day in
      day.enumerated().reduce(into: [Double](repeating: 0, count: columns)) { sums, value in
        sums[value.offset * columns / day.count] += value.element
      }
    }
    let highest = max(sums.joined().max() ?? 0, 1e-9)
    let steps = Double(heights.count - 1)
    return sums.map { sums in
      String(sums.map { $0 * 16 > highest ? heights[Int(($0 / highest * steps).rounded(.up))] : heights[0] })
    }
  }

  private func padded(_ text: String, to width: Int) -> String { text + blanks(width - text.count) }
}

/// The learned week of a feed in words, and drawn.
func habitLines(
  _ feed: FeedSpec, _ habit: Habit, _ week: LearnedWeek, at now: Instant, _ drawing: WeekDrawing
) -> [String] {
  let adapts = feed.adapt == .none ? "; not used, because adapt is none" : ""
  return ["\(feed.name): \(habit.text(at: now))\(adapts)", "  publisher: " + week.rhythm]
    + drawing.lines(week)
}

/// The learned week of a feed as JSON: a line for each kind of day, and one for the publisher.
func habitJSON(_ feed: FeedSpec, _ habit: Habit, _ week: LearnedWeek) -> [JSONValue] {
  [("working", week.looks[0]), ("weekend", week.looks[6])].map { days, looks in
    JSONValue([
      "type": "habits", "feed": feed.name, "days": days, "days-with-openings": habit.days,
      "adapts": feed.adapt.toHabits,
      "looks": looks.enumerated().filter { $0.element > 0 }.map { minute, count in
        JSONValue(["minute": clockText(minute), "hundredths": Int64((min(count, 1_000_000) * 100).rounded())])
      },
    ])
  } + [
    JSONValue([
      "type": "rhythm", "feed": feed.name, "adapts": feed.adapt.toPublisher,
      "hundredths": week.news.joined().map { JSONValue.number(Int64(($0 * 100).rounded())) },
    ])
  ]
}

// When the person looks at a feed and when it publishes, drawn as a week of bars for `bgfetch why`.

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

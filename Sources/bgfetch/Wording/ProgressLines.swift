// Progress bars as lines of text: their columns, bars and numbers. ProgressDisplay draws them.

import Core
import Sync

/// A line for each running transfer, as many as the terminal has room for, and one that counts the rest.
///
/// No line is as wide as the terminal: one that ends in its last column makes some terminals begin another.
func progressLines(_ running: [TransferProgress], on screen: ProgressScreen) -> [String] {
  guard !running.isEmpty else { return [] }
  let width = max(1, screen.columns - 1)
  let room = max(1, screen.rows - 1)
  let shown = running.count <= room ? running : Array(running.prefix(room - 1))
  let names = shown.map { name(of: $0.line, on: screen) }
  let layout = ProgressLayout(longestName: names.map(displayWidth).max() ?? 1, width: width)
  let lines = zip(shown, names).map { progressLine($0, named: $1, layout, on: screen) }
  guard shown.count < running.count else { return lines }
  let rest = running.count - shown.count
  let more = shown.isEmpty ? counted(rest, "transfer") : "and \(rest) more"
  return lines + [shortened(more, to: width, on: screen)]
}

/// The line of one transfer.
private func progressLine(
  _ progress: TransferProgress, named name: String, _ layout: ProgressLayout, on screen: ProgressScreen
) -> String {
  let cells = layout.columns.map { column in
    switch column {
    case .name:
      let text = shortened(name, to: layout.nameWidth, on: screen)
      return text + blanks(layout.nameWidth - displayWidth(text))
    case .bar:
      return progressBar(progress.received, of: progress.total, width: layout.barWidth, on: screen)
    case .size: return atRight(sizeText(progress.received, of: progress.total), column)
    case .percent:
      return atRight(percent(progress.received, of: progress.total).map { "\($0) %" } ?? "", column)
    case .rate: return atRight(ByteCount(progress.bytesPerSecond).text + "/s", column)
    case .left: return atRight(timeLeft(progress) ?? "", column)
    }
  }
  return withoutTrailingBlanks(cells.joined(separator: blanks(ProgressLayout.gap)))
}

/// What a transfer is called on a terminal.
private func name(of line: TransferLine, on screen: ProgressScreen) -> String {
  let name = cleanText("\(line.feed): \(line.description)", limit: 500)
  guard !screen.showsUnicode else { return name }
  return String(name.map { $0.isASCII ? $0 : "?" })
}

/// A text cut to so many columns, with a mark where something is missing.
private func shortened(_ text: String, to width: Int, on screen: ProgressScreen) -> String {
  fitted(text, width, showsUnicode: screen.showsUnicode)
}

private func atRight(_ text: String, _ column: ProgressLayout.Column) -> String {
  blanks(ProgressLayout.width(of: column) - displayWidth(text)) + text
}

private func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

/// The columns of bars on a terminal of some width.
struct ProgressLayout: Hashable {
  enum Column: Hashable {
    case name
    case bar
    /// Bytes that are there, and in all.
    case size
    case percent
    case rate
    /// The time that is left.
    case left
  }

  /// The columns, from left to right.
  let columns: [Column]
  /// The width of the name.
  let nameWidth: Int
  /// The width of the bar; 0 where there is none.
  let barWidth: Int

  static let gap = 2

  /// The width of a column that is as wide everywhere; nothing wanders while its numbers change.
  static func width(of column: Column) -> Int {
    switch column {
    case .name, .bar: 0
    // 999.9 of 999.9 MB
    case .size: 17
    case .percent: 5
    // 999.9 MB/s
    case .rate: 10
    // 99h59m
    case .left: 6
    }
  }

  /// From the richest to the poorest: what tells least goes first.
  private static let choices: [[Column]] = [
    [.name, .bar, .size, .percent, .rate, .left], [.name, .bar, .percent, .rate, .left],
    [.name, .percent, .rate, .left], [.name, .percent, .left], [.name, .percent], [.name],
  ]

  /// The richest columns that a line of some width has room for.
  ///
  /// - Parameters:
  ///   - longestName: the width of the widest name that is to be shown.
  ///   - width: the width of a line.
  init(longestName: Int, width: Int) {
    let leastBar = 10
    let fitting = Self.choices.first { choice in
      let leastName = min(longestName, choice.count > 2 ? 16 : 8)
      let least = leastName + (choice.contains(.bar) ? leastBar : 0)
      return Self.room(beside: choice, width) >= least
    }
    columns = fitting ?? [.name]
    let room = max(1, Self.room(beside: columns, width))
    barWidth = columns.contains(.bar) ? min(40, max(leastBar, room / 3, room - longestName)) : 0
    nameWidth = min(longestName, room - barWidth)
  }

  /// What the columns of fixed width leave to name and bar.
  private static func room(beside columns: [Column], _ width: Int) -> Int {
    width - columns.reduce(0) { $0 + Self.width(of: $1) } - (columns.count - 1) * gap
  }
}

/// A bar of so many columns.
///
/// Where nobody knows how much is to come, a piece of it wanders, a step for each `step` bytes that came: a bar that
/// stands still is a transfer that stands still.
func progressBar(_ received: Int64, of total: Int64?, width: Int, on screen: ProgressScreen) -> String {
  guard width > 0 else { return "" }
  let marks = screen.showsUnicode ? (done: "━", half: "╸", left: "─") : (done: "#", half: "", left: "-")
  func row(_ mark: String, _ count: Int) -> String { String(repeating: mark, count: max(0, count)) }
  func done(_ text: String) -> String {
    screen.showsColor && !text.isEmpty ? "\u{1B}[32m\(text)\u{1B}[0m" : text
  }
  func left(_ text: String) -> String {
    screen.showsColor && !text.isEmpty ? "\u{1B}[2m\(text)\u{1B}[0m" : text
  }

  guard let total, total > 0 else {
    let piece = min(width, 3)
    let ways = width - piece
    let place = ways > 0 ? Int(max(0, received) / step % Int64(2 * ways)) : 0
    let start = place <= ways ? place : 2 * ways - place
    return left(row(marks.left, start)) + done(row(marks.done, piece)) + left(row(marks.left, ways - start))
  }
  let share = min(1, Double(max(0, received)) / Double(total))
  let halves = received >= total ? 2 * width : min(2 * width - 1, Int(share * Double(2 * width)))
  let end = halves % 2 == 1 ? marks.half : ""
  let rest = width - halves / 2 - (end.isEmpty ? 0 : 1)
  return done(row(marks.done, halves / 2) + end) + left(row(marks.left, rest))
}

/// The bytes for one step of a bar without an end.
private let step: Int64 = 256 << 10

/// How much of a file is there: `12.3 of 45.1 MB`, both in the unit of the whole; without a whole just `12.3 MB`.
func sizeText(_ received: Int64, of total: Int64?) -> String {
  guard let total, total > 0 else { return ByteCount(received).text }
  let whole = ByteCount(total).text
  let tenths: Int64? =
    switch whole.drop(while: { $0 != " " }) {
    case " kB": 100
    case " MB": 100_000
    case " GB": 100_000_000
    case " TB": 100_000_000_000
    default: nil
    }
  guard let tenths else { return "\(max(0, received)) of \(whole)" }
  let count = max(0, received) / tenths
  return "\(count / 10).\(count % 10) of \(whole)"
}

/// How much of a file is there, in percent; 100 only when it is all there, nil while nobody knows how much that is.
func percent(_ received: Int64, of total: Int64?) -> Int? {
  guard let total, total > 0 else { return nil }
  return received >= total ? 100 : min(99, Int(Double(max(0, received)) / Double(total) * 100))
}

/// How long the rest takes at the present rate: `0:42`, `12:05`, `2h05m`, `4d`; nil where that cannot be told.
func timeLeft(_ progress: TransferProgress) -> String? {
  guard let total = progress.total, progress.bytesPerSecond > 0, total >= progress.received else {
    return nil
  }
  let left = total - progress.received
  let seconds = left / progress.bytesPerSecond + (left % progress.bytesPerSecond > 0 ? 1 : 0)
  func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }
  return switch seconds {
  case ..<3600: "\(seconds / 60):\(padded(seconds % 60))"
  case ..<360_000: "\(seconds / 3600)h\(padded(seconds % 3600 / 60))m"
  default: "\(seconds / 86_400)d"
  }
}

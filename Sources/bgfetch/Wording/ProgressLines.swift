// Progress bars as lines of text. ProgressDisplay draws them.

import Core

/// A line for each running transfer, as many as fit on the terminal, and a line that counts the others.
///
/// Lines leave the last column of the terminal free: text in it makes some terminals begin a new line.
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

/// The name of a transfer on a terminal.
private func name(of line: TransferLine, on screen: ProgressScreen) -> String {
  let name = cleanText("\(line.feed): \(line.description)", limit: 500)
  guard !screen.showsUnicode else { return name }
  return String(name.map { $0.isASCII ? $0 : "?" })
}

/// A text cut to a width, with an ellipsis.
private func shortened(_ text: String, to width: Int, on screen: ProgressScreen) -> String {
  fitted(text, width, showsUnicode: screen.showsUnicode)
}

private func atRight(_ text: String, _ column: ProgressLayout.Column) -> String {
  blanks(ProgressLayout.width(of: column) - displayWidth(text)) + text
}

/// The columns of a progress line, and their widths.
struct ProgressLayout: Hashable {
  enum Column: Hashable {
    case name
    case bar
    /// The received and total bytes.
    case size
    case percent
    case rate
    /// The remaining time.
    case left
  }

  let columns: [Column]
  let nameWidth: Int
  /// The width of the bar; 0 without a bar.
  let barWidth: Int

  static let gap = 2

  /// The fixed width of a column of figures, so that columns do not move as figures change.
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

  /// The sets of columns, widest first; the least useful columns are dropped first.
  private static let choices: [[Column]] = [
    [.name, .bar, .size, .percent, .rate, .left], [.name, .bar, .percent, .rate, .left],
    [.name, .percent, .rate, .left], [.name, .percent, .left], [.name, .percent], [.name],
  ]

  /// The most columns that a line of some width has room for.
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

  /// The width that is left for name and bar.
  private static func room(beside columns: [Column], _ width: Int) -> Int {
    width - columns.reduce(0) { $0 + Self.width(of: $1) } - (columns.count - 1) * gap
  }
}

/// A bar of a given width.
///
/// If the total is unknown, a short piece moves back and forth, one column for each `step` received bytes; so a bar that
/// does not move shows a stalled transfer.
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

/// The bytes for one step of a bar without a total.
private let step: Int64 = 256 << 10

/// The received and total size in one unit: `12.3 of 45.1 MB`; `12.3 MB` if the total is unknown.
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

/// The received share in percent, 100 only for a complete file; nil if the total is unknown.
func percent(_ received: Int64, of total: Int64?) -> Int? {
  guard let total, total > 0 else { return nil }
  return received >= total ? 100 : min(99, Int(Double(max(0, received)) / Double(total) * 100))
}

/// The remaining time at the present rate: `0:42`, `12:05`, `2h05m`, `4d`; nil if it is unknown.
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

// All bars as lines of text. Where on the terminal they go is ProgressFrame's business.

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

// Tables and messages for the width of the terminal.

import Core
import Machine

/// The width of the output.
struct Page: Hashable, Sendable {
  /// The width in columns; nil means unlimited, as in a pipe or file.
  var columns: Int?

  static let unlimited = Page(columns: nil)
}

/// Lays out rows in columns, each as wide as its widest cell; on a narrow page rows take several lines.
///
/// The last column is free text; it wraps within its column if a third of the page is left for it. The cells of columns
/// that do not fit follow below their row, indented, each after its heading. Words are never broken, so that addresses
/// can be copied.
///
/// - Parameters:
///   - rows: the cells; rows may have different numbers of cells.
///   - hasHead: whether the first row is the head.
/// - Returns: one text for each row, without trailing blanks, of one or more lines.
func table(_ rows: [[String]], hasHead: Bool = false, on page: Page = .unlimited) -> [String] {
  let rows = hasHead ? narrowed(rows, on: page) : rows
  var widths: [Int] = []
  for row in rows {
    for (column, cell) in row.enumerated() {
      if column == widths.count { widths.append(0) }
      widths[column] = max(widths[column], displayWidth(cell))
    }
  }
  let fitting = columnsSideBySide(widths, on: page)
  let names = hasHead ? rows.first ?? [] : []
  return rows.enumerated().map { index, row in
    let line = sideBySide(row.prefix(fitting), widths, on: page)
    let others = hasHead && index == 0 ? [] : row.indices.dropFirst(fitting).filter { !row[$0].isEmpty }
    let below = others.map { column in
      names.indices.contains(column) ? names[column] + " " + row[column] : row[column]
    }
    return ([line] + flowing(below, on: page)).joined(separator: "\n")
  }
}

/// A table with a head as a page shows it: without columns that are empty, and with names of feeds cut to a quarter of the page.
private func narrowed(_ rows: [[String]], on page: Page) -> [[String]] {
  guard let columns = page.columns, rows.count > 1 else { return rows }
  let shown = rows[0].indices.filter { column in
    rows.dropFirst().contains { !($0.dropFirst(column).first ?? "").isEmpty }
  }
  let most = max(12, columns / 4)
  return rows.map { row in
    shown.filter(row.indices.contains).map { column in
      rows[0][column] == "FEED" ? fitted(row[column], most) : row[column]
    }
  }
}

/// A message wrapped at words to a terminal of this width; its further lines are indented.
///
/// A line with control sequences, of which the width is not known, stays as it is, and so does one with tabs.
func wrappedMessage(_ text: String, _ columns: Int?) -> String {
  guard let columns, !text.utf8.contains(where: { $0 == 0x1B || $0 == 0x09 }) else { return text }
  return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    let indent = line.prefix { $0 == " " }.count
    let first = wrapped(String(line.dropFirst(indent)), columns - indent - 2)
    return displayWidth(String(line)) > columns
      ? blanks(indent) + first.joined(separator: "\n" + blanks(indent + 2)) : String(line)
  }.joined(separator: "\n")
}

/// A text wrapped to the page, with all lines indented.
func indented(_ text: String, by indent: Int, on page: Page) -> String {
  wrapped(text, page.columns.map { $0 - indent }).map { blanks(indent) + $0 }.joined(separator: "\n")
}

/// This many blanks, or none if the number is negative.
func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

private let gap = "  "

/// The indentation of cells below their row.
private let indentation = 4

/// The number of columns that fit side by side, at least one.
private func columnsSideBySide(_ widths: [Int], on page: Page) -> Int {
  guard let columns = page.columns else { return widths.count }
  var end = 0
  for (column, width) in widths.enumerated() {
    let least = column == widths.count - 1 ? min(width, columns / 3) : width
    if column > 0, end + gap.count + least > columns { return column }
    end += (column > 0 ? gap.count : 0) + width
  }
  return widths.count
}

/// The cells of a row, side by side; the last column of the table wraps.
private func sideBySide(_ cells: ArraySlice<String>, _ widths: [Int], on page: Page) -> String {
  var line = ""
  var width = 0
  for (column, cell) in cells.enumerated() {
    if column > 0 {
      line += gap
      width += gap.count
    }
    if column == widths.count - 1 {
      let margin = "\n" + blanks(width)
      line += wrapped(cell, page.columns.map { $0 - width }).joined(separator: margin)
    } else {
      line += cell + blanks(widths[column] - displayWidth(cell))
      width += widths[column]
    }
  }
  return withoutTrailingBlanks(line)
}

/// Indented lines, each with as many pieces as fit.
private func flowing(_ pieces: [String], on page: Page) -> [String] {
  var lines: [String] = []
  for piece in pieces {
    let longer = lines.last.map { $0 + gap + piece }
    if let longer, displayWidth(longer) <= page.columns ?? .max {
      lines[lines.count - 1] = longer
    } else {
      lines += indented(piece, by: indentation, on: page).split(separator: "\n").map(String.init)
    }
  }
  return lines
}

/// A row of output, of one or more lines, and whether it reports a problem.
struct ReportLine {
  var text: String
  var isProblem = false
}

extension Console {
  func print(_ lines: [ReportLine]) {
    for line in lines { print(line.text, in: line.isProblem ? .yellow : .plain) }
  }
}

/// A line cut to a width, with an ellipsis; after a whole word, unless that leaves too little.
func fitted(_ line: String, _ columns: Int) -> String {
  guard displayWidth(line) > columns else { return line }
  var shown = ""
  var width = displayWidth("…")
  for character in line {
    width += displayWidth(String(character))
    guard width <= columns else { break }
    shown.append(character)
  }
  if line.dropFirst(shown.count).first != " ", let blank = shown.lastIndex(of: " "),
    case let words = String(shown[..<blank]), 3 * displayWidth(words) > 2 * columns
  {
    shown = words
  }
  return shown + "…"
}

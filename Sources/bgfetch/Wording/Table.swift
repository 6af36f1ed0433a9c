// Columns of text, on a page that may be too narrow for them.

/// What the reader of an answer has room for, and can be shown.
struct Page: Hashable, Sendable {
  /// Its width in columns; nil is any width: a pipe, a file.
  var columns: Int?
  /// Whether it shows more than ASCII.
  var showsUnicode: Bool

  /// A page as wide as its text.
  static let unlimited = Page(columns: nil, showsUnicode: true)
}

/// Lays out rows in columns as wide as their widest cell; the last column is as long as it is.
func table(_ rows: [[String]]) -> [String] { table(rows, hasHead: false, on: .unlimited) }

/// Lays out rows in columns as wide as their widest cell; where the page is narrower, nothing is left out.
///
/// Columns stand side by side as long as they fit. The last one, which is free text, fits where a third of the page is
/// left for it, and goes on below itself. The cells of the columns that do not fit stand below their row, indented, each
/// behind what the head calls it. Words are never broken, so that an address can be copied.
///
/// - Parameters:
///   - rows: the cells; a row may have fewer than others.
///   - hasHead: whether the first row names the columns.
///   - page: where they are shown.
/// - Returns: a text for each row, without blanks at its end, of several lines where it has to.
func table(_ rows: [[String]], hasHead: Bool, on page: Page) -> [String] {
  var widths: [Int] = []
  for row in rows {
    for (column, cell) in row.enumerated() {
      if column == widths.count { widths.append(0) }
      widths[column] = max(widths[column], displayWidth(cell))
    }
  }
  let fitting = columnsSideBySide(widths, on: page)
  let names = hasHead ? rows.first ?? [] : []
  return rows.enumerated().map { place, row in
    let line = sideBySide(row.prefix(fitting), widths, on: page)
    let others = hasHead && place == 0 ? [] : row.indices.dropFirst(fitting).filter { !row[$0].isEmpty }
    let below = others.map { column in
      names.indices.contains(column) ? names[column] + " " + row[column] : row[column]
    }
    return ([line] + flowing(below, on: page)).joined(separator: "\n")
  }
}

/// A text that goes on below itself where the page is too narrow, all of it behind so many blanks.
func indented(_ text: String, by indent: Int, on page: Page) -> String {
  let blanks = String(repeating: " ", count: indent)
  return wrapped(text, page.columns.map { $0 - indent }).map { blanks + $0 }.joined(separator: "\n")
}

/// A line without the blanks at its end.
func withoutTrailingBlanks(_ line: String) -> String {
  String(line.reversed().drop { $0 == " " }.reversed())
}

/// What stands between two columns.
private let gap = "  "

/// How far what stands below a row is indented.
private let indentation = 4

/// How many columns fit beside one another, one at least.
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

/// Cells in their columns; the last column of the table goes on below itself.
private func sideBySide(_ cells: ArraySlice<String>, _ widths: [Int], on page: Page) -> String {
  var line = ""
  var width = 0
  for (column, cell) in cells.enumerated() {
    if column > 0 {
      line += gap
      width += gap.count
    }
    if column == widths.count - 1 {
      let margin = "\n" + String(repeating: " ", count: width)
      line += wrapped(cell, page.columns.map { $0 - width }).joined(separator: margin)
    } else {
      line += cell + String(repeating: " ", count: widths[column] - displayWidth(cell))
      width += widths[column]
    }
  }
  return withoutTrailingBlanks(line)
}

/// Pieces in indented lines, as many in one as fit.
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

/// A text in lines of so many columns, broken at blanks alone: a longer word has a line that is longer.
private func wrapped(_ text: String, _ columns: Int?) -> [String] {
  guard let columns, displayWidth(text) > columns else { return [text] }
  var lines: [String] = []
  var line = ""
  var width = 0
  for word in text.split(separator: " ") {
    let wordWidth = displayWidth(String(word))
    if !line.isEmpty, width + 1 + wordWidth > columns {
      lines.append(line)
      (line, width) = ("", 0)
    }
    width += (line.isEmpty ? 0 : 1) + wordWidth
    line += (line.isEmpty ? "" : " ") + word
  }
  return lines + [line]
}

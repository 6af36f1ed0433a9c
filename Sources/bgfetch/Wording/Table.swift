// Columns of text that fit the reader's page. This file knows no feeds.

import Host

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

/// A row of the answer, of one line or more, and whether it is about something that went wrong.
struct ReportLine {
  var text: String
  var isProblem = false
}

extension Console {
  /// Prints the rows of a table.
  func print(_ lines: [ReportLine]) {
    for line in lines {
      print(line.text, in: line.isProblem ? .yellow : .plain)
    }
  }
}

/// A line cut to so many columns of a terminal, with a mark where something is missing if there is room for one.
func fitted(_ line: String, _ columns: Int, showsUnicode: Bool) -> String {
  guard displayWidth(line) > columns else { return line }
  let mark = showsUnicode ? "…" : columns > 3 ? "..." : ""
  var shown = ""
  var width = displayWidth(mark)
  for character in line {
    width += displayWidth(String(character))
    guard width <= columns else { break }
    shown.append(character)
  }
  return shown + mark
}

/// How many columns of a terminal a text takes.
///
/// Two for East Asian wide characters (UAX #11) and for emoji, however many scalars those are made of; none for what is
/// drawn over the character before it. Where terminals disagree it is the larger number, so that no line wraps.
func displayWidth(_ text: String) -> Int {
  let bytes = text.utf8
  guard bytes.contains(where: { $0 >= 0x80 }) else { return bytes.count }
  return text.reduce(0) { $0 + displayWidth($1) }
}

/// How many columns a character takes.
private func displayWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  guard scalars.count > 1 else { return scalars.first.map(columns) ?? 0 }
  return scalars.contains(where: \.makesEmoji) ? 2 : scalars.reduce(0) { $0 + columns($1) }
}

/// How many columns a scalar takes by itself, as wcwidth(3) has it.
private func columns(_ scalar: Unicode.Scalar) -> Int {
  switch scalar.value {
  case 0x20..<0x7F, 0xAD: return 1
  // Vowels and final consonants of Hangul stand in the block of the consonant before them.
  case 0x1160...0x11FF, 0xD7B0...0xD7FB: return 0
  case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
    0x20000...0x3FFFD:
    // The tone marks of CJK (302A to 302F) and the voicing marks of kana are among them.
    return scalar.properties.generalCategory == .nonspacingMark ? 0 : 2
  default:
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }
}

extension Unicode.Scalar {
  /// Whether it makes one picture of the scalars around it: a joiner, the selector of emoji, a skin colour, half a flag.
  fileprivate var makesEmoji: Bool {
    switch value {
    case 0xFE0F, 0x1F3FB...0x1F3FF, 0x1F1E6...0x1F1FF: true
    default: properties.isEmojiPresentation
    }
  }
}

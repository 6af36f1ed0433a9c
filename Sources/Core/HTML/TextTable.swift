// A table of an article as text: columns side by side if they fit, else its cells one after the other.

/// A table whose cells have been read.
struct TextTable: Sendable {
  struct Cell: Sendable {
    var column: Int
    var columns: Int
    var blocks: [TextBlock]
  }

  struct Row: Sendable {
    var cells: [Cell] = []
    /// Whether all of its cells are headings.
    var isHead = true
  }

  private(set) var rows: [Row] = []
  /// The rows that a cell still takes, by its column.
  private var taken: [Int: Int] = [:]

  private static let mostColumns = 64
  private static let separator = " | "

  /// Whether no cell has content.
  var isEmpty: Bool { rows.allSatisfy { $0.cells.allSatisfy(\.blocks.isEmpty) } }

  mutating func beginRow() {
    rows.append(Row())
    taken = taken.filter { $0.value > 1 }.mapValues { $0 - 1 }
  }

  /// Adds a cell to the last row.
  mutating func add(_ blocks: [TextBlock], columns: Int, rows span: Int, isHead: Bool) {
    guard !rows.isEmpty else { return }
    var column = rows[rows.count - 1].cells.last.map { $0.column + $0.columns } ?? 0
    while taken[column] != nil { column += 1 }
    let columns = min(max(columns, 1), Self.mostColumns)
    if span > 1, column < Self.mostColumns {
      for index in column..<(column + columns) { taken[index] = min(span, 1000) }
    }
    rows[rows.count - 1].cells.append(Cell(column: column, columns: columns, blocks: blocks))
    if !blocks.isEmpty, !isHead { rows[rows.count - 1].isHead = false }
  }

  /// The lines of the table.
  ///
  /// - Parameter tables: the width for columns side by side.
  func lines(_ columns: Int?, tables: Int) -> [ArticleText.Line] {
    let full = rows.filter { $0.cells.contains { !$0.blocks.isEmpty } }
    if let grid = grid(full, tables) { return grid }
    return full.flatMap { $0.cells.flatMap { $0.blocks.lines(columns, tables: tables) } }
  }

  // MARK: Columns

  private func grid(_ rows: [Row], _ width: Int) -> [ArticleText.Line]? {
    let all = rows.lazy.flatMap(\.cells)
    guard all.allSatisfy({ $0.column < Self.mostColumns && $0.blocks.allSatisfy(\.fitsColumns) }) else {
      return nil
    }
    let shown = Set(all.filter { !$0.blocks.isEmpty }.map(\.column)).sorted()
    let widths = widths(of: shown, rows, width)
    guard shown.count > 1, let widths else { return nil }
    return rows.flatMap { lines(of: $0, shown, widths) }
  }

  /// The places of a cell's columns among the ones that have content.
  private func places(_ cell: Cell, _ shown: [Int]) -> Range<Int>? {
    guard let first = shown.firstIndex(of: cell.column) else { return nil }
    return first..<(shown.firstIndex { $0 >= cell.column + cell.columns } ?? shown.count)
  }

  /// The widths of the columns; nil if they do not fit side by side.
  private func widths(of shown: [Int], _ rows: [Row], _ width: Int) -> [Int]? {
    var natural = shown.map { _ in 0 }
    var least = natural
    let room = width - (shown.count - 1) * Self.separator.count
    guard room > 0 else { return nil }
    // Cells of one column first: wider ones only need what those do not have.
    for single in [true, false] {
      for cell in rows.lazy.flatMap(\.cells) where !cell.blocks.isEmpty {
        guard let places = places(cell, shown), (places.count == 1) == single else { continue }
        for block in cell.blocks {
          let widths = block.widths
          widen(&natural, places, to: min(widths.natural, room))
          widen(&least, places, to: min(widths.least, room + 1))
        }
      }
    }
    var missing = room - least.reduce(0, +)
    guard missing >= 0 else { return nil }
    if natural.reduce(0, +) <= room { return natural }
    // A single row that does not fit is no table.
    guard rows.count > 1 else { return nil }
    var widths = least
    for (rank, column) in natural.indices.sorted(by: { natural[$0] < natural[$1] }).enumerated() {
      let more = min(max(0, natural[column] - least[column]), missing / (natural.count - rank))
      widths[column] += more
      missing -= more
    }
    return widths
  }

  /// Gives the last of some columns what a cell needs.
  private func widen(_ widths: inout [Int], _ places: Range<Int>, to width: Int) {
    let present = widths[places].reduce(0, +) + (places.count - 1) * Self.separator.count
    if present < width { widths[places.upperBound - 1] += width - present }
  }

  private func lines(of row: Row, _ shown: [Int], _ widths: [Int]) -> [ArticleText.Line] {
    var cells: [(width: Int, lines: [String])] = []
    for cell in row.cells where !cell.blocks.isEmpty {
      guard let places = places(cell, shown) else { continue }
      // The columns of an empty cell, or of one that began in a row before.
      while cells.count < places.lowerBound { cells.append((widths[cells.count], [])) }
      let width = widths[places].reduce(0, +) + (places.count - 1) * Self.separator.count
      let lines = cell.blocks.flatMap { $0.lines(width, tables: width, indentsCode: false) }
      cells.append((width, lines.map(\.text)))
      for _ in places.dropFirst() { cells.append((-1, [])) }
    }
    return (0..<(cells.map(\.lines.count).max() ?? 0)).map { number in
      var line = ""
      var isFirst = true
      let end = cells.lastIndex { $0.lines.indices.contains(number) } ?? 0
      for cell in cells[...end] where cell.width >= 0 {
        let text = cell.lines.indices.contains(number) ? cell.lines[number] : ""
        line += (isFirst ? "" : Self.separator) + text
        line += String(repeating: " ", count: max(0, cell.width - displayWidth(text)))
        isFirst = false
      }
      return ArticleText.Line(text: withoutTrailingBlanks(line), isHeading: row.isHead)
    }
  }
}

// Columns of text.

/// Lays out rows in columns as wide as their widest cell; the last column is as long as it is.
func table(_ rows: [[String]], gap: String = "  ") -> [String] {
  var widths: [Int] = []
  for row in rows {
    for (column, cell) in row.enumerated() {
      if column == widths.count { widths.append(0) }
      widths[column] = max(widths[column], displayWidth(cell))
    }
  }
  return rows.map { row in
    row.enumerated().map { column, cell in
      column == row.count - 1
        ? cell : cell + String(repeating: " ", count: widths[column] - displayWidth(cell))
    }.joined(separator: gap)
  }
}

/// A line without the blanks at its end.
func withoutTrailingBlanks(_ line: String) -> String {
  String(line.reversed().drop { $0 == " " }.reversed())
}

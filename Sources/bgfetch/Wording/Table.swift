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

/// How many columns of a terminal a text takes: two for East Asian wide characters and most emoji.
func displayWidth(_ text: String) -> Int {
  text.reduce(0) { width, character in
    guard let scalar = character.unicodeScalars.first else { return width }
    let isWide =
      switch scalar.value {
      case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
        true
      default: scalar.properties.isEmojiPresentation
      }
    return width + (isWide ? 2 : 1)
  }
}

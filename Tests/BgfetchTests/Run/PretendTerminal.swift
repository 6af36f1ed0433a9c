// A terminal that keeps the text which a person would see.

/// A terminal of unlimited height: text, newlines, and the control functions of the line of downloads.
///
/// Some terminals rewrap their text when they are resized (VTE, kitty, tmux), others cut it (xterm, the console). In the first
/// the cursor stays at its character, in the second at its position.
struct PretendTerminal {
  /// A row, and whether its text continues in the next one.
  private struct Row {
    var text: [Character] = []
    var goesOn = false
  }

  private(set) var columns: Int
  private let rewraps: Bool
  private var rows = [Row()]
  private var row = 0
  private var column = 0
  private var wraps = true

  /// An empty terminal.
  init(columns: Int, rewraps: Bool) {
    self.columns = columns
    self.rewraps = rewraps
  }

  /// The visible text, without blank rows at the end.
  var lines: [String] {
    var lines = rows.map { String($0.text) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// Writes the output of a program.
  mutating func write(_ text: String) {
    // By scalars: a carriage return and a newline are one character in Swift.
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": column = 0
      case "\n":
        rows[row].goesOn = false
        column = 0
        moveDown()
      case "\u{1B}":
        let function = rest.dropFirst().prefix { !$0.properties.isAlphabetic }
        let letter = rest.dropFirst(1 + function.count).first
        rest = rest.dropFirst(2 + function.count)
        perform(String(String.UnicodeScalarView(function)), letter)
      default: put(Character(scalar))
      }
    }
  }

  /// Resizes the terminal.
  mutating func resize(to columns: Int) {
    self.columns = columns
    guard rewraps else {
      for index in rows.indices { rows[index].text = Array(rows[index].text.prefix(columns)) }
      column = min(column, columns - 1)
      return
    }
    let old = rows
    let cursor = (row: row, column: column)
    rows = []
    var line: [Character] = []
    var cursorInLine: Int?
    for (index, part) in old.enumerated() {
      if index == cursor.row { cursorInLine = line.count + cursor.column }
      line += part.text
      if part.goesOn, index < old.count - 1 { continue }
      let first = rows.count
      repeat {
        rows.append(Row(text: Array(line.prefix(columns)), goesOn: line.count > columns))
        line = Array(line.dropFirst(columns))
      } while !line.isEmpty
      if let place = cursorInLine {
        row = min(rows.count - 1, first + place / columns)
        column = place % columns
      }
      cursorInLine = nil
    }
  }

  private mutating func put(_ character: Character) {
    if column == columns {
      if wraps {
        rows[row].goesOn = true
        column = 0
        moveDown()
      } else {
        column -= 1
      }
    }
    while rows[row].text.count < column { rows[row].text.append(" ") }
    if column < rows[row].text.count {
      rows[row].text[column] = character
    } else {
      rows[row].text.append(character)
    }
    column += 1
  }

  private mutating func moveDown() {
    row += 1
    if row == rows.count { rows.append(Row()) }
  }

  private mutating func perform(_ parameter: String, _ letter: Unicode.Scalar?) {
    switch (parameter, letter) {
    case ("?7", "l"): wraps = false
    case ("?7", "h"): wraps = true
    case ("", "J"):
      rows[row].text = Array(rows[row].text.prefix(column))
      rows[row].goesOn = false
      rows.removeLast(rows.count - row - 1)
    default: break
    }
  }
}

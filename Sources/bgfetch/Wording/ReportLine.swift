// Rows of an answer that may be about something to mend, and text that is cut.

import Host

/// A row of the answer, of one line or more, and whether it is about something that went wrong.
struct ReportLine {
  /// Its lines.
  var text: String
  /// Whether it stands out.
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

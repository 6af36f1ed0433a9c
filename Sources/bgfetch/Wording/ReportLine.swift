// Lines of a table that may be about something to mend, and what a terminal has room for.

import Host

/// A line of the answer, and whether it is about something that went wrong.
struct ReportLine {
  /// The line.
  var text: String
  /// Whether it stands out.
  var isProblem = false
}

extension Console {
  /// Prints the lines of a table, each as wide as the terminal at most: a table whose lines wrap cannot be read.
  func print(_ lines: [ReportLine]) {
    for line in lines {
      print(fitted(withoutTrailingBlanks(line.text), output.columns), in: line.isProblem ? .yellow : .plain)
    }
  }
}

/// A line cut to so many columns of a terminal, with a mark where something is missing; nil is any number.
func fitted(_ line: String, _ columns: Int?) -> String {
  guard let columns, displayWidth(line) > columns else { return line }
  var shown = ""
  var width = 0
  for character in line {
    width += displayWidth(String(character))
    guard width < columns else { break }
    shown.append(character)
  }
  return shown + "…"
}

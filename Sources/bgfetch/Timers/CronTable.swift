// The line of a crontab that starts runs.

import Core

/// The end of the line, which marks it as bgfetch's; a comment for the shell that cron starts.
let cronMark = "# by bgfetch install-timer"

/// A user's crontab without the marked line, and the other lines in it that start bgfetch.
struct CronTable: Hashable, Sendable {
  /// The lines, without the marked one.
  let lines: [String]
  /// Whether there was a marked line.
  let isMarked: Bool

  init(_ text: String) {
    // By scalars: as Characters, CR LF and LF with a combining mark are no line ends, and two lines would be one.
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines.filter { !$0.hasSuffix(cronMark) }
    isMarked = self.lines.count < lines.count
  }

  /// The other lines that start runs.
  var otherRuns: [String] {
    lines.filter { line in
      !line.drop { $0 == " " || $0 == "\t" }.hasPrefix("#") && line.contains("bgfetch run")
    }
  }

  /// The text without the marked line.
  var text: String { lines.map { $0 + "\n" }.joined() }

  /// The text with a marked line at its end.
  func text(starting program: TimedProgram, every period: WakePeriod?) -> String {
    text + cronLine(starting: program, every: period) + "\n"
  }
}

/// The marked line; `period` is the standard one if nil.
///
/// A percent sign ends cron's command, even in quotes, and cron removes the backslash before it.
func cronLine(starting program: TimedProgram, every period: WakePeriod?) -> String {
  let words = program.cronWords.map { replacing(["%": "'\\%'"], in: shellWord($0)) }
  return "\((period ?? .standard).cronFields) \(words.joined(separator: " ")) \(cronMark)"
}

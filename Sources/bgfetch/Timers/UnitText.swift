// The text of systemd's units for a program.

import Core

/// The program that a timer starts, and the files that the program uses.
struct TimedProgram: Hashable, Sendable {
  /// The absolute path of the program.
  var path: String
  /// The absolute path of the configuration, if the program does not find it by itself.
  var configuration: String?

  /// The first of the paths that neither a unit nor a crontab can contain: with a control character, such as a line break, which
  /// would begin a line of its own there.
  var unwritablePath: String? {
    [path, configuration].compactMap(\.self).first {
      $0.unicodeScalars.contains(where: \.controlsTerminal)
    }
  }

  var options: [String] { configuration.map { ["--config", $0] } ?? [] }

  /// The words of a run in a crontab.
  var cronWords: [String] { [path, "run", "--cause", "timer", "-q"] + options }
}

/// The first line of every unit that `bgfetch install-timer` writes; a file without it is not overwritten or removed.
let unitMark =
  "# Written by bgfetch install-timer; bgfetch install-timer --remove removes it. Use systemctl edit for changes of your own."

/// The text of a unit for a program.
///
/// - Parameters:
///   - shipped: the unit as it is shipped, for a program in /usr/local/bin.
///   - program: the program to start.
///   - period: how often a timer starts it; nil leaves the shipped period.
func unitText(_ shipped: String, starting program: TimedProgram, every period: WakePeriod?) -> String {
  let lines = shipped.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    if line.hasPrefix(shippedStart), case let rest = line.dropFirst(shippedStart.count),
      rest.isEmpty || rest.hasPrefix(" ")
    {
      let options = program.options.map { " " + unitWord($0) }.joined()
      return "ExecStart=" + unitProgram(program.path) + rest + options
    }
    if line.hasPrefix(calendarKey), let period { return calendarKey + period.calendar }
    return String(line)
  }
  return unitMark + "\n" + lines.joined(separator: "\n")
}

private let shippedStart = "ExecStart=/usr/local/bin/bgfetch"
private let calendarKey = "OnCalendar="

/// Whether `bgfetch install-timer` wrote a unit.
func isOwnUnit(_ text: String) -> Bool {
  text.hasPrefix(unitMark + "\n")
}

/// Whether two units start the same program with the same arguments at the same moments.
func unitsStartTheSame(_ one: String, _ other: String) -> Bool {
  func starts(_ text: String) -> [Substring] {
    text.split(separator: "\n").filter { $0.hasPrefix("ExecStart=") || $0.hasPrefix(calendarKey) }
  }
  return !starts(one).isEmpty && starts(one) == starts(other)
}

/// The words of `ExecStart=` that start a program.
///
/// systemd refuses a program's path with a quote or backslash, and does not find one with a dollar sign. It takes the same path as
/// the argument of a shell, in whose place the program then runs.
private func unitProgram(_ path: String) -> String {
  let isRefused = path.unicodeScalars.contains { "\"'\\$".unicodeScalars.contains($0) }
  return (isRefused ? #"/bin/sh -c 'exec "$$0" "$$@"' "# : "") + unitWord(path)
}

/// A word of `ExecStart=`: quoted if needed, with specifiers and variables escaped (systemd.service(5)).
func unitWord(_ word: String) -> String {
  guard !isPlainWord(word) else { return word }
  return "\"" + replacing(["%": "%%", "$": "$$", "\\": "\\\\", "\"": "\\\""], in: word) + "\""
}

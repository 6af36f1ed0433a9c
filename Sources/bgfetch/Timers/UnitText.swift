// The text of systemd's units and the line of a crontab that start a program.

import Core

/// The program that a timer or service starts.
struct TimedProgram: Hashable, Sendable {
  /// The absolute path.
  var path: String
  /// The configuration, unless a service manager finds it itself.
  var configuration: String?

  /// The first path that a unit or a crontab cannot have.
  ///
  /// systemd takes no quotes, backslashes and dollar signs in the path of a program.
  var unwritablePath: String? {
    if path.unicodeScalars.contains(where: { "\"'\\$".unicodeScalars.contains($0) }) { return path }
    return [path, configuration].compactMap(\.self).first {
      $0.unicodeScalars.contains(where: \.controlsTerminal)
    }
  }

  fileprivate var options: [String] { configuration.map { ["--config", $0] } ?? [] }
}

/// The first line of each unit that this command writes.
let unitMark =
  "# Written by bgfetch install-timer; bgfetch install-timer --remove removes it. Use systemctl edit for changes of your own."

/// The text of a unit of `examples` that starts this program, marked as written by `install-timer`.
///
/// - Parameters:
///   - shipped: the unit of `examples`.
///   - period: the time between two runs; nil keeps the time of the unit.
func unitText(_ shipped: String, starting program: TimedProgram, every period: WakePeriod?) -> String {
  let lines = shipped.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    if line.hasPrefix(shippedStart), case let rest = line.dropFirst(shippedStart.count),
      rest.isEmpty || rest.hasPrefix(" ")
    {
      let options = program.options.map { " " + unitWord($0) }.joined()
      return "ExecStart=" + unitWord(program.path) + rest + options
    }
    if line.hasPrefix("OnCalendar="), let period { return "OnCalendar=" + period.calendar }
    return String(line)
  }
  return unitMark + "\n" + lines.joined(separator: "\n")
}

private let shippedStart = "ExecStart=/usr/local/bin/bgfetch"

extension UnitFile {
  /// Whether `install-timer` wrote the unit.
  var isOwn: Bool { text.hasPrefix(unitMark + "\n") }
}

/// A word of a command line as systemd.service(5) reads it.
private func unitWord(_ word: String) -> String {
  guard !isPlainWord(word) else { return word }
  return "\"" + replacing(["%": "%%", "$": "$$", "\\": "\\\\", "\"": "\\\""], in: word) + "\""
}

/// The line of a crontab that starts runs; `period` is the standard one if nil.
///
/// A percent sign ends cron's command, even in quotes, and cron removes the backslash before it.
func cronLine(starting program: TimedProgram, every period: WakePeriod?) -> String {
  let words = [program.path, "run", "--cause", "timer", "-q"] + program.options
  let quoted = words.map { replacing(["%": "'\\%'"], in: shellWord($0)) }
  return "\((period ?? .standard).cronFields) \(quoted.joined(separator: " "))"
}

// The text of systemd units for one installation, made from the shipped units, and whether bgfetch wrote a unit.

/// The program that a timer starts, and the files that the program uses.
public struct TimedProgram: Hashable, Sendable {
  /// The absolute path of the program.
  public var path: String
  /// The absolute path of the configuration, if the program does not find it by itself.
  public var configuration: String?
  /// The absolute path of the state directory, if the configuration does not lead there.
  public var state: String?

  public init(path: String, configuration: String? = nil, state: String? = nil) {
    self.path = path
    self.configuration = configuration
    self.state = state
  }

  /// The first of the paths that neither a unit nor a crontab can contain: with a control character, such as a line break, which
  /// would begin a line of its own there.
  public var unwritablePath: String? {
    [path, configuration, state].compactMap(\.self).first {
      $0.unicodeScalars.contains(where: \.controlsTerminal)
    }
  }

  fileprivate var options: [String] {
    [("--config", configuration), ("--state", state)].flatMap { name, value in
      value.map { [name, $0] } ?? []
    }
  }

  /// The words of a run in a crontab.
  var cronWords: [String] { [path, "run", "--cause", "timer", "-q"] + options }
}

/// The first line of every unit that `bgfetch install-timer` writes; a file without it is not overwritten or removed.
public let unitMark =
  "# Written by bgfetch install-timer; bgfetch uninstall-timer removes it. Use systemctl edit for changes of your own."

/// The text of a unit for a program.
///
/// - Parameters:
///   - shipped: the unit as it is shipped, for a program in /usr/local/bin.
///   - program: the program to start.
///   - period: how often a timer starts it; nil leaves the shipped period.
public func unitText(_ shipped: String, starting program: TimedProgram, every period: WakePeriod?) -> String {
  let lines = shipped.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    if line.hasPrefix(shippedStart), case let rest = line.dropFirst(shippedStart.count),
      rest.isEmpty || rest.hasPrefix(" ")
    {
      let options = program.options.map { " " + unitWord($0) }.joined()
      return "ExecStart=" + unitWord(program.path) + rest + options
    }
    if line.hasPrefix(calendarKey), let period { return calendarKey + period.calendar }
    return String(line)
  }
  return unitMark + "\n" + lines.joined(separator: "\n")
}

private let shippedStart = "ExecStart=/usr/local/bin/bgfetch"
private let calendarKey = "OnCalendar="

/// Whether `bgfetch install-timer` wrote a unit.
public func isOwnUnit(_ text: String) -> Bool {
  text.hasPrefix(unitMark + "\n")
}

/// Whether two units start the same program with the same arguments at the same moments.
public func unitsStartTheSame(_ one: String, _ other: String) -> Bool {
  func starts(_ text: String) -> [Substring] {
    text.split(separator: "\n").filter { $0.hasPrefix("ExecStart=") || $0.hasPrefix(calendarKey) }
  }
  return !starts(one).isEmpty && starts(one) == starts(other)
}

/// A word of `ExecStart=`: quoted if needed, with specifiers and variables escaped (systemd.service(5)).
func unitWord(_ word: String) -> String {
  guard !isPlainWord(word) else { return word }
  return "\"" + replacing(["%": "%%", "$": "$$", "\\": "\\\\", "\"": "\\\""], in: word) + "\""
}

// The changes that `bgfetch install-timer` and `bgfetch uninstall-timer` make: systemd units and systemctl(1) commands, or
// the lines of a crontab.

/// The service manager that a timer belongs to.
public enum TimerScope: String, Hashable, Sendable {
  case user
  case system

  /// systemctl(1) for this manager.
  public var systemctl: [String] { self == .user ? ["systemctl", "--user"] : ["systemctl"] }
}

/// The unit that starts runs.
public enum TimerUnit: String, CaseIterable, Hashable, Sendable {
  case timer = "bgfetch.timer"
  case watch = "bgfetch-watch.service"

  /// The unit that must not start runs too.
  public var other: TimerUnit { self == .timer ? .watch : .timer }

  /// The files that it consists of.
  public var files: [String] {
    switch self {
    case .timer: ["bgfetch.service", "bgfetch-transfers.service", rawValue]
    case .watch: [rawValue]
    }
  }

  public static let allFiles = allCases.flatMap(\.files)
}

/// The path and text of a unit.
public struct UnitFile: Hashable, Sendable {
  public var path: String
  public var text: String

  public init(path: String, text: String) {
    self.path = path
    self.text = text
  }
}

/// A unit as it is on this machine.
public struct FoundUnit: Hashable, Sendable {
  public var name: String
  /// The path of the user's or administrator's own file, which overrides a package's.
  public var path: String
  /// The text of that file; nil if there is none.
  public var own: String?
  /// The file of a package or of `make install`; nil if there is none.
  public var packaged: UnitFile?
  public var isEnabled: Bool

  public init(name: String, path: String, own: String?, packaged: UnitFile?, isEnabled: Bool) {
    (self.name, self.path, self.own, self.packaged, self.isEnabled) = (name, path, own, packaged, isEnabled)
  }
}

/// Commands and changes of files, in the order in which they are carried out.
public struct TimerPlan: Hashable, Sendable {
  /// The commands before files change.
  public var firstCommands: [[String]] = []
  public var writes: [UnitFile] = []
  /// The paths of units that are used as they are.
  public var keeps: [String] = []
  public var removals: [String] = []
  public var commands: [[String]] = []

  public init() {}
}

/// A unit that bgfetch did not write and that starts another program.
public struct ForeignUnit: Error, Hashable, Sendable {
  public var path: String
}

/// The plan that makes a unit start runs.
///
/// - Parameters:
///   - unit: the unit to enable.
///   - scope: its service manager.
///   - texts: the wanted text of each of its files, by name.
///   - found: every unit as it is now.
/// - Throws: a file that blocks the installation.
public func installPlan(
  _ unit: TimerUnit, _ scope: TimerScope, texts: [String: String], found: [FoundUnit]
) throws(ForeignUnit) -> TimerPlan {
  var plan = TimerPlan()
  for file in found where unit.files.contains(file.name) {
    guard let text = texts[file.name] else { continue }
    if let own = file.own {
      if own == text || (!isOwnUnit(own) && unitsStartTheSame(own, text)) {
        plan.keeps.append(file.path)
        continue
      }
      guard isOwnUnit(own) else { throw ForeignUnit(path: file.path) }
    } else if let packaged = file.packaged, unitsStartTheSame(packaged.text, text) {
      plan.keeps.append(packaged.path)
      continue
    }
    plan.writes.append(UnitFile(path: file.path, text: text))
  }
  func isEnabled(_ unit: TimerUnit) -> Bool {
    found.contains { $0.name == unit.rawValue && $0.isEnabled }
  }
  if isEnabled(unit.other) {
    plan.firstCommands.append(scope.systemctl + ["disable", "--now", unit.other.rawValue])
  }
  plan.commands.append(scope.systemctl + ["daemon-reload"])
  plan.commands.append(scope.systemctl + ["enable", "--now", unit.rawValue])
  // Enabling does not restart a unit that runs with its old text.
  if isEnabled(unit), !plan.writes.isEmpty {
    plan.commands.append(scope.systemctl + ["restart", unit.rawValue])
  }
  return plan
}

/// The plan that undoes `installPlan`.
public func uninstallPlan(_ scope: TimerScope, found: [FoundUnit]) -> TimerPlan {
  var plan = TimerPlan()
  let names = TimerUnit.allCases.map(\.rawValue)
  let enabled = found.filter { names.contains($0.name) && $0.isEnabled }.map(\.name)
  if !enabled.isEmpty { plan.firstCommands.append(scope.systemctl + ["disable", "--now"] + enabled) }
  plan.removals = found.filter { $0.own.map(isOwnUnit) ?? false }.map(\.path)
  if !plan.removals.isEmpty { plan.commands.append(scope.systemctl + ["daemon-reload"]) }
  return plan
}

/// The end of the line, which marks it as bgfetch's; a comment for the shell that cron starts.
public let cronMark = "# by bgfetch install-timer"

/// A user's crontab without the marked line, and the other lines in it that start bgfetch.
public struct CronTable: Hashable, Sendable {
  /// The lines, without the marked one.
  public let lines: [String]
  /// Whether there was a marked line.
  public let isMarked: Bool

  public init(_ text: String) {
    // By scalars: as Characters, CR LF and LF with a combining mark are no line ends, and two lines would be one.
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines.filter { !$0.hasSuffix(cronMark) }
    isMarked = self.lines.count < lines.count
  }

  /// The other lines that start runs.
  public var otherRuns: [String] {
    lines.filter { line in
      !line.drop { $0 == " " || $0 == "\t" }.hasPrefix("#") && line.contains("bgfetch run")
    }
  }

  /// The text without the marked line.
  public var text: String { lines.map { $0 + "\n" }.joined() }

  /// The text with a marked line at its end.
  public func text(starting program: TimedProgram, every period: WakePeriod?) -> String {
    text + cronLine(starting: program, every: period) + "\n"
  }
}

/// The marked line; `period` is the standard one if nil.
///
/// A percent sign ends cron's command, even in quotes, and cron removes the backslash before it.
public func cronLine(starting program: TimedProgram, every period: WakePeriod?) -> String {
  let words = program.cronWords.map { replacing(["%": "'\\%'"], in: shellWord($0)) }
  return "\((period ?? .standard).cronFields) \(words.joined(separator: " ")) \(cronMark)"
}

/// The program that a timer starts, and the files that the program uses.
public struct TimedProgram: Hashable, Sendable {
  /// The absolute path of the program.
  public var path: String
  /// The absolute path of the configuration, if the program does not find it by itself.
  public var configuration: String?
  /// The absolute path of the state directory, if the configuration does not lead there.
  public var state: String?

  public init(path: String, configuration: String? = nil, state: String? = nil) {
    (self.path, self.configuration, self.state) = (path, configuration, state)
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

/// A period that divides an hour or a day evenly, so that each hour and each day has the same moments.
public struct WakePeriod: Hashable, Sendable {
  public let minutes: Int

  /// The period of the shipped timer.
  public static let standard = WakePeriod(minutes: 5)

  private init(minutes: Int) {
    self.minutes = minutes
  }

  /// Nil if the interval is not a number of minutes that divides an hour, or of hours that divides a day.
  public init?(_ interval: Interval) {
    guard interval.seconds >= 60, interval.seconds.isMultiple(of: 60) else { return nil }
    let minutes = interval.seconds / 60
    guard minutes <= 60 ? 60 % minutes == 0 : minutes.isMultiple(of: 60) && 1440 % minutes == 0 else {
      return nil
    }
    self.init(minutes: Int(minutes))
  }

  /// The value of `OnCalendar=` (systemd.time(7)).
  public var calendar: String {
    switch minutes {
    case 60: "hourly"
    case 1440: "daily"
    case ..<60: "*:0/\(minutes)"
    default: "0/\(minutes / 60):00"
    }
  }

  /// The five fields of crontab(5).
  public var cronFields: String {
    switch minutes {
    case 1: "* * * * *"
    case 60: "0 * * * *"
    case 1440: "0 0 * * *"
    case ..<60: "*/\(minutes) * * * *"
    default: "0 */\(minutes / 60) * * *"
    }
  }
}

// The steps of `bgfetch install-timer`: systemd's units and systemctl(1) commands.

import Core

/// The service manager that a timer belongs to.
enum TimerScope: String, Hashable, Sendable {
  case user
  case system

  /// systemctl(1) for this manager.
  var systemctl: [String] { self == .user ? ["systemctl", "--user"] : ["systemctl"] }
}

/// The unit that starts runs.
enum TimerUnit: String, CaseIterable, Hashable, Sendable {
  case timer = "bgfetch.timer"
  case watch = "bgfetch-watch.service"

  /// The unit that must not start runs too.
  var other: TimerUnit { self == .timer ? .watch : .timer }

  /// The files that it consists of.
  var files: [String] {
    switch self {
    case .timer: ["bgfetch.service", "bgfetch-transfers.service", rawValue]
    case .watch: [rawValue]
    }
  }

  static let allFiles = allCases.flatMap(\.files)
}

/// The path and text of a unit.
struct UnitFile: Hashable, Sendable {
  var path: String
  var text: String

  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// One change of the machine.
enum TimerStep: Hashable, Sendable {
  case write(UnitFile)
  case remove(path: String)
  case run([String])
}

/// The steps that make a unit start runs, also if an earlier one is installed and running.
///
/// - Parameter otherIsEnabled: whether the other unit starts runs now.
func installSteps(
  _ unit: TimerUnit, _ scope: TimerScope, _ files: [UnitFile], otherIsEnabled: Bool
) -> [TimerStep] {
  let stop = TimerStep.run(scope.systemctl + ["disable", "--now", unit.other.rawValue])
  // Enabling does not restart a unit that runs with its old text.
  let start = [["daemon-reload"], ["enable", unit.rawValue], ["restart", unit.rawValue]]
  return (otherIsEnabled ? [stop] : []) + files.map(TimerStep.write)
    + start.map { .run(scope.systemctl + $0) }
}

/// The steps that remove the units that `install-timer` wrote; none if there are none.
///
/// - Parameter found: the units in the directory of the user's or administrator's own ones.
func uninstallSteps(_ scope: TimerScope, found: [UnitFile]) -> [TimerStep] {
  let own = found.filter(\.isOwn)
  guard !own.isEmpty else { return [] }
  let stopped = TimerUnit.allCases.map(\.rawValue).filter { unit in own.contains { $0.name == unit } }
  let stop = stopped.isEmpty ? [] : [TimerStep.run(scope.systemctl + ["disable", "--now"] + stopped)]
  return stop + own.map { .remove(path: $0.path) } + [.run(scope.systemctl + ["daemon-reload"])]
}

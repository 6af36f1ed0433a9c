// The changes that `bgfetch install-timer` makes to systemd's units: files and systemctl(1) commands.

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
}

/// A unit as it is on this machine.
struct FoundUnit: Hashable, Sendable {
  var name: String
  /// The path of the user's or administrator's own file, which overrides a package's.
  var path: String
  /// The text of that file; nil if there is none.
  var own: String?
  /// The file of a package or of `make install`; nil if there is none.
  var packaged: UnitFile?
  var isEnabled: Bool
}

/// Commands and changes of files, in the order in which they are carried out.
struct TimerPlan: Hashable, Sendable {
  /// The commands before files change.
  var firstCommands: [[String]] = []
  var writes: [UnitFile] = []
  /// The paths of units that are used as they are.
  var keeps: [String] = []
  var removals: [String] = []
  var commands: [[String]] = []
}

/// A unit that bgfetch did not write and that starts another program.
struct ForeignUnit: Error, Hashable, Sendable {
  var path: String
}

/// The plan that makes a unit start runs.
///
/// - Parameters:
///   - unit: the unit to enable.
///   - scope: its service manager.
///   - texts: the wanted text of each of its files, by name.
///   - found: every unit as it is now.
/// - Throws: a file that blocks the installation.
func installPlan(
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
func uninstallPlan(_ scope: TimerScope, found: [FoundUnit]) -> TimerPlan {
  var plan = TimerPlan()
  let names = TimerUnit.allCases.map(\.rawValue)
  let enabled = found.filter { names.contains($0.name) && $0.isEnabled }.map(\.name)
  if !enabled.isEmpty { plan.firstCommands.append(scope.systemctl + ["disable", "--now"] + enabled) }
  plan.removals = found.filter { $0.own.map(isOwnUnit) ?? false }.map(\.path)
  if !plan.removals.isEmpty { plan.commands.append(scope.systemctl + ["daemon-reload"]) }
  return plan
}

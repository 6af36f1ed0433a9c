// The changes that `bgfetch install-timer` and `bgfetch uninstall-timer` make to systemd units: files, then systemctl(1)
// commands.

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
  /// The path of the user's or administrator's own file, which overrides that of a package.
  public var place: String
  /// The text of that file; nil if there is none.
  public var own: String?
  /// The file of a package or of `make install`; nil if there is none.
  public var packaged: UnitFile?
  public var isEnabled: Bool

  public init(name: String, place: String, own: String?, packaged: UnitFile?, isEnabled: Bool) {
    self.name = name
    self.place = place
    self.own = own
    self.packaged = packaged
    self.isEnabled = isEnabled
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

  public init(path: String) {
    self.path = path
  }
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
        plan.keeps.append(file.place)
        continue
      }
      guard isOwnUnit(own) else { throw ForeignUnit(path: file.place) }
    } else if let packaged = file.packaged, unitsStartTheSame(packaged.text, text) {
      plan.keeps.append(packaged.path)
      continue
    }
    plan.writes.append(UnitFile(path: file.place, text: text))
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
  plan.removals = found.filter { $0.own.map(isOwnUnit) ?? false }.map(\.place)
  if !plan.removals.isEmpty { plan.commands.append(scope.systemctl + ["daemon-reload"]) }
  return plan
}

// `install-timer`: reads the machine's units and crontab, and carries out the plan for them.

import Core
import Glibc
import Machine

/// The options of both commands.
struct TimerOrder: Sendable {
  var scope: TimerScope
  var unit = TimerUnit.timer
  var period: WakePeriod?
  /// Whether to use cron even if systemd is there.
  var usesCron = false
  /// Whether to show what would be done instead of doing it.
  var isShownOnly = false
}

/// The changes that were made, or would be made.
struct TimerOutcome: Sendable {
  var plan = TimerPlan()
  /// The line of the crontab that was added.
  var cronLine: String?
  /// The line of the crontab that was removed.
  var removedCronLine: String?
  /// Lines of the crontab by which runs start too.
  var otherRuns: [String] = []
  /// Whether the user's units run while the user is logged out; nil if unknown, or if it does not matter.
  var lingers: Bool?
}

/// Runs the programs that set up a timer.
struct TimerSetup: Sendable {
  let invocation: Invocation
  let order: TimerOrder
  private let supervisor = Supervisor()

  init(_ invocation: Invocation, _ order: TimerOrder) {
    (self.invocation, self.order) = (invocation, order)
  }

  /// Makes the machine start runs, by systemd or by cron alone: with both, each run would start twice.
  func install(_ program: TimedProgram) async throws -> TimerOutcome {
    guard !order.usesCron, await hasSystemd() else { return try await installCron(program) }
    try await requireManager()
    let texts = Dictionary(
      uniqueKeysWithValues: TimerUnit.allFiles.map { name in
        let text = String(decoding: shippedUnit(name, order.scope), as: UTF8.self)
        return (name, unitText(text, starting: program, every: order.period))
      })
    var outcome = TimerOutcome()
    do {
      outcome.plan = try installPlan(order.unit, order.scope, texts: texts, found: try await found())
    } catch let unit as ForeignUnit {
      throw ProgramFailure.usage(
        "\(unit.path): was not written by bgfetch install-timer, and starts something else; move it away, then run this "
          + "command again")
    }
    try await carryOut(outcome.plan)
    if order.scope == .user {
      outcome.lingers = await lingers()
      // A crontab that cannot be read does not start runs for this user either.
      if isInstalled("crontab"), let (text, table) = try? await crontab() {
        try await removeLine(from: text, table, &outcome)
        outcome.otherRuns = table.otherRuns
      }
    }
    return outcome
  }

  /// Undoes `install`, with systemd and with cron.
  func uninstall() async throws -> TimerOutcome {
    var outcome = TimerOutcome()
    if await hasSystemd() {
      outcome.plan = uninstallPlan(order.scope, found: try await found())
      if outcome.plan != TimerPlan() { try await requireManager() }
      try await carryOut(outcome.plan)
    }
    if order.scope == .user, isInstalled("crontab") {
      let (text, table) = try await crontab()
      try await removeLine(from: text, table, &outcome)
    }
    return outcome
  }

  /// Removes the line of `installCron` from the user's crontab, if it has one.
  private func removeLine(from text: String, _ table: CronTable, _ outcome: inout TimerOutcome) async throws {
    guard table.isMarked else { return }
    outcome.removedCronLine = text.split(separator: "\n").last { $0.hasSuffix(cronMark) }.map(String.init)
    if !order.isShownOnly { try await replaceCrontab(table.text) }
  }

  private func carryOut(_ plan: TimerPlan) async throws {
    guard !order.isShownOnly else { return }
    for command in plan.firstCommands { try await require(command) }
    try naming("the unit") { () throws(FileFailure) in
      for file in plan.writes {
        try makePrivateDirectory(around: file.path)
        try AtomicFile.replace(file.path, with: Array(file.text.utf8), permissions: 0o644)
      }
    }
    for path in plan.removals where unlink(path) != 0 && errno != ENOENT {
      throw ProgramFailure.usage(
        "\(path): cannot be removed; remove it yourself, then run this command again")
    }
    for command in plan.commands { try await require(command) }
  }
}

// MARK: systemd

extension TimerSetup {
  /// Whether systemd manages this machine.
  private func hasSystemd() async -> Bool { await reachesManager(["systemctl"]) }

  /// Throws if the manager of the user's units cannot be reached.
  private func requireManager() async throws {
    guard order.scope == .user, !order.isShownOnly, !(await hasManager()) else { return }
    throw ProgramFailure.usage(
      "the systemd of user \(geteuid()) cannot be reached; log in as this user instead of using su or sudo, or use --cron"
    )
  }

  /// Whether the manager of the scope can be reached.
  private func hasManager() async -> Bool { await reachesManager(order.scope.systemctl) }

  private func reachesManager(_ systemctl: [String]) async -> Bool {
    let state = await run(systemctl + ["is-system-running"])?.firstLine ?? ""
    return !["", "offline", "unknown"].contains(state)
  }

  /// All units, as they are now.
  private func found() async throws -> [FoundUnit] {
    let standard = StandardDirectories(environment: invocation.environment, home: invocation.home)
    let directories = unitDirectories(order.scope, standard)
    var units: [FoundUnit] = []
    for name in TimerUnit.allFiles {
      let packaged = try directories.packaged.lazy.map { $0 + "/" + name }.compactMap { path in
        try unit(path).map { UnitFile(path: path, text: $0) }
      }.first
      let isEnabled =
        TimerUnit(rawValue: name) == nil
        ? false : await run(order.scope.systemctl + ["is-enabled", "--quiet", name])?.ending == .exited(0)
      let path = directories.own + "/" + name
      units.append(
        FoundUnit(name: name, path: path, own: try unit(path), packaged: packaged, isEnabled: isEnabled))
    }
    return units
  }

  /// The text of a unit; nil if there is none.
  private func unit(_ path: String) throws -> String? {
    do throws(FileFailure) {
      return String(decoding: try readFile(path, limit: ByteCount(1 << 20)), as: UTF8.self)
    } catch {
      if error.problem == .missing { return nil }
      throw ProgramFailure.file(error, purpose: "the unit")
    }
  }

  /// Whether units of this user run while nobody is logged in (loginctl(1)).
  private func lingers() async -> Bool? {
    switch await run(["loginctl", "show-user", "\(geteuid())", "--property=Linger", "--value"])?.firstLine {
    case "yes": true
    case "no": false
    default: nil
    }
  }
}

/// The directories of units (systemd.unit(5)): the one to write to, and those of packages, by precedence.
private func unitDirectories(
  _ scope: TimerScope, _ standard: StandardDirectories
) -> (own: String, packaged: [String]) {
  switch scope {
  case .user:
    let shared = ["/usr/local/lib", "/usr/local/share", "/usr/lib", "/usr/share"].map { $0 + "/systemd/user" }
    return (
      standard.configuration + "/systemd/user",
      ["/etc/systemd/user", standard.data + "/systemd/user"] + shared
    )
  case .system:
    return ("/etc/systemd/system", ["/usr/local/lib", "/usr/lib", "/lib"].map { $0 + "/systemd/system" })
  }
}

/// A unit as it is shipped; the same files are in examples.
private func shippedUnit(_ name: String, _ scope: TimerScope) -> [UInt8] {
  switch (name, scope) {
  case ("bgfetch.service", .user): PackageResources.user_bgfetch_service
  case ("bgfetch.service", .system): PackageResources.system_bgfetch_service
  case ("bgfetch-transfers.service", .user): PackageResources.user_bgfetch_transfers_service
  case ("bgfetch-transfers.service", .system): PackageResources.system_bgfetch_transfers_service
  case ("bgfetch-watch.service", .user): PackageResources.user_bgfetch_watch_service
  case ("bgfetch-watch.service", .system): PackageResources.system_bgfetch_watch_service
  default: PackageResources.user_bgfetch_timer
  }
}

// MARK: cron

extension TimerSetup {
  private func installCron(_ program: TimedProgram) async throws -> TimerOutcome {
    guard order.unit == .timer else {
      throw ProgramFailure.usage(
        "there is no systemd here; start bgfetch run --watch from your service manager, or leave out --watch for cron"
      )
    }
    guard order.scope == .user else {
      throw ProgramFailure.usage(
        "--system needs systemd; without it, use cron: bgfetch install-timer as the user who is to run bgfetch"
      )
    }
    guard isInstalled("crontab") else {
      // The line may be for another machine, or for the image of a container.
      if order.isShownOnly, order.usesCron {
        return TimerOutcome(cronLine: cronLine(starting: program, every: order.period))
      }
      throw ProgramFailure.usage(
        "there is neither systemd nor crontab here; install cron, or start bgfetch run every few minutes in another way"
      )
    }
    let (text, table) = try await crontab()
    let wanted = table.text(starting: program, every: order.period)
    var outcome = TimerOutcome()
    if await hasSystemd(), await hasManager() {
      outcome.plan = uninstallPlan(order.scope, found: try await found())
      try await carryOut(outcome.plan)
    }
    outcome.cronLine = cronLine(starting: program, every: order.period)
    outcome.otherRuns = table.otherRuns
    if wanted != text, !order.isShownOnly { try await replaceCrontab(wanted) }
    return outcome
  }

  /// The user's crontab.
  ///
  /// - Throws: any failure except a missing crontab, so that no crontab is lost.
  private func crontab() async throws -> (text: String, CronTable) {
    let command = ["crontab", "-l"]
    let result = await run(command, environment: ["LC_ALL": "C"])
    guard let result, result.ending != .exited(0) else {
      let text = String(decoding: result?.output ?? [], as: UTF8.self)
      guard result?.isOutputCut == false else {
        throw ProgramFailure.usage("the crontab is larger than 1 MiB")
      }
      return (text, CronTable(text))
    }
    let errors = String(decoding: result.errorTail, as: UTF8.self)
    // The messages of Debian's cron and cronie, and of busybox.
    guard errors.contains("no crontab") || errors.contains("No such file") else {
      throw ProgramFailure.command(command, errors)
    }
    return ("", CronTable(""))
  }

  private func replaceCrontab(_ text: String) async throws {
    guard !text.isEmpty else { return try await require(["crontab", "-r"]) }
    try await require(["crontab", "-"], input: text)
  }
}

// MARK: Programs

extension TimerSetup {
  private func isInstalled(_ program: String) -> Bool {
    (try? findProgram(program, path: invocation.environment["PATH"], directory: invocation.home)) != nil
  }

  /// Runs a command to its end; nil if it cannot be started.
  private func run(
    _ words: [String], environment: [String: String] = [:], input: String = ""
  ) async -> CommandResult? {
    guard let program = words.first, isInstalled(program) else { return nil }
    // systemctl --user finds its manager by these.
    let session = SessionBus.find(environment: invocation.environment)?.additions ?? [:]
    return await supervisor.run(
      Command(
        program, Array(words.dropFirst()),
        environment: invocation.environment.merging(session) { $1 }.merging(environment) { $1 },
        directory: invocation.home, input: Array(input.utf8), limit: .seconds(60), outputLimit: 1 << 20))
  }

  private func require(_ words: [String], input: String = "") async throws {
    let result = await run(words, input: input)
    guard result?.ending != .exited(0) else { return }
    let errors = result.map { String(decoding: $0.errorTail, as: UTF8.self) } ?? "it is not installed"
    throw ProgramFailure.command(words, errors)
  }
}

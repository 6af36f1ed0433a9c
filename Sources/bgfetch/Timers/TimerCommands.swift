// `bgfetch install-timer`: starting runs by systemd or cron.

import ArgumentParser
import Config
import Core
import Glibc
import Machine

struct InstallTimerCommand: ProgramCommand {
  static let heading = ("install-timer", "Start runs every few minutes, by systemd or cron")

  @OptionGroup var common: ConfigurationOption

  @Flag(help: "For the whole machine, with the configuration in /etc/bgfetch; needs root.")
  var system = false

  @Flag(help: "Show the files and commands, and change nothing.")
  var print = false

  @Flag(help: "Remove what this command installed.")
  var remove = false

  @Flag(
    help: "Instead of a timer, install a service that runs all the time and sleeps until something is due.")
  var watch = false

  @Option(help: ArgumentHelp("How often to start a run; default: 5m.", valueName: "duration"))
  var every: String?

  @Flag(help: "Use cron, even if systemd is available.")
  var cron = false

  func validate() throws {
    if remove, watch || cron || every != nil {
      throw ValidationError(
        "--remove removes whatever is installed; write it without --watch, --cron and --every")
    }
    if watch, every != nil { throw ValidationError("--every is for the timer; --watch has none") }
    if watch, cron { throw ValidationError("write --watch or --cron, not both") }
    if cron, system { throw ValidationError("write --system or --cron, not both") }
    guard let every else { return }
    guard Interval(text: every).flatMap(WakePeriod.init) != nil else {
      throw ValidationError(
        "--every \(every) does not divide an hour or a day evenly; write 5m, 15m, 30m, 1h or 6h, for example")
    }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    var order = TimerOrder(scope: system ? .system : .user, isShownOnly: print)
    if remove { return try await invocation.removeTimer(order) }
    order.unit = watch ? .watch : .timer
    order.period = every.flatMap { Interval(text: $0) }.flatMap(WakePeriod.init)
    order.usesCron = cron
    let program = try invocation.timedProgram(order)
    if let path = program.unwritablePath {
      throw ProgramFailure.usage(
        "\(cleanText(path, limit: 500)): the path contains a line break or another control character, which neither a unit nor "
          + "a crontab can have; rename it")
    }
    let outcome = try await TimerSetup(invocation, order).install(program)
    invocation.show(order.isShownOnly ? shownText(outcome) : installedText(order, outcome), order)
    invocation.sayWarnings(about: outcome)
    return .success
  }
}

extension Invocation {
  /// Prints lines; what is only shown is not wrapped, to be copied.
  fileprivate func show(_ lines: [String], _ order: TimerOrder) {
    let console = order.isShownOnly ? console.unwrapped : console
    for line in lines { console.print(line) }
  }

  fileprivate func removeTimer(_ order: TimerOrder) async throws -> ExitStatus {
    try requireRights(order)
    let outcome = try await TimerSetup(self, order).uninstall()
    show(order.isShownOnly ? shownText(outcome) : removedText(outcome), order)
    return .success
  }

  fileprivate func requireRights(_ order: TimerOrder) throws {
    guard order.scope == .system, !order.isShownOnly, geteuid() != 0 else { return }
    throw ProgramFailure.usage("--system changes the whole machine; run it as root, for example with sudo")
  }

  /// This program, with the options that make it use the same files when a service manager starts it.
  ///
  /// - Throws: all mistakes in the configuration, unless nothing is to be changed.
  fileprivate func timedProgram(_ order: TimerOrder) throws -> TimedProgram {
    try requireRights(order)
    var program = TimedProgram(path: installedPath)
    var invocation = self
    if order.scope == .system, namedConfiguration == nil {
      invocation.namedConfiguration = SystemPlaces.configuration
    }
    let settings: Settings
    do {
      let loaded = try invocation.configuration()
      settings = loaded.settings
      if order.scope == .system { try requireReadable(loaded.files) }
      if order.scope == .user, SystemPlaces.contains(configuration: settings.path) {
        throw ProgramFailure.usage(
          "\(settings.path): is the system-wide configuration; add --system, or write one of your own with bgfetch "
            + "init --config ~/.config/bgfetch/bgfetch.yaml")
      }
    } catch {
      guard order.isShownOnly else { throw error }
      program.configuration = namedConfiguration.map { absolutePath($0) }
      return program
    }
    // A service manager does not pass on the variables of a shell.
    let standard = StandardDirectories(environment: [:], home: home)
    let found = order.scope == .user ? standard.configurationFiles : [SystemPlaces.configuration]
    if !found.contains(settings.path) { program.configuration = settings.path }
    let named = environment["XDG_STATE_HOME"].map { $0 + "/bgfetch" }
    if settings.state == named, named != standard.state + "/bgfetch" {
      throw ProgramFailure.usage(
        "the state is in \(settings.state), by XDG_STATE_HOME, which a timer does not know; write state: \(settings.state) "
          + "into the configuration")
    }
    return program
  }

  /// The path by which the program was called: a link may stay the same when the program is updated.
  private var installedPath: String {
    let actual = Machine.programPath ?? "bgfetch"
    let called = Machine.arguments.first ?? ""
    guard !called.contains("/") || called.hasPrefix("/"),
      let path = try? findProgram(called, path: environment["PATH"], directory: Machine.workingDirectory),
      let identity = fileIdentity(path), identity == fileIdentity(actual)
    else { return actual }
    return path
  }

  /// Refuses a configuration that the services may not read: they do not run as root.
  private func requireReadable(_ files: [String]) throws {
    for file in files {
      guard let part = partClosedToOthers(file) else { continue }
      throw ProgramFailure.usage(
        "\(part): the services run as the user bgfetch, who may not read it; chmod a+rX \(part), and keep secrets in files "
          + "of their own (LoadCredential= in the units)")
    }
  }

  fileprivate func sayWarnings(about outcome: TimerOutcome) {
    if outcome.lingers == false {
      console.say(
        "warning: lingering is off, so no run starts while you are logged out; to change that: loginctl enable-linger",
        .warning)
    }
    for line in outcome.otherRuns {
      console.say("warning: your crontab has another line for bgfetch; remove one of them: \(line)", .warning)
    }
  }
}

/// The report of what was done, with the next steps.
private func installedText(_ order: TimerOrder, _ outcome: TimerOutcome) -> [String] {
  if let line = outcome.cronLine {
    return changeText(outcome.plan) + [
      "added to your crontab:", "  " + line, "",
      "Cron mails you what goes wrong, if this machine can send mail. To see more: bgfetch status",
    ]
  }
  let systemctl = order.scope.systemctl.joined(separator: " ")
  let journal = order.scope == .user ? "journalctl --user" : "journalctl"
  var lines = changeText(outcome.plan) + cronRemovalText(outcome) + [""]
  switch order.unit {
  case .timer:
    lines += table([
      ["  \(systemctl) list-timers bgfetch.timer", "when the next run starts"],
      ["  \(journal) -u bgfetch -u bgfetch-transfers", "the messages of runs"],
      ["  bgfetch status", "the state of the feeds"],
    ])
  case .watch:
    lines += table([
      ["  \(systemctl) status bgfetch-watch", "what it is doing"],
      ["  \(journal) -u bgfetch-watch", "its messages"],
      ["  \(systemctl) reload bgfetch-watch", "after a change of the configuration"],
    ])
  }
  return lines
}

private func removedText(_ outcome: TimerOutcome) -> [String] {
  let lines = changeText(outcome.plan) + cronRemovalText(outcome)
  return lines.isEmpty ? ["nothing to remove: install-timer has installed nothing here"] : lines
}

private func cronRemovalText(_ outcome: TimerOutcome) -> [String] {
  outcome.removedCronLine.map { ["removed from your crontab:", "  " + $0] } ?? []
}

/// The changes of a plan, one line each.
private func changeText(_ plan: TimerPlan) -> [String] {
  func ran(_ commands: [[String]]) -> [String] { commands.map { "ran " + $0.joined(separator: " ") } }
  return ran(plan.firstCommands) + plan.writes.map { "wrote \($0.path)" }
    + plan.keeps.map { "using \($0)" } + plan.removals.map { "removed \($0)" } + ran(plan.commands)
}

/// All planned changes: files in full, and commands.
private func shownText(_ outcome: TimerOutcome) -> [String] {
  let plan = outcome.plan
  func commands(_ commands: [[String]]) -> [String] {
    commands.isEmpty ? [] : ["# Run:"] + commands.map { $0.joined(separator: " ") }
  }
  let lines =
    commands(plan.firstCommands)
    + plan.writes.flatMap { ["# Write \($0.path):", $0.text] }
    + plan.keeps.map { "# Use \($0) as it is" }
    + plan.removals.map { "# Remove \($0)" }
    + commands(plan.commands)
    + (outcome.removedCronLine.map { ["# Remove from your crontab:", $0] } ?? [])
    + (outcome.cronLine.map { ["# Add to your crontab:", $0] } ?? [])
  return lines.isEmpty ? ["nothing to do"] : lines
}

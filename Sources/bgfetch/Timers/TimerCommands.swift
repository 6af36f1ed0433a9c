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

  @Flag(help: "Print the line of a crontab that starts runs, instead of using systemd.")
  var cron = false

  func validate() throws {
    if remove, watch || cron || every != nil {
      throw ValidationError(
        "--remove removes whatever is installed; write it without --watch, --cron and --every")
    }
    if watch, every != nil { throw ValidationError("--every is for the timer; --watch has none") }
    if watch, cron { throw ValidationError("write --watch or --cron, not both") }
    if cron, system { throw ValidationError("write --system or --cron, not both") }
    if let every, period == nil {
      throw ValidationError(
        "--every \(every) does not divide an hour or a day evenly; write 5m, 15m, 30m, 1h or 6h, for example")
    }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    if system, !print, geteuid() != 0 {
      throw ProgramFailure.usage("--system changes the whole machine; run it as root, for example with sudo")
    }
    guard !remove else {
      invocation.show(try await TimerSetup(invocation, self).uninstall(), isDone: !print)
      return .success
    }
    let program = try invocation.timedProgram(scope)
    if let path = program.unwritablePath {
      throw ProgramFailure.usage(
        "\(cleanText(path, limit: 500)): the path contains a control character, or a quote, backslash or dollar sign in the "
          + "name of the program, which neither a unit nor a crontab can have; rename it")
    }
    guard !cron else {
      invocation.console.unwrapped.print(cronLine(starting: program, every: period))
      return .success
    }
    invocation.show(try await TimerSetup(invocation, self).install(program), isDone: !print)
    if !print { for line in nextSteps(scope) { invocation.console.print(line) } }
    return .success
  }

  var scope: TimerScope { system ? .system : .user }
  var unit: TimerUnit { watch ? .watch : .timer }
  var period: WakePeriod? { every.flatMap { Interval(text: $0) }.flatMap(WakePeriod.init) }
}

extension Invocation {
  /// Prints the steps that were carried out, or are to be; the latter are not wrapped, to be copied.
  fileprivate func show(_ steps: [TimerStep], isDone: Bool) {
    let console = isDone ? console : console.unwrapped
    if steps.isEmpty { console.print("nothing to remove: install-timer has installed nothing here") }
    for step in steps {
      switch step {
      case .write(let file):
        console.print(isDone ? "wrote \(file.path)" : "# Write \(file.path):\n\(file.text)")
      case .remove(let path): console.print((isDone ? "removed " : "# Remove ") + path)
      case .run(let command): console.print((isDone ? "ran " : "") + command.joined(separator: " "))
      }
    }
  }

  /// This program, with the options that make it use the same files when a service manager starts it.
  ///
  /// - Throws: all mistakes in the configuration.
  fileprivate func timedProgram(_ scope: TimerScope) throws -> TimedProgram {
    var program = TimedProgram(path: installedPath)
    var invocation = self
    if scope == .system, namedConfiguration == nil {
      invocation.namedConfiguration = SystemPlaces.configuration
    }
    let settings = try invocation.configuration().settings
    if scope == .user, SystemPlaces.contains(configuration: settings.path) {
      throw ProgramFailure.usage(
        "\(settings.path): is the system-wide configuration; add --system, or write one of your own with bgfetch "
          + "add --config ~/.config/bgfetch/bgfetch.yaml URL")
    }
    // A service manager does not pass on the variables of a shell.
    let standard = StandardDirectories(environment: [:], home: home)
    let found = scope == .user ? standard.configurationFiles : [SystemPlaces.configuration]
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
    let actual = Machine.programPath
    let called = Machine.arguments.first ?? ""
    guard !called.contains("/") || called.hasPrefix("/"),
      let path = try? findProgram(called, path: environment["PATH"], directory: Machine.workingDirectory),
      let identity = fileIdentity(path), identity == fileIdentity(actual)
    else { return actual }
    return path
  }
}

/// Commands that show what the runs do.
private func nextSteps(_ scope: TimerScope) -> [String] {
  let isOfUser = scope == .user
  let lingering = [["  loginctl enable-linger", "to start runs while you are logged out, too"]]
  return [""]
    + table(
      [
        ["  bgfetch status", "the state of the feeds"],
        ["  journalctl \(isOfUser ? "--user " : "")-u 'bgfetch*'", "the messages of runs"],
      ] + (isOfUser ? lingering : []))
}

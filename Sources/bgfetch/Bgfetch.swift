// The entry point of the program: its commands and its version.

import ArgumentParser
import Core
import Machine

@main
struct Bgfetch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bgfetch",
    abstract: "Background fetch: keeps feeds fresh and says what is new",
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Feeds",
        subcommands: [
          AddCommand.self, RemoveCommand.self, RenameCommand.self, ImportCommand.self, ExportCommand.self,
          CheckCommand.self, ParseCommand.self, PauseCommand.self, ResumeCommand.self,
        ]),
      CommandGroup(
        name: "Running",
        subcommands: [
          RunCommand.self, PushCommand.self, InstallTimerCommand.self,
        ]),
      CommandGroup(
        name: "Reading",
        subcommands: [
          BrowseCommand.self, ItemsCommand.self, ReadCommand.self, OpenCommand.self, SeenCommand.self,
          UnseenCommand.self,
          UndoCommand.self, StarCommand.self, UnstarCommand.self, OpenedCommand.self, BadgeCommand.self,
        ]),
      CommandGroup(
        name: "Looking after it",
        subcommands: [
          StatusCommand.self, WhyCommand.self, HistoryCommand.self, MetricsCommand.self, ReportCommand.self,
        ]),
      CommandGroup(
        name: "Files and hooks",
        subcommands: [
          TransfersCommand.self, HooksCommand.self, SimulateCommand.self, PopupCommand.self,
        ]),
      .severalMachines,
    ])

  /// The program's version; packages read it from this line.
  static let version = "0.1.0"

  /// The address of the project; nil, and named nowhere, until there is one.
  static let homePage: String? = nil

  /// The `User-Agent` of requests, unless the configuration has one.
  static let userAgent = "bgfetch/" + version + (homePage.map { " (+\($0))" } ?? "")

  static func main() {
    Machine.adoptOrphans()
    // A failure means that there is no /dev/null; the program can run without it.
    try? StandardStream.openMissing()
    Signals.ignoreBrokenPipes()
    let call = TimerCall(Machine.arguments.dropFirst())
    if let call, call.isQuiet() { ExitStatus.success.end() }
    do throws(SystemError) {
      try OpenFiles.makeRoom()
    } catch {
      let (lines, status) = errorText(error)
      for line in lines { Console.write(line + "\n", to: .error) }
      status.end()
    }
    runOnMainThread {
      if let call { await call.run() }
      await runCommand()
    }
  }

  /// The command of a command line, with its options.
  ///
  /// The parser looks at the options of all commands by reflection, which takes longer than a run with nothing due. It need not
  /// unless it prints help or an error.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    let named = configuration.subcommands.first { $0.configuration.commandName == arguments.first }
    if let named, named.configuration.subcommands.isEmpty,
      let command = try? named.parse(Array(arguments.dropFirst()))
    {
      return command
    }
    return try parseAsRoot(arguments)
  }

  /// Runs the command of the command line and ends the process.
  private static func runCommand() async -> Never {
    do {
      let words = Array(Machine.arguments.dropFirst())
      if Set(words) == ["--version", "-v"] {
        Console.write(versionLines().joined(separator: "\n") + "\n", to: .output)
        ExitStatus.success.end()
      }
      let arguments = withOptionsAfterCommand(words)
      let names = configuration.subcommands.map { $0.configuration.commandName ?? "" }
      if let mistake = mistakenCommand(arguments, among: names) {
        Console.write(mistake + "\n", to: .error)
        ExitStatus.usage.end()
      }
      let command = try parsed(arguments)
      guard var command = command as? any AsyncParsableCommand else {
        var command = command
        try command.run()
        ExitStatus.success.end()
      }
      try await command.run()
      ExitStatus.success.end()
    } catch {
      let text = fullMessage(for: error)
      // The parser also throws help and version; everything else is a wrong command line.
      guard exitCode(for: error) != .success else {
        Console.write(withTags(text) + "\n", to: .output)
        ExitStatus.success.end()
      }
      let mistake = commandLineMistake(message(for: error), full: text)
      Console.write(wrappedMessage(mistake, StandardStream.error.columns) + "\n", to: .error)
      ExitStatus.usage.end()
    }
  }
}

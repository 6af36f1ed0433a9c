// `bgfetch fleet`: its commands, with the ones that adopt a configuration and forget a machine.

import ArgumentParser
import Core
import Fleet
import Store

extension CommandGroup {
  /// The commands for machines that share a state.
  static var severalMachines: CommandGroup {
    CommandGroup(name: "Several machines", subcommands: [FleetCommand.self])
  }
}

struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Look after machines that share a state, and feeds by the thousand",
    groupedSubcommands: [
      CommandGroup(
        name: "Machines",
        subcommands: [
          FleetPrepareCommand.self, FleetCopyCommand.self, FleetAdoptCommand.self, FleetPauseCommand.self,
          FleetResumeCommand.self, FleetForgetCommand.self,
        ]),
      CommandGroup(
        name: "Feeds in the database",
        subcommands: [
          FleetAddCommand.self, FleetSetCommand.self, FleetRemoveCommand.self, FleetListCommand.self,
          FleetImportCommand.self,
        ]),
    ])
}

struct FleetAdoptCommand: ProgramCommand {
  static let heading = ("adopt", "Make this machine's configuration that of all machines")

  @OptionGroup var common: CommonOptions

  @Option(
    help: ArgumentHelp(
      "How long runs may use the former configuration; default: 15m.", valueName: "duration"),
    transform: readDuration)
  var overlap: Interval?

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let settings = try invocation.configuration().settings
    _ = try invocation.server(of: settings)
    let zone = try invocation.zone(settings)
    let state = try await invocation.open(settings, for: .writing)
    let end = try await state.storeTime() + (overlap ?? .minutes(15))
    let changed = try await state.store.adopt(settings.sharedSections, formerEnd: end)
    await state.store.close()
    invocation.console.print(
      json: [
        JSONValue(["type": "fleet", "changed": changed ?? [], "former-until": changed.map { _ in end }])
      ],
      text: [
        changed.map {
          "\(list($0, "and")) changed; runs may use the former configuration until \(end.local(in: zone))."
        } ?? "This is the configuration of all machines already."
      ])
    return .success
  }
}

struct FleetForgetCommand: ProgramCommand {
  static let heading = ("forget", "Forget a machine that was taken away")

  @OptionGroup var common: CommonOptions

  @Argument(help: "Its name, or its state directory.")
  var machine: String

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    guard try await invocation.openState(for: .writing).store.forgetMachines(machine) > 0 else {
      throw ProgramFailure.usage("there is no machine \(machine); bgfetch status lists them")
    }
    return .success
  }
}

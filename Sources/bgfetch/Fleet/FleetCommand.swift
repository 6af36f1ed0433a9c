// `bgfetch fleet`: what all machines that share a state have in common.

import ArgumentParser
import Config
import Core
import Store

struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Change the configuration of machines that share a state",
    subcommands: [FleetAdoptCommand.self])
}

struct FleetAdoptCommand: ProgramCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt", abstract: "Make this machine's configuration that of all machines")

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
    let store = try await invocation.openStore(settings, for: .writing)
    let change = try await invocation.adopt(settings, store, overlap: overlap ?? .minutes(15))
    await store.close()
    invocation.console.print(
      json: [
        JSONValue(["type": "fleet", "changed": (change?.sections ?? []), "former-until": change?.formerEnd])
      ],
      text: [
        change.map {
          "\(list($0.sections, "and")) changed; runs may use the former configuration until \($0.formerEnd.local(in: zone))."
        } ?? "This is the configuration of all machines already."
      ])
    return .success
  }
}

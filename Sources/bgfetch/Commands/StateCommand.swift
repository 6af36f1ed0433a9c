// `bgfetch state`: the PostgreSQL database that several machines share.

import ArgumentParser
import Config
import Core
import Host

struct StateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state", abstract: "Prepare a PostgreSQL database for the state of several machines")

  @OptionGroup var common: CommonOptions

  @Argument(help: "What to do: make the tables of the configured database, or update them.")
  var action: Action

  enum Action: String, ExpressibleByArgument, CaseIterable {
    /// Make the tables of the configured database, or update them.
    case prepare
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      guard let server = settings.server else {
        throw ProgramFailure.usage(
          "the state is in the directory \(settings.state), which needs no preparation; for a database write "
            + "state: {postgres: \"host=db.example dbname=bgfetch\"} into \(settings.path)")
      }
      let steps = try LiveStore.prepare(server, password: try await invocation.password(of: server))
      let text =
        switch steps.found {
        case 0: "The tables are made; bgfetch run can begin, on any machine with this configuration."
        case steps.now: "The tables are up to date."
        default: "The tables are up to date now (schema \(steps.found) before, \(steps.now) now)."
        }
      invocation.console.print(
        json: [
          .object([
            ("type", .string("state")), ("found", .number(Int64(steps.found))),
            ("schema", .number(Int64(steps.now))),
          ])
        ], text: [text])
      return .success
    }
  }
}

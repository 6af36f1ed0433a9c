// `bgfetch transfers run`.

import ArgumentParser
import Core

struct TransferRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Bring the files that wait, without looking for new ones")

  @OptionGroup var common: CommonOptions

  @Option(
    help: ArgumentHelp("How long it may take, hooks included.", valueName: "duration"),
    transform: readDuration)
  var budget: Interval?

  @Flag(name: .customLong("no-hooks"), help: "Tell hooks nothing of these transfers.")
  var withoutHooks = false

  @Flag(help: "Wait for the process that is at the transfers.")
  var wait = false

  @Option(help: ArgumentHelp("What woke it.", valueName: "cause"))
  var cause: RunCause?

  func run() async {
    await Invocation.perform(common) { invocation in
      try await invocation.runTransfers(
        TransferRunOrder(
          limit: budget, runsHooks: !withoutHooks, cause: try cause ?? invocation.cause(), waits: wait))
    }
  }
}

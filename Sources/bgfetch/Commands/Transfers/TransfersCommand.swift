// `bgfetch transfers`: its own commands stand beside this file.

import ArgumentParser

struct TransfersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfers", abstract: "Show the files that are on their way, and deal with them",
    subcommands: [
      TransferListCommand.self, TransferRunCommand.self, TransferRetryCommand.self,
      TransferSuspendCommand.self, TransferResumeCommand.self, TransferCancelCommand.self,
      TransferAddCommand.self,
    ], defaultSubcommand: TransferListCommand.self)
}

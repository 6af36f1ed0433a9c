// `bgfetch export`: the configured feeds as a list for other programs.

import ArgumentParser
import Core
import Formats
import Machine
import Store

struct ExportCommand: ProgramCommand {
  static let heading = ("export", "Print the configured feeds as OPML")

  @OptionGroup var common: ConfigurationOption

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .reading)
    let feeds = state.settings.feeds.all
    let exported = ExportedFeeds(feeds, try await state.store.feedStates(of: feeds.map(\.name)))
    Console.write(opmlText(exported.subscriptions), to: .output)
    for leftOut in exported.leftOut {
      invocation.console.say("\(leftOut.feed): \(leftOut.reason); left out", .warning)
    }
    return .success
  }
}

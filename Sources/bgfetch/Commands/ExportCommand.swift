// `bgfetch export`.

import ArgumentParser
import Core
import FeedReading
import StateStore

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print the configured feeds as OPML")

  @OptionGroup var common: CommonOptions

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where to write the OPML.", valueName: "file"),
    completion: .file(extensions: ["opml"]))
  var output: String?

  @Flag(help: "Replace the file that is to be written.")
  var force = false

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      let store = try await invocation.openStoreToShow(settings)
      let exported = ExportedFeeds(settings.feeds, try await store.feedStates())
      let console = invocation.console
      if output != nil || !console.isJSON {
        try invocation.write(opmlText(exported.subscriptions), to: output, isForced: force)
      }
      if console.isJSON {
        for subscription in exported.subscriptions {
          console.print(subscriptionJSON(subscription, name: nil))
        }
      }
      for leftOut in exported.leftOut { console.say(leftOutText(leftOut), .warning) }
      return .success
    }
  }
}

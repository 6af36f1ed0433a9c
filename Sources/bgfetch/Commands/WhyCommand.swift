// `bgfetch why`.

import ArgumentParser
import Core
import StateStore
import Sync

struct WhyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", abstract: "Say why a feed is or is not due, and when it will be")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("Feeds, by name, glob or @tag.", valueName: "feed"),
    completion: .feedNames)
  var feed: String

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      let feeds = try selectedFeeds([feed], from: settings.feeds)
      let store = try await invocation.openStoreToShow(settings)
      let context = try await invocation.planningContext(settings, store, options: RunOptions())
      let states = try await invocation.states(settings, store)
      for feed in feeds {
        let report = whyReport(feed, states[feed.name] ?? FeedState(), context)
        if invocation.console.isJSON {
          invocation.console.print(whyJSON(report))
        } else {
          let lines = whyLines(report, in: context.zone, on: invocation.console.page)
          for line in lines { invocation.console.print(line) }
        }
      }
      return .success
    }
  }
}

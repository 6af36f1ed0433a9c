// `bgfetch status`.

import ArgumentParser
import Model
import Planning
import StateStore
import Sync

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how each feed is, and what hooks were not told")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("Feeds, by name or glob; all of them for none.", valueName: "feed"))
  var feeds: [String] = []

  @Flag(help: "Show only what is wrong; exit status 3 if anything is.")
  var problems = false

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      let selected = try selectedFeeds(feeds, from: settings.feeds)
      let store = try await invocation.openStore(settings, for: .reading)
      let states = try await invocation.states(settings, store)
      let unseen = try await store.unseenCounts()
      let context = try await invocation.planningContext(settings, store, options: RunOptions())
      var rows = selected.map { feed in
        let state = states[feed.name] ?? FeedState()
        return FeedStatus(
          feed: feed.name, state: state, decision: dueDecision(feed, state, context),
          unseen: unseen[feed.name] ?? 0)
      }
      let names = Set(selected.map(\.name))
      let lost = try await store.deliveries([.dead, .expired], limit: 1000).filter { delivery in
        feeds.isEmpty || delivery.event.feed.map(names.contains) ?? false
      }
      if problems { rows.removeAll { !$0.isProblem } }
      let console = invocation.console
      if console.isJSON {
        for row in rows { console.print(row.json) }
        for delivery in lost { console.print(deliveryJSON(delivery)) }
      } else {
        for (line, isProblem) in statusLines(rows, now: context.now) {
          console.print(line, in: isProblem ? .yellow : .plain)
        }
        for row in rows {
          if let move = row.state.learnedMove { console.print(movedText(row.feed, move.address)) }
        }
        for line in deliveryLines(lost) { console.print(line) }
      }
      return problems && !(rows.isEmpty && lost.isEmpty) ? .someFailed : .success
    }
  }
}

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

  @Argument(
    help: ArgumentHelp(
      "Feeds, by name, glob or @tag, one of them in full; all of them for none.", valueName: "feed"),
    completion: .feedNames)
  var feeds: [String] = []

  @Flag(help: "Show only what is wrong; exit status 3 if anything is.")
  var problems = false

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      let selected = try selectedFeeds(feeds, from: settings.feeds)
      let store = try await invocation.openStore(settings, for: .reading)
      let states = try await invocation.states(settings, store)
      let hosts = try await store.hostStates()
      let unseen = try await store.unseenCounts()
      let context = try await invocation.planningContext(settings, store, options: RunOptions())
      let console = invocation.console
      let isInFull = console.isJSON || feeds.count == 1 && selected.count == 1
      var rows: [FeedStatus] = []
      for feed in selected {
        let state = states[feed.name] ?? FeedState()
        guard !problems || state.isProblem else { continue }
        var facts = FeedFacts()
        facts.unseen = unseen[feed.name] ?? 0
        if isInFull {
          facts = try await store.facts(of: feed.name, uncounted: FetchRecord.uncountedReasons)
        }
        rows.append(
          FeedStatus(
            feed: feed, state: state, report: whyReport(feed, state, context),
            pause: state.pause.flatMap { $0.holds(at: context.now) ? $0 : nil }, facts: facts,
            host: feed.host.flatMap { hosts[$0] } ?? HostState()))
      }
      let names = Set(selected.map(\.name))
      let lost = try await store.deliveries([.dead, .expired], limit: 1000).filter { delivery in
        feeds.isEmpty || delivery.event.feed.map(names.contains) ?? false
      }
      if console.isJSON {
        for row in rows { console.print(row.json) }
        for delivery in lost { console.print(deliveryJSON(delivery)) }
      } else {
        console.print(
          isInFull
            ? rows.flatMap { statusDetails($0, now: context.now, in: context.zone) }
            : statusLines(rows, now: context.now, zone: context.zone))
        for note in rows.flatMap({ notes(on: $0, isInFull: isInFull, now: context.now) }) where !problems {
          console.print(note)
        }
        for line in deliveryLines(lost, now: context.now, in: context.zone) { console.print(line) }
      }
      if problems, feeds.isEmpty, let space = lowSpace(settings) {
        if console.isJSON {
          console.print(space.json)
        } else {
          console.say("warning: " + space.text, .warning)
        }
      }
      return problems && !(rows.isEmpty && lost.isEmpty) ? .someFailed : .success
    }
  }
}

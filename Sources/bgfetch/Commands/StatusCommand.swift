// `bgfetch status`.

import ArgumentParser
import Core
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
      let store = try await invocation.openStoreToShow(settings)
      let context = try await invocation.planningContext(settings, store, options: RunOptions())
      let isInFull = invocation.console.isJSON || feeds.count == 1 && selected.count == 1
      let all = try await invocation.statuses(of: selected, settings, store, context, isInFull: isInFull) {
        !problems || $0.isProblem
      }
      let names = Set(selected.map(\.name))
      let lost = try await store.deliveries([.dead, .expired], limit: 1000).filter { delivery in
        feeds.isEmpty || delivery.event.feed.map(names.contains) ?? false
      }
      let failed = try await store.transfers(
        TransferFilter(feeds: feeds.isEmpty ? nil : selected.map(\.name), statuses: [.failed], limit: 1000))
      invocation.print(all, isInFull: isInFull, withNotes: !problems, context)
      invocation.print(lost, context)
      invocation.print(failed, settings, context)
      if problems, feeds.isEmpty {
        if let space = lowSpace(settings) { invocation.warn(space.text, space.json) }
        for gone in goneDirectories(settings, used: try await store.usedDirectories()) {
          invocation.warn(gone.text, gone.json)
        }
      }
      return problems && !(all.isEmpty && lost.isEmpty && failed.isEmpty) ? .someFailed : .success
    }
  }
}

extension Invocation {
  /// How those of some feeds are whose state is wanted; in full with what is counted for each feed by itself.
  fileprivate func statuses(
    of feeds: [FeedSpec], _ settings: Settings, _ store: Store, _ context: PlanningContext, isInFull: Bool,
    where isWanted: (FeedState) -> Bool
  ) async throws -> [FeedStatus] {
    let states = try await states(settings, store)
    let hosts = try await store.hostStates()
    let unseen = try await store.unseenCounts()
    let transfers = try await store.transferCounts()
    var statuses: [FeedStatus] = []
    for feed in feeds {
      let state = states[feed.name] ?? FeedState()
      guard isWanted(state) else { continue }
      var facts = FeedFacts()
      facts.unseen = unseen[feed.name] ?? 0
      if isInFull { facts = try await store.facts(of: feed.name) }
      statuses.append(
        FeedStatus(
          feed: feed, state: state, report: whyReport(feed, state, context),
          pause: state.pause.flatMap { $0.holds(at: context.now) ? $0 : nil }, facts: facts,
          host: feed.host.flatMap { hosts[$0] } ?? HostState(),
          transfers: transfers[feed.name] ?? TransferCounts()))
    }
    return statuses
  }

  fileprivate func print(
    _ statuses: [FeedStatus], isInFull: Bool, withNotes: Bool, _ context: PlanningContext
  ) {
    guard !console.isJSON else { return statuses.forEach { console.print($0.json) } }
    console.print(
      isInFull
        ? statuses.flatMap { statusDetails($0, now: context.now, in: context.zone, on: console.page) }
        : statusLines(statuses, now: context.now, in: context.zone, on: console.page))
    guard withNotes else { return }
    for status in statuses {
      for note in notes(on: status, isInFull: isInFull, now: context.now, in: context.zone) {
        console.print(note)
      }
    }
  }

  fileprivate func print(_ lost: [Delivery], _ context: PlanningContext) {
    guard !console.isJSON else { return lost.forEach { console.print(deliveryJSON($0)) } }
    let lines = deliveryLines(lost, now: context.now, in: context.zone, on: console.page)
    for line in lines { console.print(line) }
  }

  fileprivate func print(_ failed: [Transfer], _ settings: Settings, _ context: PlanningContext) {
    guard !console.isJSON else { return failed.forEach { console.print(transferJSON($0, settings)) } }
    console.print(
      transferTable(
        failed, settings, isAtWork: false, now: context.now, in: context.zone, on: console.page))
  }

  fileprivate func warn(_ text: String, _ json: JSONValue) {
    guard !console.isJSON else { return console.print(json) }
    console.say("warning: " + text, .warning)
  }
}

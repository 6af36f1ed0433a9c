// `bgfetch history`.

import ArgumentParser
import Host
import Model
import StateStore
import Timing

struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Show past runs, what feeds came to in them, and every request")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp(
      "Feeds whose fetches are shown, by name, glob or @tag; runs for none.", valueName: "feed"),
    completion: .feedNames)
  var feeds: [String] = []

  @Flag(help: "Show every request, redirects too.")
  var requests = false

  @Option(
    help: ArgumentHelp(
      "Only what began since then: 2d, 2026-11-21, \"2026-11-21 08:00\" or 2026-11-21T08:00:00Z.",
      valueName: "when"))
  var since: String?

  @Option(help: ArgumentHelp("Only the last so many.", valueName: "number"))
  var limit: Int?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1 on") }
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      let zone = try invocation.zone(settings)
      let store = try await invocation.openStore(settings, for: .reading)
      let dormant = try await store.dormantFeeds(configured: Set(settings.feeds.map(\.name)))
      let part = HistoryPart(
        feeds: feeds.isEmpty ? nil : try selectedNames(feeds, from: settings.feeds, dormant: dormant),
        since: try since.map { try pastMoment($0, now: invocation.clock.now(), in: zone) },
        limit: limit ?? (since == nil ? invocation.console.defaultLimit : nil))
      if feeds.isEmpty, !requests {
        let holder = FileLock.holder(of: settings.runLock).process
        invocation.print(try await store.runs(part).map { PastRun($0, isHolder: $0.process == holder) }, zone)
      } else {
        try await invocation.printFetches(of: part, withRequests: requests, store, zone)
      }
      return .success
    }
  }
}

extension Invocation {
  fileprivate func print(_ runs: [PastRun], _ zone: Zone) {
    guard !console.isJSON else { return runs.forEach { console.print($0.json) } }
    console.print(pastRunLines(runs, in: zone))
  }

  /// Prints fetches in portions: there may be half a million.
  fileprivate func printFetches(
    of part: HistoryPart, withRequests: Bool, _ store: Store, _ zone: Zone
  ) async throws {
    var place = try await store.beginning(of: part)
    var isFirst = true
    while true {
      let fetches = try await store.fetches(part, after: place, atMost: 1000)
      guard let last = fetches.last else { return }
      switch (console.isJSON, withRequests) {
      case (true, true): for fetch in fetches { requestJSON(fetch).forEach(console.print) }
      case (true, false): for fetch in fetches { console.print(fetchJSON(fetch)) }
      case (false, true): console.print(requestLines(fetches, in: zone, withHead: isFirst))
      case (false, false): console.print(fetchLines(fetches, in: zone, withHead: isFirst))
      }
      place = last.number
      isFirst = false
    }
  }
}

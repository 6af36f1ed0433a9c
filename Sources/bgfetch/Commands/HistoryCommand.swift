// `bgfetch history`.

import ArgumentParser
import Core
import Host
import StateStore
import Sync

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

  @Flag(help: "Draw when the person looks at the feeds that are named, and when they are fetched for that.")
  var habits = false

  @Option(
    help: ArgumentHelp(
      "Only what began since then: 2d, 2026-11-21, \"2026-11-21 08:00\" or 2026-11-21T08:00:00Z.",
      valueName: "when"))
  var since: String?

  @Option(help: ArgumentHelp("Only the last so many.", valueName: "number"))
  var limit: Int?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1 on") }
    if habits, feeds.isEmpty { throw ValidationError("--habits takes the feeds to draw") }
    if habits, requests || since != nil || limit != nil {
      throw ValidationError("--habits goes with no other part of the history")
    }
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      let zone = try invocation.zone(settings)
      let store = try await invocation.openStoreToShow(settings)
      guard !habits else {
        try await invocation.drawHabits(of: selectedFeeds(feeds, from: settings.feeds), settings, store)
        return .success
      }
      let dormant = try await store.dormantFeeds(configured: Set(settings.feeds.map(\.name)))
      let part = HistoryPart(
        feeds: feeds.isEmpty ? nil : try selectedNames(feeds, from: settings.feeds, dormant: dormant),
        since: try since.map { try pastMoment($0, now: invocation.clock.now(), in: zone) },
        limit: limit ?? (since == nil ? invocation.console.defaultLimit : nil))
      if feeds.isEmpty, !requests {
        let holder = FileLock.holder(of: settings.runLock).process
        let transferHolder = FileLock.holder(of: settings.transferLock).process
        let runs = try await store.runs(part).map {
          PastRun($0, holder: holder, transferHolder: transferHolder)
        }
        invocation.print(runs, zone)
      } else {
        if requests {
          try await invocation.printRequests(of: part, store, zone)
        } else {
          try await invocation.printFetches(of: part, store, zone)
        }
      }
      return .success
    }
  }
}

extension Invocation {
  fileprivate func print(_ runs: [PastRun], _ zone: Zone) {
    guard !console.isJSON else { return runs.forEach { console.print($0.json) } }
    console.print(pastRunLines(runs, in: zone, on: console.page))
  }

  fileprivate func drawHabits(of feeds: [FeedSpec], _ settings: Settings, _ store: Store) async throws {
    let habits = try await store.habits(of: feeds.map(\.name))
    let known = try await planningContext(settings, store, options: RunOptions())
    let context = PlanningContext(now: known.now, zone: known.zone, machine: known.machine, habits: habits)
    let states = try await states(settings, store)
    let drawing = DayDrawing(
      columns: console.output.isTerminal ? TerminalSize(.output)?.columns : nil,
      showsUnicode: console.page.showsUnicode)
    for feed in feeds {
      let habit = habits[feed.name] ?? Habit()
      let days = habitDays(feed, states[feed.name] ?? FeedState(), context)
      if console.isJSON {
        habitJSON(feed, habit, days).forEach(console.print)
      } else {
        habitLines(feed, habit, days, drawing).forEach { console.print($0) }
      }
    }
  }

  /// Prints fetches in portions: there may be half a million.
  fileprivate func printFetches(of part: HistoryPart, _ store: Store, _ zone: Zone) async throws {
    var place = try await store.beginning(of: part)
    var isFirst = true
    while true {
      let fetches = try await store.fetches(part, after: place, atMost: 1000)
      guard let last = fetches.last else { return }
      if console.isJSON {
        for fetch in fetches { console.print(fetchJSON(fetch)) }
      } else {
        console.print(fetchLines(fetches, in: zone, withHead: isFirst, on: console.page))
      }
      place = last.number
      isFirst = false
    }
  }

  /// Prints requests, those of downloads too, in portions as well.
  fileprivate func printRequests(of part: HistoryPart, _ store: Store, _ zone: Zone) async throws {
    var place = try await store.beginningOfRequests(of: part)
    var isFirst = true
    while true {
      let (requestEntries, end) = try await store.requestEntries(part, after: place, atMost: 1000)
      guard !requestEntries.isEmpty else { return }
      if console.isJSON {
        for asking in requestEntries { requestJSON(asking).forEach(console.print) }
      } else {
        console.print(requestLines(requestEntries, in: zone, withHead: isFirst, on: console.page))
      }
      place = end
      isFirst = false
    }
  }
}

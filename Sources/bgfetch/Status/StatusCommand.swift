// `bgfetch status`: the table of all feeds, and everything about one feed.

import ArgumentParser
import Core
import Running
import Store

struct StatusCommand: ProgramCommand {
  static let heading = ("status", "Show the state of feeds, and failed deliveries and transfers")

  @OptionGroup var common: CommonOptions

  @Argument(feeds: "Feeds by name, glob or @tag; a single feed is shown in full; default: all.")
  var feeds: [String] = []

  @Flag(help: "Show only problems; exit status 3 if there are any.")
  var problems = false

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    invocation.startPager()
    let state = try await invocation.openState(for: .reading)
    let isLarge = feeds.isEmpty && state.settings.feeds.count > FeedOverview.mostListed
    if isLarge, !problems { return try await state.printOverview() }
    let selected =
      isLarge
      ? state.settings.feeds.named(
        try await state.store.problemFeeds(of: state.settings.feeds.ofFiles.map(\.name), limit: 100))
      : try selectedFeeds(feeds, from: state.settings.feeds)
    let context = try await state.planningContext(of: selected)
    let isInFull = invocation.console.isJSON || feeds.count == 1 && selected.count == 1
    let all = try await state.statuses(of: selected, context, isInFull: isInFull) {
      !problems || $0.isProblem
    }
    var (lost, failing, failed) = try await state.losses(of: feeds.isEmpty ? nil : selected.map(\.name))
    // In a table of feeds the last lines say what is tried again.
    if problems || isInFull { lost += failing }
    let machines = feeds.isEmpty ? try await state.sharedMachines(at: context.now) : nil
    let isEmpty = all.isEmpty && lost.isEmpty && failed.isEmpty && (!problems || machines?.areWell ?? true)
    try state.print(all, isInFull: isInFull, withNotes: !problems, lost, failed, context)
    if isEmpty { invocation.console.sayEmpty("no problems") }
    if !problems, !isInFull, !all.isEmpty {
      state.console.print("")
      state.console.print(totalsLine(all, at: context.now))
      for line in try await state.waitingLines(at: context.now) { state.console.print(line) }
    }
    try machines?.print(onlyProblems: problems, in: state.zone(), on: state.console)
    if !problems, feeds.isEmpty { try await state.printSchema() }
    if problems, feeds.isEmpty { try await state.warnOfDirectories() }
    return problems && !isEmpty ? .someFailed : .success
  }
}

extension OpenedState {
  /// The lost deliveries, the failed ones that are tried again, and the failed transfers of these feeds; nil means
  /// all, and what belongs to no feed.
  fileprivate func losses(
    of feeds: [FeedName]?
  ) async throws -> (lost: [Delivery], failing: [Delivery], transfers: [Transfer]) {
    var lost = try await store.deliveries([.dead, .expired], limit: 1000)
    var failing = try await store.deliveries([.pending], limit: 10_000)
    failing.removeAll { $0.lastError == nil }
    let failed = try await store.transfers(TransferFilter(feeds: feeds, statuses: [.failed], limit: 1000))
    if let names = feeds.map(Set.init) {
      func isOther(_ delivery: Delivery) -> Bool { delivery.event.feed.map { !names.contains($0) } ?? true }
      lost.removeAll(where: isOther)
      failing.removeAll(where: isOther)
    }
    return (lost, failing, failed)
  }

  /// The statuses of the feeds whose state passes the filter; `isInFull` adds facts that need a query for each.
  func statuses(
    of feeds: [FeedSpec], _ context: PlanningContext, isInFull: Bool = false,
    where isWanted: (FeedState) -> Bool = { _ in true }
  ) async throws -> [FeedStatus] {
    let states = try await store.states(of: feeds)
    let hosts = try await store.hostStates()
    // In full, each feed counts its own.
    let unseen = isInFull ? [:] : try await store.unseenCounts()
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
          pause: state.pause.flatMap { $0.isActive(at: context.now) ? $0 : nil }, facts: facts,
          host: feed.host.flatMap { hosts[$0] } ?? HostState(),
          transfers: transfers[feed.name] ?? TransferCounts()))
    }
    return statuses
  }

  /// Prints feeds, lost deliveries and failed transfers, with an empty line between them.
  fileprivate func print(
    _ statuses: [FeedStatus], isInFull: Bool, withNotes: Bool, _ lost: [Delivery], _ failed: [Transfer],
    _ context: PlanningContext
  ) throws {
    guard !console.isJSON else {
      let transfers = failed.map { transferJSON($0, settings) }
      for value in statuses.map(\.json) + lost.map(deliveryJSON) + transfers { console.print(value) }
      return
    }
    let (now, zone, page) = (context.now, context.zone, console.page)
    var feeds =
      isInFull
      ? statuses.flatMap { statusDetails($0, now: now, in: zone, on: page) }
      : statusLines(statuses, now: now, in: zone, on: page)
    if withNotes {
      feeds += statuses.flatMap { notes(on: $0, isInFull: isInFull) }
        .map { ReportLine(text: $0) }
    }
    let deliveries = try deliveryLines(lost, now: now)
    let transfers = TransferTexts(settings: settings, now: now, zone: zone, page: page).rows(failed)
    let parts = [feeds, deliveries.map { ReportLine(text: $0) }, transfers].filter { !$0.isEmpty }
    console.print(Array(parts.joined(separator: [ReportLine(text: "")])))
  }

  /// Prints the numbers of a large catalog, and what waiting deliveries wait for.
  fileprivate func printOverview() async throws -> ExitStatus {
    let now = try await storeTime()
    let overview = try await store.overview(
      ofFiles: settings.feeds.ofFiles.map(\.name), at: now, limit: 100)
    let zone = try zone()
    console.print(
      json: [overview.json(of: settings.feeds.count)],
      text: overview.lines(of: settings.feeds.count, in: zone))
    if !console.isJSON {
      for line in try await waitingLines(at: now) { console.print(line) }
    }
    try await sharedMachines(at: now)?.print(onlyProblems: false, in: zone, on: console)
    try await printSchema()
    return .success
  }

  /// Warns of directories for downloads that have too little space or are gone.
  fileprivate func warnOfDirectories() async throws {
    let gone = goneDirectory(settings, used: try await store.usedDirectories())
    for notice in [lowSpace(settings), gone].compactMap(\.self) {
      if console.isJSON {
        if let json = notice.json { console.print(json) }
      } else {
        console.say("warning: " + notice.line.text, .warning)
      }
    }
  }
}

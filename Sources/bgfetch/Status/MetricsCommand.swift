// `bgfetch metrics`: the numbers of the state for monitoring.

import ArgumentParser
import Core
import Machine
import Store

struct MetricsCommand: ProgramCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Print numbers for monitoring, as OpenMetrics text")

  @OptionGroup var common: CommonOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file, which is replaced; default: standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(name: .customLong("feeds"), help: "Also print numbers of each feed.")
  var isByFeed = false

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .reading)
    let (settings, store) = (state.settings, state.store)
    // A large catalog has its numbers alone.
    let isLarge = !isByFeed && settings.feeds.count > FeedOverview.mostListed
    let feeds = isLarge ? [] : settings.feeds.all
    let context = try await state.planningContext(of: feeds)
    let lastRun = try await store.runs(HistoryPart(limit: 1)).last
    let facts = MetricsFacts(
      feeds: try await state.statuses(of: feeds, context),
      overview: isLarge ? try await store.overview(at: context.now, limit: 100) : nil,
      count: settings.feeds.count,
      runs: try await store.fetchingRuns(), lastRun: lastRun,
      lastFetches: try await fetches(of: lastRun, store),
      deliveries: try await store.deliveries(
        [.pending, .running, .dead, .expired], hook: nil, limit: 100_000),
      unread: try await store.unreadEventCounts(),
      unsettled: try await store.transfers(
        TransferFilter(statuses: [.queued, .running, .suspended], limit: 100_000)),
      databaseBytes: fileSize(Store.file(in: settings.state)), now: context.now)
    await store.close()
    try invocation.write(
      metrics(facts, isByFeed: isByFeed).whole, to: output, isForced: true, permissions: 0o644)
    return .success
  }

  /// The fetches of the last run, which are the latest in the history.
  private func fetches(of run: RunRecord?, _ store: Store) async throws -> [FetchRecord] {
    guard let run, let totals = run.totals else { return [] }
    let part = HistoryPart(limit: totals.newData + totals.noData + totals.failed)
    guard part.limit != 0 else { return [] }
    return try await store.fetches(part, after: try await store.beginning(of: part), atMost: part.limit ?? 0)
      .filter { $0.run == run.number }.map(\.record)
  }
}

// `bgfetch metrics`: the numbers of the state for Prometheus and others, in its text format.
//
// https://github.com/prometheus/docs/blob/main/content/docs/instrumenting/exposition_formats.md

import ArgumentParser
import Core
import Machine
import Store

struct MetricsCommand: ProgramCommand {
  static let heading = ("metrics", "Print numbers for monitoring, for Prometheus and others")

  @OptionGroup var common: ConfigurationOption

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file, which is replaced; default: standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .reading)
    let (settings, store) = (state.settings, state.store)
    // A large catalog has its numbers alone.
    let isLarge = settings.feeds.count > FeedOverview.mostListed
    let feeds = isLarge ? [] : settings.feeds.all
    let context = try await state.planningContext(of: feeds)
    let lastRun = try await store.runs(HistoryPart(limit: 1)).last
    let statuses = try await state.statuses(of: feeds, context)
    let overview =
      isLarge
      ? try await store.overview(ofFiles: settings.feeds.ofFiles.map(\.name), at: context.now, limit: 100)
      : FeedOverview(of: statuses, at: context.now)
    var metrics = Metrics()
    metrics.addFeeds(overview, count: settings.feeds.count)
    if !isLarge {
      metrics.add("items_unseen", "Unseen items.", Int64(statuses.reduce(0) { $0 + $1.facts.unseen }))
    }
    if let lastRun { metrics.add(lastRun, fetches: try await fetches(of: lastRun, store)) }
    metrics.addDownloads(
      try await store.transfers(
        TransferFilter(statuses: [.queued, .running, .suspended], limit: 100_000)))
    metrics.add("downloads_failed", "Downloads that were given up.", Int64(overview.failedTransfers))
    metrics.addDeliveries(
      try await store.deliveries([.pending, .running, .dead, .expired], limit: 100_000))
    metrics.add("database_bytes", "The size of the database.", fileSize(Store.file(in: settings.state)))
    metrics.add("schema_version", "The version of the tables.", Int64(try await store.foundSchema()))
    try await metrics.addMachines(of: state, at: context.now)
    await store.close()
    try invocation.write(metrics.text, to: output, permissions: 0o644)
    return .success
  }

  /// The fetches of the last run, which are the latest in the history.
  private func fetches(of run: RunRecord, _ store: Store) async throws -> [FetchRecord] {
    let count = run.totals.map { $0.newData + $0.noData + $0.failed } ?? 0
    guard count > 0 else { return [] }
    let part = HistoryPart(limit: count)
    return try await store.fetches(part, after: try await store.beginning(of: part), atMost: count)
      .filter { $0.round == run.number }.map(\.record)
  }
}

/// Metrics to print: gauges, since the state forgets old runs, and counters that a server keeps.
struct Metrics {
  private(set) var text = ""

  /// Adds a metric with its samples; nothing without samples.
  ///
  /// - Parameters:
  ///   - name: without the program's prefix; a unit is its last word.
  ///   - help: one sentence.
  ///   - samples: the labels of each value.
  ///   - isCounter: whether the values only rise.
  mutating func add(
    _ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: Int64)],
    isCounter: Bool = false
  ) {
    guard !samples.isEmpty else { return }
    text += "# HELP bgfetch_\(name) \(help)\n# TYPE bgfetch_\(name) \(isCounter ? "counter" : "gauge")\n"
    for (labels, value) in samples {
      let written = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
      text += "bgfetch_\(name)" + (written.isEmpty ? "" : "{\(written)}") + " \(value)\n"
    }
  }

  mutating func add(_ name: String, _ help: String, _ value: Int64?) {
    if let value { add(name, help, [([], value)]) }
  }

  /// A value of a label: the specification escapes these three characters.
  static func escaped(_ value: String) -> String {
    replacing(["\\": "\\\\", "\"": "\\\"", "\n": "\\n"], in: value)
  }
}

extension Metrics {
  /// The samples of numbers of new, unchanged and failed fetches.
  static func byResult(
    _ counts: [Int64], _ labels: [(String, String)] = []
  ) -> [(labels: [(String, String)], value: Int64)] {
    zip([FetchResult.newData, .noData, .failed], counts).map { (labels + [("result", $0.rawValue)], $1) }
  }

  fileprivate mutating func addFeeds(_ overview: FeedOverview, count: Int) {
    let results = [FetchResult.newData, .noData, .failed].map { Int64(overview.results[$0] ?? 0) }
    let never = max(0, Int64(count) - results.reduce(0, +))
    add(
      "feeds", "Configured feeds by their last result.",
      Self.byResult(results) + [([("result", "never")], never)])
    add("feeds_with_problems", "Feeds that fail.", Int64(overview.problems))
    add("feeds_paused", "Feeds that are paused.", Int64(overview.paused))
    add("feeds_due", "Feeds that the next run fetches.", Int64(overview.due))
    add(
      "lateness_seconds", "How long the most overdue feed has been due.",
      overview.lateness.last?.by.seconds ?? 0)
    add(
      "lateness_of_due_seconds", "How late at most this percentage of the due feeds is.",
      FeedOverview.percents.map { percent in
        let lateness = overview.lateness.first { $0.percent == percent }
        return ([("percent", String(percent))], lateness?.by.seconds ?? 0)
      })
    add(
      "hosts_late_feeds", "Late feeds of the hosts that have the most.",
      overview.lateHosts.prefix(10).map { ([("host", $0.host)], Int64($0.feeds)) })
  }

  /// Adds the last run and what its fetches received.
  fileprivate mutating func add(_ run: RunRecord, fetches: [FetchRecord]) {
    add("last_run_start_timestamp_seconds", "When the last run began.", run.started.secondsSince1970)
    add(
      "last_run_duration_seconds", "Duration of the fetch of the last run.",
      run.ended.map { $0.since(run.started).seconds })
    guard let totals = run.totals else { return }
    add("last_run_exit_status", "Exit status of the last run.", Int64(totals.exitStatus))
    add(
      "last_run_fetches", "Fetches of the last run, by result.",
      Self.byResult([totals.newData, totals.noData, totals.failed].map(Int64.init)))
    add("last_run_items", "New and updated items in the last run.", Int64(totals.items))
    add("last_run_received_bytes", "Bytes of the responses in the last run.", sum(fetches.map(\.bytes)))
  }

  fileprivate mutating func addDownloads(_ unsettled: [Transfer]) {
    let missing = unsettled.map { transfer in
      max(0, (transfer.partial.total ?? transfer.asset.length ?? 0) - transfer.partial.bytes)
    }
    add("downloads_queued", "Downloads that are not finished.", Int64(missing.count))
    add("downloads_queued_bytes", "Known missing bytes of queued downloads.", sum(missing))
  }

  fileprivate mutating func addDeliveries(_ deliveries: [Delivery]) {
    let hooks = Set(deliveries.map(\.hook)).sorted()
    for (name, help, statuses) in [
      ("deliveries_waiting", "Deliveries that wait, by hook.", [DeliveryStatus.pending, .running]),
      ("deliveries_lost", "Deliveries that were given up, by hook.", [.dead, .expired]),
    ] {
      let counts = counts(deliveries.filter { statuses.contains($0.status) }.map(\.hook))
      add(name, help, hooks.map { ([("hook", $0)], counts[$0] ?? 0) })
    }
  }
}

/// How often each value occurs.
func counts<Value: Hashable>(_ values: [Value]) -> [Value: Int64] {
  values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
}

/// The sum, or the largest number: feeds say how long their files are, and may say anything.
private func sum(_ sizes: [Int64]) -> Int64 {
  sizes.reduce(0) { sum, size in
    let (total, isTooLarge) = sum.addingReportingOverflow(size)
    return isTooLarge ? .max : total
  }
}

// `bgfetch history`: past runs, fetches and requests, the oldest first.

import ArgumentParser
import Core
import Machine
import Store

struct HistoryCommand: ProgramCommand {
  static let heading = ("history", "Show past runs, fetches and requests")

  @OptionGroup var common: CommonOptions

  @Argument(feeds: "Show the fetches of these feeds (name, glob or @tag) instead of runs.")
  var feeds: [String] = []

  @Flag(help: "Show every request, including redirects.")
  var requests = false

  @OptionGroup var newest: NewestOptions

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .reading)
    invocation.startPager()
    let (settings, store) = (state.settings, state.store)
    let zone = try state.zone()
    let part = HistoryPart(
      feeds: feeds.isEmpty ? nil : try await state.selectedNames(feeds),
      since: try newest.beginning(now: invocation.clock.now(), in: zone),
      limit: newest.limit ?? (newest.since == nil ? invocation.console.defaultLimit : nil))
    if feeds.isEmpty, !requests {
      let runs = try await store.pastRuns(part, settings)
      invocation.console.print(
        json: runs.map(\.json), table: pastRunLines(runs, in: zone, on: invocation.console.page))
      if runs.isEmpty { invocation.console.sayEmpty("no runs") }
    } else if requests {
      try await state.printRequests(of: part, zone)
    } else {
      try await state.printFetches(of: part, zone)
    }
    return .success
  }
}

extension OpenedState {
  fileprivate func printFetches(of part: HistoryPart, _ zone: Zone) async throws {
    try await printBatches(
      of: part, ["TIME", "FEED", "RESULT", "COUNT", "NOT BEFORE", "REASON"],
      { position in
        let fetches = try await store.fetches(part, after: position, atMost: 1000)
        return (fetches, fetches.last?.number)
      }, json: { [fetchJSON($0)] }, rows: { [fetchRow($0, in: zone)] })
  }

  /// Prints the requests of fetches and downloads.
  fileprivate func printRequests(of part: HistoryPart, _ zone: Zone) async throws {
    try await printBatches(
      of: part, ["TIME", "FEED", "STATUS", "VALIDATORS", "BYTES", "TOOK", "NOT BEFORE", "ADDRESS"],
      { try await store.requestEntries(part, after: $0, atMost: 1000) }, json: requestJSON,
      rows: { requestRows($0, in: zone) })
  }

  /// Prints entries in batches, because there may be half a million.
  private func printBatches<Entry>(
    of part: HistoryPart, _ head: [String],
    _ next: (Int64) async throws -> ([Entry], end: Int64?), json: (Entry) -> [JSONValue],
    rows: (Entry) -> [HistoryRow]
  ) async throws {
    var position: Int64? = try await store.beginning(of: part)
    var isFirst = true
    while let start = position {
      let (entries, end) = try await next(start)
      guard !entries.isEmpty else { return }
      console.print(
        json: entries.flatMap(json),
        table: historyLines(head, entries.flatMap(rows), withHead: isFirst, on: console.page))
      position = end
      isFirst = false
    }
  }
}

/// The cells of a row, and whether it reports a problem.
private typealias HistoryRow = (cells: [String], isProblem: Bool)

private func historyLines(
  _ head: [String], _ rows: [HistoryRow], withHead: Bool, on page: Page
) -> [ReportLine] {
  let lines = table(head, rows.map(\.cells), problems: rows.map(\.isProblem), on: page)
  return withHead ? lines : Array(lines.dropFirst())
}

private func fetchRow(_ fetch: PastFetch, in zone: Zone) -> HistoryRow {
  let record = fetch.record
  let cells = [
    record.started.local(in: zone), fetch.feed.text, record.wasCut ? "left" : record.result.rawValue,
    record.count > 0 ? String(record.count) : "", fetch.notBefore(in: zone),
    cleanText(record.reason, limit: 500),
  ]
  return (cells, fetch.hasFailed)
}

extension PastFetch {
  fileprivate var hasFailed: Bool { record.result == .failed && !record.wasCut }

  fileprivate func notBefore(in zone: Zone) -> String { nextDue?.local(in: zone) ?? "when named" }
}

private func fetchJSON(_ fetch: PastFetch) -> JSONValue {
  JSONValue([
    "type": "fetch", "feed": fetch.feed, "started": fetch.record.started, "ended": fetch.record.ended,
    "count": fetch.record.count, "requests": fetch.record.requests.count, "status": fetch.record.status,
    "bytes": fetch.record.bytes,
  ]).adding(fetchFields(fetch))
}

/// The requests of an entry; only the last one of a fetch shows when the next fetch was allowed.
private func requestRows(_ entry: RequestEntry, in zone: Zone) -> [HistoryRow] {
  switch entry {
  case .fetch(let fetch):
    let last = fetch.record.requests.count - 1
    return fetch.record.requests.enumerated().map { hop, request in
      let notBefore = hop == last ? fetch.notBefore(in: zone) : ""
      return (
        requestCells(request, of: fetch.feed, notBefore: notBefore, in: zone), hop == last && fetch.hasFailed
      )
    }
  case .download(let download):
    let cells = requestCells(download.record, of: download.feed, notBefore: "", in: zone)
    return [(cells, download.record.status.map { $0 >= 400 } ?? true)]
  }
}

private func requestCells(
  _ request: RequestRecord, of feed: FeedName, notBefore: String, in zone: Zone
) -> [String] {
  let validators = [request.sentEntityTag ? "etag" : nil, request.sentModificationDate ? "date" : nil]
  return [
    time(request.started.instant, "%Y-%m-%d %H:%M:%S", in: zone) + "." + request.started.fraction, feed.text,
    request.status.map(String.init) ?? "-", validators.compactMap(\.self).joined(separator: ", "),
    request.bytes.map { ByteCount($0).text } ?? "", request.milliseconds.map { "\($0) ms" } ?? "", notBefore,
    [cleanText(request.address, limit: 2000), cleanText(request.failure ?? "", limit: 500)]
      .filter { !$0.isEmpty }.joined(separator: "  "),
  ]
}

/// Requests as JSON, with the result of the fetch or the number of the transfer that they belong to.
private func requestJSON(_ entry: RequestEntry) -> [JSONValue] {
  switch entry {
  case .fetch(let fetch):
    fetch.record.requests.enumerated().map { hop, request in
      requestFields(request, of: fetch.feed, hop: hop).adding(fetchFields(fetch))
    }
  case .download(let download):
    [
      requestFields(download.record, of: download.feed, hop: download.hop)
        .adding(JSONValue(["transfer": download.transfer]))
    ]
  }
}

private func requestFields(_ request: RequestRecord, of feed: FeedName, hop: Int) -> JSONValue {
  let validators =
    (request.sentEntityTag ? ["If-None-Match"] : [])
    + (request.sentModificationDate ? ["If-Modified-Since"] : [])
  return JSONValue([
    "type": "request", "feed": feed, "time": request.started, "hop": hop,
    "address": request.address.isEmpty ? nil : request.address, "conditional": request.wasConditional,
    "validators": validators, "status": request.status, "failure": request.failure, "bytes": request.bytes,
    "milliseconds": request.milliseconds,
  ])
}

/// The members about a fetch, which each of its requests repeats.
private func fetchFields(_ fetch: PastFetch) -> JSONValue {
  JSONValue([
    "fetch": fetch.number, "result": resultJSON(fetch.record), "reason": fetch.record.reason,
    "not-before": fetch.nextDue, "run": fetch.round, "cause": fetch.cause?.rawValue, "named": fetch.wasNamed,
    "forced": fetch.wasForced,
  ])
}

extension Store {
  /// The runs of a part of the history with their endings.
  func pastRuns(_ part: HistoryPart, _ settings: Settings) throws -> [PastRun] {
    let holder = LockHolder(settings.runLock).process
    let transferHolder = LockHolder(settings.transferLock).process
    return try runs(part).map { PastRun($0, holder: holder, transferHolder: transferHolder) }
  }
}

/// A run and its ending.
struct PastRun {
  var record: RunRecord
  /// `complete`, `budget`, `signal` or `crash`; nil while the run is in progress.
  let ending: String?

  /// A fetch or downloads without an end are in progress only if the run's process holds their lock or, where machines share
  /// the state, gives signs of life.
  init(_ record: RunRecord, holder: Int32?, transferHolder: Int32?) {
    self.record = record
    if let totals = record.totals {
      let isDead = record.isInTransfers && !(record.isAlive ?? (record.process == transferHolder))
      ending = record.isInTransfers ? isDead ? "crash" : nil : totals.ending.rawValue
    } else {
      ending = record.wasCut || !(record.isAlive ?? (record.process == holder)) ? "crash" : nil
    }
  }

  /// The exit status; nil if there is none yet, or if a signal ended the run.
  var exitStatus: Int32? {
    record.isInTransfers ? nil : record.totals.flatMap { $0.ending == .signal ? nil : $0.exitStatus }
  }

  /// The totals of the downloads, once they have ended.
  fileprivate var downloads: TransferTotals? { record.isInTransfers ? nil : record.totals?.transfers }

  var json: JSONValue {
    JSONValue([
      "type": "run", "run": record.number, "cause": record.cause.rawValue, "named": record.wasNamed,
      "forced": record.wasForced, "started": record.started, "ended": record.ended,
    ]).adding(totalsFields(record.totals, downloads)).adding(
      JSONValue([
        "transfers-ended": record.transfersEnded, "ending": ending, "exit-status": exitStatus,
      ])
    ).adding(JSONValue(record.machine.map { ["machine": $0] } ?? [:]))
  }
}

/// Runs as a table.
func pastRunLines(_ runs: [PastRun], in zone: Zone, on page: Page) -> [ReportLine] {
  guard !runs.isEmpty else { return [] }
  let rows = runs.map { run in
    let totals = run.record.totals
    func number(_ key: KeyPath<RunTotals, Int>) -> String { totals.map { String($0[keyPath: key]) } ?? "" }
    return [
      run.record.started.local(in: zone), causeText(run.record), number(\.due), number(\.newData),
      number(\.noData), number(\.failed), number(\.items), number(\.left),
      run.downloads.map { String($0.finished) } ?? "",
      run.record.ended.map { $0.since(run.record.started).rounded } ?? "", endingText(run),
    ]
  }
  let head = [
    "BEGAN", "CAUSE", "DUE", "NEW", "SAME", "FAILED", "ITEMS", "LEFT", "FILES", "TOOK", "EXIT",
  ]
  let problems = runs.map { $0.ending == "crash" || ($0.exitStatus ?? 0) != 0 }
  return table(head, rows, problems: problems, on: page)
}

private func causeText(_ run: RunRecord) -> String {
  let how = run.wasForced ? " (forced)" : run.wasNamed ? " (named)" : ""
  return run.cause.rawValue + how + (run.machine.map { " on " + cleanText($0, limit: 100) } ?? "")
}

private func endingText(_ run: PastRun) -> String {
  switch (run.ending, run.exitStatus) {
  case (nil, _): "under way, process \(run.record.process)"
  case ("complete", let status?): String(status)
  case (let ending?, let status?): "\(status), \(ending)"
  case (let ending?, nil): ending
  }
}

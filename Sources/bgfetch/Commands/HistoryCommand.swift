// `bgfetch history`: past runs, fetches and requests, the oldest first. Habits are in HistoryHabits.

import ArgumentParser
import Core
import Host
import Sync

struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Show past runs, fetches and requests")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp(
      "Show the fetches of these feeds (name, glob or @tag) instead of runs.", valueName: "feed"),
    completion: .feedNames)
  var feeds: [String] = []

  @Flag(help: "Show every request, including redirects.")
  var requests = false

  @Flag(help: "Draw when you usually look at the named feeds, and when they are fetched.")
  var habits = false

  @Option(
    help: ArgumentHelp(
      "Show only what began since then: 2d, 2026-11-21, \"2026-11-21 08:00\" or 2026-11-21T08:00:00Z.",
      valueName: "when"))
  var since: String?

  @Option(help: ArgumentHelp("Show at most NUMBER entries, the latest ones.", valueName: "number"))
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

  fileprivate func drawHabits(of feeds: [FeedSpec], _ settings: Settings, _ store: any CommandStore)
    async throws
  {
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
  fileprivate func printFetches(of part: HistoryPart, _ store: any CommandStore, _ zone: Zone) async throws {
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
  fileprivate func printRequests(of part: HistoryPart, _ store: any CommandStore, _ zone: Zone) async throws {
    var place = try await store.beginningOfRequests(of: part)
    var isFirst = true
    while true {
      let (requestEntries, end) = try await store.requestEntries(part, after: place, atMost: 1000)
      guard !requestEntries.isEmpty else { return }
      if console.isJSON {
        for entry in requestEntries { requestJSON(entry).forEach(console.print) }
      } else {
        console.print(requestLines(requestEntries, in: zone, withHead: isFirst, on: console.page))
      }
      place = end
      isFirst = false
    }
  }
}

/// Fetches as a table: when, which feed, what came of it, and from when on the rules allowed the next one.
func fetchLines(
  _ fetches: [PastFetch], in zone: Zone, withHead: Bool, on page: Page
) -> [ReportLine] {
  let rows = fetches.map { fetch in
    [
      local(fetch.record.started, in: zone), fetch.feed.text,
      fetch.record.wasCut ? "left" : fetch.record.result.rawValue,
      fetch.record.count > 0 ? String(fetch.record.count) : "",
      fetch.nextDue.map { local($0, in: zone) } ?? "when named", cleanText(fetch.record.reason, limit: 500),
    ]
  }
  let head = ["TIME", "FEED", "RESULT", "COUNT", "NOT BEFORE", "REASON"]
  let lines = table([head] + rows, hasHead: true, on: page)
  let marked = zip(lines, [false] + fetches.map { $0.record.result == .failed && !$0.record.wasCut })
  return marked.map { ReportLine(text: $0, isProblem: $1) }.suffix(withHead ? lines.count : rows.count)
}

func fetchJSON(_ fetch: PastFetch) -> JSONValue {
  .object(
    [
      ("type", .string("fetch")), ("feed", .string(fetch.feed.text)),
      ("started", .string(fetch.record.started.rfc3339)), ("ended", .string(fetch.record.ended.rfc3339)),
      ("count", .number(Int64(fetch.record.count))),
      ("requests", .number(Int64(fetch.record.requests.count))),
      ("status", fetch.record.status.map { .number(Int64($0)) } ?? .null),
      ("bytes", .number(fetch.record.bytes)),
    ] + fetchFields(fetch))
}

/// Requests as a table: when, which feed, what was answered to which validators, and the address; the last one of a
/// fetch with the moment from which on the rules allowed the next.
func requestLines(
  _ requestEntries: [RequestEntry], in zone: Zone, withHead: Bool, on page: Page
) -> [ReportLine] {
  var rows = [["TIME", "FEED", "STATUS", "VALIDATORS", "BYTES", "TOOK", "NOT BEFORE", "ADDRESS"]]
  var isProblem = [false]
  for entry in requestEntries {
    switch entry {
    case .fetch(let fetch):
      for (hop, request) in fetch.record.requests.enumerated() {
        let isLast = hop == fetch.record.requests.count - 1
        let notBefore = fetch.nextDue.map { local($0, in: zone) } ?? "when named"
        rows.append(requestRow(request, of: fetch.feed, notBefore: isLast ? notBefore : "", in: zone))
        isProblem.append(isLast && fetch.record.result == .failed && !fetch.record.wasCut)
      }
    case .download(let download):
      rows.append(requestRow(download.record, of: download.feed, notBefore: "", in: zone))
      isProblem.append(download.record.status.map { $0 >= 400 } ?? true)
    }
  }
  let lines = zip(table(rows, hasHead: true, on: page), isProblem).map { ReportLine(text: $0, isProblem: $1) }
  return lines.suffix(withHead ? lines.count : lines.count - 1)
}

private func requestRow(
  _ request: RequestRecord, of feed: FeedName, notBefore: String, in zone: Zone
) -> [String] {
  [
    local(request.started.instant, in: zone) + "." + request.started.fraction, feed.text,
    request.status.map(String.init) ?? "-", validatorText(request),
    request.bytes.map { ByteCount($0).text } ?? "", request.milliseconds.map { "\($0)ms" } ?? "", notBefore,
    [cleanText(request.address, limit: 2000), cleanText(request.failure ?? "", limit: 500)]
      .filter { !$0.isEmpty }.joined(separator: "  "),
  ]
}

private func validatorText(_ request: RequestRecord) -> String {
  switch (request.sentEntityTag, request.sentModificationDate) {
  case (true, true): "etag, date"
  case (true, false): "etag"
  case (false, true): "date"
  case (false, false): ""
  }
}

/// Requests as JSON: those of a fetch each with what came of the fetch, that of a download with its transfer.
func requestJSON(_ entry: RequestEntry) -> [JSONValue] {
  switch entry {
  case .fetch(let fetch):
    fetch.record.requests.enumerated().map { hop, request in
      .object(requestFields(request, of: fetch.feed, hop: hop) + fetchFields(fetch))
    }
  case .download(let download):
    [
      .object(
        requestFields(download.record, of: download.feed, hop: download.hop)
          + [("transfer", .number(download.transfer))])
    ]
  }
}

private func requestFields(_ request: RequestRecord, of feed: FeedName, hop: Int) -> [(String, JSONValue)] {
  var validators: [JSONValue] = []
  if request.sentEntityTag { validators.append(.string("If-None-Match")) }
  if request.sentModificationDate { validators.append(.string("If-Modified-Since")) }
  return [
    ("type", .string("request")), ("feed", .string(feed.text)),
    ("time", .string(request.started.rfc3339)), ("hop", .number(Int64(hop))),
    ("address", .text(request.address.isEmpty ? nil : request.address)),
    ("conditional", .bool(request.wasConditional)), ("validators", .array(validators)),
    ("status", request.status.map { .number(Int64($0)) } ?? .null), ("failure", .text(request.failure)),
    ("bytes", request.bytes.map(JSONValue.number) ?? .null),
    ("milliseconds", request.milliseconds.map(JSONValue.number) ?? .null),
  ]
}

/// What is said of a fetch with each of its requests, too.
private func fetchFields(_ fetch: PastFetch) -> [(String, JSONValue)] {
  [
    ("fetch", .number(fetch.number)), ("result", resultJSON(fetch.record)),
    ("reason", .string(fetch.record.reason)), ("not-before", .text(fetch.nextDue?.rfc3339)),
    ("run", fetch.run.map(JSONValue.number) ?? .null), ("cause", .text(fetch.cause?.rawValue)),
    ("named", .bool(fetch.wasNamed)), ("forced", .bool(fetch.wasForced)),
  ]
}

/// A moment as lists of the past show it.
func local(_ moment: Instant, in zone: Zone) -> String {
  time(moment, "%Y-%m-%d %H:%M:%S", in: zone)
}

/// A run, and how it ended as far as that is known.
struct PastRun {
  let record: RunRecord
  /// How it ended: `complete`, `budget`, `signal` or `crash`; nil while it is under way.
  let ending: String?

  /// A run; a phase of it without an end is under way only if its process has the lock of that phase.
  init(_ record: RunRecord, holder: Int32?, transferHolder: Int32?) {
    self.record = record
    if let totals = record.totals {
      let isDead = record.isInTransfers && record.process != transferHolder
      ending = record.isInTransfers ? isDead ? "crash" : nil : totals.ending.rawValue
    } else {
      ending = record.wasCut || record.process != holder ? "crash" : nil
    }
  }

  /// The exit status; nil where there is none, or a signal decided it.
  var exitStatus: Int32? {
    record.isInTransfers ? nil : record.totals.flatMap { $0.ending == .signal ? nil : $0.exitStatus }
  }

  /// What its transfer phase came to; nil where that is not known.
  fileprivate var transferTotals: RunTotals? { record.isInTransfers ? nil : record.totals }

  var json: JSONValue {
    func number(_ key: KeyPath<RunTotals, Int>, of totals: RunTotals?) -> JSONValue {
      totals.map { .number(Int64($0[keyPath: key])) } ?? .null
    }
    func number(_ key: KeyPath<RunTotals, Int>) -> JSONValue { number(key, of: record.totals) }
    func transfers(_ key: KeyPath<RunTotals, Int>) -> JSONValue { number(key, of: transferTotals) }
    return .object([
      ("type", .string("run")), ("run", .number(record.number)), ("cause", .string(record.cause.rawValue)),
      ("named", .bool(record.wasNamed)), ("forced", .bool(record.wasForced)),
      ("started", .string(record.started.rfc3339)), ("ended", .text(record.ended?.rfc3339)),
      ("due", number(\.due)), ("new-data", number(\.newData)), ("no-data", number(\.noData)),
      ("failed", number(\.failed)), ("items", number(\.items)), ("left", number(\.left)),
      ("transfers", transfers(\.transfers.finished)), ("resumed", transfers(\.transfers.resumed)),
      ("failed-transfers", transfers(\.transfers.failed)),
      ("unsettled-transfers", transfers(\.transfers.left)),
      ("transfers-ended", .text(record.transfersEnded?.rfc3339)),
      ("ending", .text(ending)),
      ("exit-status", exitStatus.map { .number(Int64($0)) } ?? .null),
    ])
  }
}

/// Runs as a table: when and why they began, what they came to, how long fetching took and how they ended.
func pastRunLines(_ runs: [PastRun], in zone: Zone, on page: Page) -> [ReportLine] {
  guard !runs.isEmpty else { return [] }
  let rows = runs.map { run in
    let totals = run.record.totals
    func number(_ key: KeyPath<RunTotals, Int>) -> String { totals.map { String($0[keyPath: key]) } ?? "" }
    return [
      local(run.record.started, in: zone), causeText(run.record), number(\.due), number(\.newData),
      number(\.noData), number(\.failed), number(\.items), number(\.left),
      run.transferTotals.map { String($0.transfers.finished) } ?? "",
      run.record.ended.map { $0.since(run.record.started).text } ?? "", endingText(run),
    ]
  }
  let head = [
    "BEGAN", "CAUSE", "DUE", "NEW-DATA", "NO-DATA", "FAILED", "ITEMS", "LEFT", "FILES", "TOOK", "EXIT STATUS",
  ]
  let isProblem = runs.map { $0.ending == "crash" || ($0.exitStatus ?? 0) != 0 }
  return zip(table([head] + rows, hasHead: true, on: page), [false] + isProblem).map {
    ReportLine(text: $0, isProblem: $1)
  }
}

private func causeText(_ run: RunRecord) -> String {
  let how = run.wasForced ? " (forced)" : run.wasNamed ? " (named)" : ""
  return run.cause.rawValue + how
}

private func endingText(_ run: PastRun) -> String {
  switch (run.ending, run.exitStatus) {
  case (nil, _): "under way, process \(run.record.process)"
  case ("complete", let status?): String(status)
  case (let ending?, let status?): "\(status), \(ending)"
  case (let ending?, nil): ending
  }
}

// The lines and JSON of a run's events, which audience sees them, and its last lines: added feeds, and what comes next.

import Core
import Machine
import Running
import Store

/// The reader of a run's messages; each sees what those before it see.
enum RunAudience: Comparable {
  /// cron or a pipe: only new failures and recoveries.
  case quiet
  /// journald: failures, and the summary when something was due.
  case journal
  /// A person at a terminal: all fetches but those with nothing new, and the summary.
  case terminal
  /// A person who asked for everything.
  case verbose

  init(_ console: Console) {
    switch console.amount {
    case .quiet: self = .quiet
    case .verbose: self = .verbose
    case .usual: self = console.error.isJournal ? .journal : console.error.isTerminal ? .terminal : .quiet
    }
  }

  var isPerson: Bool { self >= .terminal }
}

/// A message of a run.
struct RunLine: Hashable, Sendable {
  let text: String
  let priority: Console.Priority
  /// The first audience that sees it.
  let audience: RunAudience

  init(
    _ text: String, _ priority: Console.Priority = .information, from audience: RunAudience = .journal
  ) {
    (self.text, self.priority, self.audience) = (text, priority, audience)
  }
}

extension Invocation {
  /// A receiver of run events that prints them for the console's audience, and reports the ends of fetch and downloads to a `run --watch`.
  func progressReporter(in zone: Zone) -> @Sendable (RunEvent) -> Void {
    let audience = RunAudience(console)
    return { event in
      if case .fetchingEnded = event { report(toWatch: "fetched") }
      if case .downloadingEnded = event { report(toWatch: "downloaded") }
      console.report(event, to: audience, in: zone)
    }
  }
}

extension Console {
  /// Prints an event of a run, if its audience sees it.
  func report(_ event: RunEvent, to audience: RunAudience, in zone: Zone) {
    progress.record(event)
    if case .skipped(let feed) = event { return report(feed, as: "skipped", in: zone) }
    if let line = runLine(event, for: audience) { say(line.text, line.priority) }
    if isJSON { for json in runJSON(event) { print(json) } }
  }

  /// Reports that a feed named on the command line is not fetched; `type` is the type of the JSON line.
  ///
  /// This is printed even without a terminal; lines of a crontab have `-q`.
  func report(_ feed: SkippedFeed, as type: String, in zone: Zone) {
    if amount != .quiet { say(skippedText(feed, in: zone), .warning) }
    if isJSON {
      print(
        JSONValue([
          "type": type, "feed": feed.name, "due": false, "until": feed.decision.dueAt,
          "reason": conclusion(feed.decision, in: zone),
        ]))
    }
  }
}

/// The message about an event; nil if the audience does not see it.
func runLine(_ event: RunEvent, for audience: RunAudience) -> RunLine? {
  let line: RunLine
  switch event {
  case .notice(let notice): line = notice.line
  case .fetched(let report): return fetchLine(report, for: audience)
  case .transferBegan(let transfer, _, let reason?):
    line = RunLine(named(transfer) + "started over: " + cleanText(reason, limit: 500))
  case .transferBegan(let transfer, let offset, nil):
    let text = offset > 0 ? "resumed at \(ByteCount(offset).text)" : "started"
    line = RunLine(named(transfer) + text, from: .verbose)
  case .transferPlaced(let transfer, let file):
    line = RunLine(named(transfer) + placeText(file), .news, from: .terminal)
  case .transferUnchanged(let transfer): line = RunLine(named(transfer) + "unchanged", from: .verbose)
  case .transferFailed(let transfer, let reason):
    let cure = retryCure(transfer.number)
    line = RunLine(
      named(transfer) + "failed, \(cleanText(reason, limit: 500)); \(cure)", .error, from: .quiet)
  case .transferLeft(let transfer, let status, let reason):
    line = RunLine(
      named(transfer) + "\(status.rawValue), \(cleanText(reason, limit: 500))",
      from: status == .suspended ? .terminal : .verbose)
  case .skipped, .fetchingEnded, .downloadingEnded, .transferProgress: return nil
  }
  return audience >= line.audience ? line : nil
}

/// The message about a fetch, for a person with its titles; nil if the audience does not see it.
private func fetchLine(_ report: FeedReport, for audience: RunAudience) -> RunLine? {
  let (priority, usual): (Console.Priority, RunAudience) =
    switch report.result {
    case .newData: (.news, .terminal)
    case .noData: (.information, .verbose)
    case .failed: (.warning, .journal)
    }
  let isRemarkable = report.health != nil || report.isRebuilt
  let first: RunAudience = !report.isCounted ? .verbose : isRemarkable ? .quiet : usual
  guard audience >= first else { return nil }
  let lines =
    [fetchText(report)] + (audience.isPerson ? titleLines(report) : [])
    + (audience == .verbose ? omissionLines(report) : [])
  return RunLine(lines.joined(separator: "\n"), priority, from: first)
}

/// The titles of new items, indented, and how many more there are.
private func titleLines(_ report: FeedReport) -> [String] {
  guard !report.titles.isEmpty else { return [] }
  let more = report.count - report.titles.count
  return report.titles.map { "  " + cleanText($0, limit: 120) } + (more > 0 ? ["  and \(more) more"] : [])
}

/// The files that are not downloaded, a line for each rule, indented.
private func omissionLines(_ report: FeedReport) -> [String] {
  OmissionRule.allCases.compactMap { rule in
    guard let names = report.omitted[rule] else { return nil }
    let shown = names.prefix(FeedReport.maximumTitles).map { cleanText($0, limit: 120) }
    let more = names.count > shown.count ? ["\(names.count - shown.count) more"] : []
    return "  not downloaded: \((shown + more).joined(separator: ", ")): \(rule.text)"
  }
}

/// One fetch as a line, for example `planet  3 new`.
func fetchText(_ report: FeedReport) -> String {
  let health =
    switch report.health {
    case .failing: "is failing: "
    case .recovered: "has recovered: "
    case .gone: "is gone: "
    case nil: ""
    }
  return "\(report.feed)  \(health)\(resultText(report.result, report.reason))"
}

/// The message that a named feed is not fetched, with the reason and what to do.
private func skippedText(_ feed: SkippedFeed, in zone: Zone) -> String {
  "\(feed.name)  not fetched: \(conclusion(feed.decision, in: zone)); --force fetches it anyway"
}

/// An event of a run as JSON lines: none if JSON has no such event, and one for each transfer that makes progress.
func runJSON(_ event: RunEvent) -> [JSONValue] {
  switch event {
  case .notice(let notice): [notice.json].compactMap(\.self)
  case .fetched(let report):
    [
      JSONValue([
        "type": "fetch", "feed": report.feed, "result": report.result.rawValue, "reason": report.reason,
        "count": report.count,
      ])
    ]
  case .transferProgress(let running):
    running.map { progress in
      object(
        "transfer-progress", progress.transfer,
        ["written": progress.received, "total": progress.total, "bytes-per-second": progress.bytesPerSecond])
    }
  case .transferBegan(let transfer, let offset, let reason):
    [object("transfer-began", transfer, ["offset": offset, "reason": reason])]
  case .transferPlaced(let transfer, let file): [object("transfer-placed", transfer).adding(fileFields(file))]
  case .transferUnchanged(let transfer): [object("transfer-unchanged", transfer)]
  case .transferFailed(let transfer, let reason): [object("transfer-failed", transfer, ["reason": reason])]
  case .transferLeft(let transfer, let status, let reason):
    [object("transfer-left", transfer, ["status": status.rawValue, "reason": reason])]
  case .skipped, .fetchingEnded, .downloadingEnded: []
  }
}

/// The end of a run as a JSON line.
func summaryJSON(_ report: RunReport) -> JSONValue {
  JSONValue(["type": "summary"]).adding(totalsFields(report.totals, report.totals.transfers))
    .adding(JSONValue(["badge": report.badge, "exit-status": report.status.code]))
}

/// The JSON members of the numbers of a run and of its downloads, null as long as they have not ended.
func totalsFields(_ totals: RunTotals?, _ downloads: TransferTotals?) -> JSONValue {
  JSONValue([
    "due": totals?.due, "new-data": totals?.newData, "no-data": totals?.noData, "failed": totals?.failed,
    "items": totals?.items, "left": totals?.left, "transfers": downloads?.finished,
    "resumed": downloads?.resumed, "failed-transfers": downloads?.failed,
    "unsettled-transfers": downloads?.left,
  ])
}

func placeText(_ file: PlacedFile) -> String {
  "\(shownPath(file.path)) (\(ByteCount(file.size).text))"
}

/// The cure for a failed transfer.
func retryCure(_ number: Int64) -> String { "bgfetch transfers retry \(number) tries it again" }

/// A path without control characters; file names come from feeds.
func shownPath(_ path: String) -> String { cleanText(path, limit: 5000) }

/// The beginning of a line about a transfer.
private func named(_ transfer: Transfer) -> String {
  "\(transfer.feed)  \(cleanText(transfer.description, limit: 200)): "
}

/// The JSON members of a placed file.
func fileFields(_ file: PlacedFile) -> JSONValue {
  JSONValue(["path": file.path, "size": file.size, "sha256": file.sha256])
}

private func object(_ type: String, _ transfer: Transfer, _ members: JSONMembers = [:]) -> JSONValue {
  JSONValue([
    "type": type, "number": transfer.number, "feed": transfer.feed, "description": transfer.description,
  ]).adding(JSONValue(members))
}

extension Invocation {
  /// Whether the messages go to a terminal.
  var isForPerson: Bool { RunAudience(console).isPerson }
}

extension OpenedState {
  /// The hooks whose messages wait for a session bus, one line each; none if nobody reads them.
  ///
  /// These deliveries are not tried, so nothing else in a run says that they have not arrived.
  func sessionLines() async throws -> [String] {
    guard invocation.isForPerson, settings.hooks.contains(where: \.isPopup) else { return [] }
    return try await waitingLines(at: clock.now()) { if case .session = $0 { true } else { false } }
      .map { "hook " + $0 }
  }
}

extension RunReport {
  /// The message after feeds were added; nil if none was added, or everything in them is news.
  var addedLine: String? {
    guard addedItems > 0 else { return nil }
    return
      "\(counted(addedFeeds, "feed")) added with \(counted(addedItems, "item")), stored as seen: bgfetch items lists them; from now on, new items are news"
  }
}

/// The next feed and when it is due; nil if none is.
func nextLine(_ outlook: DueOutlook, _ context: PlanningContext) -> String? {
  if let feed = outlook.firstDue { return "next: \(feed) with the next run" }
  if let (feed, reason) = outlook.waiting { return "next: \(feed) \(reason)" }
  return outlook.next.map { next in
    "next: \(next.feed) \(comingTime(next.at, now: context.now, in: context.zone))"
  }
}

/// A future moment as a person would say it: `now`, `in 12 min`, `at 14:05`, `on Tuesday at 14:05`, `on 2027-01-04`.
func comingTime(_ moment: Instant, now: Instant, in zone: Zone) -> String {
  let wait = moment.since(now)
  if wait <= .zero { return "now" }
  if wait < .hours(1) { return "in " + wait.rounded }
  let days = zone.civil(at: moment).daysSince1970 - zone.civil(at: now).daysSince1970
  switch days {
  case 0: return "at " + time(moment, "%H:%M", in: zone)
  case 1...6: return "on " + time(moment, "%A at %H:%M", in: zone)
  default: return "on " + time(moment, "%Y-%m-%d", in: zone)
  }
}

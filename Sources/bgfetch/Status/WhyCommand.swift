// `bgfetch why`: the rules that decide when feeds are due.

import ArgumentParser
import Core
import Running
import Store

struct WhyCommand: ProgramCommand {
  static let heading = ("why", "Explain why a feed is or is not due, and when it will be")

  @OptionGroup var common: CommonOptions

  @Argument(feeds: "Feeds by name, glob or @tag.")
  var feeds: [String] = []

  func validate() throws {
    if feeds.isEmpty { throw ValidationError("name a feed") }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .reading)
    invocation.startPager()
    let feeds = try selectedFeeds(feeds, from: state.settings.feeds)
    let context = try await state.planningContext(of: feeds, ahead: true)
    let states = try await state.store.states(of: feeds)
    let claimed = try await state.store.claimedHosts()
    let pause = try await state.store.pauseOfAll(in: context.zone)
    let omitted = try await state.store.omittedCounts()
    for feed in feeds {
      let state = states[feed.name] ?? FeedState()
      var report = whyReport(feed, state, context)
      if let pause { report.notes.append(pause) }
      if claimed.contains(feed.hostToAsk(state)) { report.notes.append(hostInUse) }
      if let note = omitted[feed.name].flatMap(text(ofOmitted:)) { report.notes.append(note) }
      let text = whyLines(report, now: context.now, in: context.zone, on: invocation.console.page)
      let drawing = WeekDrawing(invocation.console)
      let week = feed.adapt == .none ? [] : drawing.lines(context.learnedWeek(of: feed))
      invocation.console.print(json: [whyJSON(report)], text: text + week)
    }
    return .success
  }
}

/// The note about a feed whose host another run has claimed.
let hostInUse = "a run fetches from its host now; other runs leave it for later"

/// The report as lines: the feed, one row for each rule (`>` decides, `-` is overridden), and the conclusion.
func whyLines(_ report: WhyReport, now: Instant, in zone: Zone, on page: Page) -> [String] {
  var rows: [[String]] = []
  for row in report.rows {
    let mark = row.isOverridden ? "-" : row.binds ? ">" : " "
    let from = row.allowsFrom.map { "from " + $0.local(in: zone) } ?? ""
    rows.append(["  " + mark, row.rule, row.value, from, row.source.isEmpty ? "" : "(\(row.source))"])
  }
  let asked = report.lastAsked.map { "last asked " + $0.local(in: zone) } ?? "never asked"
  let notes = report.notes.map { indented($0, by: 2, on: page) }
  return ["\(report.feed): \(asked)"] + notes + table(rows, on: page)
    + [indented(conclusionText(report, now: now, in: zone), by: 2, on: page)]
}

/// The conclusion, and how long that is from now, for example `not before 2026-11-21 12:00:00 (in 2 h): pause`.
func conclusionText(_ report: WhyReport, now: Instant, in zone: Zone) -> String {
  guard let moment = report.decision.dueAt, moment > now else { return report.conclusion }
  let text = moment.local(in: zone)
  return report.conclusion.replacing(
    text, with: "\(text) (in \(moment.since(now).rounded))", maxReplacements: 1)
}

func whyJSON(_ report: WhyReport) -> JSONValue {
  JSONValue([
    "type": "why", "feed": report.feed, "due": report.decision.isDue, "due-at": report.decision.dueAt,
    "last-asked": report.lastAsked, "conclusion": report.conclusion, "notes": report.notes,
    "rules": report.rows.map { row in
      JSONValue([
        "rule": row.rule, "value": row.value, "source": row.source, "allows-from": row.allowsFrom,
        "binds": row.binds, "overridden": row.isOverridden,
      ])
    },
  ])
}

// The output of `bgfetch status`: the table of feeds, the details of one feed, and their JSON.

import Core
import Store

/// One feed with everything that `status` shows about it.
struct FeedStatus {
  let feed: FeedSpec
  let state: FeedState
  /// Whether it is due, when, and why.
  let report: WhyReport
  /// The pause, if it is in effect.
  let pause: Pause?
  let facts: FeedFacts
  let host: HostState
  let transfers: TransferCounts

  /// Whether it is due, and when.
  var decision: DueDecision { report.decision }

  var json: JSONValue {
    JSONValue([
      "type": "feed", "feed": feed.name, "title": state.title, "link": state.link,
      "address": addressText(of: feed), "result": state.lastResult?.rawValue, "reason": state.lastReason,
      "last-asked": state.lastAsked, "last-success": state.lastSuccess, "due": decision.isDue,
      "next": decision.dueAt, "paused": pause != nil, "paused-until": pause?.until, "why": report.conclusion,
      "freshness": state.freshness.map { JSONValue(["not-before": $0.notBefore, "source": $0.source]) },
      "rate-limit": state.rateLimit.map { JSONValue(["until": $0.until, "status": $0.status]) },
      "host-limited-until": host.limitedUntil, "failures": state.failures,
      "failing-since": facts.failingSince, "gone": state.isGone, "crashes": state.crashes,
      "problem": state.isProblem, "items": facts.items, "unseen": facts.unseen, "filtered": facts.filtered,
      "pruned": facts.pruned, "document-items": state.identity.documentItems, "first-item": facts.firstItem,
      "baseline": state.hasBaseline, "identity": feed.identity.rawValue,
      "replaced": state.identity.replacedAt,
      "quiet-items": state.identity.quietItems, "moved-to": state.learnedMove.map { addressText($0.address) },
      "etag": state.validators.entityTag, "last-modified": state.validators.lastModified,
      "validators-since": state.validators.since, "hubs": facts.hubLinks.hubs, "topic": facts.hubLinks.topic,
      "last-results": facts.lastFetches.reversed().map(resultJSON), "transfers": transfers.unsettled,
      "failed-transfers": transfers.failed,
    ])
  }
}

/// The result of a fetch, or null if the fetch was interrupted before it had one.
func resultJSON(_ fetch: FetchRecord) -> JSONValue {
  .text(fetch.wasCut ? nil : fetch.result.rawValue)
}

/// Feeds as a table.
func statusLines(_ rows: [FeedStatus], now: Instant, in zone: Zone, on page: Page) -> [ReportLine] {
  guard !rows.isEmpty else { return [] }
  let hasTransfers = rows.contains { transferText($0.transfers) != nil }
  func transfers(_ text: String) -> [String] { hasTransfers ? [text] : [] }
  let lines = rows.map { row in
    [
      row.feed.name.text, row.state.lastResult?.words ?? "never fetched",
      row.state.lastAsked.map { ago($0, now: now, in: zone) } ?? "", row.next(now: now, zone: zone),
      String(row.facts.unseen),
    ] + transfers(transferText(row.transfers) ?? "") + [
      row.state.failures > 0 ? String(row.state.failures) : "",
      // A failure that is not counted, such as being offline, also shows its reason.
      row.state.isProblem || row.state.lastResult == .failed ? row.state.lastReason ?? "" : "",
    ]
  }
  let head = ["FEED", "RESULT", "ASKED", "NEXT", "UNSEEN"] + transfers("TRANSFERS") + ["FAILURES", "REASON"]
  return table(head, lines, problems: rows.map(\.state.isProblem), on: page)
}

/// The numbers of a feed's transfers, for example `3, 1 failed`; nil if there are none.
func transferText(_ counts: TransferCounts) -> String? {
  let failed = counts.failed > 0 ? "\(counts.failed) failed" : nil
  let parts = [counts.unsettled > 0 ? String(counts.unsettled) : nil, failed].compactMap { $0 }
  return parts.isEmpty ? nil : parts.joined(separator: ", ")
}

/// The notes on a feed below the table: its move, a full download queue, and a document that is too long.
func notes(on status: FeedStatus, isInFull: Bool) -> [String] {
  let moved = isInFull ? nil : status.state.learnedMove.map { movedText($0.address) }
  let count = status.transfers.unsettled
  let waiting =
    count < ItemBounds.transfers ? nil : "\(count) downloads are waiting, so no more are queued"
  return [moved, waiting, cutDocument(status.state.identity)].compactMap(\.self).map {
    "\(status.feed.name): \($0)"
  }
}

extension FeedStatus {
  /// When the feed is fetched next.
  fileprivate func next(now: Instant, zone: Zone) -> String {
    if let pause { return pauseText(pause, in: zone) }
    if decision.isDue { return "now" }
    if decision.reason == .underWay { return "under way" }
    if let reason = decision.waitReason { return reason }
    return decision.dueAt.map { "in " + $0.since(now).rounded } ?? "when named"
  }
}

/// The time since a moment; a moment in the future, after the clock was set back, as date and time.
func ago(_ moment: Instant, now: Instant, in zone: Zone) -> String {
  // Moments are stored in whole seconds, and the clock of a server may be a little ahead.
  guard moment <= now + .seconds(1) else { return moment.local(in: zone) }
  return max(.zero, now.since(moment)).rounded + " ago"
}

/// A moment, and the time since then.
func momentText(_ moment: Instant, now: Instant, in zone: Zone) -> String {
  moment.local(in: zone) + (moment > now ? "" : ", " + ago(moment, now: now, in: zone))
}

/// The details of one feed, one line each, without empty lines.
func statusDetails(_ status: FeedStatus, now: Instant, in zone: Zone, on page: Page) -> [ReportLine] {
  let state = status.state
  let facts = status.facts
  func moment(_ instant: Instant?) -> String? {
    instant.map { momentText($0, now: now, in: zone) }
  }
  let result = state.lastResult.map { [resultText($0, state.lastReason), moment(state.lastAsked)] }
  let rows: [(what: String, text: String?)] = [
    ("title", state.title), ("address", addressText(of: status.feed)),
    ("moved to", state.learnedMove.map { addressText($0.address) + "; write it into the configuration" }),
    ("page", state.link),
    (
      "last result",
      result.map { $0.compactMap(\.self).joined(separator: "; ") } ?? "never fetched"
    ),
    ("last success", moment(state.lastSuccess)),
    ("failures", failureText(status, since: moment(facts.failingSince))),
    ("when", conclusionText(status.report, now: now, in: zone)),
    ("pause", status.pause.map { pauseText($0, in: zone) }),
    ("freshness", state.freshness.map { "not before \($0.notBefore.local(in: zone)), by \($0.source)" }),
    ("rate limit", state.rateLimit.map { "until \($0.until.local(in: zone)), after status \($0.status)" }),
    ("host limit", status.host.limitedUntil.map { "until " + $0.local(in: zone) }),
    ("items", itemText(facts, hasBaseline: state.hasBaseline)),
    (
      "transfers",
      transferText(status.transfers).map {
        "\($0); see bgfetch transfers list \(status.feed.name)"
          + (status.transfers.failed > 0 ? " --all" : "")
      }
    ),
    ("last fetches", facts.lastFetches.isEmpty ? nil : fetchMarks(facts.lastFetches)),
  ]
  return details(of: status.feed.name.text, isProblem: state.isProblem, rows, on: page)
}

private func failureText(_ status: FeedStatus, since: String?) -> String? {
  var parts: [String] = []
  if status.state.failures > 0 {
    parts.append("\(status.state.failures) in a row" + (since.map { ", since \($0)" } ?? ""))
  }
  if status.state.isGone { parts.append("permanently gone: the server answered 410 twice") }
  if status.state.crashes > 0 {
    parts.append("in flight when \(counted(status.state.crashes, "run")) crashed or ended")
  }
  return parts.isEmpty ? nil : parts.joined(separator: "; ")
}

private func itemText(_ facts: FeedFacts, hasBaseline: Bool) -> String {
  guard hasBaseline else { return "none yet: the first successful fetch sets the baseline" }
  return "\(facts.items) known, \(facts.unseen) unseen"
    + (facts.filtered > 0 ? ", \(facts.filtered) filtered out" : "")
    + (facts.pruned > 0 ? ", \(facts.pruned) pruned (no longer listed)" : "")
}

/// The last fetches as marks, for example `..+.x..+.+`, with a legend.
private func fetchMarks(_ fetches: [FetchRecord]) -> String {
  let marks = fetches.reversed().map { fetch in
    switch fetch.result {
    case .newData: "+"
    case .noData: "."
    case .failed: fetch.isCounted ? "x" : "-"
    }
  }
  return marks.joined() + " (+ new, . nothing new, x failed, - not counted; the latest is on the right)"
}

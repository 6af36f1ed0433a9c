// What `bgfetch status` says of one feed.

import Core
import StateStore

/// Everything about one feed that a person may want to know, a line each; what there is nothing to say of is left out.
func statusDetails(
  _ status: FeedStatus, now: Instant, in zone: Zone, on page: Page
) -> [ReportLine] {
  let state = status.state
  let facts = status.facts
  func moment(_ instant: Instant?) -> String? {
    instant.map { momentText($0, now: now, in: zone) }
  }
  let result = [state.lastResult?.rawValue, state.lastReason, moment(state.lastAsked)]
  let rows: [(what: String, text: String?)] = [
    ("title", state.title), ("address", addressText(of: status.feed)),
    ("moved to", state.learnedMove.map { addressText($0.address) + "; write it into the configuration" }),
    ("page", state.link),
    (
      "last result",
      state.lastResult == nil ? "never fetched" : result.compactMap { $0 }.joined(separator: "; ")
    ),
    ("last success", moment(state.lastSuccess)),
    ("failures", failureText(status, since: moment(facts.failingSince))),
    ("when", status.report.conclusion), ("pause", status.pause.map { pauseText($0, in: zone) }),
    ("server's wish", state.wish.map { wishText($0, in: zone) }),
    ("rate limit", state.rateLimit.map { "until \(local($0.until, in: zone)), answer \($0.status)" }),
    ("host limit", status.host.limitedUntil.map { "until " + local($0, in: zone) }),
    ("validators", validatorText(state.validators)),
    ("hub", hubText(facts.hubLinks)),
    ("items", itemText(facts, hasBaseline: state.hasBaseline)), ("first item", moment(facts.firstItem)),
    (
      "transfers",
      transferText(status.transfers).map {
        "\($0); see bgfetch transfers list \(status.feed.name)"
          + (status.transfers.failed > 0 ? " --all" : "")
      }
    ),
    ("last fetches", facts.lastFetches.isEmpty ? nil : fetchMarks(facts.lastFetches)),
  ]
  let told = rows.compactMap { row in
    row.text.map { ["  " + row.what, cleanText($0, limit: 2000)] }
  }
  return [ReportLine(text: status.feed.name.text, isProblem: state.isProblem)]
    + table(told, hasHead: false, on: page).map { ReportLine(text: $0) }
}

private func failureText(_ status: FeedStatus, since: String?) -> String? {
  var parts: [String] = []
  if status.state.failures > 0 {
    parts.append("\(status.state.failures) in a row" + (since.map { ", since \($0)" } ?? ""))
  }
  if status.state.isGone { parts.append("gone for good, as the server says") }
  if status.state.crashes > 0 { parts.append("in flight when \(counted(status.state.crashes, "run")) died") }
  return parts.isEmpty ? nil : parts.joined(separator: "; ")
}

private func wishText(_ wish: ServerWish, in zone: Zone) -> String {
  "not before \(local(wish.notBefore, in: zone)), by \(wish.source)"
}

private func validatorText(_ validators: Validators) -> String {
  let parts = [
    validators.entityTag.map { "ETag " + $0 }, validators.lastModified.map { "Last-Modified " + $0 },
  ].compactMap { $0 }
  return parts.isEmpty ? "none" : parts.joined(separator: "; ")
}

private func hubText(_ links: HubLinks) -> String? {
  guard !links.hubs.isEmpty else { return nil }
  return links.hubs.map(addressText).joined(separator: ", ")
    + (links.topic.map { " for " + addressText($0) } ?? "")
}

private func itemText(_ facts: FeedFacts, hasBaseline: Bool) -> String {
  guard hasBaseline else { return "none yet: the first successful fetch says what is known" }
  return "\(facts.items) known, \(facts.unseen) unseen"
    + (facts.filtered > 0 ? ", \(facts.filtered) filtered out" : "")
    + (facts.pruned > 0 ? ", \(facts.pruned) pruned (no longer listed)" : "")
}

/// The last fetches as a small line, for example `..+.x..+.+`, with what the marks mean.
private func fetchMarks(_ fetches: [FetchRecord]) -> String {
  let marks = fetches.reversed().map { fetch in
    switch fetch.result {
    case .newData: "+"
    case .noData: "."
    case .failed: fetch.isCounted ? "x" : "-"
    }
  }
  return marks.joined() + " (+ new-data, . no-data, x failed, - not counted; the last one on the right)"
}

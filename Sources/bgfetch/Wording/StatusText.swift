// The table of `bgfetch status`.

import Core
import StateStore

/// How one feed is.
struct FeedStatus {
  /// The feed as configured.
  let feed: FeedSpec
  /// What is remembered of it.
  let state: FeedState
  /// Whether it is due, when, and why.
  let report: WhyReport
  /// The person's pause, if it holds.
  let pause: Pause?
  /// Its items and last fetches in numbers.
  let facts: FeedFacts
  /// What is remembered of its host.
  let host: HostState
  /// Its transfers in numbers.
  let transfers: TransferCounts

  /// Whether it is due, and when.
  var decision: DueDecision { report.decision }

  /// The status as JSON.
  var json: JSONValue {
    .object([
      ("type", .string("feed")), ("feed", .string(feed.name.text)), ("title", .text(state.title)),
      ("link", .text(state.link)), ("address", .string(addressText(of: feed))),
      ("result", .text(state.lastResult?.rawValue)), ("reason", .text(state.lastReason)),
      ("last-asked", .text(state.lastAsked?.rfc3339)), ("last-success", .text(state.lastSuccess?.rfc3339)),
      ("due", .bool(decision.isDue)), ("next", .text(decision.dueAt?.rfc3339)),
      ("paused", .bool(pause != nil)), ("paused-until", .text(pause?.until?.rfc3339)),
      ("why", .string(report.conclusion)),
      ("wish", state.wish.map(wishJSON) ?? .null), ("rate-limit", state.rateLimit.map(limitJSON) ?? .null),
      ("host-limited-until", .text(host.limitedUntil?.rfc3339)),
      ("failures", .number(Int64(state.failures))), ("failing-since", .text(facts.failingSince?.rfc3339)),
      ("gone", .bool(state.isGone)), ("crashes", .number(Int64(state.crashes))),
      ("problem", .bool(state.isProblem)),
      ("items", .number(Int64(facts.items))), ("unseen", .number(Int64(facts.unseen))),
      ("filtered", .number(Int64(facts.filtered))), ("pruned", .number(Int64(facts.pruned))),
      ("document-items", state.identity.documentItems.map { .number(Int64($0)) } ?? .null),
      ("first-item", .text(facts.firstItem?.rfc3339)),
      ("baseline", .bool(state.hasBaseline)),
      ("identity", .string(state.identity.rule(feed.identity).rawValue)),
      ("guids-renewed", .bool(state.identity.ignoresGuids)),
      ("repeated", .text(state.identity.repeated?.rawValue)),
      ("replaced", .text(state.identity.replacedAt?.rfc3339)),
      ("quiet-items", .number(Int64(state.identity.quietItems))),
      ("moved-to", .text(state.learnedMove.map { addressText($0.address) })),
      ("etag", .text(state.validators.entityTag)), ("last-modified", .text(state.validators.lastModified)),
      ("validators-since", .text(state.validators.since?.rfc3339)),
      ("hubs", .array(facts.hubLinks.hubs.map(JSONValue.string))), ("topic", .text(facts.hubLinks.topic)),
      ("last-results", .array(facts.lastFetches.reversed().map(resultJSON))),
      ("transfers", .number(Int64(transfers.unsettled))),
      ("failed-transfers", .number(Int64(transfers.failed))),
    ])
  }
}

/// What a fetch came to; null where it was cut before it came to anything.
func resultJSON(_ fetch: FetchRecord) -> JSONValue {
  .text(fetch.wasCut ? nil : fetch.result.rawValue)
}

private func wishJSON(_ wish: ServerWish) -> JSONValue {
  .object([("not-before", .string(wish.notBefore.rfc3339)), ("source", .string(wish.source))])
}

private func limitJSON(_ limit: RateLimit) -> JSONValue {
  .object([("until", .string(limit.until.rfc3339)), ("status", .number(Int64(limit.status)))])
}

/// The table: feed, last result, when, next, unseen items, failures, and the reason of what failed.
func statusLines(_ rows: [FeedStatus], now: Instant, in zone: Zone, on page: Page) -> [ReportLine] {
  guard !rows.isEmpty else { return [] }
  let hasTransfers = rows.contains { transferText($0.transfers) != nil }
  func transfers(_ text: String) -> [String] { hasTransfers ? [text] : [] }
  let lines = rows.map { row in
    [
      row.feed.name.text, row.state.lastResult?.rawValue ?? "never fetched",
      row.state.lastAsked.map { ago($0, now: now, in: zone) } ?? "", row.next(now: now, zone: zone),
      String(row.facts.unseen),
    ] + transfers(transferText(row.transfers) ?? "") + [
      row.state.failures > 0 ? String(row.state.failures) : "",
      // What is not counted against a feed, such as being offline, has a reason, too.
      row.state.isProblem || row.state.lastResult == .failed ? row.state.lastReason ?? "" : "",
    ]
  }
  let head = ["FEED", "RESULT", "ASKED", "NEXT", "UNSEEN"] + transfers("TRANSFERS") + ["FAILURES", "REASON"]
  let text = table([head] + lines, hasHead: true, on: page)
  return zip(text, [false] + rows.map(\.state.isProblem)).map { ReportLine(text: $0, isProblem: $1) }
}

/// A feed's transfers in numbers, `3, 1 failed`; nil where there are none.
func transferText(_ counts: TransferCounts) -> String? {
  let failed = counts.failed > 0 ? "\(counts.failed) failed" : nil
  let parts = [counts.unsettled > 0 ? String(counts.unsettled) : nil, failed].compactMap { $0 }
  return parts.isEmpty ? nil : parts.joined(separator: ", ")
}

/// What else there is to know of a feed, below the table: where it has moved, and what decides which items are new.
func notes(on status: FeedStatus, isInFull: Bool, now: Instant, in zone: Zone) -> [String] {
  let moved =
    isInFull ? nil : status.state.learnedMove.map { "\(status.feed.name): \(movedText($0.address))" }
  let isFull = status.transfers.unsettled >= ItemBounds.transfers
  let waiting =
    isFull ? "\(status.feed.name): \(status.transfers.unsettled) downloads wait, and no more are queued" : nil
  return [moved, waiting].compactMap { $0 } + identityNotes(status.feed, status.state, now: now, in: zone)
}

extension FeedStatus {
  /// When it is fetched next.
  fileprivate func next(now: Instant, zone: Zone) -> String {
    if let pause { return pauseText(pause, in: zone) }
    if decision.isDue { return "now" }
    if decision.reason == .underWay { return "under way" }
    return decision.dueAt.map { "in " + rough($0.since(now)) } ?? "when named"
  }
}

/// How long ago a moment was; one to come, as after the clock was set back, by date and time.
func ago(_ moment: Instant, now: Instant, in zone: Zone) -> String {
  moment > now ? local(moment, in: zone) : rough(now.since(moment)) + " ago"
}

/// A moment, and how long ago it was.
func momentText(_ moment: Instant, now: Instant, in zone: Zone) -> String {
  local(moment, in: zone) + (moment > now ? "" : ", " + ago(moment, now: now, in: zone))
}

/// A length of time in its largest unit, for example `3h`.
private func rough(_ interval: Interval) -> String {
  switch interval.seconds {
  case 0..<60: "\(interval.seconds)s"
  case 60..<3600: "\(interval.seconds / 60)m"
  case 3600..<172_800: "\(interval.seconds / 3600)h"
  default: "\(interval.seconds / 86_400)d"
  }
}

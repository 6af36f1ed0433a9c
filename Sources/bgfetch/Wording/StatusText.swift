// The table of `bgfetch status`.

import Model
import Planning
import Timing

/// How one feed is.
struct FeedStatus {
  /// The feed.
  let feed: FeedName
  /// What is remembered of it.
  let state: FeedState
  /// Whether it is due, and when.
  let decision: DueDecision
  /// Its unseen items.
  let unseen: Int

  /// Whether a person may have to mend something.
  var isProblem: Bool { state.failures > 0 || state.isGone }

  /// The status as JSON.
  var json: JSONValue {
    .object([
      ("type", .string("feed")), ("feed", .string(feed.text)), ("title", .text(state.title)),
      ("result", .text(state.lastResult?.rawValue)), ("reason", .text(state.lastReason)),
      ("last-asked", .text(state.lastAsked?.rfc3339)), ("last-success", .text(state.lastSuccess?.rfc3339)),
      ("due", .bool(decision.isDue)), ("next", .text(decision.dueAt?.rfc3339)),
      ("unseen", .number(Int64(unseen))),
      ("failures", .number(Int64(state.failures))), ("gone", .bool(state.isGone)),
      ("moved-to", .text(state.learnedMove.map { shown($0.address) })),
    ])
  }
}

/// The table: feed, last result, when, next, unseen items, failures, and the reason of what failed; each line with
/// whether it is about a problem.
func statusLines(_ rows: [FeedStatus], now: Instant) -> [(text: String, isProblem: Bool)] {
  guard !rows.isEmpty else { return [] }
  let lines = rows.map { row in
    [
      row.feed.text, row.state.lastResult?.rawValue ?? "never fetched",
      row.state.lastAsked.map { ago($0, now: now) } ?? "", next(row.decision, now: now), String(row.unseen),
      row.state.failures > 0 ? String(row.state.failures) : "",
      row.isProblem ? row.state.lastReason ?? "" : "",
    ]
  }
  let text = table([["FEED", "RESULT", "ASKED", "NEXT", "UNSEEN", "FAILURES", "REASON"]] + lines)
  return zip(text.map(withoutTrailingBlanks), [false] + rows.map(\.isProblem)).map { ($0, $1) }
}

private func next(_ decision: DueDecision, now: Instant) -> String {
  if decision.isDue { return "now" }
  return decision.dueAt.map { "in " + rough($0.since(now)) } ?? "when named"
}

private func ago(_ moment: Instant, now: Instant) -> String {
  moment > now ? moment.rfc3339 : rough(now.since(moment)) + " ago"
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

// The line and exit status of `bgfetch status --nagios`, according to the Monitoring Plugins guidelines.
//
// https://www.monitoring-plugins.org/doc/guidelines.html

import Core
import Store

/// The state of a service for Nagios, Icinga and others, by its exit status.
enum NagiosState: Int32 {
  case ok = 0
  case warning, critical, unknown

  var word: String {
    switch self {
    case .ok: "OK"
    case .warning: "WARNING"
    case .critical: "CRITICAL"
    case .unknown: "UNKNOWN"
    }
  }
}

/// The facts for the state of the service.
struct NagiosFacts {
  let feeds: Int
  let numbers: FeedOverview
  /// The first feeds with problems.
  let failing: [FeedStatus]
  /// Unseen items; nil if they were not counted.
  let unseen: Int?
  /// Deliveries and downloads that were given up.
  let lost: Int
  /// Deliveries that have failed and are tried again.
  let retried: [Delivery]
  /// The machines with problems, if several share the state.
  let unwell: [Fleet.Member]
  let lastRun: Instant?
  let now: Instant

  private var problems: Int { numbers.problems }

  /// Critical if no feed works or nothing runs; a warning if something needs attention.
  var state: NagiosState {
    if isStopped || feeds > 0 && problems == feeds { return .critical }
    return problems == 0 && lost == 0 && retried.isEmpty && unwell.isEmpty ? .ok : .warning
  }

  /// Whether there was no run at all, or a feed has been due for a day without any.
  private var isStopped: Bool {
    guard let lastRun else { return feeds > 0 }
    return now.since(lastRun) > .days(1) && numbers.lateness.last.map { $0.by > .days(1) } ?? false
  }

  /// The line, with performance data behind `|`.
  var line: String {
    var parts = [counted(feeds, "feed")] + (unseen.map { ["\(counted($0, "item")) unseen"] } ?? [])
    if isStopped {
      let since = lastRun == nil ? "no run yet" : "no run for more than a day"
      parts.insert(since + "; see bgfetch install-timer", at: 0)
    }
    if let first = failing.first {
      let names = failing.prefix(5).map(\.feed.name.text).joined(separator: ", ")
      parts.append("\(problems) with problems (\(names)\(problems > 5 ? " …" : ""))")
      parts += first.state.lastReason.map { [plain($0)] } ?? []
    }
    if lost > 0 {
      parts.append(lost == 1 ? "1 delivery or download given up" : "\(lost) deliveries or downloads given up")
    }
    if let last = retried.first {
      let deliveries = counted(retried.count, "delivery", plural: "deliveries")
      parts.append(
        "\(deliveries) to be tried again (\(plain("\(last.hook): \(last.lastError ?? "failed")")))")
    }
    if let (machine, problems) = unwell.first {
      let reason = plain("\(machine.name): \(problems.map(\.text).joined(separator: "; "))")
      parts.append("\(counted(unwell.count, "machine")) with problems (\(reason))")
    }
    let data =
      [("feeds", feeds), ("problems", problems)] + (unseen.map { [("unseen", $0)] } ?? []) + [
        ("lost", lost), ("retried", retried.count),
      ]
    return nagiosLine(state, parts.joined(separator: ", "))
      + " | " + data.map { "\($0.0)=\($0.1);;;0" }.joined(separator: " ")
  }
}

/// A line without performance data.
func nagiosLine(_ state: NagiosState, _ text: String) -> String { "BGFETCH \(state.word) - \(text)" }

/// Text in which nothing begins performance data or another line.
func plain(_ text: String) -> String { replacing(["|": "/"], in: cleanText(text, limit: 300)) }

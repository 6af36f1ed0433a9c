// The line and exit status of `bgfetch status --nagios`, according to the Monitoring Plugins guidelines.
//
// https://www.monitoring-plugins.org/doc/guidelines.html

import Core

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
  var feeds: [FeedStatus]
  /// Deliveries and downloads that were given up.
  var lost: Int
  var lastRun: Instant?
  var now: Instant

  /// Critical if no feed works or nothing runs; a warning if something needs attention.
  var state: NagiosState {
    if isStopped || !feeds.isEmpty && problems.count == feeds.count { return .critical }
    return problems.isEmpty && lost == 0 ? .ok : .warning
  }

  private var problems: [FeedStatus] { feeds.filter(\.state.isProblem) }

  /// Whether there was no run at all, or a feed has been due for a day without any.
  private var isStopped: Bool {
    guard let lastRun else { return !feeds.isEmpty }
    guard now.since(lastRun) > .days(1) else { return false }
    return feeds.contains { $0.decision.isDue && $0.decision.dueAt.map { now.since($0) > .days(1) } ?? false }
  }

  /// The line, with performance data behind `|`.
  var line: String {
    let unseen = feeds.reduce(0) { $0 + $1.facts.unseen }
    var parts = [counted(feeds.count, "feed"), "\(counted(unseen, "item")) unseen"]
    if isStopped {
      let since = lastRun == nil ? "no run yet" : "no run for more than a day"
      parts.insert(since + "; see bgfetch install-timer", at: 0)
    }
    if let first = problems.first {
      let names = problems.prefix(5).map(\.feed.name.text).joined(separator: ", ")
      parts.append("\(problems.count) with problems (\(names)\(problems.count > 5 ? " …" : ""))")
      parts += first.state.lastReason.map { [plain($0)] } ?? []
    }
    if lost > 0 {
      parts.append(lost == 1 ? "1 delivery or download given up" : "\(lost) deliveries or downloads given up")
    }
    let data = [("feeds", feeds.count), ("problems", problems.count), ("unseen", unseen), ("lost", lost)]
    return nagiosLine(state, parts.joined(separator: ", "))
      + " | " + data.map { "\($0.0)=\($0.1);;;0" }.joined(separator: " ")
  }
}

/// A line without performance data.
func nagiosLine(_ state: NagiosState, _ text: String) -> String { "BGFETCH \(state.word) - \(text)" }

/// Text in which nothing begins performance data or another line.
func plain(_ text: String) -> String { cleanText(text, limit: 300).replacing("|", with: "/") }

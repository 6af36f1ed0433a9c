// What a run says: which of its events become lines, for whom, and how they are worded.

import Core
import Host
import Sync

/// Who reads what a run says.
enum RunAudience {
  /// A person at a terminal: every fetch that is not no-data, and the summary.
  case terminal
  /// journald: failures, and the summary when something was due.
  case journal
  /// cron or a pipe: only what changed for the worse or came back.
  case quiet
  /// A person who asked for everything.
  case verbose

  /// The audience of a console.
  init(_ console: Console) {
    if console.isQuiet {
      self = .quiet
    } else if console.isVerbose {
      self = .verbose
    } else if console.error.isJournal {
      self = .journal
    } else {
      self = console.error.isTerminal ? .terminal : .quiet
    }
  }
}

extension Console {
  /// Says what happens in a run, as far as its audience is told.
  func tell(_ event: RunEvent, to audience: RunAudience, in zone: Zone) {
    switch event {
    case .transfer(let event): return tell(event, to: audience)
    case .skipped(let feed): return tell(feed, as: "held", in: zone)
    default:
      if let line = runLine(event, for: audience) { say(line.text, line.priority) }
      if isJSON, let json = runJSON(event) { print(json) }
    }
  }

  /// Says that a feed that was named is not fetched, as a JSON line of a type, too.
  ///
  /// Whoever names a feed is answered, in a pipe as well; lines of a crontab have `-q`.
  func tell(_ feed: SkippedFeed, as type: String, in zone: Zone) {
    if !isQuiet { say(heldText(feed, in: zone), .warning) }
    if isJSON { print(heldJSON(feed, as: type, in: zone)) }
  }
}

/// The line that tells an audience of an event, with its priority; nil where it is not told.
func runLine(_ event: RunEvent, for audience: RunAudience) -> (text: String, priority: Console.Priority)? {
  switch event {
  case .started(let due, let paused):
    return audience == .verbose
      ? ("\(due) due" + (paused > 0 ? ", \(paused) paused" : ""), .information) : nil
  case .fetched(let report):
    guard isTold(report, to: audience) else { return nil }
    switch report.result {
    case .newData: return (fetchText(report), .news)
    case .noData: return (fetchText(report), .information)
    case .failed: return (fetchText(report), .warning)
    }
  case .offline(let feeds, let portal):
    return audience == .quiet ? nil : (offlineText(feeds: feeds, portal: portal), .warning)
  case .moved(let feed, let move):
    return audience == .quiet ? nil : (moveText(feed, move), .information)
  case .expired(let left):
    return audience == .quiet
      ? nil : ("the budget ends: \(counted(left, "feed")) left for a later run", .information)
  case .transfersExpired(let left):
    return audience == .quiet
      ? nil : ("the budget ends: \(counted(left, "transfer")) left for a later run", .information)
  case .skipped: return nil
  case .transfer(let event): return transferLine(event, for: audience)
  case .waiting(let length, let awaited):
    let reason =
      switch awaited {
      case .message: "for a message that is due then"
      case .lateData: "and tries a push once more, which brought nothing"
      }
    return audience == .terminal || audience == .verbose
      ? ("stays \(length.text) \(reason)", .information) : nil
  case .deliveriesExpired(let hook, let count, let age):
    let what = "\(counted(count, "event")) older than \(age.text)"
    return ("hook \(hook) was not told of \(what); see bgfetch hooks list", .error)
  case .deliveryLost(let hook, let event, let reason):
    return ("hook \(hook) was not told of \(event.rawValue): \(reason); see bgfetch hooks list", .error)
  }
}

private func isTold(_ report: FeedReport, to audience: RunAudience) -> Bool {
  guard report.isCounted || audience == .verbose else { return false }
  let isRemarkable = report.health != nil || report.isRebuilt
  return switch audience {
  case .verbose: true
  case .terminal: report.result != .noData || isRemarkable
  case .journal: report.result == .failed || isRemarkable
  case .quiet: isRemarkable
  }
}

/// One fetch as a line, for example `planet  new-data, 3 new`.
func fetchText(_ report: FeedReport) -> String {
  let health =
    switch report.health {
    case .failing: "is failing: "
    case .recovered: "has recovered: "
    case .gone: "is gone: "
    case nil: ""
    }
  return "\(report.feed)  \(health)\(report.result.rawValue), \(report.reason)"
}

/// That a feed that was named is not fetched, what holds it, and what to do, as a line.
private func heldText(_ feed: SkippedFeed, in zone: Zone) -> String {
  "\(feed.name)  not fetched; \(conclusion(feed.decision, in: zone)); --force asks it all the same"
}

/// That as a JSON line of a type.
private func heldJSON(_ feed: SkippedFeed, as type: String, in zone: Zone) -> JSONValue {
  .object([
    ("type", .string(type)), ("feed", .string(feed.name.text)), ("due", .bool(false)),
    ("until", .text(feed.decision.dueAt?.rfc3339)), ("reason", .string(conclusion(feed.decision, in: zone))),
  ])
}

/// That nothing could be reached, as a line.
func offlineText(feeds: Int, portal: String?) -> String {
  guard let portal else {
    return "offline: \(counted(feeds, "feed was", "feeds were")) not reached; the next run tries again"
  }
  let cure = "log in to the network with a browser"
  return "offline: \(cleanText(portal, limit: 500)) answers in place of \(counted(feeds, "feed")); \(cure)"
}

/// An event of a run as a JSON line; nil where JSON does not tell it.
func runJSON(_ event: RunEvent) -> JSONValue? {
  switch event {
  case .fetched(let report):
    .object([
      ("type", .string("fetch")), ("feed", .string(report.feed.text)),
      ("result", .string(report.result.rawValue)),
      ("reason", .string(report.reason)), ("count", .number(Int64(report.count))),
    ])
  case .offline(let feeds, let portal):
    .object([
      ("type", .string("offline")), ("feeds", .number(Int64(feeds))), ("portal", .text(portal)),
    ])
  case .moved(let feed, let move): moveJSON(feed, move)
  case .expired(let left): .object([("type", .string("expired")), ("left", .number(Int64(left)))])
  case .transfersExpired(let left):
    .object([("type", .string("transfers-expired")), ("left", .number(Int64(left)))])
  case .deliveryLost(let hook, let event, let reason):
    .object([
      ("type", .string("delivery-lost")), ("hook", .string(hook)), ("event", .string(event.rawValue)),
      ("reason", .string(reason)),
    ])
  case .deliveriesExpired(let hook, let count, _):
    .object([
      ("type", .string("deliveries-expired")), ("hook", .string(hook)), ("count", .number(Int64(count))),
    ])
  // These may be several; Console.tell(_:to:) prints them.
  case .transfer, .started, .skipped, .waiting: nil
  }
}

/// The end of a run as a JSON line.
func summaryJSON(_ report: RunReport) -> JSONValue {
  .object([
    ("type", .string("summary")), ("due", .number(Int64(report.due))),
    ("new-data", .number(Int64(report.newData))),
    ("no-data", .number(Int64(report.noData))), ("failed", .number(Int64(report.failed))),
    ("items", .number(Int64(report.items))), ("left", .number(Int64(report.left))),
    ("transfers", .number(Int64(report.transfers.finished))),
    ("resumed", .number(Int64(report.transfers.resumed))),
    ("failed-transfers", .number(Int64(report.transfers.failed))),
    ("unsettled-transfers", .number(Int64(report.transfers.left))),
    ("badge", .number(Int64(report.badge))), ("exit-status", .number(Int64(report.exitStatus))),
  ])
}

// The last lines of a run on a terminal: the feeds that were added, and what comes next.

import Core
import Machine
import Store

extension Invocation {
  /// Whether the messages go to a terminal.
  var isForPerson: Bool {
    switch RunAudience(console) {
    case .terminal, .verbose: true
    case .journal, .quiet: false
    }
  }
}

extension OpenedState {
  /// The hooks whose messages wait for a session bus, one line each; none if nobody reads them.
  ///
  /// These deliveries are not tried, so nothing else in a run says that they have not arrived.
  func sessionLines() async throws -> [String] {
    guard invocation.isForPerson, settings.hooks.contains(where: \.needsSessionBus) else { return [] }
    let waits = waits(of: try await store.deliveries([.pending], hook: nil, limit: 10_000))
      .filter { if case .session = $0.wait { true } else { false } }
      .map { WaitingDelivery(hook: $0.delivery.hook, wait: $0.wait) }
    return waitingLines(waits, at: clock.now(), in: try zone()).map { "hook " + $0 }
  }
}

extension RunReport {
  /// The message after feeds were added; nil if none was added, or everything in them is news.
  var addedLine: String? {
    guard addedItems > 0 else { return nil }
    return
      "\(counted(addedFeeds, "feed")) added with \(counted(addedItems, "item")), stored as seen; from now on, new items are news"
  }
}

/// The next feed and when it is due; nil if none is.
func nextLine(_ outlook: DueOutlook, _ context: PlanningContext) -> String? {
  if let feed = outlook.firstDue { return "next: \(feed) with the next run" }
  return outlook.next.map { next in
    "next: \(next.feed) \(comingTime(next.at, now: context.now, in: context.zone))"
  }
}

/// A future moment as a person would say it: `now`, `in 12 min`, `at 14:05`, `on Tuesday at 14:05`, `on 2027-01-04`.
func comingTime(_ moment: Instant, now: Instant, in zone: Zone) -> String {
  let wait = moment.since(now)
  if wait <= .zero { return "now" }
  if wait < .hours(1) { return "in \(max(1, (wait.seconds + 59) / 60)) min" }
  let days = zone.civil(at: moment).daysSince1970 - zone.civil(at: now).daysSince1970
  switch days {
  case 0: return "at " + time(moment, "%H:%M", in: zone)
  case 1...6: return "on " + time(moment, "%A at %H:%M", in: zone)
  default: return "on " + time(moment, "%Y-%m-%d", in: zone)
  }
}

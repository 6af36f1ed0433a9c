// The numbers of `bgfetch status`: of a large catalog in place of its feeds, else as the last lines, with what deliveries wait
// for.

import Core
import Store

extension FeedOverview {
  /// The numbers of feeds that are listed one by one.
  init(of feeds: [FeedStatus], at now: Instant) {
    self.init()
    for result in feeds.compactMap(\.state.lastResult) { results[result, default: 0] += 1 }
    problems = feeds.count { $0.state.isProblem }
    paused = feeds.count { $0.pause != nil }
    let due = feeds.filter(\.decision.isDue)
    self.due = due.count
    lateness = Self.lateness(due.compactMap { $0.decision.dueAt.map { now.since($0) } })
    failedTransfers = feeds.reduce(0) { $0 + $1.transfers.failed }
  }

  /// The most feeds that are listed one by one where none is named.
  static let mostListed = 1000

  func lines(of count: Int, in zone: Zone) -> [String] {
    let states = [
      (results[.newData] ?? 0, "with new data"), (results[.noData] ?? 0, "without"),
      (results[.failed] ?? 0, "failed"), (max(0, count - fetched), "never fetched"), (paused, "paused"),
      (due, "due"),
    ]
    let parts = states.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    var lines = ["\(counted(count, "feed")): " + parts.joined(separator: ", ")]
    if problems > 0 {
      lines.append("\(counted(problems, "feed")) with problems; see bgfetch status --problems")
    }
    if !lateness.isEmpty {
      lines.append(
        "late: " + lateness.map { "\($0.percent) % by at most \($0.by.rounded)" }.joined(separator: ", "))
    }
    lines += lateHosts.prefix(5).filter { $0.feeds > 1 }.map {
      "late: \(cleanText($0.host, limit: 100)), \(counted($0.feeds, "feed")) since \($0.since.local(in: zone))"
    }
    lines += limitedHosts.prefix(5).map {
      "limited: \(cleanText($0.host, limit: 100)) until \($0.until.local(in: zone))"
    }
    if failedTransfers > 0 { lines.append("\(counted(failedTransfers, "download")) given up") }
    if lostDeliveries > 0 {
      lines.append("\(counted(lostDeliveries, "delivery", plural: "deliveries")) given up; see bgfetch hooks")
    }
    return lines
  }

  private var fetched: Int { results.values.reduce(0, +) }

  func json(of count: Int) -> JSONValue {
    JSONValue([
      "type": "overview", "feeds": count, "new-data": results[.newData] ?? 0,
      "no-data": results[.noData] ?? 0, "failed": results[.failed] ?? 0, "never": max(0, count - fetched),
      "problems": problems, "paused": paused, "due": due,
      "lateness": lateness.map { JSONValue(["percent": $0.percent, "seconds": $0.by.seconds]) },
      "late-hosts": lateHosts.map { JSONValue(["host": $0.host, "feeds": $0.feeds, "since": $0.since]) },
      "limited-hosts": limitedHosts.map { JSONValue(["host": $0.host, "until": $0.until]) },
      "failed-transfers": failedTransfers, "lost-deliveries": lostDeliveries,
    ])
  }
}

/// The numbers of all feeds in one line, for example `40 feeds: 2 with problems, 1 paused, 3 due; 34 items unseen`.
func totalsLine(_ feeds: [FeedStatus], at now: Instant) -> String {
  let numbers = FeedOverview(of: feeds, at: now)
  let states = [(numbers.problems, "with problems"), (numbers.paused, "paused"), (numbers.due, "due")]
    .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
  let unseen = feeds.reduce(0) { $0 + $1.facts.unseen }
  let downloads = feeds.reduce(0) { $0 + $1.transfers.unsettled }
  let parts = [
    states.isEmpty ? nil : states.joined(separator: ", "), "\(counted(unseen, "item")) unseen",
    downloads > 0 ? "\(counted(downloads, "download")) waiting" : nil,
  ].compactMap { $0 }
  return "\(counted(feeds.count, "feed")): " + parts.joined(separator: "; ")
}

extension OpenedState {
  /// The reasons why deliveries wait, or some of them: one line for each hook and reason.
  func waitingLines(
    at now: Instant, where isShown: (DeliveryWait) -> Bool = { _ in true }
  ) async throws -> [String] {
    let zone = try zone()
    let pending = waits(of: try await store.deliveries([.pending], limit: 10_000))
    let byHook = Dictionary(grouping: pending, by: \.delivery.hook).sorted { $0.key < $1.key }
    return byHook.flatMap { hook, deliveries in
      deliveries.map(\.wait).filter(isShown).sorted().grouped(by: \.kind).map { waits in
        "\(hook): " + waitingText(waits[0], hook: hook, count: waits.count, at: now, in: zone)
      }
    }
  }
}

private func waitingText(
  _ wait: DeliveryWait, hook: String, count: Int, at now: Instant, in zone: Zone
) -> String {
  let deliveries = counted(count, "delivery", plural: "deliveries")
  let verb = count == 1 ? "waits" : "wait"
  switch wait {
  case .hook:
    return "\(deliveries) of a hook that is not in the configuration; drop with bgfetch hooks drop \(hook)"
  case .moment(let moment):
    return "\(deliveries) postponed, to be delivered \(comingTime(moment, now: now, in: zone))"
  case .session(let expires):
    return
      "\(deliveries) \(verb) until you log in to a desktop, at most \(expires.text) (there is no session bus)"
  case .attempt(let moment, let error):
    return
      "\(deliveries) failed (\(cleanText(error, limit: 200))); \(nextAttempt(moment, now: now, in: zone))"
  case .files(let moment):
    return "\(deliveries) \(verb) for downloads, until \(moment.local(in: zone)) at the latest"
  case .run: return "\(deliveries) \(verb) for the next run"
  }
}

private func nextAttempt(_ moment: Instant, now: Instant, in zone: Zone) -> String {
  moment > now ? "next attempt \(comingTime(moment, now: now, in: zone))" : "the next run tries again"
}

/// The words for the status of a delivery in a table.
func statusText(_ delivery: Delivery, _ wait: DeliveryWait, now: Instant, in zone: Zone) -> String {
  guard delivery.status == .pending else { return delivery.status.rawValue }
  switch wait {
  case .hook: return "pending, without its hook"
  case .moment(let moment): return "postponed until \(moment.local(in: zone))"
  case .session: return "pending, waits for a session bus"
  case .attempt(let moment, _): return "pending, \(nextAttempt(moment, now: now, in: zone))"
  case .files: return "pending, waits for downloads"
  case .run: return "pending"
  }
}

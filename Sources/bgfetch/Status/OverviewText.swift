// `bgfetch status` of a large catalog: its numbers instead of a line for each feed.

import Core

extension FeedOverview {
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
        "late: " + lateness.map { "\($0.percent) % by at most \($0.by.text)" }.joined(separator: ", "))
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

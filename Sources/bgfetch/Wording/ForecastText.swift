// A forecast, laid out.

import Core

/// A forecast as it is shown.
struct ForecastReport {
  /// The feeds, in the order of the configuration.
  let feeds: [FeedSpec]
  /// What each of them comes to.
  let forecasts: [FeedForecast]
  /// What their hosts come to.
  let hosts: [HostForecast]
  /// How often each of them is fetched in each column of the timeline.
  let marks: [[Int]]
  /// Why each of them is or is not due now.
  let decisions: [DueDecision]
  /// From when on.
  let from: Instant
  /// Up to when.
  let until: Instant
  /// The time between two runs.
  let tick: Interval

  /// All fetches.
  var fetches: Int { forecasts.reduce(0) { $0 + $1.fetches } }
  /// All requests.
  var requests: Int { hosts.reduce(0) { $0 + $1.requests } }
}

/// The forecast as lines: feeds, hosts, and the timeline.
func forecastLines(
  _ report: ForecastReport, _ timeline: Timeline, in zone: Zone, on page: Page
) -> [String] {
  let length = report.until.since(report.from)
  let summary =
    "from \(minute(report.from, in: zone)) to \(minute(report.until, in: zone)), a run every \(report.tick.text): "
    + "\(counted(report.fetches, "fetch", "fetches")) of \(counted(report.feeds.count, "feed")), "
    + counted(report.requests, "request")
  var feeds = [["FEED", "FETCHES", "A DAY", "FIRST", "THEN"]]
  for (index, feed) in report.feeds.enumerated() {
    let forecast = report.forecasts[index]
    let cells = [feed.name.text, String(forecast.fetches)]
    feeds.append(
      forecast.fetches == 0
        ? cells + ["", "", neverText(report.decisions[index], in: zone)]
        : cells + [rateText(forecast.fetches, in: length)] + forecast.next.map { minute($0, in: zone) })
  }
  var hosts = [["HOST", "REQUESTS", "A DAY", "FEEDS"]]
  for host in report.hosts {
    hosts.append([
      host.host ?? secretHost, String(host.requests), rateText(host.requests, in: length), String(host.feeds),
    ])
  }
  let rows = zip(report.feeds, report.marks).map { feed, marks in
    [feed.name.text, String(marks.map(Timeline.mark))]
  }
  return [indented(summary, by: 0, on: page), ""] + table(feeds, hasHead: true, on: page) + [""]
    + (report.hosts.isEmpty ? [] : table(hosts, hasHead: true, on: page) + [""])
    + table([["", timeline.axis(in: zone)]] + rows)
    + ["", "each column is \(timeline.unit.text): a digit says how many fetches, # is ten or more"]
}

/// A fetch of a forecast as JSON.
func forecastJSON(_ fetch: ForecastFetch, of feed: FeedName) -> JSONValue {
  .object([
    ("type", .string("forecast-fetch")), ("feed", .string(feed.text)), ("at", .string(fetch.run.rfc3339)),
    ("shared", .bool(fetch.isShared)),
  ])
}

/// What a forecast comes to as JSON: feeds, hosts, all.
func forecastJSON(_ report: ForecastReport) -> [JSONValue] {
  let feeds = report.feeds.indices.map { index in
    let forecast = report.forecasts[index]
    return JSONValue.object([
      ("type", .string("forecast-feed")), ("feed", .string(report.feeds[index].name.text)),
      ("fetches", .number(Int64(forecast.fetches))), ("requests", .number(Int64(forecast.requests))),
      ("first", .text(forecast.next.first?.rfc3339)), ("last", .text(forecast.last?.rfc3339)),
      ("why-not", .text(forecast.fetches == 0 ? neverText(report.decisions[index]) : nil)),
    ])
  }
  let hosts = report.hosts.map { host in
    JSONValue.object([
      ("type", .string("forecast-host")), ("host", .text(host.host)), ("feeds", .number(Int64(host.feeds))),
      ("requests", .number(Int64(host.requests))),
    ])
  }
  let all = JSONValue.object([
    ("type", .string("forecast")), ("from", .string(report.from.rfc3339)),
    ("until", .string(report.until.rfc3339)), ("every-seconds", .number(report.tick.seconds)),
    ("feeds", .number(Int64(report.feeds.count))), ("fetches", .number(Int64(report.fetches))),
    ("requests", .number(Int64(report.requests))),
  ])
  return feeds + hosts + [all]
}

/// Why a feed is not fetched in all that time, moments on the clocks of a zone or, without one, in UTC.
private func neverText(_ decision: DueDecision, in zone: Zone? = nil) -> String {
  if decision.isDue { return "no run in that time" }
  guard let zone, case .held(let rule, let until) = decision.reason else {
    return dueText(decision, in: zone ?? .utc)
  }
  return "\(rule.name) holds it until \(minute(until, in: zone))"
}

/// What stands in the place of a host that nobody may know.
private let secretHost = "(secret)"

/// How often something happens a day, with two digits behind the point where it is less than ten times.
private func rateText(_ count: Int, in length: Interval) -> String {
  let hundredths = (Double(count) * 8_640_000 / Double(max(length.seconds, 1))).rounded()
  let (whole, rest) = Int64(hundredths).quotientAndRemainder(dividingBy: 100)
  if whole >= 10 { return "\(whole).\(rest / 10)" }
  return "\(whole).\(rest < 10 ? "0" : "")\(rest)"
}

/// A moment to the minute.
private func minute(_ moment: Instant, in zone: Zone) -> String { time(moment, "%Y-%m-%d %H:%M", in: zone) }

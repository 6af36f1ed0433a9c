// `bgfetch why --forecast`: the fetches of the coming days as tables.

import Core
import Store

extension OpenedState {
  /// Prints when feeds will be fetched, and how often, if a run starts after each `tick`.
  func forecast(_ feeds: [FeedSpec], for length: Interval, every tick: Interval) async throws {
    let context = try await planningContext(of: feeds, ahead: true)
    let states = try await store.states(of: feeds)
    var forecasts = Array(repeating: FeedForecast(), count: feeds.count)
    var (wakes, last) = (0, Instant?.none)
    Core.forecast(feeds, states, context, for: length, every: tick) { fetch in
      forecasts[fetch.index].add(fetch)
      if fetch.run != last { (wakes, last) = (wakes + 1, fetch.run) }
      if console.isJSON { console.print(forecastJSON(fetch, of: feeds[fetch.index].name)) }
    }
    var plain = (requests: 0, wakes: 0)
    let plainFeeds = feeds.map { feed in
      var feed = feed
      feed.adapt = .none
      return feed
    }
    Core.forecast(plainFeeds, states, context, for: length, every: tick) { fetch in
      plain.wakes += 1
      if !fetch.isShared, !feeds[fetch.index].isLocal { plain.requests += 1 }
    }
    let report = ForecastReport(
      wakes: wakes, plain: plain, feeds: feeds, forecasts: forecasts,
      hosts: hostForecasts(feeds, states, forecasts),
      decisions: feeds.map { dueDecision($0, states[$0.name] ?? FeedState(), context) },
      from: context.now, until: context.now + length, tick: tick)
    console.print(
      json: forecastJSON(report),
      text: forecastLines(report, in: context.zone, on: console.page))
  }
}

/// A forecast to print; `forecasts` and `decisions` have one element for each feed.
struct ForecastReport {
  /// The number of runs that fetch something.
  let wakes: Int
  /// The requests and wakes if each feed had a run of its own, at its interval.
  let plain: (requests: Int, wakes: Int)
  /// The feeds, in the order of the configuration.
  let feeds: [FeedSpec]
  let forecasts: [FeedForecast]
  let hosts: [HostForecast]
  /// Whether each feed is due now, and why.
  let decisions: [DueDecision]
  let from: Instant
  let until: Instant
  /// The time between two runs.
  let tick: Interval

  var fetches: Int { forecasts.reduce(0) { $0 + $1.fetches } }
  var requests: Int { hosts.reduce(0) { $0 + $1.requests } }
}

/// The forecast as text: a table of feeds, and a table of hosts.
func forecastLines(_ report: ForecastReport, in zone: Zone, on page: Page) -> [String] {
  let length = report.until.since(report.from)
  let summary =
    "from \(minute(report.from, in: zone)) to \(minute(report.until, in: zone)), a run every \(report.tick.text): "
    + "\(counted(report.fetches, "fetch", plural: "fetches")) of \(counted(report.feeds.count, "feed")), "
    + counted(report.requests, "request")
  let costs =
    "a day: \(rateText(report.requests, in: length)) requests in \(rateText(report.wakes, in: length)) wakes; "
    + "each feed by itself, without adapt: \(rateText(report.plain.requests, in: length)) in "
    + rateText(report.plain.wakes, in: length)
  var feeds = [["FEED", "FETCHES", "A DAY", "FIRST", "THEN"]]
  for (index, feed) in report.feeds.enumerated() {
    let forecast = report.forecasts[index]
    let (cells, reason) = ([feed.name.text, String(forecast.fetches)], report.decisions[index].waitReason)
    feeds.append(
      forecast.fetches == 0
        ? cells + ["", "", neverText(report.decisions[index], in: zone)]
        : cells + [rateText(forecast.fetches, in: length)]
          + forecast.next.prefix(reason == nil ? 2 : 1).map { minute($0, in: zone) }
          + [reason].compactMap(\.self))
  }
  var hosts = [["HOST", "REQUESTS", "A DAY", "FEEDS"]]
  for host in report.hosts {
    hosts.append([
      host.host ?? secretHost, String(host.requests), rateText(host.requests, in: length), String(host.feeds),
    ])
  }
  return [summary, costs].map { indented($0, by: 0, on: page) } + [""] + table(feeds, hasHead: true, on: page)
    + (report.hosts.isEmpty ? [] : [""] + table(hosts, hasHead: true, on: page))
}

func forecastJSON(_ fetch: ForecastFetch, of feed: FeedName) -> JSONValue {
  JSONValue(["type": "forecast-fetch", "feed": feed, "at": fetch.run, "shared": fetch.isShared])
}

/// The totals of a forecast as JSON: one object for each feed, one for each host, one for all.
func forecastJSON(_ report: ForecastReport) -> [JSONValue] {
  let feeds = report.feeds.indices.map { index in
    let forecast = report.forecasts[index]
    return JSONValue([
      "type": "forecast-feed", "feed": report.feeds[index].name, "fetches": forecast.fetches,
      "requests": forecast.requests, "first": forecast.next.first, "last": forecast.last,
      "why-not": forecast.fetches == 0
        ? neverText(report.decisions[index]) : report.decisions[index].waitReason,
    ])
  }
  let hosts = report.hosts.map { host in
    JSONValue(["type": "forecast-host", "host": host.host, "feeds": host.feeds, "requests": host.requests])
  }
  let all = JSONValue([
    "type": "forecast", "from": report.from, "until": report.until, "every-seconds": report.tick.seconds,
    "feeds": report.feeds.count, "fetches": report.fetches, "requests": report.requests,
    "wakes": report.wakes,
    "plain": JSONValue(["requests": report.plain.requests, "wakes": report.plain.wakes]),
  ])
  return feeds + hosts + [all]
}

/// The reason why a feed has no fetch in the forecast; times are in UTC without a zone.
private func neverText(_ decision: DueDecision, in zone: Zone? = nil) -> String {
  if decision.isDue { return "no run in this period" }
  guard let zone, case .postponed(let rule, let until) = decision.reason else {
    return conclusion(decision, in: zone ?? .utc)
  }
  return "not before \(minute(until, in: zone)): \(rule.name)"
}

/// The text shown instead of a secret host.
private let secretHost = "(secret)"

/// The average a day, with two decimals below ten and one from ten on.
private func rateText(_ count: Int, in length: Interval) -> String {
  let hundredths = (Double(count) * 8_640_000 / Double(max(length.seconds, 1))).rounded()
  let (whole, rest) = Int64(hundredths).quotientAndRemainder(dividingBy: 100)
  if whole >= 10 { return "\(whole).\(rest / 10)" }
  return "\(whole).\(rest < 10 ? "0" : "")\(rest)"
}

private func minute(_ moment: Instant, in zone: Zone) -> String {
  zone.readAt == nil ? time(moment, "%Y-%m-%d %H:%M", in: zone) : moment.local(in: zone)
}

// `bgfetch forecast`: the fetches of the coming days as tables and a timeline.

import ArgumentParser
import Core
import Machine
import Store

struct ForecastCommand: ProgramCommand {
  static let heading = ("forecast", "Predict when feeds will be fetched, and how often")

  @OptionGroup var common: CommonOptions

  @Argument(feeds: "Feeds by name, glob or @tag; default: all.")
  var feeds: [String] = []

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("How far to look ahead; default: 7d.", valueName: "duration"),
    transform: readDuration)
  var length: Interval?

  @Option(
    help: ArgumentHelp("The time between two runs; default: 5m.", valueName: "duration"),
    transform: readDuration)
  var every: Interval?

  func validate() throws {
    if length == .zero { throw ValidationError("--for must be longer than 0; write 7d") }
    if let length, length > .days(3650) { throw ValidationError("--for takes at most 3650d") }
    if every == .zero { throw ValidationError("--every must be longer than 0; write 5m") }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    invocation.startPager()
    return try await invocation.forecast(feeds, for: length ?? .days(7), every: every ?? shippedTimer)
  }
}

/// The interval of the timer in `examples`.
private let shippedTimer = Interval.minutes(5)

extension Invocation {
  fileprivate func forecast(
    _ words: [String], for length: Interval, every tick: Interval
  ) async throws -> ExitStatus {
    let state = try await openState(for: .reading)
    let feeds = try selectedFeeds(words, from: state.settings.feeds)
    let context = try await state.planningContext(of: feeds, ahead: true)
    let states = try await state.store.states(of: feeds)
    let until = context.now + length
    let width = (console.output.columns ?? 80) - 2 - (feeds.map { displayWidth($0.name.text) }.max() ?? 0)
    let timeline = Timeline(
      from: context.now, to: until, width: max(width, 24), least: tick, in: context.zone)

    var forecasts = Array(repeating: FeedForecast(), count: feeds.count)
    var marks = Array(
      repeating: Array(repeating: 0, count: console.isJSON ? 0 : timeline.count), count: feeds.count)
    var (wakes, last) = (0, Instant?.none)
    Core.forecast(feeds, states, context, for: length, every: tick) { fetch in
      forecasts[fetch.index].add(fetch)
      if fetch.run != last { (wakes, last) = (wakes + 1, fetch.run) }
      if console.isJSON {
        console.print(forecastJSON(fetch, of: feeds[fetch.index].name))
      } else {
        marks[fetch.index][timeline.column(of: fetch.run)] += 1
      }
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
      hosts: hostForecasts(feeds, states, forecasts), marks: marks,
      decisions: feeds.map { dueDecision($0, states[$0.name] ?? FeedState(), context) },
      from: context.now, until: until, tick: tick)
    console.print(
      json: forecastJSON(report),
      text: forecastLines(report, timeline, in: context.zone, on: console.page))
    return .success
  }
}

/// A forecast to print; `forecasts`, `marks` and `decisions` have one element for each feed.
struct ForecastReport {
  /// The number of runs that fetch something.
  let wakes: Int
  /// The requests and wakes if each feed had a run of its own, at its interval.
  let plain: (requests: Int, wakes: Int)
  /// The feeds, in the order of the configuration.
  let feeds: [FeedSpec]
  let forecasts: [FeedForecast]
  let hosts: [HostForecast]
  /// The number of fetches in each column of the timeline.
  let marks: [[Int]]
  /// Whether each feed is due now, and why.
  let decisions: [DueDecision]
  let from: Instant
  let until: Instant
  /// The time between two runs.
  let tick: Interval

  var fetches: Int { forecasts.reduce(0) { $0 + $1.fetches } }
  var requests: Int { hosts.reduce(0) { $0 + $1.requests } }
}

/// The forecast as text: a table of feeds, a table of hosts, and the timeline.
func forecastLines(_ report: ForecastReport, _ timeline: Timeline, in zone: Zone, on page: Page) -> [String] {
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
  let rows = zip(report.feeds, report.marks).map { feed, marks in
    [feed.name.text, String(marks.map(Timeline.mark))]
  }
  return [summary, costs].map { indented($0, by: 0, on: page) } + [""] + table(feeds, hasHead: true, on: page)
    + [""]
    + (report.hosts.isEmpty ? [] : table(hosts, hasHead: true, on: page) + [""])
    + table([["", timeline.axis(in: zone)]] + rows)
    + ["", "each column is \(timeline.unit.text): a digit is the number of fetches, # is ten or more"]
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

/// A period divided into columns of equal length, one character wide.
struct Timeline {
  /// The beginning of the first column.
  let start: Instant
  /// The length of a column.
  let unit: Interval
  /// The number of columns.
  let count: Int

  /// The columns between two moments: at most `width`, each at least `least` long, beginning at a round local time.
  init(from: Instant, to end: Instant, width: Int, least: Interval, in zone: Zone) {
    let width = Int64(max(width, 1))
    func columns(_ unit: Int64) -> (start: Instant, count: Int64) {
      let local = from.secondsSince1970 + Int64(zone.offset(at: from))
      let start = from - .seconds(local - local / min(unit, 86_400) * min(unit, 86_400))
      return (start, max(1, (end.since(start).seconds + unit - 1) / unit))
    }
    let shortest = max(least, .seconds(1)).seconds
    var unit =
      Self.units.first { $0 >= shortest && columns($0).count <= width }
      ?? max(shortest, Self.units.last ?? shortest)
    while columns(unit).count > width { unit *= 2 }
    self.unit = .seconds(unit)
    (start, count) = (columns(unit).start, Int(columns(unit).count))
  }

  func column(of moment: Instant) -> Int {
    min(Int(moment.since(start).seconds / unit.seconds), count - 1)
  }

  /// The number of fetches in a column, as one character.
  static func mark(_ times: Int) -> Character {
    switch times {
    case 0: "."
    case 1...9: Character(String(times))
    default: "#"
    }
  }

  /// The line above the columns, which labels the beginnings of hours, days, months or years, as far as there is room.
  func axis(in zone: Zone) -> String {
    let days = unit.seconds * Int64(count) / 86_400
    let format =
      days <= 2 ? "%H:00" : days <= 14 ? "%a %d" : days <= 100 ? "%d %b" : days <= 1500 ? "%b" : "%Y"
    // A column has the label of its end. After a clock change, columns end up to an hour before or after midnight.
    let first = days <= 2 ? start : start + .seconds(unit.seconds - 3601)
    var (line, last) = ("", time(first - unit, format, in: zone))
    for column in 0..<count {
      let label = time(first + .seconds(Int64(column) * unit.seconds), format, in: zone)
      if label != last, line.isEmpty || line.count < column { line += blanks(column - line.count) + label }
      last = label
    }
    return line
  }

  private static let units: [Int64] =
    [1, 5, 10, 15, 30].map { $0 * 60 } + [1, 2, 3, 4, 6, 8, 12, 24, 48, 168].map { $0 * 3600 }
}

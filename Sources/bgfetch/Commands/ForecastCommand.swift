// `bgfetch forecast`.

import ArgumentParser
import Core
import Host
import StateStore
import Sync

struct ForecastCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forecast", abstract: "Say when feeds will be asked, and how often")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("Feeds, by name, glob or @tag; all of them for none.", valueName: "feed"),
    completion: .feedNames)
  var feeds: [String] = []

  @Option(
    name: .customLong("for"), help: ArgumentHelp("How far to look; 7d.", valueName: "duration"),
    transform: readDuration)
  var length: Interval?

  @Option(
    help: ArgumentHelp("The time between two runs; 5m.", valueName: "duration"), transform: readDuration)
  var every: Interval?

  func validate() throws {
    if length == .zero { throw ValidationError("--for takes a length of time; write 7d") }
    if let length, length > .days(3650) { throw ValidationError("--for takes at most 3650d") }
    if every == .zero { throw ValidationError("--every takes a length of time; write 5m") }
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      try await invocation.forecast(feeds, for: length ?? .days(7), every: every ?? shippedTimer)
    }
  }
}

/// How often the timer in `examples` wakes a run.
private let shippedTimer = Interval.minutes(5)

extension Invocation {
  fileprivate func forecast(
    _ words: [String], for length: Interval, every tick: Interval
  ) async throws -> ExitStatus {
    let settings = try configuration().settings
    let feeds = try selectedFeeds(words, from: settings.feeds)
    let store = try await openStoreToShow(settings)
    let context = try await planningContext(settings, store, options: RunOptions())
    let states = try await states(settings, store)
    let until = context.now + length
    let width = (console.output.columns ?? 80) - 2 - (feeds.map { displayWidth($0.name.text) }.max() ?? 0)
    let timeline = Timeline(
      from: context.now, to: until, width: max(width, 24), least: tick, in: context.zone)

    var forecasts = Array(repeating: FeedForecast(), count: feeds.count)
    var marks = Array(
      repeating: Array(repeating: 0, count: console.isJSON ? 0 : timeline.count), count: feeds.count)
    Core.forecast(feeds, states, context, for: length, every: tick) { fetch in
      forecasts[fetch.place].add(fetch)
      if console.isJSON {
        console.print(forecastJSON(fetch, of: feeds[fetch.place].name))
      } else {
        marks[fetch.place][timeline.column(of: fetch.run)] += 1
      }
    }
    let report = ForecastReport(
      feeds: feeds, forecasts: forecasts, hosts: hostForecasts(feeds, states, forecasts), marks: marks,
      decisions: feeds.map { dueDecision($0, states[$0.name] ?? FeedState(), context) },
      from: context.now, until: until, tick: tick)
    if console.isJSON {
      for line in forecastJSON(report) { console.print(line) }
    } else {
      for line in forecastLines(report, timeline, in: context.zone, on: console.page) { console.print(line) }
    }
    return .success
  }
}

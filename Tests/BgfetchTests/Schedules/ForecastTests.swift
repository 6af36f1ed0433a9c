// `bgfetch forecast`, compared with real runs.

import Foundation
import TestKit
import Testing

@Suite struct ForecastRunTests {
  /// One fetch of a feed at a time.
  private struct Fetch: Hashable, Comparable, CustomStringConvertible {
    let at: String
    let feed: String

    var description: String { "\(at) \(feed)" }

    static func < (left: Fetch, right: Fetch) -> Bool { (left.at, left.feed) < (right.at, right.feed) }
  }

  private static let beginning = Date(timeIntervalSince1970: 1_795_651_200)  // 2026-11-26T00:00:00Z

  private func moment(_ minutes: Int) -> String {
    ISO8601DateFormatter().string(from: Self.beginning + Double(minutes * 60))
  }

  @Test(arguments: [(every: 10, runs: 75, feeds: 11), (every: 2, runs: 65, feeds: 11)])
  func `real runs fetch what the forecast says`(every: Int, runs: Int, feeds: Int) async throws {
    let server = try ScriptedServer()
    let other = try ScriptedServer()
    server.feed("/hourly", ["a"])
    // A run waits for a max-age that is about to end; with these lengths it waits a second at most.
    server.on("/fresh", .document(rss([("a", "A")]), etag: "\"1\"").with("Cache-Control", "max-age=4080"))
    server.on("/plain", .status(200, [("Cache-Control", "max-age=960")], body: rss([("a", "A")])))
    server.on(
      "/ttl",
      .document(
        rss([("a", "A")]).replacing("<channel>", with: "<channel><ttl>100</ttl>"), etag: "\"1\""))
    server.on(
      "/quiet",
      .document(
        rss([("a", "A")]).replacing(
          "<channel>", with: "<channel><skipHours><hour>3</hour><hour>4</hour></skipHours>"),
        etag: "\"1\""))
    other.on("/broken", .status(500))
    let bgfetch = try BuiltProgram(
      configuration: """
        timezone: America/New_York
        feeds:
          hourly: {url: "\(server.url("/hourly"))", minimum-interval: 1h}
          again: {url: "\(server.url("/hourly"))", minimum-interval: 30m}
          fresh: {url: "\(server.url("/fresh"))", minimum-interval: 10m}
          plain: {url: "\(server.url("/plain"))", minimum-interval: 10m}
          daily: {url: "\(server.url("/plain?2"))"}
          ttl: {url: "\(server.url("/ttl"))", minimum-interval: 45m}
          quiet: {url: "\(server.url("/quiet"))", minimum-interval: 25m}
          scheduled: {url: "\(server.url("/hourly?2"))", schedule: ["7,40 6-20 * * *", "@daily"]}
          office: {url: "\(server.url("/hourly?3"))", minimum-interval: 20m, hours: "wed 20:30-04:30"}
          often: {url: "\(server.url("/hourly?4"))", minimum-interval: every-run, hours: "20:00-20:30"}
          never: {url: "\(server.url("/hourly?5"))", minimum-interval: never}
          paused: {url: "\(server.url("/hourly?6"))", minimum-interval: 1h}
          broken: {url: "\(other.url("/broken"))", minimum-interval: 15m}
        """)
    // Before the forecast most feeds were fetched, one of them failed, and three were never fetched.
    let clock = moment(-10)
    _ = try await bgfetch("run", "--json", at: clock)
    _ = try await bgfetch("pause", "paused", "--until", moment(100), at: clock)
    other.feed("/broken", ["a"])

    let forecast = try await bgfetch(
      "forecast", "--for", "\(every * runs)m", "--every", "\(every)m", "--json",
      at: moment(0))
    var done: [Fetch] = []
    for run in 0..<runs {
      let now = moment(run * every)
      let invoked = try await bgfetch("run", "--json", at: now)
      #expect(invoked.errors == "")
      done += invoked.json.filter { $0["type"] as? String == "fetch" }.compactMap { fetch in
        (fetch["feed"] as? String).map { Fetch(at: now, feed: $0) }
      }
    }

    let expected = forecast.json.filter { $0["type"] as? String == "forecast-fetch" }.compactMap { fetch in
      (fetch["feed"] as? String).flatMap { feed in (fetch["at"] as? String).map { Fetch(at: $0, feed: feed) }
      }
    }
    #expect(forecast.status == 0)
    #expect(Set(expected.map(\.feed)).count == feeds)
    #expect(expected.sorted() == done.sorted())
  }

  @Test func `a forecast counts the fetches of each feed and the requests to each host`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: """
        feeds:
          hourly: {url: "https://planet.example/feed", minimum-interval: 1h}
          twin: {url: "https://planet.example/feed", minimum-interval: 2h}
          morning: {url: "https://news.example/feed", schedule: "0 8 * * *"}
          notes: {url: "file:HOME/notes.xml", minimum-interval: every-run}
          hub: {url: {env: HUB}, minimum-interval: 12h}
          never: {url: "https://planet.example/never", minimum-interval: never}
        """)

    let forecast = try await bgfetch("forecast", "--for", "1d", at: "2026-11-26T09:00:00Z")

    #expect(
      forecast.output == """
        from 2026-11-26 09:00 to 2026-11-27 09:00, a run every 5m: 328 fetches of 6 feeds, 28 requests

        FEED     FETCHES  A DAY  FIRST             THEN
        hourly   24       24.0   2026-11-26 09:00  2026-11-26 10:00
        twin     12       12.0   2026-11-26 09:00  2026-11-26 11:00
        morning  2        2.00   2026-11-26 09:00  2026-11-27 08:00
        notes    288      288.0  2026-11-26 09:00  2026-11-26 09:05
        hub      2        2.00   2026-11-26 09:00  2026-11-26 21:00
        never    0                                 only when named

        HOST            REQUESTS  A DAY  FEEDS
        planet.example  24        24.0   3
        (secret)        2         2.00   1
        news.example    2         2.00   1

                 09:00 12:00 15:00 18:00 21:00 00:00 03:00 06:00
        hourly   1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.
        twin     1...1...1...1...1...1...1...1...1...1...1...1...
        morning  1.............................................1.
        notes    666666666666666666666666666666666666666666666666
        hub      1.......................1.......................
        never    ................................................

        each column is 30m: a digit is the number of fetches, # is ten or more

        """)
  }

  @Test(
    arguments: [
      ("7d", "3h", "          Fri 27  Sat 28  Sun 29  Mon 30  Tue 01  Wed 02  Thu 03"),
      ("365d", "7d", "Dec  Jan Feb Mar"), ("12h", "10m", "09:00 10:00 11:00"),
    ])
  func `a timeline has as many labels as fit`(length: String, unit: String, axis: String) async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: \"https://planet.example/feed\"}\n")

    let forecast = try await bgfetch("forecast", "--for", length, at: "2026-11-26T09:00:00Z")

    #expect(forecast.output.contains("each column is \(unit):"))
    #expect(forecast.output.contains(axis), "\(forecast.output)")
    #expect(forecast.lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("from ") })
  }

  @Test(arguments: [
    ["--for", "0s"], ["--every", "0s"], ["--for", "7"], ["nobody"],
    ["--for", "106751991167300d", "--every", "106751991167300d"],
    ["--for", "9223372036854775807s", "--every", "1000000000000d"], ["--for", "3651d"], ["--every", "3651d"],
  ])
  func `a forecast without a length or with an unknown feed is refused`(arguments: [String]) async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: \"https://planet.example/feed\"}\n")

    #expect(try await bgfetch(["forecast"] + arguments).status == 2)
  }
}

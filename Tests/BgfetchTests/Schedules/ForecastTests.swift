// `bgfetch forecast`: its tables and timelines.

import Foundation
import TestKit
import Testing

@Suite struct ForecastRunTests {
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
        a day: 28.0 requests in 288.0 wakes; each feed by itself, without adapt: 28.0 in 328.0

        FEED     FETCHES  A DAY  FIRST             THEN
        hourly   24       24.0   2026-11-26 09:00  2026-11-26 10:00
        twin     12       12.0   2026-11-26 09:00  2026-11-26 11:00
        morning  2        2.00   2026-11-26 09:00  2026-11-27 08:00
        notes    288      288.0  2026-11-26 09:00  2026-11-26 09:05
        hub      2        2.00   2026-11-26 09:00  2026-11-26 21:00
        never    0                                 never due by itself; name it to fetch it

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

  @Test(arguments: [
    ("7d", "3h", "          Fri 27  Sat 28  Sun 29  Mon 30  Tue 01  Wed 02  Thu 03"),
    ("365d", "7d", "Dec  Jan Feb Mar"), ("12h", "10m", "09:00 10:00 11:00"),
  ])
  func `a timeline has as many labels as fit`(length: String, unit: String, axis: String) async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: \"https://planet.example/feed\"}\n")

    let forecast = try await bgfetch("forecast", "--for", length, at: "2026-11-26T09:00:00Z")

    #expect(forecast.output.contains("each column is \(unit):") && forecast.output.contains(axis))
    #expect(forecast.lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("from ") || $0.hasPrefix("a day: ") })
  }
}

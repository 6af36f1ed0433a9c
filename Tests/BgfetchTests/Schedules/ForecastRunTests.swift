// `bgfetch why --forecast`: its tables.

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

    let forecast = try await bgfetch("why", "--forecast", "1d", at: "2026-11-26T09:00:00Z")

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

        """)
  }
}

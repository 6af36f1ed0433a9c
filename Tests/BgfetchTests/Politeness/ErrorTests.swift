// Requests that wait or are never sent after a rate limit, and where or when the document says so.

import Foundation
import TestKit
import Testing

@Suite struct ErrorCheckTests {
  private static let calm = "network: {delay-per-host: 0s}"

  @Test func `a 429 within a run cancels the other requests to that host in that run`() async throws {
    let names = (1...5).map { "feed\($0)" }
    let polite = try PoliteProgram(names, settings: Self.calm, isPublic: true)
    for name in names { polite.server.on("/" + name, .status(429, [("Retry-After", "60")])) }

    #expect(try await polite.run().json.last?["left"] as? Int == 4)
    #expect(polite.server.requests.map(\.path) == ["/feed1"])
  }

  @Test func `skipHours and skipDays of the document are respected`() async throws {
    let polite = try PoliteProgram(keys: "minimum-interval: 5m")
    let skips = "<skipHours><hour>12</hour></skipHours><skipDays><day>Tuesday</day></skipDays>"
    polite.server.on("/planet", .kept(channel: skips))

    var asked: [Int] = []
    for moment in [0, hour, 2 * hour, 2 * hour + 50 * minute, 3 * hour, day, day + 10 * hour, 2 * day]
    where try await polite.requests(at: moment) > 0 { asked.append(moment) }

    #expect(asked == [0, hour, 3 * hour, 2 * day])
  }

  @Test func `a podcast that names its new address is requested there after a day, and status shows it`()
    async throws
  {
    let polite = try PoliteProgram()
    polite.server.on(
      "/planet", .kept(channel: "<itunes:new-feed-url>\(polite.server.url("/now"))</itunes:new-feed-url>"))
    polite.server.on("/now", .kept())

    for number in 0...3 { try await polite.run(at: number * day) }
    try await polite.bgfetch("status", "planet", at: moment(seconds: 3 * day), output: "/now")

    #expect(polite.server.requests.map(\.path) == ["/planet", "/planet", "/planet", "/now"])
  }
}

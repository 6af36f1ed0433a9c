// Runs that wait for a server: its freshness, its hours, and a process that was killed.

import Foundation
import TestKit
import Testing

@Suite struct TimingCheckTests {
  private static let sent = ("Date", "Mon, 02 Nov 2026 10:00:00 GMT")

  /// The given times at which a run sent a request; the first run is at 0.
  private func asked(_ polite: PoliteProgram, at moments: [Int]) async throws -> [Int] {
    var asked: [Int] = []
    for moment in moments where try await polite.requests(at: moment) > 0 { asked.append(moment) }
    return asked
  }

  @Test func `a feed waits for max-age less Age, after a 200 and after a 304`() async throws {
    let polite = try PoliteProgram(keys: "minimum-interval: 5m")
    polite.server.on("/planet", .kept(Self.sent, ("Cache-Control", "public, max-age=43200"), ("Age", "3600")))

    let moments = [0, hour, 10 * hour, 11 * hour + 5, 12 * hour, 21 * hour, 22 * hour + 10]

    #expect(try await asked(polite, at: moments) == [0, 11 * hour + 5, 22 * hour + 10])
    #expect(polite.asked.last?["If-None-Match"] == "\"1\"")
  }

  @Test func `skipHours and skipDays of the document are respected`() async throws {
    let polite = try PoliteProgram(keys: "minimum-interval: 5m")
    let skips = "<skipHours><hour>12</hour></skipHours><skipDays><day>Tuesday</day></skipDays>"
    polite.server.on("/planet", .kept(channel: skips))

    let moments = [0, hour, 2 * hour, 2 * hour + 50 * minute, 3 * hour, day, day + 10 * hour, 2 * day]

    #expect(try await asked(polite, at: moments) == [0, hour, 3 * hour, 2 * day])
  }

  @Test func `a new process sends no request while nothing is due, even after a kill`() async throws {
    let names = (1...20).map { "feed\($0)" }
    let polite = try PoliteProgram(names)
    for name in names { polite.server.on("/" + name, .kept()) }
    try await polite.run()
    let killed = try polite.bgfetch.started(["run"], at: moment(seconds: minute))
    killed.signal(SIGKILL)
    _ = await killed.ended()
    let connections = polite.server.connections

    for moment in [2 * minute, 30 * minute, 57 * minute] { try await polite.run(at: moment) }

    #expect(polite.server.requests.count == 20)
    #expect(polite.server.connections == connections)
  }
}

// Checks 16 to 27: when a feed is fetched without errors.

import Foundation
import TestKit
import Testing

@Suite struct TimingCheckTests {
  private static let sent = ("Date", "Mon, 02 Nov 2026 10:00:00 GMT")

  /// Those of the given times at which a run sent a request; the first run is at 0.
  private func asked(_ polite: PoliteProgram, at moments: [Int]) async throws -> [Int] {
    var asked: [Int] = []
    for moment in moments where try await polite.requests(at: moment) > 0 { asked.append(moment) }
    return asked
  }

  // 16
  @Test func `a feed with validators is fetched once an hour`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept())

    let moments = [0, 30 * minute, 57 * minute, hour, 90 * minute, 2 * hour]

    #expect(try await asked(polite, at: moments) == [0, hour, 2 * hour])
  }

  // 16
  @Test func `a feed without validators is fetched once a day`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .feed())

    #expect(try await asked(polite, at: [0, hour, 12 * hour, 23 * hour, day]) == [0, day])
  }

  // 17
  @Test func `a feed waits for max-age less Age, after a 200 and after a 304`() async throws {
    let polite = try PoliteProgram(keys: "minimum-interval: 5m")
    polite.server.on("/planet", .kept(Self.sent, ("Cache-Control", "public, max-age=43200"), ("Age", "3600")))

    let moments = [0, hour, 10 * hour, 11 * hour + 5, 12 * hour, 21 * hour, 22 * hour + 10]

    #expect(try await asked(polite, at: moments) == [0, 11 * hour + 5, 22 * hour + 10])
    #expect(polite.asked.last?["If-None-Match"] == "\"1\"")
  }

  // 17
  @Test func `a feed never waits longer than seven days`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept(("Cache-Control", "max-age=504921600")))

    #expect(try await asked(polite, at: [0, 6 * day, 7 * day + minute]) == [0, 7 * day + minute])
  }

  // 18
  @Test(arguments: ["no-cache", "no-store", "no-cache, no-store, max-age=0, must-revalidate"])
  func `no-cache and no-store do not shorten the interval`(control: String) async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept(("Cache-Control", control)))

    #expect(try await asked(polite, at: [0, 5 * minute, 57 * minute, hour]) == [0, hour])
  }

  // 19
  @Test func `Expires counts without max-age`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept(Self.sent, ("Expires", "Mon, 02 Nov 2026 13:00:00 GMT")))

    #expect(try await asked(polite, at: [0, hour, 2 * hour, 3 * hour + 5]) == [0, 3 * hour + 5])
  }

  // 19
  @Test(arguments: [
    [("Expires", "Mon, 02 Nov 2026 13:00:00 GMT"), ("Cache-Control", "max-age=60")], [("Expires", "0")],
    [("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")], [("Expires", "soon")],
  ])
  func `Expires is ignored beside max-age, and if it has passed`(fields: [(String, String)]) async throws {
    let polite = try PoliteProgram()
    var answer = ScriptedAnswer.kept(Self.sent)
    answer.fields += fields.map { (name: $0.0, value: $0.1) }
    polite.server.on("/planet", answer)

    #expect(try await asked(polite, at: [0, 57 * minute, hour]) == [0, hour])
  }

  // 20
  @Test(arguments: [
    ("<ttl>360</ttl>", 6 * hour), ("<ttl>1</ttl>", hour), ("<ttl>99999</ttl>", day),
    (
      "<sy:updatePeriod xmlns:sy=\"http://purl.org/rss/1.0/modules/syndication/\">daily</sy:updatePeriod>"
        + "<sy:updateFrequency xmlns:sy=\"http://purl.org/rss/1.0/modules/syndication/\">4</sy:updateFrequency>",
      6 * hour
    ),
  ])
  func `ttl and sy lengthen the interval by a day at most`(channel: String, wait: Int) async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept(channel: channel))

    let moments = [0, 5 * minute, wait - 5 * minute, wait + 5]

    #expect(try await asked(polite, at: moments) == [0, wait + 5])
  }

  // 21
  @Test func `skipHours and skipDays of the document are respected`() async throws {
    let polite = try PoliteProgram(keys: "minimum-interval: 5m")
    let skips = "<skipHours><hour>12</hour></skipHours><skipDays><day>Tuesday</day></skipDays>"
    polite.server.on("/planet", .kept(channel: skips))

    let moments = [0, hour, 2 * hour, 2 * hour + 50 * minute, 3 * hour, day, day + 10 * hour, 2 * day]

    #expect(try await asked(polite, at: moments) == [0, hour, 3 * hour, 2 * day])
  }

  // 22, 23
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

  // 25
  @Test func `requests to a public host are a second apart, within and between runs`() async throws {
    let names = ["one", "two", "three"]
    let polite = try PoliteProgram(names, isPublic: true)
    for name in names { polite.server.on("/" + name, .kept()) }
    let clock = ContinuousClock()

    let first = try await clock.measure { try await polite.run(at: 0, ["one", "two"]) }
    let second = try await clock.measure { try await polite.run(at: 0, ["three"]) }

    #expect(polite.server.requests.map(\.path) == ["/one", "/two", "/three"])
    #expect(polite.server.mostAtOnce == 1)
    // The program's clock is fixed, so the last request of the first run is just now for the second.
    #expect(first >= .milliseconds(990))
    #expect(second >= .milliseconds(990))
  }

  // 26
  @Test func `feeds that failed together are retried at different but fixed times`() async throws {
    let names = (1...10).map { "feed\($0)" }
    func comeBack() async throws -> [String] {
      let polite = try PoliteProgram(names)
      for name in names { polite.server.on("/" + name, .status(500)) }
      try await polite.run()
      return try await polite.status(at: 0).compactMap { $0["next"] as? String }
    }

    let moments = try await comeBack()

    #expect(moments.count == 10)
    #expect(Set(moments).count > 5)
    #expect(try await comeBack() == moments)
  }

  // 27
  @Test func `after a long suspend each feed is fetched once`() async throws {
    let polite = try PoliteProgram(keys: "schedule: \"*/10 * * * *\"")
    polite.server.on("/planet", .kept())
    try await polite.run()

    #expect(try await polite.requests(at: 5 * day) == 1)
    #expect(try await polite.requests(at: 5 * day + minute) == 0)
  }
}

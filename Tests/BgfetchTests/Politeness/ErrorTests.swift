// Checks 28 to 40: after errors, rate limits and redirects.

import Foundation
import TestKit
import Testing

@Suite struct ErrorCheckTests {
  private static let calm = "network: {delay-per-host: 0s}"

  /// The times without and then with a request after each response.
  private func expect(
    _ polite: PoliteProgram, quiet: ClosedRange<Int>, then first: Int, after answered: Int = 0
  ) async throws {
    #expect(try await polite.requests(at: answered + quiet.lowerBound) == 0)
    #expect(try await polite.requests(at: answered + quiet.upperBound) == 0)
    #expect(try await polite.requests(at: answered + first) == 1)
  }

  // 28
  @Test func `a 429 with Retry-After stops the feed and its host, in later processes too`() async throws {
    let polite = try PoliteProgram(["planet", "other"], settings: Self.calm, isPublic: true)
    polite.server.on("/planet", .status(429, [("Retry-After", "3600")]))
    polite.server.on("/other", .kept())

    #expect(try await polite.requests(at: 0) == 1)
    for moment in [minute, 30 * minute, 58 * minute] { #expect(try await polite.requests(at: moment) == 0) }
    polite.server.on("/planet", .kept())

    #expect(try await polite.requests(at: hour + 7 * minute) == 2)
  }

  // 28
  @Test func `a 429 of a private host stops only its feed`() async throws {
    let polite = try PoliteProgram(["planet", "other"])
    polite.server.on("/planet", .status(429, [("Retry-After", "3600")]))
    polite.server.on("/other", .kept())

    #expect(try await polite.requests(at: 0) == 2)
  }

  // 29
  @Test(arguments: [429, 503])
  func `Retry-After may be a date`(status: Int) async throws {
    let polite = try PoliteProgram()
    let fields = [
      (name: "Retry-After", value: "Mon, 02 Nov 2026 13:00:00 GMT"),
      (name: "Date", value: "Mon, 02 Nov 2026 10:00:00 GMT"),
    ]
    polite.server.on("/planet", inTurn: .status(status, fields), .kept())
    try await polite.run()

    try await expect(polite, quiet: hour...3 * hour - 2 * minute, then: 3 * hour + 11 * minute)
  }

  // 29
  @Test(arguments: [
    ("429", "0", 10), ("429", "Thu, 01 Jan 1970 00:00:00 GMT", 10), ("503", "0", 15), ("503", "now", 15),
  ])
  func `an invalid Retry-After is ignored`(status: String, value: String, minutes: Int) async throws {
    let polite = try PoliteProgram(keys: "minimum-interval: \(minutes == 10 ? 5 : 60)m")
    polite.server.on("/planet", inTurn: .status(try #require(Int(status)), [("Retry-After", value)]), .kept())
    try await polite.run()

    try await expect(
      polite, quiet: minute...(minutes - 2) * minute, then: minutes * minute + minutes * 6 + 65)
  }

  // 30
  @Test func `a 503 with Retry-After stops the feed but not its host`() async throws {
    let polite = try PoliteProgram(["planet", "other"], settings: Self.calm, isPublic: true)
    polite.server.on("/planet", inTurn: .status(503, [("Retry-After", "7200")]), .kept())
    polite.server.on("/other", .kept(("Cache-Control", "max-age=86400")))

    #expect(try await polite.requests(at: 0) == 2)
    try await expect(polite, quiet: minute...2 * hour - 2 * minute, then: 2 * hour + 11 * minute)
  }

  // 31
  @Test func `a 429 without Retry-After costs ten minutes, then twice as long each time`() async throws {
    let polite = try PoliteProgram(keys: "minimum-interval: 5m")
    polite.server.on("/planet", .status(429))
    try await polite.run()
    var answered = 0

    for minutes in [10, 20, 40, 80] {
      // 10 % jitter, and the minute that a run may wait.
      let next = minutes * minute + minutes * 6 + 65
      try await expect(polite, quiet: minute...(minutes - 2) * minute, then: next, after: answered)
      answered += next
    }
  }

  // 32
  @Test func `a 429 within a run cancels the other requests to that host in that run`() async throws {
    let names = (1...5).map { "feed\($0)" }
    let polite = try PoliteProgram(names, settings: Self.calm, isPublic: true)
    for name in names { polite.server.on("/" + name, .status(429, [("Retry-After", "60")])) }

    let run = try await polite.run()

    #expect(polite.server.requests.map(\.path) == ["/feed1"])
    #expect(run.json.last?["left"] as? Int == 4)
  }

  // 33
  @Test func `max-age of a 429 counts too`() async throws {
    let polite = try PoliteProgram()
    let limited = ScriptedAnswer.status(429, [("Retry-After", "60"), ("Cache-Control", "max-age=172800")])
    polite.server.on("/planet", inTurn: limited, .kept())
    try await polite.run()

    try await expect(polite, quiet: hour...47 * hour, then: 48 * hour + 11 * minute)
  }

  // 34: a server may send 410 by mistake; two of them a day apart are believed.
  @Test func `a feed with 410 is fetched a day later, then every thirty days`() async throws {
    let polite = try PoliteProgram()
    let path = try polite.bgfetch.script("say", "echo \"$BGFETCH_TITLE$BGFETCH_EVENT\" >> \"$HOME/said\"")
    try polite.configure(settings: "hooks: {say: {events: [failing], run: [\"\(path)\"]}}")
    polite.server.on("/planet", .status(410))
    try await polite.run()

    let second = day + 11 * minute
    let third = second + 30 * day + 11 * minute
    try await expect(polite, quiet: hour...23 * hour, then: second)
    try await expect(polite, quiet: hour...29 * day, then: 30 * day + 11 * minute, after: second)
    try await expect(polite, quiet: hour...29 * day, then: 30 * day + 11 * minute, after: third)

    #expect(polite.bgfetch.text(of: "said") == "failing\n")
    #expect(try await polite.status(at: third).first?["gone"] as? Bool == true)
  }

  // 35
  @Test(arguments: [401, 403, 404])
  func `after a 4xx the feed waits hours, then twice as long`(status: Int) async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .status(status))
    try await polite.run()

    let second = 4 * hour + 11 * minute
    try await expect(polite, quiet: hour...4 * hour - 1, then: second)
    try await expect(polite, quiet: hour...8 * hour - 1, then: 8 * hour + 11 * minute, after: second)
  }

  // 36
  @Test(arguments: [
    ("an error of the server", ScriptedAnswer.status(500)), ("a reset", .raw(.reset)),
    ("nothing", .raw(.close)), ("a cut body", ScriptedAnswer.feed().cut(after: 60)),
  ])
  func `after a 5xx the feed waits minutes, then twice as long`(
    what: String, answer: ScriptedAnswer
  ) async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", answer)

    #expect(try await polite.requests(at: 0) == 1, "\(what)")
    let second = 17 * minute
    try await expect(polite, quiet: minute...15 * minute - 1, then: second)
    try await expect(polite, quiet: minute...30 * minute - 1, then: 34 * minute, after: second)
  }

  // 38: Core decides what is learned from 301 and 308; nothing is learned from these statuses.
  @Test(arguments: [302, 303, 307])
  func `a temporary redirect is followed each time and never learned`(status: Int) async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .redirect(status, to: "/now"))
    polite.server.on("/now", .kept())

    for number in 0...5 { try await polite.run(at: number * day) }

    #expect(polite.server.requests.map(\.path) == (0...5).flatMap { _ in ["/planet", "/now"] })
  }

  // 38: a document that names its new address.
  @Test func `a podcast that names its new address is requested there after a day, and status shows it`()
    async throws
  {
    let polite = try PoliteProgram()
    polite.server.on(
      "/planet", .kept(channel: "<itunes:new-feed-url>\(polite.server.url("/now"))</itunes:new-feed-url>"))
    polite.server.on("/now", .kept())

    for number in 0...3 { try await polite.run(at: number * day) }
    let status = try await polite.bgfetch("status", "planet", at: moment(seconds: 3 * day))

    #expect(polite.server.requests.map(\.path) == ["/planet", "/planet", "/planet", "/now"])
    #expect(status.output.contains("/now"))
  }

  // 39
  @Test func `ten redirects are followed, an eleventh is not`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .redirect(to: "/1"))
    for number in 1..<10 { polite.server.on("/\(number)", .redirect(to: "/\(number + 1)")) }
    polite.server.on("/10", .kept())

    let good = try await polite.run()
    polite.server.on("/10", .redirect(to: "/11"))
    let bad = try await polite.run(at: 0, ["--force"])

    #expect(good.status == 0)
    #expect(bad.status == 4)
    #expect(polite.server.requests.count == 22)
    #expect(polite.server.requests("/11").isEmpty)
  }

  // 39
  @Test func `a redirect loop ends at its first repetition`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .redirect(to: "/there"))
    polite.server.on("/there", .redirect(to: "/planet"))

    let run = try await polite.run()

    #expect(run.status == 4)
    #expect(polite.server.requests.map(\.path) == ["/planet", "/there"])
  }

  // 40
  @Test(arguments: [
    ("a page", ScriptedAnswer.document("<!doctype html><html><body>Log in</body></html>", type: "text/html")),
    ("an image", .document([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0], type: "image/png")),
    ("nothing", .document("")), ("white space", .document(" \n\t\n")),
    ("other JSON", .document("{\"error\": \"busy\"}", type: "application/json")),
  ])
  func `a document that is not a feed is a failure, not no-data`(what: String, answer: ScriptedAnswer)
    async throws
  {
    let polite = try PoliteProgram()
    polite.server.on("/planet", answer)

    let run = try await polite.run()

    #expect(run.json.first?["result"] as? String == "failed", "\(what)")
    #expect(run.status == 4)
  }
}

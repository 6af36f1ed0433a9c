// After errors and rate limits: which requests wait, and which are never sent.

import Foundation
import TestKit
import Testing

@Suite struct ErrorCheckTests {
  private static let calm = "network: {delay-per-host: 0s}"

  @Test func `a 429 with Retry-After stops the feed and its host, in later processes too`() async throws {
    let polite = try PoliteProgram(["planet", "other"], settings: Self.calm, isPublic: true)
    polite.server.on("/planet", .status(429, [("Retry-After", "3600")]))
    polite.server.on("/other", .kept())

    #expect(try await polite.requests(at: 0) == 1)
    for moment in [minute, 30 * minute, 58 * minute] { #expect(try await polite.requests(at: moment) == 0) }
    polite.server.on("/planet", .kept())

    #expect(try await polite.requests(at: hour + 7 * minute) == 2)
  }

  @Test func `a 429 within a run cancels the other requests to that host in that run`() async throws {
    let names = (1...5).map { "feed\($0)" }
    let polite = try PoliteProgram(names, settings: Self.calm, isPublic: true)
    for name in names { polite.server.on("/" + name, .status(429, [("Retry-After", "60")])) }

    #expect(try await polite.run().json.last?["left"] as? Int == 4)
    #expect(polite.server.requests.map(\.path) == ["/feed1"])
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

// Checks 41 to 46 and 52: what a request looks like, and that there is no other.

import Foundation
import TestKit
import Testing

@Suite struct HygieneCheckTests {
  // 41
  @Test func `the User-Agent names program, version and a page to turn to, and stays the same`() async throws
  {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept())

    for _ in 1...2 { try await polite.run(at: 0, ["--force"]) }

    let agents = Set(polite.asked.compactMap { $0["User-Agent"] })
    let agent = try #require(agents.first)
    #expect(agents.count == 1)
    #expect(agent.wholeMatch(of: #/bgfetch\/\d+\.\d+(\.\d+)? \(\+https?://\S+\)/#) != nil, "\(agent)")
  }

  // 42
  @Test func `no cookie, no referrer, no added parameter and no fragment is sent`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/feed", ScriptedAnswer.kept().with("Set-Cookie", "id=1; Path=/"))
    polite.server.on("/a/./b", .redirect(to: "/feed?c=d#there"))
    try polite.bgfetch.configure("feeds: {planet: \"\(polite.server.url("/a/./b?b=2&a=1&&x#top"))\"}\n")

    for _ in 1...2 { try await polite.run(at: 0, ["--force"]) }

    #expect(
      polite.server.requests.map(\.target) == [
        "/a/./b?b=2&a=1&&x", "/feed?c=d", "/a/./b?b=2&a=1&&x", "/feed?c=d",
      ])
    let names = Set(polite.server.requests.flatMap { $0.fields.map(\.name) })
    #expect(names == ["Host", "User-Agent", "Accept", "Accept-Encoding", "If-None-Match"])
  }

  // 43
  @Test func `gzip is asked for and decoded, and every kind of feed is accepted`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", ScriptedAnswer.feed().gzipped())

    let run = try await polite.run()

    let accept = try #require(polite.asked.first?["Accept"])
    #expect(run.json.first?["count"] as? Int == 1)
    #expect(polite.asked.first?["Accept-Encoding"]?.contains("gzip") == true)
    for type in ["application/rss+xml", "application/atom+xml", "application/feed+json", "*/*"] {
      #expect(accept.contains(type))
    }
  }

  // 44, 52
  @Test func `one GET is all: no HEAD, no favicon, no robots txt, no page that the feed links to`()
    async throws
  {
    let polite = try PoliteProgram()
    let page = polite.server.url("/page")
    let item =
      "<item><guid>x</guid><title>X</title><link>\(page)</link><enclosure url=\"\(page).mp3\" type=\"audio/mpeg\" length=\"1\"/></item>"
    polite.server.on(
      "/planet", .feed(channel: "<link>\(page)</link><image><url>\(page).png</url></image>" + item))

    try await polite.run()

    #expect(polite.server.requests.map { "\($0.method) \($0.target)" } == ["GET /planet"])
  }

  // 45
  @Test func `a 304 ends the exchange`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept())
    try await polite.run()

    #expect(try await polite.requests(at: hour) == 1)
  }

  // 46: a delta would have to be merged, and we do not ask for one.
  @Test func `no delta is asked for, with or without validators`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept(("IM", "feed"), ("Vary", "A-IM")))

    for _ in 1...2 { try await polite.run(at: 0, ["--force"]) }

    #expect(polite.asked.count == 2)
    #expect(polite.asked.allSatisfy { $0["A-IM"] == nil })
  }
}

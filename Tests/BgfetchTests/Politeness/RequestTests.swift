// The header fields of requests: validators, cookies, and nothing that identifies a person.

import Foundation
import TestKit
import Testing

@Suite struct ValidatorCheckTests {
  @Test func `validators survive a kill and edits that do not change the request`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept())
    try await polite.run()

    let killed = try polite.bgfetch.started(["run", "--force"], at: moment(seconds: minute))
    await polite.server.received(2)
    killed.signal(SIGKILL)
    _ = await killed.ended()
    try polite.configure(keys: "title: Mine, minimum-interval: 2h, notify: none, filter: {exclude: [x]}")
    try await polite.run(at: day)

    #expect(polite.asked.dropFirst().allSatisfy { $0["If-None-Match"] == "\"1\"" })
    #expect(polite.asked.count == 3)
  }
}

// The fields of a request, and that there are no others.

@Suite struct HygieneCheckTests {
  @Test func `the User-Agent has program and version, and never changes; every kind of feed is accepted`()
    async throws
  {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept())

    for _ in 1...2 { try await polite.run(at: 0, ["--force"]) }

    let agents = Set(polite.asked.compactMap { $0["User-Agent"] })
    let agent = try #require(agents.first)
    #expect(agents.count == 1)
    #expect(agent.wholeMatch(of: #/bgfetch\/\d+\.\d+\.\d+/#) != nil, "\(agent)")
    let accept = try #require(polite.asked.first?["Accept"])
    for type in ["application/rss+xml", "application/atom+xml", "application/feed+json", "*/*"] {
      #expect(accept.contains(type))
    }
  }

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

  @Test func `a fetch is one GET: no HEAD, no favicon, no robots txt, no linked page`() async throws {
    let polite = try PoliteProgram()
    let page = polite.server.url("/page")
    let item =
      "<item><guid>x</guid><title>X</title><link>\(page)</link><enclosure url=\"\(page).mp3\" type=\"audio/mpeg\" length=\"1\"/></item>"
    polite.server.on(
      "/planet", .feed(channel: "<link>\(page)</link><image><url>\(page).png</url></image>" + item))

    try await polite.run()

    #expect(polite.server.requests.map { "\($0.method) \($0.target)" } == ["GET /planet"])
  }

  @Test func `cookies of a browser are sent to the feed's host, and not after a redirect to another`()
    async throws
  {
    let (server, other) = (try ScriptedServer(), try ScriptedServer())
    server.feed("/feed", ["a"])
    server.on(
      "/away", .status(302, [("Location", other.url("/away").replacing("127.0.0.1", with: "localhost"))]))
    other.feed("/away", ["b"])
    let bgfetch = try BuiltProgram()
    let file = try bgfetch.home.write(
      "127.0.0.1\tFALSE\t/\tFALSE\t0\tlogin\tgeheimnis\nlocalhost\tFALSE\t/\tFALSE\t0\tother\tgeheim2\n",
      to: "cookies.txt")
    try bgfetch.configure(
      """
      feeds:
        near: {url: "\(server.url("/feed"))", cookies: \(file)}
        far: {url: "\(server.url("/away"))", cookies: \(file)}
        plain: {url: "\(server.url("/feed?2"))"}
        missing: {url: "\(server.url("/feed?3"))", cookies: nowhere.txt}
      """)

    let run = try await bgfetch("run", "--json")

    #expect(server.requests("/feed").first?["Cookie"] == "login=geheimnis")
    #expect(server.requests("/feed?2").first?["Cookie"] == nil)
    #expect(server.requests("/feed?3").isEmpty)
    #expect(other.requests.first.map { $0["Cookie"] == nil } ?? false)
    let failed = run.json.first { $0["feed"] as? String == "missing" }
    #expect((failed?["reason"] as? String)?.contains("nowhere.txt") == true, "\(run.output)")
    #expect(!run.output.contains("geheim"))
  }
}

// The header fields of requests: validators, cookies, and nothing that identifies a person.

import Foundation
import TestKit
import Testing

@Suite final class RequestTests: ServerSuite {
  /// A program with one feed, whose responses have an `ETag`.
  private func program() throws -> BuiltProgram {
    server.feed("/planet", ["a"])
    return try BuiltProgram(server, keys: "first-run: all")
  }

  @Test func `validators survive a kill and edits that do not change the request`() async throws {
    let bgfetch = try program()
    try await bgfetch("run", at: moment())

    let killed = try bgfetch.started(["run", "--force"], at: moment(minutes: 1))
    await server.received(2)
    await killed.ended(after: SIGKILL)
    try bgfetch.edit(
      "first-run: all", to: "title: Mine, minimum-interval: 2h, notify: none, filter: {exclude: [x]}")
    try await bgfetch("run", at: moment(hours: 24))

    #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"a\"", "\"a\""])
  }

  @Test func `the User-Agent has program and version, and never changes; every kind of feed is accepted`()
    async throws
  {
    let bgfetch = try program()

    for _ in 1...2 { try await bgfetch("run", "--force") }

    let agents = Set(server.requests.compactMap { $0["User-Agent"] })
    let agent = try #require(agents.first)
    #expect(agents.count == 1)
    #expect(agent.wholeMatch(of: #/bgfetch\/\d+\.\d+\.\d+/#) != nil, "\(agent)")
    let accept = try #require(server.requests.first?["Accept"])
    for type in ["application/rss+xml", "application/atom+xml", "application/feed+json", "*/*"] {
      #expect(accept.contains(type))
    }
  }

  @Test func `no cookie, no referrer, no added parameter and no fragment is sent`() async throws {
    server.on("/feed", .document(rss([("a", "A")]), etag: "\"1\"").with("Set-Cookie", "id=1; Path=/"))
    server.on("/a/./b", .redirect(to: "/feed?c=d#there"))
    let bgfetch = try BuiltProgram(
      configuration: "feeds: {planet: \"\(server.url("/a/./b?b=2&a=1&&x#top"))\"}\n")

    for _ in 1...2 { try await bgfetch("run", "--force") }

    #expect(
      server.requests.map(\.target) == ["/a/./b?b=2&a=1&&x", "/feed?c=d", "/a/./b?b=2&a=1&&x", "/feed?c=d"])
    let names = Set(server.requests.flatMap { $0.fields.map(\.name) })
    #expect(names == ["Host", "User-Agent", "Accept", "Accept-Encoding", "If-None-Match"])
  }

  @Test func `a cookie that a server sets goes with the redirect, and is gone after the fetch`() async throws
  {
    server.on("/wall", ScriptedAnswer.redirect(to: "/feed").with("Set-Cookie", "seen=1; Path=/"))
    server.feed("/feed", ["a"])
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: \"\(server.url("/wall"))\"}\n")

    for _ in 1...2 { try await bgfetch("run", "--force") }

    #expect(server.requests.map { $0["Cookie"] } == [nil, "seen=1", nil, "seen=1"])
  }

  @Test func `a fetch is one GET: no HEAD, no favicon, no robots txt, no linked page`() async throws {
    let page = server.url("/page")
    server.on(
      "/planet",
      .document(
        """
        <rss version="2.0"><channel><link>\(page)</link><image><url>\(page).png</url></image>
        <item><guid>x</guid><title>X</title><link>\(page)</link>
        <enclosure url="\(page).mp3" type="audio/mpeg" length="1"/></item></channel></rss>
        """))

    try await BuiltProgram(server)("run", status: 0)

    #expect(server.requests.map { "\($0.method) \($0.target)" } == ["GET /planet"])
  }

  @Test func `cookies of a browser are sent to the feed's host, and not after a redirect to another`()
    async throws
  {
    let other = try ScriptedServer()
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

    let cookies = server.requests("/feed").map { "\($0.target) \($0["Cookie"] ?? "")" }
    #expect(Set(cookies) == ["/feed login=geheimnis", "/feed?2 "])
    #expect(other.requests.first.map { $0["Cookie"] == nil } ?? false)
    let failed = run.json.first { $0["feed"] as? String == "missing" }
    #expect((failed?["reason"] as? String)?.contains("nowhere.txt") == true, "\(run.output)")
    #expect(!run.output.contains("geheim"))
  }
}

// Checks 1 to 15 and 54 (validators), 41 to 46 and 52 (other header fields, and no other requests).

import Foundation
import TestKit
import Testing

@Suite struct ValidatorCheckTests {
  /// The validators of the last request.
  private func sent(_ polite: PoliteProgram) -> [String?] {
    [polite.asked.last?["If-None-Match"], polite.asked.last?["If-Modified-Since"]]
  }

  /// The validators of the third request, after these two responses.
  private func sent(after first: ScriptedAnswer, _ second: ScriptedAnswer) async throws -> [String?] {
    let polite = try PoliteProgram()
    polite.server.on("/planet", inTurn: first, second, .feed())
    for _ in 1...3 { try await polite.run(at: 0, ["planet", "--force"]) }
    #expect(polite.asked.count == 3)
    return sent(polite)
  }

  private static let both = ScriptedAnswer.feed(("ETag", "\"1\""), ("Last-Modified", "one"))

  // 1, 2, 9
  @Test(arguments: [
    ("\"abc\"", "Sun, 01 Nov 2026 08:49:37 GMT"), ("W/\"a, b\"", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ("unquoted", "Mon, 01 Nov 2026 08:49:37 GMT"), ("\"\"", "Sun, 01 Nov 2026 08:49:37 +0100"),
    ("\"  spaces  \"", "2026-11-01"), ("\"ümlaut\"", "0"),
  ])
  func `the second request has both validators, byte for byte`(tag: String, date: String) async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .feed(("ETag", tag), ("Last-Modified", date)))

    try await polite.run()
    try await polite.run(at: hour)

    #expect(polite.asked.count == 2)
    #expect(sent(polite) == [tag, date])
  }

  // 3
  @Test func `an ETag that changes while Last-Modified stays is stored`() async throws {
    let second = ScriptedAnswer.feed(("ETag", "\"2\""), ("Last-Modified", "one"))

    #expect(try await sent(after: Self.both, second) == ["\"2\"", "one"])
  }

  // 4
  @Test func `a Last-Modified that changes while the ETag stays is stored`() async throws {
    let second = ScriptedAnswer.feed(("ETag", "\"1\""), ("Last-Modified", "two"))

    #expect(try await sent(after: Self.both, second) == ["\"1\"", "two"])
  }

  // 5
  @Test func `a 304 with new validators updates them`() async throws {
    let new = ScriptedAnswer.status(304, [("ETag", "\"2\""), ("Last-Modified", "two")])
    let one = ScriptedAnswer.status(304, [("ETag", "\"2\"")])

    #expect(try await sent(after: Self.both, new) == ["\"2\"", "two"])
    #expect(try await sent(after: Self.both, one) == ["\"2\"", "one"])
  }

  // 6
  @Test func `a 304 without validators keeps the old validators`() async throws {
    #expect(try await sent(after: Self.both, .status(304)) == ["\"1\"", "one"])
  }

  // 7
  @Test func `a 200 with only one validator drops the other`() async throws {
    #expect(try await sent(after: Self.both, .feed(("ETag", "\"2\""))) == ["\"2\"", nil])
    #expect(try await sent(after: Self.both, .feed(("Last-Modified", "two"))) == [nil, "two"])
  }

  // 8
  @Test func `a 200 without validators drops both`() async throws {
    #expect(try await sent(after: Self.both, .feed()) == [nil, nil])
  }

  // 10
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

  // 11
  @Test(arguments: [
    "headers: {Accept: text/xml}", "headers: {Cookie: a=b}",
    "auth: {username: me, password: {env: PASSWORD}}", "auth: {bearer: {env: PASSWORD}}",
  ])
  func `a change of headers or credentials drops the validators`(keys: String) async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", Self.both)
    try await polite.run()

    try polite.configure(keys: keys)
    _ = try await polite.bgfetch("run", "--force", environment: ["PASSWORD": "geheim"])

    #expect(polite.asked.count == 2)
    #expect(sent(polite) == [nil, nil])
  }

  // 11, 12
  @Test func `a changed address is requested without the old validators`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", Self.both)
    polite.server.on("/moved", Self.both)
    try await polite.run()

    try polite.bgfetch.configure("feeds: {planet: \"\(polite.server.url("/moved"))\"}\n")
    try await polite.run(at: minute)

    #expect(polite.server.requests("/moved").map { $0["If-None-Match"] } == [nil])
  }

  // 12
  @Test func `after a redirect the validators belong only to the final address`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .redirect(to: "/final"))
    polite.server.on("/final", Self.both)
    polite.server.on("/other", Self.both)

    for _ in 1...2 { try await polite.run(at: 0, ["--force"]) }
    polite.server.on("/planet", .redirect(to: "/other"))
    try await polite.run(at: 0, ["--force"])

    #expect(polite.asked.allSatisfy { $0["If-None-Match"] == nil && $0["If-Modified-Since"] == nil })
    #expect(polite.server.requests("/final").map { $0["If-None-Match"] } == [nil, "\"1\""])
    #expect(polite.server.requests("/other").map { $0["If-None-Match"] } == [nil])
  }

  // 13
  @Test(arguments: [
    ("an HTML page", ScriptedAnswer.status(200, [("ETag", "\"bad\"")], body: "<html>busy</html>")),
    ("nothing", .status(200, [("ETag", "\"bad\"")])),
    ("a body that is cut", ScriptedAnswer.feed(("ETag", "\"bad\"")).cut(after: 60)),
    ("half a document", .status(200, [("ETag", "\"bad\"")], body: "<rss><channel><item><title>A")),
  ])
  func `the validators of a broken document are not stored`(
    what: String, answer: ScriptedAnswer
  )
    async throws
  {
    #expect(try await sent(after: answer, answer) == [nil, nil], "\(what) at first")
    #expect(try await sent(after: Self.both, answer) == ["\"1\"", "one"], "\(what) later")
  }

  // 14
  @Test func `a first request has no validators`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .feed())

    for _ in 1...2 { try await polite.run(at: 0, ["--force"]) }

    #expect(polite.asked.count == 2)
    #expect(polite.asked.allSatisfy { $0["If-None-Match"] == nil && $0["If-Modified-Since"] == nil })
  }

  // 15
  @Test(arguments: [403, 404, 410, 429, 500, 503])
  func `an error keeps the validators`(status: Int) async throws {
    let error = ScriptedAnswer.status(status, [("ETag", "\"bad\""), ("Last-Modified", "bad")], body: "sorry")

    #expect(try await sent(after: Self.both, error) == ["\"1\"", "one"])
  }

  // 54
  @Test func `a feed with only 304 is requested without validators once in 8 to 30 days`() async throws {
    let names = (1...6).map { "feed\($0)" }
    let polite = try PoliteProgram(names)
    for name in names { polite.server.on("/" + name, .kept()) }

    for number in 0...31 { try await polite.run(at: number * day) }

    var days: [Int] = []
    for name in names {
      let unconditional = polite.server.requests("/" + name).indices.filter {
        polite.server.requests("/" + name)[$0]["If-None-Match"] == nil
      }
      // The first request and one more, after which the time starts again.
      #expect(unconditional.first == 0)
      #expect(unconditional.dropFirst().allSatisfy { (8...30).contains($0) })
      #expect((2...4).contains(unconditional.count))
      days += unconditional.dropFirst().prefix(1)
    }
    #expect(Set(days).count > 1)
  }
}

// Checks 41 to 46 and 52: the header fields of a request, and no other requests.

@Suite struct HygieneCheckTests {
  // 41
  @Test func `the User-Agent has program and version, and never changes`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept())

    for _ in 1...2 { try await polite.run(at: 0, ["--force"]) }

    let agents = Set(polite.asked.compactMap { $0["User-Agent"] })
    let agent = try #require(agents.first)
    #expect(agents.count == 1)
    #expect(agent.wholeMatch(of: #/bgfetch\/\d+\.\d+\.\d+/#) != nil, "\(agent)")
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
  @Test func `gzip is requested and decoded, and every kind of feed is accepted`() async throws {
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

  // 45
  @Test func `a 304 ends the fetch`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept())
    try await polite.run()

    #expect(try await polite.requests(at: hour) == 1)
  }

  // 46: a delta (RFC 3229) would have to be merged.
  @Test func `no delta is requested, with or without validators`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept(("IM", "feed"), ("Vary", "A-IM")))

    for _ in 1...2 { try await polite.run(at: 0, ["--force"]) }

    #expect(polite.asked.count == 2)
    #expect(polite.asked.allSatisfy { $0["A-IM"] == nil })
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

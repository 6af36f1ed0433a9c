// Checks 1 to 15 and 54: what is sent back, and what never is.

import Foundation
import TestKit
import Testing

@Suite struct ValidatorCheckTests {
  /// What the last request carried.
  private func sent(_ polite: PoliteProgram) -> [String?] {
    [polite.asked.last?["If-None-Match"], polite.asked.last?["If-Modified-Since"]]
  }

  /// What the third request carries, when the first two got these answers.
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
  func `the second request carries both validators byte for byte as received`(tag: String, date: String)
    async throws
  {
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
  @Test func `a 304 without validators keeps the old ones`() async throws {
    #expect(try await sent(after: Self.both, .status(304)) == ["\"1\"", "one"])
  }

  // 7
  @Test func `a 200 with only one validator drops the other`() async throws {
    #expect(try await sent(after: Self.both, .feed(("ETag", "\"2\""))) == ["\"2\"", nil])
    #expect(try await sent(after: Self.both, .feed(("Last-Modified", "two"))) == [nil, "two"])
  }

  // 8
  @Test func `a 200 with none clears both`() async throws {
    #expect(try await sent(after: Self.both, .feed()) == [nil, nil])
  }

  // 10
  @Test func `validators survive a kill and edits that do not change the request`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .kept())
    try await polite.run()

    let killed = try polite.bgfetch.started(
      ["run", "--force"], environment: ["BGFETCH_NOW": PoliteProgram.moment(minute)])
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
  @Test func `a new address of a feed is asked without the old one's validators`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", Self.both)
    polite.server.on("/moved", Self.both)
    try await polite.run()

    try polite.bgfetch.configure("feeds: {planet: \"\(polite.server.url("/moved"))\"}\n")
    try await polite.run(at: minute)

    #expect(polite.server.requests("/moved").map { $0["If-None-Match"] } == [nil])
  }

  // 12
  @Test func `after a redirect the validators belong to the final address alone`() async throws {
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
  func `the validators of what is no whole feed are not stored`(what: String, answer: ScriptedAnswer)
    async throws
  {
    #expect(try await sent(after: answer, answer) == [nil, nil], "\(what) at first")
    #expect(try await sent(after: Self.both, answer) == ["\"1\"", "one"], "\(what) later")
  }

  // 14
  @Test func `a first request carries no validator that no server gave`() async throws {
    let polite = try PoliteProgram()
    polite.server.on("/planet", .feed())

    for _ in 1...2 { try await polite.run(at: 0, ["--force"]) }

    #expect(polite.asked.count == 2)
    #expect(polite.asked.allSatisfy { $0["If-None-Match"] == nil && $0["If-Modified-Since"] == nil })
  }

  // 15
  @Test(arguments: [403, 404, 410, 429, 500, 503])
  func `an error changes no validator`(status: Int) async throws {
    let error = ScriptedAnswer.status(status, [("ETag", "\"bad\""), ("Last-Modified", "bad")], body: "sorry")

    #expect(try await sent(after: Self.both, error) == ["\"1\"", "one"])
  }

  // 54
  @Test func `a server that says 304 for ever is asked without validators once in 8 to 30 days`() async throws
  {
    let names = (1...6).map { "feed\($0)" }
    let polite = try PoliteProgram(names)
    for name in names { polite.server.on("/" + name, .kept()) }

    for number in 0...31 { try await polite.run(at: number * day) }

    var days: [Int] = []
    for name in names {
      let unconditional = polite.server.requests("/" + name).indices.filter {
        polite.server.requests("/" + name)[$0]["If-None-Match"] == nil
      }
      // The first request, and one more; after that answer the count begins anew.
      #expect(unconditional.first == 0)
      #expect(unconditional.dropFirst().allSatisfy { (8...30).contains($0) })
      #expect((2...4).contains(unconditional.count))
      days += unconditional.dropFirst().prefix(1)
    }
    #expect(Set(days).count > 1)
  }
}

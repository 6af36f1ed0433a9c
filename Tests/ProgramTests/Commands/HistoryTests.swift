// `bgfetch history`: runs, fetches and requests.

import Foundation
import TestKit
import Testing

@Suite final class HistoryTests: ServerSuite {
  /// A configuration without short timeouts, for busy machines.
  private func program(_ feeds: String) throws -> BuiltProgram {
    try BuiltProgram(
      configuration: "network: {timeout: 1h}\nbudget: none\nfeeds:\n" + feeds)
  }

  @Test func `every hop of a redirect chain is a request, oldest first`() async throws {
    server.on("/old", .redirect(301, to: "/middle"))
    server.on("/middle", .redirect(302, to: "/new"))
    server.feed("/new", ["a"])
    let bgfetch = try program("  planet: \"\(server.url("/old"))\"\n")
    try await bgfetch("run")

    let rows = try await bgfetch("history", "--requests", "--json").json

    #expect(rows.compactMap { $0["type"] as? String } == ["request", "request", "request"])
    #expect(rows.compactMap { $0["hop"] as? Int } == [0, 1, 2])
    #expect(rows.compactMap { $0["status"] as? Int } == [301, 302, 200])
    #expect(rows.compactMap { $0["address"] as? String } == ["/old", "/middle", "/new"].map(server.url))
    #expect(Set(rows.compactMap { $0["fetch"] as? Int }).count == 1)
    #expect(rows.last?["bytes"] as? Int == rss([("a", "Title of a")]).utf8.count)
  }

  @Test func `a conditional request says which validators it carried`() async throws {
    let date = "Sat, 21 Nov 2026 08:00:00 GMT"
    server.on("/both", .document(rss([("a", "A")]), etag: "\"1\"", lastModified: date))
    let bgfetch = try program("  planet: \"\(server.url("/both"))\"\n")
    for options in [[], ["--force"]] { try await bgfetch(["run"] + options) }

    let rows = try await bgfetch("history", "--requests", "--json").json

    #expect(rows.compactMap { $0["conditional"] as? Bool } == [false, true])
    #expect(rows.last?["validators"] as? [String] == ["If-None-Match", "If-Modified-Since"])
    #expect(rows.compactMap { $0["status"] as? Int } == [200, 304])
    #expect(rows.compactMap { $0["reason"] as? String }.last == "not modified")
    #expect(rows.compactMap { $0["forced"] as? Bool } == [false, true])
    #expect(rows.allSatisfy { $0["not-before"] is String && $0["named"] as? Bool == false })
  }

  @Test func `a request without a response says why, a feed without its secret sends none`() async throws {
    let bgfetch = try program("  planet: \"\(server.url("/feed"))\"\n  hidden: {url: {env: NOT_THERE}}\n")
    server.stop()
    try await bgfetch("run")

    let rows = try await bgfetch("history", "--requests", "--json").json
    let fetch = try #require(try await bgfetch("history", "hidden", "--json").json.first)

    #expect(rows.count == 1)
    #expect(rows.first?["status"] is NSNull)
    #expect(rows.first?["bytes"] is NSNull)
    #expect((rows.first?["failure"] as? String)?.contains("refused the connection") == true)
    expect(rows.first, ["feed": "planet", "result": "failed"])
    expect(fetch, ["type": "fetch", "requests": 0])
    #expect((fetch["reason"] as? String)?.hasPrefix("no secret") == true)
  }

  @Test func `a secret address and its redirects are shown nowhere, except for the host`() async throws {
    server.on("/token-1234", .redirect(to: "/token-5678"))
    server.on("/token-5678", .status(404))
    let gone = try ScriptedServer()
    let refusing = gone.url("/token-9")
    gone.stop()
    let secret =
      "  moved: {url: {env: MOVED}, headers: {X: y}}\n  refused: {url: {env: REFUSED}, kind: asset}\n"
    let bgfetch = try program(secret + "  plain: \"\(server.url("/p?key=token-7"))\"\n")
    let secrets = ["MOVED": server.url("/token-1234"), "REFUSED": refusing]

    let run = try await bgfetch(["run", "-v"], environment: secrets)
    let lists = [
      try await bgfetch("history", "--requests"), try await bgfetch("history", "--requests", "--json"),
      try await bgfetch("history", "moved", "refused"), try await bgfetch("status", "moved"),
      try await bgfetch("status", "refused", "--json"), run,
    ]

    let requests = try await bgfetch("history", "moved", "refused", "--requests", "--json").json
    #expect(requests.map { $0["address"] as? String } == ["http://***", "http://***", "http://***"])
    for list in lists {
      let text = list.output + list.errors
      #expect(!text.isEmpty, "\(list)")
      #expect(!text.contains("token"), "\(list)")
    }
    #expect((lists[2].output + lists[4].output).contains("127.0.0.1 refused the connection"))
  }

  @Test func `a fetch cut by a signal keeps its requests, and counts nothing`() async throws {
    server.on("/old", .redirect(to: "/slow"))
    let gate = server.gatedFeed("/slow")
    let bgfetch = try program("  planet: \"\(server.url("/old"))\"\n")

    let run = try bgfetch.started(["run"])
    await server.received(2)
    run.signal(SIGTERM)
    #expect(await run.ended().status == 143)
    gate.open()

    let rows = try await bgfetch("history", "--requests", "--json").json
    #expect(rows.compactMap { $0["address"] as? String } == [server.url("/old"), server.url("/slow")])
    #expect(rows.last?["failure"] as? String == "suspended")
    let last = try await bgfetch("history", "--json").json.last
    expect(last, ["ending": "signal", "left": 1])
    #expect(last?["exit-status"] is NSNull)
    let status = try await bgfetch("status", "planet", "--json").json.first
    #expect(status?["failures"] as? Int == 0)
    #expect((status?["last-results"] as? [Any])?.first is NSNull)
    let fetch = try await bgfetch("history", "planet", "--json").json.last
    #expect(fetch?["result"] is NSNull)
    #expect(fetch?["reason"] as? String == "suspended")
    let listed = try await bgfetch("history", "planet").output
    #expect(listed.contains("  left  "))
    #expect(!listed.contains("failed"))
  }

  @Test func `runs are listed with their counts, as a table and as JSON`() async throws {
    server.feed("/a", ["1", "2"])
    server.on("/b", .status(500))
    let feeds = ["a", "b"].map { "  \($0): {url: \"\(server.url("/" + $0))\", first-run: all}\n" }
    let bgfetch = try program(feeds.joined())
    try await bgfetch("run", at: "2026-11-21T08:30:00Z")

    let table = try await bgfetch("history", output: "2026-11-21 08:30:00  timer")

    #expect(table.lines.count == 2)
    expect(
      try await bgfetch("history", "--json").json.first,
      [
        "type": "run", "started": "2026-11-21T08:30:00Z", "due": 2, "new-data": 1, "failed": 1, "items": 2,
        "exit-status": 3,
      ])
  }

  @Test func `--since and --limit choose the newest, with dates in the configured zone`() async throws {
    server.feed("/planet", ["a"])
    let bgfetch = try BuiltProgram(
      server, keys: "minimum-interval: every-run", more: "timezone: Europe/Berlin")
    for time in ["2026-11-20T22:30:00Z", "2026-11-20T23:30:00Z", "2026-11-21T08:30:00Z"] {
      try await bgfetch("run", at: time)
    }
    func times(_ options: String...) async throws -> [String] {
      let history = try await bgfetch(["history", "planet", "--json"] + options, at: "2026-11-21T09:00:00Z")
      return history.json.compactMap { $0["started"] as? String }
    }

    #expect(try await times("--limit", "1") == ["2026-11-21T08:30:00Z"])
    #expect(try await times("--since", "1h") == ["2026-11-21T08:30:00Z"])
    // Midnight in Berlin is 23:00 in UTC.
    #expect(try await times("--since", "2026-11-21") == ["2026-11-20T23:30:00Z", "2026-11-21T08:30:00Z"])
    #expect(try await times("--since", "2026-11-21 09:00") == ["2026-11-21T08:30:00Z"])
    try await bgfetch("history", output: "2026-11-21 00:30:00")
    for option in ["--since=soon", "--limit=0"] { try await bgfetch("history", option, status: 2) }
  }

  @Test func `a feed that left the configuration keeps its history`() async throws {
    server.feed("/planet", ["a"])
    let bgfetch = try program("  planet: \"\(server.url("/planet"))\"\n")
    try await bgfetch("history", status: 0, prints: "")
    try await bgfetch("run")
    try bgfetch.configure("feeds: {other: \"\(server.url("/other"))\"}\n")

    #expect(try await bgfetch("history", "plan*", "--json").json.count == 1)
    try await bgfetch("history", "othr", status: 2, errors: "did you mean \"other\"")
  }

  @Test func `status of one feed shows all its details`() async throws {
    server.feed("/planet", ["a", "b"])
    let bgfetch = try program("  planet: {url: \"\(server.url("/planet?key=hidden"))\", first-run: 1}\n")
    try await bgfetch("run", at: "2026-11-21T08:00:00Z")
    server.on("/planet", .status(500))
    try await bgfetch("run", "--force", at: "2026-11-21T10:00:00Z")
    let clock = "2026-11-21T10:01:00Z"

    let text = try await bgfetch("status", "planet", at: clock)
    let json = try await bgfetch("status", "planet", "--json", at: clock).json.first

    for part in [
      "title         Planet", "/planet?key=***", "2026-11-21 08:00:00, 2 h ago",
      "1 in a row, since 2026-11-21 10:00:00", "2 known, 1 unseen", "+x (", ": backoff",
    ] { #expect(text.output.contains(part)) }
    #expect(json?["last-results"] as? [String] == ["new-data", "failed"])
    expect(json, ["items": 2, "problem": true, "failing-since": "2026-11-21T10:00:00Z"])
  }
}

// Rate limits of hosts, requests shared by several feeds, and feeds that crash the program.

import Foundation
import Synchronization
import TestKit
import Testing

@Suite struct HostLimitTests {
  private let feeds: KeyValuePairs = [
    "one": "http://a.example/1", "two": "http://a.example/2", "three": "http://a.example/3",
    "other": "http://b.example/",
  ]

  @Test func `a 429 within a run cancels the other requests to that host in that run`() async throws {
    let internet = try PretendInternet()
    for (_, address) in feeds { internet[address] = .status(429, [("Retry-After", "60")]) }
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))

    #expect(try await bgfetch("run", "--json").json.last?["left"] as? Int == 2)

    #expect(internet.asked.sorted() == ["http://a.example/1", "http://b.example/"])
  }

  // `bgfetch run one` once printed nothing and ended with 0.
  @Test func `naming a feed that must wait prints until when, and how to fetch it anyway`() async throws {
    let internet = try PretendInternet()
    for (name, address) in feeds { internet[address] = feedAnswer(name) }
    internet["http://a.example/1"] = .status(429, [("Retry-After", "1800")])
    internet["http://b.example/"] = .status(410)
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))
    try await bgfetch("run", at: moment(hours: 0))

    let held = try await bgfetch("run", "one", "two", "other", at: moment(hours: 0), status: 0)
    let unnamed = try await bgfetch("run", at: moment(hours: 0))
    let quiet = try await bgfetch("run", "one", "-q", at: moment(hours: 0))
    let planned = try await bgfetch("run", "one", "--dry-run", at: moment(hours: 0))
    let lines = try await bgfetch("run", "one", "--json", at: moment(hours: 0)).json
    let forced = try await bgfetch("run", "one", "--force", "--json", at: moment(hours: 0)).json

    let told = held.errors.split(separator: "\n").map(String.init)
    // Half an hour, and at most a tenth of it more.
    let next = /not before 2026-11-02 10:3[0-3]:/
    #expect(told.count == 3)
    for (line, name) in zip(told, ["one", "two"]) {
      #expect(line.hasPrefix("\(name)  not fetched: not before "))
      #expect(line.contains(next))
      #expect(line.hasSuffix(": host limit; --force fetches it anyway"))
    }
    #expect(told.last?.hasPrefix("other  not fetched: not before 2026-11-03 10:") == true)
    #expect(told.last?.contains(": gone; --force fetches it") == true)
    #expect(unnamed.errors.isEmpty)
    #expect(quiet.errors.isEmpty)
    #expect(planned.errors.contains("one  not fetched: not before "))
    #expect(planned.errors.contains(next))
    #expect(lines.map { $0["type"] as? String } == ["skipped", "summary"])
    #expect((lines.first?["until"] as? String)?.contains(/^2026-11-02T10:3[0-3]:/) == true)
    #expect(forced.map { $0["type"] as? String } == ["fetch", "summary"])
  }

  @Test func `a request takes its moment when its host has a free connection, also after a redirect`()
    async throws
  {
    let gate = Gate()
    let wire = try WireLog { host, path in
      if path == "/first" { gate.pass() }
      guard host != "other.example" else { return .redirect(to: "http://slow.example/moved") }
      return .document(rss([(id: "a", title: "News")]))
    }
    let addresses = ["slow.example/first", "slow.example/second", "other.example/feed"]
    // They tell the time: a second goes by between two of them.
    let clock = (1...4).map { "clock.example/\($0)" }
    let bgfetch = try BuiltProgram(
      configuration: "network: {proxy: \"\(wire.proxy.origin)\", timeout: 1h}\nfeeds:\n"
        + (addresses + clock).enumerated().map { "  f\($0): http://\($1)\n" }.joined())

    let run = try bgfetch.started(["run", "--json"])
    // The redirect could have been followed for a second and more when the first request is answered.
    #expect(await wire.received("/4", from: "clock.example"))
    gate.open()
    let ended = await run.ended()

    #expect(ended.status == 0, "\(ended.errors)")
    #expect(wire.requests.count { $0.host == "slow.example" } == 3)
    #expect(wire.impolite(delay: .milliseconds(900)).filter { $0.hasPrefix("slow") } == [])
  }

  @Test(arguments: [["direct", "moved"], ["moved", "direct"], ["moved", "away"]])
  func `a redirect keeps the delay of its host across runs`(feeds: [String]) async throws {
    let wire = try WireLog { host, path in
      host == "meet.example"
        ? .document(rss([(id: path, title: "News")])) : .redirect(to: "http://meet.example/\(host)")
    }
    let bgfetch = try BuiltProgram(
      configuration: """
        network: {proxy: "\(wire.proxy.origin)", delay-per-host: 4s}
        feeds:
          direct: http://meet.example/feed
          moved: http://moved.example/feed
          away: http://away.example/feed
        """)

    for feed in feeds { try await bgfetch("run", feed) }

    #expect(wire.requests.count { $0.host == "meet.example" } == 2)
    #expect(wire.impolite(delay: .milliseconds(3900)) == [])
  }
}

@Suite struct SharedRequestTests {
  @Test func `two feeds with one address share a request, and each gets its events`() async throws {
    let server = try ScriptedServer(planet: ["a", "b"])
    let bgfetch = try BuiltProgram(
      configuration: """
        feeds:
          all: {url: "\(server.url("/planet"))", first-run: all}
          some: {url: "\(server.url("/planet#top"))", first-run: all, filter: {include: [Title of a]}}
          none: {url: "\(server.url("/planet"))", first-run: none}
        """)

    let first = try await bgfetch("run", "--json")
    let second = try await bgfetch("run", "--force", "--json")
    server.feed("/planet", ["a", "b", "c"])
    let third = try await bgfetch("run", "--force", "--json")

    func counts(_ run: Invoked) -> [String: Int] {
      Dictionary(
        run.json.compactMap { line in (line["feed"] as? String).map { ($0, line["count"] as? Int ?? -1) } },
        uniquingKeysWith: { $1 })
    }
    #expect(counts(first) == ["all": 2, "some": 1, "none": 0])
    #expect(second.json.compactMap { $0["reason"] as? String } == Array(repeating: "not modified", count: 3))
    #expect(counts(third) == ["all": 1, "some": 0, "none": 1])
    #expect(server.requests.count == 3)
    #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"a-b\"", "\"a-b\""])
  }

  @Test func `a shared failure counts for each feed, and once for the host`() async throws {
    let server = try ScriptedServer(["/planet": .status(500)])
    let bgfetch = try BuiltProgram(
      configuration: "feeds:\n  one: \"\(server.url("/planet"))\"\n  two: \"\(server.url("/planet"))\"\n")

    #expect(try await bgfetch("run", "--json", status: 4).json.last?["failed"] as? Int == 2)
    #expect(server.requests.count == 1)
  }
}

@Suite struct CrashTests {
  @Test func `a feed in flight at two crashes is fetched after all else is delivered`() async throws {
    let server = try ScriptedServer(feeds: ["/good": ["a"]])
    let gate = server.gatedFeed("/poison")
    let bgfetch = try BuiltProgram(
      server, ["good", "poison"], keys: "first-run: all, minimum-interval: every-run",
      more: """
        network: {timeout: 1h}
        budget: none
        hooks: {say: {events: [new-item], run: ["HOME/say"]}}
        """,
      scripts: ["say": "sleep 1; echo \"$BGFETCH_ITEM_ID\" >> \"$HOME/said\""])
    for round in 1...2 {
      // The first run requests both, the second starts with the one that was never fetched.
      let run = try bgfetch.started(["run"])
      await server.received(round + 1)
      await run.ended(after: SIGKILL)
    }
    gate.open()
    server.feed("/good", ["a", "b"])
    let saidBefore = Mutex("")
    let said = bgfetch.home.file("said")
    server.on("/poison") { _ in
      saidBefore.withLock { $0 = (try? String(contentsOfFile: said, encoding: .utf8)) ?? "" }
      return .document(rss([("p", "P")]))
    }

    let run = try await bgfetch("run", "--json")

    #expect(run.json.compactMap { $0["feed"] as? String } == ["good", "poison"])
    #expect(saidBefore.withLock { $0.contains("b\n") })
    #expect(bgfetch.said.contains("p\n"))
  }
}

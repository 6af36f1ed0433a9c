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

  private func results(_ run: Invoked) -> Set<String> {
    Set(run.json.compactMap { $0["feed"] as? String })
  }

  @Test func `a 429 postpones its public host for an hour, in this run and the next`() async throws {
    let internet = try PretendInternet()
    for (name, address) in feeds { internet[address] = feedAnswer(name) }
    internet["http://a.example/1"] = .status(429, [("Retry-After", "86400")])
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))

    let first = try await bgfetch("run", "--json", at: moment(hours: 0))
    let forced = try await bgfetch("run", "--force", "--json", at: moment(hours: 0))
    let later = try await bgfetch("run", "--json", at: moment(hours: 2))
    let why = try await bgfetch("why", "one", at: moment(hours: 2))

    #expect(results(first) == ["one", "other"])
    #expect(first.json.last?["left"] as? Int == 2)
    // Naming all feeds does not override a limit.
    #expect(results(forced) == ["other"])
    #expect(results(later) == ["two", "three", "other"])
    #expect(why.output.contains("rate limit"))
  }

  // `bgfetch run one` once printed nothing and ended with 0.
  @Test func `naming a feed that must wait prints until when, and how to fetch it anyway`() async throws {
    let internet = try PretendInternet()
    for (name, address) in feeds { internet[address] = feedAnswer(name) }
    internet["http://a.example/1"] = .status(429, [("Retry-After", "1800")])
    internet["http://b.example/"] = .status(410)
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))
    _ = try await bgfetch("run", at: moment(hours: 0))

    let held = try await bgfetch("run", "one", "two", "other", at: moment(hours: 0))
    let unnamed = try await bgfetch("run", at: moment(hours: 0))
    let quiet = try await bgfetch("run", "one", "-q", at: moment(hours: 0))
    let planned = try await bgfetch("run", "one", "--dry-run", at: moment(hours: 0))
    let lines = try await bgfetch("run", "one", "--json", at: moment(hours: 0)).json
    let forced = try await bgfetch("run", "one", "--force", "--json", at: moment(hours: 0)).json

    let told = held.errors.split(separator: "\n").map(String.init)
    // Requests may resume up to a minute later.
    let next = "not before 2026-11-02 10:30:"
    #expect(held.status == 0)
    #expect(told.count == 3)
    for (line, name) in zip(told, ["one", "two"]) {
      #expect(line.hasPrefix("\(name)  not fetched: \(next)"))
      #expect(line.hasSuffix(": host limit; --force fetches it anyway"))
    }
    #expect(told.last?.hasPrefix("other  not fetched: not before 2026-11-03 10:") == true)
    #expect(told.last?.contains(": gone; --force fetches it") == true)
    #expect(unnamed.errors.isEmpty && quiet.errors.isEmpty)
    #expect(planned.errors.contains("one  not fetched: \(next)"))
    #expect(lines.map { $0["type"] as? String } == ["skipped", "summary"])
    #expect((lines.first?["until"] as? String)?.hasPrefix("2026-11-02T10:30:") == true)
    #expect(forced.map { $0["type"] as? String } == ["fetch", "summary"])
  }

  @Test func `two 429s at once stop their host for the longer time`() async throws {
    let internet = try PretendInternet()
    let gate = Gate()
    for (name, address) in feeds { internet[address] = feedAnswer(name) }
    for number in [1, 2] {
      internet["http://a.example/\(number)"] = ScriptedAnswer.status(429, [("Retry-After", "86400")]).held(
        by: gate)
    }
    let bgfetch = try BuiltProgram(
      configuration: internet.configuration(feeds, network: ", connections-per-host: 2, timeout: 10m"))

    let run = try bgfetch.started(["run"], at: "2026-11-02T10:00:00Z")
    await internet.server.received(3)
    gate.open()
    _ = await run.ended()
    let later = try await bgfetch("run", "--json", at: moment(hours: 6))
    let why = try await bgfetch("why", "three", at: moment(hours: 6))

    #expect(results(later) == ["other"])
    #expect(why.output.contains("host limit"))
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
        run.json.compactMap { line in
          (line["feed"] as? String).map { ($0, line["count"] as? Int ?? -1) }
        }, uniquingKeysWith: { $1 })
    }
    #expect(counts(first) == ["all": 2, "some": 1, "none": 0])
    #expect(second.json.compactMap { $0["reason"] as? String } == Array(repeating: "not modified", count: 3))
    #expect(counts(third) == ["all": 1, "some": 0, "none": 1])
    #expect(server.requests.count == 3)
    #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"a-b\"", "\"a-b\""])
  }

  @Test func `a 304 is not shared with a feed that has another document`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    func configuration(_ second: String) -> String {
      "defaults: {first-run: all}\nfeeds:\n  one: \"\(server.url("/planet"))\"\n\(second)"
    }
    let bgfetch = try BuiltProgram(configuration: configuration(""))
    _ = try await bgfetch("run")

    try bgfetch.configure(configuration("  two: \"\(server.url("/planet"))\"\n"))
    let both = try await bgfetch("run", "--force", "--json")
    server.feed("/planet", ["a", "b"])
    _ = try await bgfetch("run", "two", "--json")
    let apart = try await bgfetch("run", "--force", "--json")

    #expect(both.json.last?["new-data"] as? Int == 1 && apart.json.last?["new-data"] as? Int == 1)
    #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"a\"", nil, "\"a\"", "\"a\""])
    #expect(bgfetch.badge == "4\n")
  }

  @Test func `a feed that shared a response under another spelling is not due at once`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let address = server.url("/planet")
    let bgfetch = try BuiltProgram(
      configuration: "feeds:\n  one: \"\(address)\"\n  two: \"HTTP\(address.dropFirst(4))\"\n")

    let first = try await bgfetch("run", "--json", at: moment(hours: 0))
    let second = try await bgfetch("run", "-v", at: moment(hours: 0))

    #expect(first.json.last?["due"] as? Int == 2)
    #expect(second.errors.contains("0 due"))
    #expect(server.requests.count == 1)
  }

  @Test func `a shared failure counts for each feed, and once for the host`() async throws {
    let server = try ScriptedServer(["/planet": .status(500)])
    let bgfetch = try BuiltProgram(
      configuration: "feeds:\n  one: \"\(server.url("/planet"))\"\n  two: \"\(server.url("/planet"))\"\n")

    let run = try await bgfetch("run", "--json")

    #expect(run.status == 4)
    #expect(run.json.last?["failed"] as? Int == 2)
    #expect(server.requests.count == 1)
  }
}

@Suite struct CrashTests {
  @Test func `a feed in flight at two crashes is fetched after all else is delivered`() async throws {
    let server = try ScriptedServer()
    let gate = Gate()
    server.feed("/good", ["a"])
    server.on("/poison", ScriptedAnswer.document(rss([("p", "P")])).held(by: gate))
    let bgfetch = try BuiltProgram()
    let script = try bgfetch.script("say", "sleep 1; echo \"$BGFETCH_ITEM_ID\" >> \"$HOME/said\"")
    try bgfetch.configure(
      """
      network: {timeout: 1h, stall: {for: 1h}}
      budget: none
      defaults: {first-run: all, minimum-interval: every-run}
      feeds:
        good: "\(server.url("/good"))"
        poison: "\(server.url("/poison"))"
      hooks: {say: {events: [new-item], run: ["\(script)"]}}
      """)
    for round in 1...2 {
      // The first run requests both, the second starts with the one that was never fetched.
      let run = try bgfetch.started(["run"])
      await server.received(round + 1)
      run.signal(SIGKILL)
      _ = await run.ended()
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
    #expect(bgfetch.text(of: "said").contains("p\n"))
  }
}

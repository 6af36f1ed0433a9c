// Many feeds, and hosts that take their time: what does not grow, and who does not wait.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server")) struct LargeFleetTests {
  @Test func `a slow host with many feeds holds up no other`() async throws {
    let slow = Gate()
    let server = try ScriptedServer { request in
      if request.target.hasPrefix("/slow") { slow.pass() }
      return .document(rss([(id: "a", title: "News")]))
    }
    func feeds(_ name: String, host: (Int) -> String) -> String {
      (0..<60).map { "  \(name)\($0): \"\(server.url("/\(name)\($0)", host: host($0)))\"\n" }.joined()
    }
    let machines = try await Machines(
      1, feeds: feeds("slow") { _ in "slow.localhost" } + feeds("quick") { "h\($0).localhost" })
    try machines.configure(network: "connections: 4")
    try await machines.prepare()
    let run = try machines.started(machines.first, "run", "--json")
    // Round after round, because each takes the feeds of few hosts only, in any order.
    let areFetched = await eventually {
      server.requests.count { $0.target.hasPrefix("/quick") } == 60
        && server.requests.count { $0.target.hasPrefix("/slow") } == 1
    }
    #expect(areFetched)
    slow.open()
    let ended = await run.ended()

    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.json.last?["new-data"] as? Int == 120)
  }

  @Test func `the memory of a run does not grow with the catalog`() async throws {
    let small = try await peakMemory(feeds: 500)
    let large = try await peakMemory(feeds: 30_000)

    // 10 MiB, a third of a KiB for each feed.
    #expect(large - small < 10_240, "\(small) KiB with few feeds, \(large) KiB with many")
  }

  /// The most memory, in KiB, that a run had when it has planned and waits for its first responses.
  private func peakMemory(feeds count: Int) async throws -> Int {
    let gate = Gate()
    let server = try ScriptedServer { _ in
      gate.pass()
      return .document(rss([(id: "a", title: "News")]))
    }
    let machines = try await Machines(1)
    try machines.configure()
    try await machines.prepare()
    let rows = (0..<count).map { number in
      "{\"name\": \"f\(number)\", \"url\": \"\(server.url("/\(number)", host: "h\(number % 400).localhost"))\"}\n"
    }
    let list = try machines.first.home.write(rows.joined(), to: "list.jsonl")
    try await machines.first("fleet", "import", list, status: 0)

    let run = try machines.started(machines.first, "run")
    await server.received(1)
    let status = try String(contentsOfFile: "/proc/\(run.process)/status", encoding: .utf8)
    run.signal(SIGTERM)
    gate.open()
    _ = await run.ended()
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) })
  }
}

// Machines that are killed at random moments while they share the work: what FLEET's guarantees say of requests, records and
// hooks, judged by the log of the servers.

import Foundation
import Synchronization
import TestKit
import Testing

/// A request as a server saw it.
private struct LoggedRequest {
  let address: String
  let start: ContinuousClock.Instant
  let end: ContinuousClock.Instant

  var host: Substring { address.dropFirst("http://".count).prefix { $0 != "/" } }
}

/// The Internet with one log, to which each machine has a proxy of its own.
private final class LoggedInternet: Sendable {
  private final class Log: Sendable {
    let requests = Mutex<[LoggedRequest]>([])
  }

  let proxies: [ScriptedServer]
  private let log: Log

  init(machines: Int) throws {
    let log = Log()
    let thinking = Gate()
    self.log = log
    proxies = try (0..<machines).map { _ in
      try ScriptedServer { request in
        let start = ContinuousClock.now
        // A server that takes its time: 20 ms.
        var nothing = pollfd(fd: -1, events: 0, revents: 0)
        withExtendedLifetime(thinking) { _ = poll(&nothing, 1, 20) }
        let address = request.target
        log.requests.withLock {
          $0.append(LoggedRequest(address: address, start: start, end: .now))
        }
        return .document(rss([1, 2].map { (id: "\(address)#\($0)", title: "News \($0)") }))
      }
    }
  }

  var requests: [LoggedRequest] { log.requests.withLock { $0 } }
}

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server")) struct KilledMachineTests {
  private static let (feeds, hosts, count) = (96, 32, 4)

  private func configure(_ machines: Machines, _ internet: LoggedInternet) throws {
    let hook = try machines.first.script(
      "say", "echo \"$BGFETCH_EVENT_ID\" >> \(machines.first.home.file("told"))")
    for (machine, proxy) in zip(machines.all, internet.proxies) {
      try machines.configure(
        """
        state: {postgres: "\(machines.place())"}
        network: {proxy: "\(proxy.origin)", connections: 6, timeout: 1h, stall: {for: 1h}}
        budget: none
        defaults: {first-run: all, minimum-interval: 6h}
        hooks: {say: {events: [new-item], run: [\(hook)]}}
        feeds:

        """
          + (0..<Self.feeds).map { "  f\($0): http://h\($0 % Self.hosts).example/\($0)\n" }.joined(),
        only: machine)
    }
  }

  @Test func `random kills lose nothing, and ask nobody twice or too soon`() async throws {
    let internet = try LoggedInternet(machines: Self.count)
    let machines = try await Machines(Self.count)
    try configure(machines, internet)
    try await machines.prepare()
    var numbers = RandomNumbers(seed: UInt64.random(in: 0 ... .max))
    var kills = 0

    // Each round kills one machine in the middle of its work; the others go on.
    var running: [Int: RunningProgram] = [:]
    for _ in 0..<6 {
      for number in 0..<Self.count where running[number] == nil {
        running[number] = try machines.started(machines.all[number], "run")
      }
      let wanted = internet.requests.count + Int.random(in: 4...12, using: &numbers)
      let victim = Int.random(in: 0..<Self.count, using: &numbers)
      guard wanted < Self.feeds, let program = running[victim] else { break }
      #expect(await eventually { internet.requests.count >= wanted })
      program.signal(SIGKILL)
      _ = await program.ended()
      await internet.proxies[victim].idle()
      try await machines.endLeases(of: program.process)
      running[victim] = nil
      kills += 1
    }
    for program in running.values { _ = await program.ended() }
    for _ in 0..<10 {
      let runs = try machines.all.map { try machines.started($0, "run", "--json") }
      var due = 0
      for run in runs { due += await run.ended().json.last?["due"] as? Int ?? 1 }
      if due == 0 { break }
    }

    let requests = internet.requests
    // Each request is in one record, and no feed was fetched twice.
    let records = try await machines.ask(
      """
      SELECT name, count(*) FILTER (WHERE reason IS DISTINCT FROM 'interrupted'), count(*)
      FROM bgfetch.fetch f JOIN bgfetch.feed ON feed.number = f.feed GROUP BY 1
      """)
    let rows = records.split(separator: "\n").map { $0.split(separator: "|") }
    #expect(rows.count == Self.feeds)
    #expect(rows.allSatisfy { $0[1] == "1" }, "\(records)")
    let asked = Dictionary(grouping: requests) { "f" + ($0.address.split(separator: "/").last ?? "") }
    #expect(asked.count == Self.feeds)
    for row in rows { #expect(asked[String(row[0])]?.count ?? 0 <= Int(row[2]) ?? 0, "\(row)") }
    // One request at a time on a host, and a second between two; a tenth of it on a machine that is busy.
    for (host, ofHost) in Dictionary(grouping: requests, by: \.host) {
      let inOrder = ofHost.sorted { $0.start < $1.start }
      for (one, next) in zip(inOrder, inOrder.dropFirst()) {
        #expect(next.start >= one.end, "two requests at once on \(host)")
        #expect(next.start - one.start >= .milliseconds(100), "too soon on \(host)")
      }
    }
    // Each item once, each told, and nothing under way.
    #expect(try await machines.ask("SELECT count(*) FROM bgfetch.item") == "\(Self.feeds * 2)")
    let told = machines.first.text(of: "told").split(separator: "\n")
    let events = try await machines.ask("SELECT id FROM bgfetch.event WHERE kind = 'new-item'")
    #expect(Set(told) == Set(events.split(separator: "\n")) && Set(told).count == Self.feeds * 2)
    #expect(told.count <= Self.feeds * 2 + kills)
    let left = try await machines.ask(
      "SELECT (SELECT count(*) FROM bgfetch.attempt) + (SELECT count(*) FROM bgfetch.claim)")
    #expect(left == "0")
    #expect(kills > 0)
  }
}

// Four machines that are killed, frozen and cut off at random, and a database that crashes: what their hosts, their hooks and the
// store see of it.

import Foundation
import Synchronization
import TestKit
import Testing

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server"), .serialized) struct KilledMachineTests {
  private static let hosts = 16
  private static let feedsOfHost = 2
  private static let faults = 14

  @Test(arguments: [1] as [UInt64])
  func `machines that die at random are polite, lose nothing and tell everything that is stored`(seed: UInt64)
    async throws
  {
    try await CrashingDatabase.use { database in
      let news = News()
      let wire = try WireLog { host, path in
        let items = (0...news.newest).map { (id: host + path + ".\($0)", title: "News") }
        let body = Array(rss(items).utf8)
        // A third of a second until it is answered.
        return .body(
          .send(Array(body.dropLast(6))), .drip(Array(body.suffix(6)), milliseconds: 50), framing: .length)
      }
      let machines = try await machines(database.place, wire)
      let fleet = try Fleet(machines)
      async let work: Void = fleet.work()
      var random = RandomNumbers(seed: seed)
      for fault in 0..<Self.faults {
        #expect(await wire.received(5), "after \(fault) faults")
        let victim = fleet.runs[Int.random(in: 0..<machines.all.count, using: &random)]
        let kind = Int.random(in: 0..<9, using: &random)
        if kind == 8 {
          try await database.crash()
        } else {
          // A process that is stopped, or dead, is taken for dead.
          victim.signal(kind < 4 ? SIGKILL : SIGSTOP)
          try await machines.endLeases(of: victim.process)
        }
        if (4..<8).contains(kind) { #expect(await wire.received(5)) }
        victim.signal(SIGCONT)
        news.newest = fault / 5
      }
      fleet.end()
      await work
      try await machines.endLeases()
      try await machines.first("run", "--force", status: 0)

      #expect(wire.impolite(delay: .milliseconds(700)) == [], "seed \(seed)")
      let count = Self.hosts * Self.feedsOfHost * (news.newest + 1)
      #expect(try await machines.ask("SELECT count(*) FROM bgfetch.item") == "\(count)")
      #expect(try await machines.ask("SELECT count(*) FROM bgfetch.attempt") == "0")
      let left = "SELECT count(*) FROM bgfetch.delivery WHERE status <> 'delivered'"
      #expect(try await machines.ask(left) == "0")
      let told = Set(machines.first.text(of: "told").split(separator: "\n"))
      let stored = try await machines.ask("SELECT id FROM bgfetch.event WHERE kind = 'new-item'")
      #expect(told == Set(stored.split(separator: "\n")))
      #expect(told.count == count)
    }
  }

  private func machines(_ database: String, _ wire: WireLog) async throws -> Machines {
    let machines = try await Machines(4, server: database)
    let told = machines.first.home.file("told")
    let feeds = (0..<Self.hosts).flatMap { host in
      (0..<Self.feedsOfHost).map { "  h\(host)-\($0): http://h\(host).example/\($0)\n" }
    }
    for machine in machines.all {
      let hook = try machine.script("say", "echo \"$BGFETCH_EVENT_ID\" >> '\(told)'")
      try machines.configure(
        """
        state: {postgres: "\(machines.place())"}
        network: {proxy: "\(wire.proxy.origin)", connections: 3, delay-per-host: 1s}
        budget: none
        defaults: {first-run: all, minimum-interval: 3s}
        hooks: {say: {events: [new-item], run: ["\(hook)"]}}
        feeds:

        """ + feeds.joined(), only: machine)
    }
    try await machines.prepare()
    return machines
  }
}

/// The number of the newest item of all feeds, from 0.
private final class News: Sendable {
  private let number = Mutex(0)

  var newest: Int {
    get { number.withLock { $0 } }
    set { number.withLock { $0 = newValue } }
  }
}

/// Machines that begin a run whenever their last one has ended.
private final class Fleet: Sendable {
  private struct State {
    var runs: [RunningProgram]
    var isEnding = false
  }

  private let machines: Machines
  private let state: Mutex<State>

  init(_ machines: Machines) throws {
    self.machines = machines
    state = Mutex(State(runs: try machines.all.map { try machines.started($0, "run") }))
  }

  /// The last run of each machine.
  var runs: [RunningProgram] { state.withLock { $0.runs } }

  /// Begins runs until `end`, and returns when the last ones have ended.
  func work() async {
    await withDiscardingTaskGroup { group in
      for (number, machine) in machines.all.enumerated() {
        group.addTask { [self] in
          repeat { _ = await runs[number].ended() } while begin(number, machine)
        }
      }
    }
  }

  private func begin(_ number: Int, _ machine: BuiltProgram) -> Bool {
    state.withLock { state in
      guard !state.isEnding, let run = try? machines.started(machine, "run") else { return false }
      state.runs[number] = run
      return true
    }
  }

  func end() { state.withLock { $0.isEnding = true } }
}

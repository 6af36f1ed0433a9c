// Hooks and downloads of several machines at a time: each delivery and each download is one machine's until it has ended, or the
// machine is dead.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server")) final class SharedWorkTests: ServerSuite {
  /// Machines with feeds of different hosts, and a hook that says on which machine it begins, and waits for the file `go` there.
  private func machines(
    _ names: [String], on database: String? = postgres
  ) async throws -> Machines {
    let machines = try await Machines(server: database)
    let said = machines.first.home.file("said")
    let lines = names.map { "  \($0): \"\(server.url("/" + $0, host: $0 + ".localhost"))\"\n" }.joined()
    for name in names { server.feed("/" + name, ["a"]) }
    for (number, machine) in machines.all.enumerated() {
      let path = try machine.script(
        "say",
        "echo \"\(number) $BGFETCH_FEED\" >> '\(said)'; for i in $(seq 600); do test -e \"$HOME/go\" && exit 0; sleep 0.1; done; exit 1"
      )
      try machines.configure(
        """
        state: {postgres: "\(machines.place())"}
        network: {timeout: 1h}
        defaults: {first-run: all, minimum-interval: 1h}
        free-space: 1KiB
        hooks: {say: {events: [new-item], timeout: 10m, run: ["\(path)"]}}
        feeds:

        """ + lines, only: machine)
    }
    try await machines.prepare()
    return machines
  }

  /// Lets the hooks of a machine end.
  private func go(_ machine: BuiltProgram) throws { _ = try machine.home.write("", to: "go") }

  private func said(_ text: String, _ machines: Machines) async -> Bool {
    await eventually { machines.first.said == text }
  }

  @Test func `a restart of the database during a hook runs it neither elsewhere nor again`() async throws {
    try await CrashingDatabase.use { database in
      let machines = try await machines(["planet"], on: database.place)
      let run = try machines.started(machines.first, "run", "--json")
      #expect(await said("0 planet\n", machines))

      try await database.crash()
      let other = try await machines.second("run", "--json")
      let waiting = try await machines.second("hooks", "--json")
      try go(machines.first)
      let ended = await run.ended()
      try go(machines.second)
      try await machines.second("run", status: 0)

      #expect(other.status == 0, "\(other.errors)\(ended.errors)")
      #expect(ended.status == 0, "\(other.errors)\(ended.errors)")
      #expect(waiting.output.contains("running"), "\(waiting.output)")
      #expect(machines.first.said == "0 planet\n")
      #expect(try await machines.ask("SELECT status, attempts FROM bgfetch.delivery") == "delivered|1")
    }
  }

  @Test
  func `machines download from different hosts at the same time, and from one host one after the other`()
    async throws
  {
    let machines = try await machines([])
    let content = FileContent(90_000, seed: 4)
    let hosts = ["one", "one", "other"]
    var lines = ""
    for (number, host) in hosts.enumerated() {
      let file = number == 0 ? AssetFile(content, .stall(after: 40_000)) : AssetFile(content)
      server.serve(file, at: "/\(number).iso")
      lines +=
        "  f\(number): {url: \"\(server.url("/\(number).iso", host: host + ".localhost"))\", kind: asset}\n"
    }
    let places = machines.first.home.file("documents")
    for machine in machines.all {
      let text = machine.text(of: "bgfetch.yaml")
      try machines.configure("documents: \(places)\n" + text + lines, only: machine)
      try go(machine)
    }

    let first = try machines.started(machines.first, "run", "f0", "--json")
    await server.sent(40_000, of: "/0.iso")
    try await machines.second("run", status: 0)
    let beside = DownloadProgram.files(below: places).filter { !$0.hasPrefix(".") }
    await first.ended(after: SIGKILL)
    try await machines.endLeases()
    server.serve(AssetFile(content), at: "/0.iso")
    try await machines.second("run", status: 0)

    #expect(beside == ["f2/2.iso"])
    let files = DownloadProgram.files(below: places).filter { !$0.hasPrefix(".") }.sorted()
    #expect(files == ["f0/0.iso", "f1/1.iso", "f2/2.iso"])
    #expect(server.requests("/1.iso").count == 1)
    #expect(server.requests("/2.iso").count == 1)
  }

  @Test(arguments: [SIGKILL, SIGSTOP])
  func `another machine takes over within seconds, however long a request may take`(signal: Int32)
    async throws
  {
    let machines = try await Machines(feeds: feedsOfHosts(1, server))
    let gate = server.gatedFeed("/0")
    try machines.configure()
    try await machines.prepare()
    let run = try machines.started(machines.first, "run", "--json")
    await server.received(1)
    let watch = try machines.started(machines.second, "run", "--watch")
    #expect(try await machines.reaches("2", "SELECT count(*) FROM bgfetch.machine"))

    run.signal(signal)
    let silent = ContinuousClock.now
    await server.received(2)
    let time = ContinuousClock.now - silent
    gate.open()
    let stored = "SELECT count(*) FROM bgfetch.item"
    #expect(try await machines.reaches("1", stored))
    run.signal(SIGCONT)
    let ended = await run.ended()
    await watch.ended(after: SIGTERM)

    #expect(time < .seconds(15), "\(time)")
    #expect(ended.status == (signal == SIGKILL ? SIGKILL + 128 : 74), "\(ended.errors)")
  }

  @Test func `a hook of a machine that died runs on another one within seconds`() async throws {
    let machines = try await machines(["planet"])
    let run = try machines.started(machines.first, "run", "--json")
    #expect(await said("0 planet\n", machines))
    let watch = try machines.started(machines.second, "run", "--watch")
    #expect(try await machines.reaches("2", "SELECT count(*) FROM bgfetch.machine"))
    try go(machines.second)

    let silent = ContinuousClock.now
    await run.ended(after: SIGKILL)
    #expect(await said("0 planet\n1 planet\n", machines))
    let time = ContinuousClock.now - silent
    let delivered = "SELECT status, attempts FROM bgfetch.delivery"
    #expect(try await machines.reaches("delivered|2", delivered))
    try go(machines.first)
    await watch.ended(after: SIGTERM)

    #expect(time < .seconds(20), "\(time)")
  }

  /// Machines with a feed that is a file, of which the first one has downloaded a part when this returns.
  private func downloading(_ file: AssetFile) async throws -> (Machines, RunningProgram) {
    let machines = try await Machines()
    server.serve(file, at: "/disk.iso")
    let places = machines.first.home.file("documents")
    try machines.configure(
      more:
        "  disk: {url: \"\(server.url("/disk.iso"))\", kind: asset}\ndocuments: \(places)\nfree-space: 1KiB\n"
    )
    try await machines.prepare()
    let run = try machines.started(machines.first, "run", "--json")
    await server.sent(40_000, of: "/disk.iso")
    #expect(try await machines.reaches("t", "SELECT bytes > 0 FROM bgfetch.transfer"))
    return (machines, run)
  }

  private func isWhole(_ content: FileContent, on machines: Machines) throws -> Bool {
    let path = machines.first.home.file("documents/disk/disk.iso")
    return content.isWhole(Array(try Data(contentsOf: URL(fileURLWithPath: path))))
  }

  @Test func `no command of another machine disturbs a download`() async throws {
    let (content, gate) = (FileContent(2_000_000, seed: 4), Gate())
    // A body that stands still is given up after half a minute.
    let (machines, run) = try await downloading(AssetFile(content, .trickle(after: 40_000, gate)))

    for command in [
      ["run"], ["run", "disk"], ["run", "--force"], ["run", "disk", "--force"], ["transfers", "run"],
      ["transfers", "retry", "1"], ["transfers", "verify"], ["pause", "disk"], ["resume", "disk"],
      ["seen", "disk"], ["hooks", "retry"], ["status"], ["check"],
    ] {
      let ended = try await machines.second(command)
      // 2: a running transfer needs no retry.
      #expect([0, 2, 3, 4].contains(ended.status), "\(command): \(ended.errors)")
      #expect(
        try await machines.ask("SELECT status, held_by > 0, crashes FROM bgfetch.transfer")
          == "running|t|0", "\(command)")
    }
    #expect(server.requests("/disk.iso").count == 1)
    gate.open()
    let ended = await run.ended()

    #expect(ended.status == 0, "\(ended.errors)")
    #expect(try await machines.ask("SELECT status, failures FROM bgfetch.transfer") == "finished|0")
    #expect(try isWhole(content, on: machines))
  }

  @Test(arguments: [["pause", "resume"], ["cancel", "retry"]])
  func `a download that a person lets others begin again is begun when the machine has let go`(
    words: [String]
  ) async throws {
    let content = FileContent(90_000, seed: 4)
    let (machines, run) = try await downloading(AssetFile(content, inTurn: [.stall(after: 40_000)], []))
    run.signal(SIGSTOP)

    for word in words { try await machines.second("transfers", word, "1", status: 0) }
    try await machines.second("transfers", "run", status: 0)
    #expect(server.requests("/disk.iso").count == 1)
    run.signal(SIGCONT)
    _ = await run.ended()
    try await machines.second("run", status: 0)

    let row = try await machines.ask("SELECT status, crashes, failures FROM bgfetch.transfer")
    #expect(row == "finished|0|0")
    #expect(try isWhole(content, on: machines))
  }
}

// `run --watch`: what wakes it, what else can run meanwhile, and how it ends.

import Foundation
import TestKit
import Testing

@Suite struct WatchTests {
  @Test func `it fetches due feeds, and a pushed feed at once`() async throws {
    let program = try WatchProgram(["planet", "moon"])
    _ = try await program("pause", "moon")
    let watch = try await program.started(fetched: 1)

    _ = try await program("resume", "moon")
    await program.server.received(2)

    #expect(await eventually { program.bgfetch.badge == "2\n" })
    await watch.stopped()
    #expect(program.server.requests.map(\.path) == ["/planet", "/moon"])
  }

  @Test func `its events have the cause watch, and their hooks not NOTIFY_SOCKET`() async throws {
    let program = try WatchProgram(["planet"])
    _ = try program.bgfetch.script(
      "say", "env | grep -E 'NOTIFY|WATCHDOG' >> said; echo \"$BGFETCH_CAUSE\" >> said")
    try program.configure(
      ["planet"], settings: "hooks: {say: {events: [run-started, new-data], run: [HOME/say]}}")
    let watch = try await program.started()

    #expect(await eventually { program.bgfetch.said == "watch\nwatch\n" })

    await watch.stopped()
    #expect(try await program("history", "--json").json.first?["cause"] as? String == "watch")
  }

  @Test func `a slow hook does not delay the next fetch`() async throws {
    let program = try WatchProgram(["planet", "moon"])
    let pipe = program.bgfetch.home.file("pipe")
    mkfifo(pipe, 0o600)
    _ = try program.bgfetch.script("say", "read line < \"$HOME/pipe\"")
    try program.configure(
      ["planet", "moon"],
      settings: "hooks: {say: {events: [new-data], run: [HOME/say], feeds: [planet], timeout: 1h}}")
    _ = try await program("pause", "moon")
    let watch = try await program.started(fetched: 1)
    // Only now, because the hook reads it.
    let writing = try FileHandle(forUpdating: URL(fileURLWithPath: pipe))

    _ = try await program("resume", "moon")
    await program.server.received(2)

    #expect(program.server.requests.map(\.path) == ["/planet", "/moon"])
    try writing.write(contentsOf: Data("go\n".utf8))
    await watch.stopped()
  }

  @Test func `hooks retry wakes it to deliver dead deliveries`() async throws {
    let program = try WatchProgram(["planet"])
    _ = try program.bgfetch.script("say", "test -e ok && echo told >> told")
    try program.configure(
      ["planet"], settings: "hooks: {say: {events: [new-data], run: [HOME/say], retries: 0}}")
    let watch = try await program.started("-v")
    await watch.said("giving up on")

    _ = try program.bgfetch.home.write("", to: "ok")
    #expect(try await program("hooks", "list", "--json").json.first?["status"] as? String == "dead")
    _ = try await program("hooks", "retry")

    #expect(await eventually { program.bgfetch.text(of: "told") == "told\n" })
    await watch.stopped()
  }

  @Test func `a configuration that is replaced while nothing is due is read at once`() async throws {
    let program = try WatchProgram(["planet"])
    program.server.feed("/moon", ["b"])
    let watch = try await program.started(fetched: 1)
    await watch.heard("STATUS=watching 1 feed; next at 2026-11-21 13:02:00")

    try program.configure(["planet", "moon"])
    await program.server.received(2)

    await watch.stopped()
    #expect(program.server.requests.map(\.path) == ["/planet", "/moon"])
  }

  @Test func `SIGHUP reads the configuration again, and the badge no longer counts a feed that is gone`()
    async throws
  {
    let program = try WatchProgram(["planet", "moon"])
    let watch = try await program.started()
    #expect(await eventually { program.bgfetch.badge == "2\n" })

    try program.configure(["moon"])
    watch.program.signal(SIGHUP)

    #expect(await eventually { program.bgfetch.badge == "1\n" })
    await watch.heard("READY=1", times: 2)
    await watch.stopped()
    #expect(watch.manager.heard.contains("RELOADING=1"))
    #expect(program.server.requests.count == 2)
  }

  @Test func `a run that began before SIGHUP leaves the badge of the new configuration`() async throws {
    let program = try WatchProgram(["planet", "moon"])
    let gate = program.server.gatedFeed("/moon")
    let watch = try await program.started(fetched: 2)

    try program.configure(["moon"])
    await watch.reload()
    gate.open()

    #expect(await eventually { program.bgfetch.badge == "1\n" })
    await watch.stopped()
  }

  @Test func `another time zone of the system moves every schedule at once`() async throws {
    let home = try TemporaryDirectory()
    let zone = home.file("localtime")
    try FileManager.default.createSymbolicLink(
      atPath: zone, withDestinationPath: "/usr/share/zoneinfo/Europe/Berlin")
    let program = try WatchProgram(
      ["planet"], environment: WatchProgram.noon.merging(["TZ": ":" + zone]) { $1 })
    let watch = try await program.started(fetched: 1)
    await watch.heard("STATUS=watching 1 feed; next at 2026-11-21 14:")

    // As timedatectl(1) does it.
    try FileManager.default.createSymbolicLink(
      atPath: zone + ".new", withDestinationPath: "/usr/share/zoneinfo/America/New_York")
    #expect(rename(zone + ".new", zone) == 0)

    await watch.heard("STATUS=watching 1 feed; next at 2026-11-21 08:")
    await watch.stopped()
  }

  // A thread of libdispatch would wake the processor each second.
  @Test func `nothing wakes it while there is nothing to do`() async throws {
    let program = try WatchProgram(["planet"])
    let watch = try await program.started()
    await watch.heard("STATUS=watching 1 feed; next at")

    #expect(await eventually { watch.program.nextTimer.map { $0 > 60 } ?? true })
    await watch.stopped()
  }

  @Test(arguments: [("badkey: 1", "unknown key \"badkey\""), ("badge: HOME/taken", "taken: is a directory")])
  func `a wrong configuration is reported, and the old one stays in use`(
    settings: String, message: String
  ) async throws {
    let program = try WatchProgram(["planet", "moon"])
    program.server.feed("/star", ["b"])
    try program.bgfetch.makeDirectory("taken")
    _ = try await program("pause", "moon")
    let watch = try await program.started(fetched: 1)

    try program.configure(["star"], settings: settings)
    watch.program.signal(SIGHUP)
    await watch.said(message)
    await watch.said("stays in use")
    await watch.heard("READY=1", times: 2)
    try program.configure(["planet", "moon"])
    _ = try await program("resume", "moon")
    await program.server.received(2)

    await watch.stopped()
    #expect(program.server.requests.map(\.path) == ["/planet", "/moon"])
  }

  @Test func `it does not follow a changed state key`() async throws {
    let program = try WatchProgram(["planet"])
    let watch = try await program.started()

    try program.bgfetch.edit(program.bgfetch.state, to: program.bgfetch.home.file("other"))
    watch.program.signal(SIGHUP)
    await watch.said("the state directory is \(program.bgfetch.home.file("other")) now")

    await watch.stopped()
    #expect(!FileManager.default.fileExists(atPath: program.bgfetch.home.file("other")))
  }

  @Test func `a run that it started before the change does not follow either`() async throws {
    let program = try WatchProgram(["planet"])

    let watched = program.environment.merging(["BGFETCH_WATCH": "/other"]) { $1 }
    try await program.bgfetch(["run", "--cause", "watch"], environment: watched, status: 2)

    #expect(!FileManager.default.fileExists(atPath: program.bgfetch.state))
  }

  @Test(arguments: [(SIGTERM, 143), (SIGINT, 130)] as [(Int32, Int32)])
  func `a signal suspends fetches and ends it`(signal: Int32, status: Int32) async throws {
    let program = try WatchProgram(["planet"])
    let gate = program.server.gatedFeed("/planet")
    let watch = try await program.started(fetched: 1)

    let ended = await watch.program.ended(after: signal)
    gate.open()
    let next = try await program("run", "--json")

    #expect(ended.status == status)
    #expect(watch.manager.heard.last == "STOPPING=1")
    #expect(next.json.last?["new-data"] as? Int == 1)
    #expect(try await !program("why", "planet").output.contains("backoff"))
  }

  @Test func `other runs work beside it, but not during its fetches`() async throws {
    let program = try WatchProgram(["planet"])
    let gate = program.server.gatedFeed("/planet")
    let watch = try await program.started(fetched: 1)

    let refused = try await program("run", "planet")
    gate.open()
    await watch.heard("STATUS=watching 1 feed; next at 2026-11-21 13:02:00")
    let run = try await program("run", "planet", "--json")

    await watch.stopped()
    #expect([refused.status, run.status] == [75, 0])
    #expect(run.json.last?["due"] as? Int == 1)
  }

  @Test func `it waits for another run, and then fetches the rest`() async throws {
    let program = try WatchProgram(["planet", "moon"])
    let gate = program.server.gatedFeed("/planet")
    let run = try program.bgfetch.started(["run", "planet"], environment: program.environment)
    await program.server.received(1)

    let watch = try await program.started()
    await watch.heard("STATUS=watching 2 feeds; fetching")
    #expect(program.server.requests.count == 1)
    gate.open()
    #expect(await run.ended().status == 0)
    await program.server.received(2)

    await watch.stopped()
    #expect(program.server.requests.map(\.path) == ["/planet", "/moon"])
  }

  @Test func `a second watching program is refused until the first has ended`() async throws {
    let program = try WatchProgram(["planet"])
    let watch = try await program.started()

    let second = try await program("run", "--watch")
    #expect(second.status == 75)
    #expect(second.errors.contains("another run --watch holds"))
    #expect(second.errors.contains("end it first"))
    await watch.stopped()

    try await program.started().stopped()
  }

  @Test func `a download does not delay fetches, and a signal suspends it`() async throws {
    let gate = Gate()
    let program = try WatchProgram.downloading(.document("whole").held(by: gate), beside: ["moon"])
    _ = try await program("pause", "moon")
    let watch = try await program.started(fetched: 2)

    _ = try await program("resume", "moon")
    await program.server.received(3)
    #expect(program.server.requests.map(\.path) == ["/planet", "/a.mp3", "/moon"])
    await watch.stopped()

    gate.open()
    let transfers = try await program("transfers", "list", "--all", "--json")
    #expect(transfers.json.first?["status"] as? String == "suspended")
    #expect(try await program("transfers", "run").status == 0)
  }

  @Test func `a new configuration continues the transfers that it does not change`() async throws {
    let gate = Gate()
    let program = try WatchProgram.downloading(.document("whole").held(by: gate))
    let watch = try await program.started(fetched: 2)

    try program.configureDownload(interval: "2h")
    await watch.reload()
    gate.open()
    await watch.heard("STATUS=watching 1 feed; next at 2026-11-21 14:02:00")

    await watch.stopped()
    #expect(program.server.requests.map(\.path) == ["/planet", "/a.mp3"])
  }

  @Test func `a transfer queued by hand is downloaded at once`() async throws {
    let program = try WatchProgram.downloading(.document("whole"))
    try program.configureDownload("{}", firstRun: "none")
    let watch = try await program.started(fetched: 1)
    await watch.heard("STATUS=watching 1 feed; next at 2026-11-21 13:02:00")

    _ = try await program("transfers", "add", "planet", "--limit", "1")
    await program.server.received(2)

    await watch.stopped()
    #expect(program.server.requests.map(\.path) == ["/planet", "/a.mp3"])
  }

  @Test func `an error during a round is reported, and does not end it`() async throws {
    let program = try WatchProgram(["planet"])
    let badge = program.bgfetch.home.file("no/badge")
    _ = try program.bgfetch.home.write("", to: "no")
    try program.configure(["planet"], settings: "badge: \(badge)")
    let watch = try await program.started()

    await watch.said("the badge: ")

    await watch.stopped()
    #expect(program.server.requests.map(\.path) == ["/planet"])
  }

  @Test(.disabled(if: isSanitized, "a sanitizer opens files of its own"))
  func `it ends if it can open no more files, so that the service manager restarts it`() async throws {
    let program = try WatchProgram(["planet", "moon"])
    _ = try await program("pause", "moon")
    let watch = try await program.started(fetched: 1)
    await watch.heard("STATUS=watching 2 feeds; next at 2026-11-21 13:02:00")

    try await program.bgfetch.shell(
      "prlimit --pid \"$(head -n 1 '\(program.bgfetch.state)/watch.lock')\" --nofile=3", status: 0)
    _ = try await program("resume", "moon")

    let ended = await watch.program.ended()
    #expect(ended.status == 74, "\(ended.errors)")
    #expect(ended.errors.split(separator: "\n").count == 1, "\(ended.errors)")
    #expect(ended.errors.contains("too many open files; raise the limit"), "\(ended.errors)")
  }

  @Test func `it notifies the watchdog of the service manager`() async throws {
    let watch = try await WatchProgram(["planet"]).started()

    await watch.heard("WATCHDOG=1")

    await watch.stopped()
  }

  @Test(arguments: [["planet"], ["--force"], ["--dry-run"], ["--wait"], ["--cause", "timer"], ["@tag"]])
  func `options that contradict --watch are refused`(words: [String]) async throws {
    let program = try WatchProgram(["planet"])

    try await program.bgfetch(
      ["run", "--watch"] + words, status: 2, errors: "--watch can be combined only with")
  }
}

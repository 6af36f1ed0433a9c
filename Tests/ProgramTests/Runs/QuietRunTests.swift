// Quick runs: a run with nothing to do ends before it reads the configuration, but never wrongly.

import Foundation
import TestKit
import Testing

@Suite final class QuietRunTests: ServerSuite {
  private static let midday = "2026-11-02T12:00:00Z"

  /// A program whose one feed was fetched at noon, and whose later runs may be quick.
  private func quiet(_ server: ScriptedServer, hooks: String = "") async throws -> BuiltProgram {
    server.feed("/feed", ["1"])
    let program = try BuiltProgram(
      configuration: "feeds:\n  planet: {url: \"\(server.url("/feed"))\", minimum-interval: 1h}\n" + hooks)
    try await makeQuiet(program, at: Self.midday)
    return program
  }

  /// Runs until there is a note for later runs, which a configuration written just now does not get.
  private func makeQuiet(
    _ program: BuiltProgram, at time: String, environment: [String: String] = [:]
  ) async throws {
    let notes = program.home.file(".cache/bgfetch")
    for _ in 0..<500 {
      try await run(program, at: time, environment: environment)
      if (try? FileManager.default.contentsOfDirectory(atPath: notes))?.isEmpty == false { return }
    }
    Issue.record("no note was left in \(notes)")
  }

  @discardableResult
  private func run(
    _ program: BuiltProgram, at time: String, environment: [String: String] = [:]
  ) async throws -> Invoked {
    try await program("run", "-q", environment: environment.merging(["BGFETCH_NOW": time]) { $1 })
  }

  /// The result of a run while another process holds the run lock: status 75 unless the run was quick.
  private func statusUnderLock(
    _ program: BuiltProgram, at time: String, _ call: String = "run -q", environment: String = ""
  ) async throws -> Int32 {
    try await program.shell(
      """
      exec 9>>'\(program.state)/run.lock'; flock -x 9
      BGFETCH_NOW=\(time) \(environment) exec "$BGFETCH" \(call)
      """
    ).status
  }

  @Test func `what was removed is made again, though nothing is due`() async throws {
    let program = try await quiet(server, hooks: "outputs: {HOME/news.html: {}}\n")

    for name in ["news.html", "state/badge"] {
      try FileManager.default.removeItem(atPath: program.home.file(name))
      try await run(program, at: "2026-11-02T12:30:00Z")
      #expect(program.text(of: name) != "", "\(name)")
      try await makeQuiet(program, at: "2026-11-02T12:30:00Z")
    }
    #expect(program.text(of: "news.html").contains("Nothing new"))
    #expect(server.requests.count == 1)
    try FileManager.default.removeItem(atPath: program.state)
    try await run(program, at: "2026-11-02T12:31:00Z")
    #expect(server.requests.count == 2)
  }

  @Test func `a run with nothing to do takes no lock`() async throws {
    let program = try await quiet(server)

    #expect(try await statusUnderLock(program, at: "2026-11-02T12:30:00Z") == 0)
    #expect(try await statusUnderLock(program, at: "2026-11-02T12:59:00Z") == 75)
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [
    ("TERM=xterm PWD=/ SSH_TTY=/dev/pts/1", true), ("PATH=/usr/bin:/bin", true), ("OTHER=2", true),
    ("PLACE=two", false), ("TZ=Europe/Berlin", false),
  ])
  func `only a variable that counts makes a run slower`(variable: String, isQuick: Bool) async throws {
    server.feed("/feed", ["1"])
    let program = try BuiltProgram(
      configuration: "badge: HOME/$PLACE\nfeeds: {planet: \"\(server.url("/feed"))\"}\n")
    try await makeQuiet(program, at: Self.midday, environment: ["PLACE": "one", "OTHER": "1"])

    let status = try await statusUnderLock(
      program, at: "2026-11-02T12:30:00Z", environment: "PLACE=one " + variable)

    #expect(status == (isQuick ? 0 : 75))
  }

  @Test func `only the options of a timer allow a quick run`() async throws {
    let program = try await quiet(try ScriptedServer())
    let calls: [(call: String, environment: String, status: Int32)] = [
      ("run --cause timer -q", "", 0), ("run --cause timer --no-transfers --quiet", "", 0),
      ("run -q --config $BGFETCH_CONFIG", "", 0), ("run -q --config=$BGFETCH_CONFIG", "", 0),
      ("run -q", "BGFETCH_CAUSE=timer", 0), ("run --cause push -q", "BGFETCH_CAUSE=moon", 0),
      ("run -q planet", "", 75), ("run -q --force", "", 75), ("run -q --json", "", 75),
      ("run -q --no-hooks", "", 75), ("run --verbose", "", 75),
      ("run -q --cause moon", "", 2), ("run -q", "BGFETCH_CAUSE=moon", 2), ("run -q --config", "", 2),
      ("run -q --config ''", "", 2), ("run -q --cause -q", "", 2), ("run -q --mood", "", 2),
      ("run -q", "BGFETCH_EVENT_ID=1", 75),
    ]

    for one in calls {
      let status = try await statusUnderLock(
        program, at: "2026-11-02T12:30:00Z", one.call, environment: one.environment)

      #expect(status == one.status, "\(one)")
    }
  }

  @Test func `the feed is fetched as soon as it is due, or the clock was set back`() async throws {
    let program = try await quiet(server)

    for (time, count) in [("2T12:56", 1), ("2T12:59", 2), ("1T12:01", 3)] {
      try await run(program, at: "2026-11-0\(time):00Z")
      #expect(server.requests.count == count, "\(time)")
    }
  }

  @Test func `an edited configuration is read`() async throws {
    let program = try await quiet(server)
    server.feed("/other", ["1"])

    try program.configure("feeds: {other: \"\(server.url("/other"))\"}\n")
    try await run(program, at: "2026-11-02T12:01:00Z")
    #expect(server.requests.map(\.path).last == "/other")

    try program.configure("feeds: {other: nonsense}\n")
    let failed = try await run(program, at: "2026-11-02T12:02:00Z")
    #expect(failed.status == 78)
    #expect(failed.errors.contains("bgfetch.yaml:2:16: url is not"))
  }

  @Test func `a new included file is read`() async throws {
    let server = try ScriptedServer(feeds: ["/feed": ["1"], "/other": ["1"]])
    let program = try BuiltProgram(
      configuration: "include: conf/*.yaml\nfeeds: {planet: \"\(server.url("/feed"))\"}\n")
    try program.makeDirectory("conf")
    try await makeQuiet(program, at: Self.midday)

    _ = try program.home.write("feeds: {other: \"\(server.url("/other"))\"}\n", to: "conf/other.yaml")
    try await run(program, at: "2026-11-02T12:01:00Z")

    #expect(server.requests.map(\.path) == ["/feed", "/other"])
  }

  @Test func `a link that changed during a run is followed by the next one`() async throws {
    let server = try ScriptedServer(feeds: ["/feed": ["1"], "/other": ["1"]])
    let program = try BuiltProgram(server, ["other"])
    let path = program.configurationPath
    try FileManager.default.moveItem(atPath: path, toPath: program.home.file("later.yaml"))
    try program.configure(
      "feeds: {planet: \"\(server.url("/feed"))\"}\nhooks: {lead: {events: [new-data], run: [HOME/lead]}}\n")
    try FileManager.default.moveItem(atPath: path, toPath: program.home.file("now.yaml"))
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "now.yaml")
    _ = try program.script("lead", "cd \"$HOME\" && test -e ready && ln -sf later.yaml bgfetch.yaml; true")
    try await makeQuiet(program, at: Self.midday)

    _ = try program.home.write("", to: "ready")
    server.feed("/feed", ["1", "2"])
    try await run(program, at: "2026-11-02T13:00:00Z")
    #expect(server.requests.map(\.path) == ["/feed", "/feed"])
    try await run(program, at: "2026-11-02T13:01:00Z")

    #expect(server.requests.map(\.path) == ["/feed", "/feed", "/other"])
  }

  @Test func `a directory that became writable for others is refused`() async throws {
    let program = try await quiet(server)

    chmod(program.home.path, 0o777)
    let refused = try await run(program, at: "2026-11-02T12:01:00Z")

    #expect(refused.status == 78)
    #expect(refused.errors.contains("every user can write to it"))
  }

  @Test func `a relative path is checked in the current working directory`() async throws {
    server.feed("/feed", ["1"])
    let program = try BuiltProgram(
      configuration: "badge: $PWD/badge\nfeeds: {planet: \"\(server.url("/feed"))\"}\n")
    try await makeQuiet(program, at: Self.midday, environment: ["PWD": program.home.file("one")])

    try await run(program, at: "2026-11-02T12:01:00Z", environment: ["PWD": program.home.file("two")])

    #expect(program.text(of: "two/badge") == "0\n")
  }

  @Test func `changed time zone rules are read`() async throws {
    let server = try ScriptedServer(feeds: ["/feed": ["1"]])
    let program = try BuiltProgram(
      configuration: """
        timezone: Own/Zone
        feeds: {planet: {url: "\(server.url("/feed"))", schedule: "0 14 * * *"}}

        """)
    let zone = program.home.file("zones/Own/Zone")
    try program.makeDirectory("zones/Own")
    try FileManager.default.copyItem(atPath: "/usr/share/zoneinfo/Etc/UTC", toPath: zone)
    let environment = ["TZDIR": program.home.file("zones")]
    try await makeQuiet(program, at: Self.midday, environment: environment)

    try FileManager.default.removeItem(atPath: zone)
    try FileManager.default.copyItem(atPath: "/usr/share/zoneinfo/Europe/Berlin", toPath: zone)
    try await run(program, at: "2026-11-02T13:00:00Z", environment: environment)

    #expect(server.requests.count == 2)
  }
}

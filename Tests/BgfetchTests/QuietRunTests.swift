// A run with nothing to do is over before it has read the configuration, and never at a wrong moment.

import Foundation
import TestKit
import Testing

@Suite struct QuietRunTests {
  private static let midday = "2026-11-02T12:00:00Z"

  /// A program whose one feed was fetched at midday, and whose later runs may be quick.
  private func quiet(_ server: ScriptedServer, hooks: String = "") async throws -> BuiltProgram {
    server.feed("/feed", ["1"])
    let program = try BuiltProgram(
      configuration: "feeds:\n  planet: {url: \"\(server.url("/feed"))\", minimum-interval: 1h}\n" + hooks)
    try await makeQuiet(program, at: Self.midday)
    return program
  }

  /// Runs until word is left for later runs, which is not done for a configuration only just written.
  private func makeQuiet(_ program: BuiltProgram, at time: String) async throws {
    let notes = program.home.file(".cache/bgfetch")
    for _ in 0..<500 {
      try await run(program, at: time)
      if (try? FileManager.default.contentsOfDirectory(atPath: notes))?.isEmpty == false { return }
    }
    Issue.record("no note was left in \(notes)")
  }

  @discardableResult
  private func run(_ program: BuiltProgram, at time: String) async throws -> Invoked {
    try await program("run", "-q", environment: ["BGFETCH_NOW": time])
  }

  /// What a run says that starts while another process holds the run lock: 75 if it comes that far.
  private func statusUnderLock(_ program: BuiltProgram, at time: String) async throws -> Int32 {
    try await program.shell(
      "exec 9>>'\(program.state)/run.lock'; flock -x 9; BGFETCH_NOW=\(time) exec \"$BGFETCH\" run -q"
    ).status
  }

  @Test func `a run with nothing to do takes no lock`() async throws {
    let server = try ScriptedServer()
    let program = try await quiet(server)

    #expect(try await statusUnderLock(program, at: "2026-11-02T12:30:00Z") == 0)
    #expect(try await statusUnderLock(program, at: "2026-11-02T12:59:00Z") == 75)
    #expect(server.requests.count == 1)
  }

  @Test func `the feed is asked as soon as it is due`() async throws {
    let server = try ScriptedServer()
    let program = try await quiet(server)

    try await run(program, at: "2026-11-02T12:56:00Z")
    #expect(server.requests.count == 1)
    try await run(program, at: "2026-11-02T12:59:00Z")
    #expect(server.requests.count == 2)
  }

  @Test func `an edited configuration is read`() async throws {
    let server = try ScriptedServer()
    let program = try await quiet(server)
    server.feed("/other", ["1"])

    try program.configure("feeds: {other: \"\(server.url("/other"))\"}\n")
    try await run(program, at: "2026-11-02T12:01:00Z")
    #expect(server.requests.map(\.path).last == "/other")

    try program.configure("feeds: {other: nonsense}\n")
    let failed = try await run(program, at: "2026-11-02T12:02:00Z")
    #expect(failed.status == 78)
    #expect(failed.errors.contains("nonsense"))
  }

  @Test func `a file that is new among the included ones is read`() async throws {
    let server = try ScriptedServer()
    server.feed("/feed", ["1"])
    server.feed("/other", ["1"])
    let program = try BuiltProgram(
      configuration: "include: conf/*.yaml\nfeeds: {planet: \"\(server.url("/feed"))\"}\n")
    try FileManager.default.createDirectory(
      atPath: program.home.file("conf"), withIntermediateDirectories: true)
    try await makeQuiet(program, at: Self.midday)

    _ = try program.home.write("feeds: {other: \"\(server.url("/other"))\"}\n", to: "conf/other.yaml")
    try await run(program, at: "2026-11-02T12:01:00Z")

    #expect(server.requests.map(\.path) == ["/feed", "/other"])
  }

  @Test func `the badge file comes back`() async throws {
    let server = try ScriptedServer()
    let program = try await quiet(server)
    try FileManager.default.removeItem(atPath: program.state + "/badge")

    try await run(program, at: "2026-11-02T12:01:00Z")

    #expect(program.badge == "0\n")
  }

  @Test func `a clock that was set back is noticed`() async throws {
    let server = try ScriptedServer()
    let program = try await quiet(server)

    try await run(program, at: "2026-11-01T12:01:00Z")

    #expect(server.requests.count == 2)
  }

  @Test func `a message that waits for its retry is handed over`() async throws {
    let server = try ScriptedServer()
    let program = try await quiet(server, hooks: "hooks: {say: {events: [new-data], run: [HOME/say]}}\n")
    _ = try program.script("say", "test -e ok && echo told >> told")
    server.feed("/feed", ["1", "2"])
    let failed = try await program("run", "planet", environment: ["BGFETCH_NOW": "2026-11-02T12:10:00Z"])
    #expect(failed.status == 0)
    try await makeQuiet(program, at: "2026-11-02T12:10:00Z")
    _ = try program.home.write("", to: "ok")

    try await run(program, at: "2026-11-02T12:40:00Z")

    #expect(program.text(of: "told") == "told\n")
  }

  @Test func `the state directory may be gone`() async throws {
    let server = try ScriptedServer()
    let program = try await quiet(server)
    try FileManager.default.removeItem(atPath: program.state)

    try await run(program, at: "2026-11-02T12:01:00Z")

    #expect(server.requests.count == 2)
  }
}

// Another user of the machine who has put something in bgfetch's way; user 4711 stands for one.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: geteuid() == 0, "only root can give files away"))
struct NeighbourRunTests {
  private static let commands = [
    "run", "run -q", "run --dry-run", "run --no-transfers", "status", "why planet", "items", "items --json",
    "seen planet", "opened planet", "history", "badge", "badge set 3", "pause planet", "unpause planet",
    "push --feed planet", "transfers", "transfers run", "hooks", "forecast --for 1d",
    "simulate planet --result new-data",
  ]

  /// A program that has run once.
  private func program(_ server: ScriptedServer, _ more: String = "") async throws -> BuiltProgram {
    server.feed("/feed", ["1"])
    let program = try BuiltProgram(
      configuration: "feeds:\n  planet: {url: \"\(server.url("/feed"))\", minimum-interval: every-run}\n"
        + more)
    let first = try await program("run")
    #expect(first.status == 0, "\(first.errors)")
    return program
  }

  @Test func `no command works with a state directory of another user's`() async throws {
    let server = try ScriptedServer()
    let program = try await program(server)
    chown(program.state, 4711, 4711)

    for command in Self.commands {
      let ended = try await program.shell("exec \"$BGFETCH\" \(command)")

      #expect(ended.status == 74, "\(command): \(ended.errors)")
      #expect(
        ended.errors.contains("\(program.state): belongs to user 4711, who could change it; chown it"),
        "\(command)")
    }
    #expect(server.requests.count == 1)
    let checked = try await program("check")
    #expect(checked.errors.contains("warning: state: \(program.state): belongs to user 4711"))
  }

  @Test(arguments: ["bgfetch.db", "bgfetch.db-wal", "bgfetch.db-shm", "run.lock", "transfers.lock"])
  func `a planted link is not followed`(name: String) async throws {
    let server = try ScriptedServer()
    let program = try await program(server)
    let victim = try program.home.write("precious", to: "victim")
    let path = program.state + "/" + name
    unlink(path)
    symlink(victim, path)
    lchown(path, 4711, 4711)

    let ended = try await program("run")

    #expect(ended.status == 74 || name == "transfers.lock", "\(ended.errors)")
    #expect(program.text(of: "victim") == "precious")
  }

  @Test func `a badge that another user leads elsewhere is left alone`() async throws {
    let server = try ScriptedServer()
    let program = try await program(server)
    let victim = try program.home.write("precious", to: "victim")
    let shared = program.home.file("shared")
    mkdir(shared, 0o700)
    chmod(shared, 0o1777)
    symlink(victim, shared + "/badge")
    lchown(shared + "/badge", 4711, 4711)
    try program.configure("badge: \(shared)/badge\nfeeds: {planet: \"\(server.url("/feed"))\"}\n")

    let ended = try await program("badge", "set", "7")

    #expect(ended.status == 74)
    #expect(ended.errors.contains("the badge: \(shared)/badge: belongs to user 4711"), "\(ended.errors)")
    #expect(program.text(of: "victim") == "precious")

    // One's own link works there.
    lchown(shared + "/badge", 0, 0)
    let own = try await program("badge", "clear")
    #expect(own.status == 0, "\(own.errors)")
    #expect(program.text(of: "victim") == "0\n")
  }

  @Test func `a parent that others may write is refused, and named with its cure`() async throws {
    let server = try ScriptedServer()
    let program = try await program(server)
    let open = program.home.file("open")
    try FileManager.default.createDirectory(atPath: open + "/mine/state", withIntermediateDirectories: true)
    chmod(open, 0o777)

    let ended = try await program("status", "--state", open + "/mine/state")

    #expect(ended.status == 74)
    #expect(ended.errors.contains("\(open): every user may write it; chmod go-w \(open)"), "\(ended.errors)")
  }

  @Test func `certificates and lists of another user's are refused; a document is only read`() async throws {
    let server = try ScriptedServer()
    let program = try await program(server)
    let file = try program.home.write("<opml version=\"2.0\"><body/></opml>", to: "theirs")
    chown(file, 4711, 4711)

    let imported = try await program("import", file)
    #expect(imported.status == 74)
    #expect(imported.errors.contains("belongs to user 4711"), "\(imported.errors)")
    #expect(try await program("push", file).status == 74)
    #expect(try await program("parse", file).status == 4)

    try program.configure("network: {ca-file: \(file)}\nfeeds: {planet: \"\(server.url("/feed"))\"}\n")
    let ended = try await program("status")
    #expect(ended.status == 78)
    #expect(ended.errors.contains("belongs to user 4711"), "\(ended.errors)")
  }

  @Test func `an answer is not written through a link of another user's`() async throws {
    let program = try await program(try ScriptedServer())
    let shared = program.home.file("shared")
    mkdir(shared, 0o700)
    chmod(shared, 0o1777)
    symlink(try program.home.write("precious", to: "victim"), shared + "/feeds.opml")
    lchown(shared + "/feeds.opml", 4711, 4711)

    let ended = try await program("export", "-o", shared + "/feeds.opml", "--force")

    #expect(ended.status == 74, "\(ended.errors)")
    #expect(program.text(of: "victim") == "precious")
  }

  @Test func `the haste of a run with nothing to do trusts nobody's note but one's own`() async throws {
    let server = try ScriptedServer()
    server.feed("/feed", ["1"])
    let program = try BuiltProgram(
      configuration: "feeds:\n  planet: {url: \"\(server.url("/feed"))\", minimum-interval: 1h}\n")
    let notes = program.home.file(".cache/bgfetch")
    for _ in 0..<500 {
      _ = try await program("run", "-q", environment: ["BGFETCH_NOW": "2026-11-02T12:00:00Z"])
      if (try? FileManager.default.contentsOfDirectory(atPath: notes))?.isEmpty == false { break }
    }

    chown(program.state + "/bgfetch.db", 4711, 4711)
    let ended = try await program("run", "-q", environment: ["BGFETCH_NOW": "2026-11-02T12:30:00Z"])

    #expect(ended.status == 74, "\(ended.errors)")
  }
}

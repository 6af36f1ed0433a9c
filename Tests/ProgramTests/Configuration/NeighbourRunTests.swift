// Files and directories that other users may have written. User 4711 is the other user.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: geteuid() == 0, "only root can give files away"))
final class NeighbourRunTests: ServerSuite {
  private static let commands = [
    "run", "run -q", "run --dry-run", "run --no-transfers", "status", "why planet", "items", "items --json",
    "seen planet", "opened planet", "history", "badge", "pause planet", "resume planet",
    "push --feed planet", "transfers", "transfers run", "hooks",
    "simulate planet --result new-data",
  ]

  private func program() async throws -> BuiltProgram {
    server.feed("/planet", ["1"])
    let program = try BuiltProgram(server, keys: "minimum-interval: every-run")
    try await program("run", status: 0)
    return program
  }

  @Test func `every command refuses a state directory of another user`() async throws {
    let program = try await program()
    chown(program.state, 4711, 4711)

    let error = "\(program.state): belongs to user 4711, who could change it; chown it"
    for command in Self.commands {
      try await program.shell("exec \"$BGFETCH\" \(command)", status: 74, errors: error)
    }
    #expect(server.requests.count == 1)
    try await program("check", errors: "warning: state: \(program.state): belongs to user 4711")
  }

  @Test func `a badge path with a link of another user is not written`() async throws {
    let program = try await program()
    let victim = try program.home.write("precious", to: "victim")
    let shared = program.home.file("shared")
    mkdir(shared, 0o700)
    chmod(shared, 0o1777)
    symlink(victim, shared + "/badge")
    lchown(shared + "/badge", 4711, 4711)
    try program.configure("badge: \(shared)/badge\nfeeds: {planet: \"\(server.url("/planet"))\"}\n")

    let error = "the badge: \(shared)/badge: belongs to user 4711"
    try await program("seen", "planet", status: 74, errors: error)
    #expect(program.text(of: "victim") == "precious")

    // A link of one's own works.
    lchown(shared + "/badge", 0, 0)
    try await program("seen", "planet", status: 0)
    #expect(program.text(of: "victim") == "0\n")
  }

  @Test func `certificates and lists of another user are refused; documents are read`() async throws {
    let program = try await program()
    let file = try program.home.write("<opml version=\"2.0\"><body/></opml>", to: "theirs")
    chown(file, 4711, 4711)

    try await program("import", file, status: 74, errors: "belongs to user 4711")
    try await program("push", file, status: 74)
    try await program("parse", file, status: 4)

    try program.configure("network: {ca-file: \(file)}\nfeeds: {planet: \"\(server.url("/planet"))\"}\n")
    try await program("status", status: 78, errors: "belongs to user 4711")
  }

  @Test func `the note for quick runs is used only if this user owns it`() async throws {
    server.feed("/planet", ["1"])
    let program = try BuiltProgram(server, keys: "minimum-interval: 1h")
    for _ in 0..<500 {
      try await program("run", "-q", at: "2026-11-02T12:00:00Z")
      if !entries(of: program.home.file(".cache/bgfetch")).isEmpty { break }
    }

    chown(program.state + "/bgfetch.db", 4711, 4711)
    try await program("run", "-q", at: "2026-11-02T12:30:00Z", status: 74)
  }
}

// Warnings of `check` about directories, and `hooks test` with the events of downloads.

@Suite struct DownloadConfigurationTests {
  @Test func `a configuration that was renamed keeps its state`() async throws {
    let server = try ScriptedServer(planet: ["a", "b"])
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")
    try await bgfetch("run")
    let renamed = bgfetch.home.file("renamed.yaml")
    try FileManager.default.moveItem(atPath: bgfetch.configurationPath, toPath: renamed)

    #expect(try await !bgfetch("check", "--config", renamed).errors.contains("belongs to"))
    for isFirst in [true, false] {
      let run = try await bgfetch("run", "--force", "--config", renamed, status: 0)
      let notice = "belonged to the configuration \(bgfetch.configurationPath), which is gone"
      #expect(run.errors.contains(notice) == isFirst)
    }
    #expect(try await bgfetch("items", "--json", "--config", renamed).json.count == 2)
  }

  @Test func `check warns of a state directory that belongs to another configuration`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {a: \"https://a.invalid/\"}\n")
    try await bgfetch("run")
    let other = bgfetch.home.file("other.yaml")
    try FileManager.default.copyItem(atPath: bgfetch.configurationPath, toPath: other)

    let text = "belongs to the configuration \(bgfetch.configurationPath); give this one a state directory"
    for command in [
      "check", "status", "why a", "items", "history", "transfers", "hooks", "badge", "export",
      "run --dry-run",
    ] {
      let own = try await bgfetch.shell("\"$BGFETCH\" \(command)", status: 0)
      let others = try await bgfetch.shell("\"$BGFETCH\" \(command) --config \"\(other)\"", status: 0)

      #expect(!own.errors.contains(text), "\(command)")
      #expect(others.errors.components(separatedBy: text).count == 2, "\(command)")
    }
  }

  private static let ofFile = "{asset.path}|{asset.type}|{asset.size}|{item.title}|{reason}"

  @Test(arguments: [
    ("asset-placed", Self.ofFile, "HOME/documents/sample/A sample item.mp3|audio/mpeg|0|A sample item|"),
    ("transfer-failed", Self.ofFile, "|audio/mpeg||A sample item|This is only a test."),
    ("auth-required", Self.ofFile, "|audio/mpeg||A sample item|This is only a test."),
    ("session-finished", "{feed}|{feed.title}|{count}|{failed}", "sample|Sample feed|1|0"),
  ])
  func `hooks test has a sample for each event of a download`(
    event: String, template: String, said: String
  ) async throws {
    let bgfetch = try BuiltProgram(
      configuration: """
        documents: HOME/documents
        feeds: {a: {url: "https://a.example/", download: {}}}
        hooks: {say: {events: [\(event)], run: [echo, --, "\(template)"]}}
        """)

    let test = try await bgfetch("hooks", "test", "say", status: 0)

    #expect((test.output + test.errors).contains(said.replacing("HOME", with: bgfetch.home.path)))
  }
}

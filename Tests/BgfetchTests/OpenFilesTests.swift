// Too few open files: the machine's trouble, which counts against nobody.

import Foundation
import TestKit
import Testing

@Suite struct OpenFilesTests {
  private static let feeds = (1...20).map { "feed\($0)" }

  /// Many feeds of one host, asked all at once, and a hook.
  private func program() throws -> (bgfetch: BuiltProgram, server: ScriptedServer) {
    let server = try ScriptedServer()
    let bgfetch = try BuiltProgram()
    for feed in Self.feeds { server.feed("/" + feed, ["a"]) }
    let hook = try bgfetch.script("log", "cat > /dev/null; echo \"$BGFETCH_FEED\" >> \"$HOME/heard\"")
    let feeds = Self.feeds.map { "  \($0): \"\(server.url("/" + $0))\"\n" }
    try bgfetch.configure(
      """
      network: {connections-per-host: 20}
      defaults: {first-run: all, minimum-interval: every-run}
      hooks: {log: {events: [new-data], run: ["\(hook)"], retries: 0}}
      feeds:

      """ + feeds.joined())
    return (bgfetch, server)
  }

  @Test(arguments: [8, 10, 12, 14, 15, 16, 18, 20, 24, 28, 32, 34, 35, 36, 37, 38, 40, 42])
  func `a run that is short of open files says so, and nothing fails for it`(limit: Int) async throws {
    let (bgfetch, server) = try program()
    defer { withExtendedLifetime(server) {} }

    let run = try await bgfetch.shell("ulimit -n \(limit); exec \"$BGFETCH\" run")

    #expect(run.status == 74 || run.status == 0 && limit > 28, "\(run.errors)")
    if run.status == 74 {
      #expect(run.errors.contains("too many open files (\(limit) at once are allowed)"), "\(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }
    // What could not be done then is done by the next run, which has room.
    let next = try await bgfetch("run", "--json")
    #expect(next.status == 0, "\(next.errors)")
    let history = try await bgfetch("history", "*", "--json")
    #expect(!history.json.contains { $0["result"] as? String == "failed" }, "\(history.output)")
    #expect(Set(bgfetch.text(of: "heard").split(separator: "\n").map(String.init)) == Set(Self.feeds))
    #expect(bgfetch.badge == "20\n")
  }

  // libdispatch ended the process by SIGILL.
  @Test(arguments: [5, 6, 7])
  func `a run that could hardly open a file says so at once`(limit: Int) async throws {
    let (bgfetch, server) = try program()
    defer { withExtendedLifetime(server) {} }

    let run = try await bgfetch.shell("ulimit -n \(limit); exec \"$BGFETCH\" run")

    #expect(run.status == 74, "\(run.errors)")
    #expect(run.errors.contains("too many open files (\(limit) at once are allowed)"), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
  }

  @Test func `a run takes as many open files as it may have where it has hardly any`() async throws {
    let (bgfetch, server) = try program()
    defer { withExtendedLifetime(server) {} }

    let run = try await bgfetch.shell("ulimit -Sn 5; exec \"$BGFETCH\" run")

    #expect(run.status == 0, "\(run.errors)")
    #expect(bgfetch.badge == "20\n")
  }

  @Test func `a download that is short of open files is only suspended`() async throws {
    let program = try DownloadProgram(["a.mp3": AssetFile(FileContent(5_000, seed: 3))])
    try await program.run(at: 0, "--no-transfers")

    for limit in [14, 16, 18, 20] {
      let run = try await program.bgfetch.shell(
        "ulimit -n \(limit); BGFETCH_NOW=\(DownloadProgram.moment(1)) exec \"$BGFETCH\" transfers run")
      #expect(run.status == 74 || run.status == 0, "\(run.errors)")
      if run.status == 74 { #expect(run.errors.contains("too many open files"), "\(run.errors)") }
    }

    try await program.run(at: 6)
    try program.expectSettled([FileContent(5_000, seed: 3)])
  }
}

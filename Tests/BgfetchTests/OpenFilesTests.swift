// A limit on open files that is too low for a run.

import TestKit
import Testing

@Suite struct OpenFilesTests {
  private static let feeds = (1...20).map { "feed\($0)" }

  /// Twenty feeds of one host, fetched at once, and a hook that writes down each feed.
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

  @Test(arguments: [5, 12, 30, 48])
  func `a run that may open too few files ends with an error, and a later run does its work`(limit: Int)
    async throws
  {
    let (bgfetch, server) = try program()
    defer { withExtendedLifetime(server) {} }

    let run = try await bgfetch.shell("ulimit -n \(limit); exec timeout 60 \"$BGFETCH\" run")

    #expect(run.status == 74)
    #expect(
      run.errors
        == "bgfetch: too many open files; raise the limit with ulimit -n, or LimitNOFILE= of the unit\n")
    let next = try await bgfetch("run", "--json")
    #expect(next.status == 0, "\(next.errors)")
    #expect(Set(bgfetch.text(of: "heard").split(separator: "\n").map(String.init)) == Set(Self.feeds))
    #expect(bgfetch.badge == "20\n")
  }

  @Test(arguments: ["-n 64", "-Sn 5"])
  func `a run raises its soft limit, and needs no more than 64 files for twenty feeds`(limit: String)
    async throws
  {
    let (bgfetch, server) = try program()
    defer { withExtendedLifetime(server) {} }

    let run = try await bgfetch.shell("ulimit \(limit); exec \"$BGFETCH\" run")

    #expect(run.status == 0, "\(run.errors)")
    #expect(bgfetch.badge == "20\n")
  }
}

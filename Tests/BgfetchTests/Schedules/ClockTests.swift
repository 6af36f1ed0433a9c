// Wrong clocks: no feed is fetched too often, nothing is lost, and nothing waits for years once the clock is
// right again.

import Foundation
import TestKit
import Testing

@Suite final class ClockTests: ServerSuite {
  private static let today = "2026-11-21T12:00:00Z"

  private func run(_ bgfetch: BuiltProgram, at time: String, _ arguments: String...) async throws -> Invoked {
    try await bgfetch(["run", "--json"] + arguments, at: time)
  }

  @Test func `tables show all times in the configured zone`() async throws {
    let bgfetch = try program(server)
    _ = try await run(bgfetch, at: Self.today)
    try await bgfetch("pause", "plain", "--until", "2036-11-24")
    for arguments in [["status"], ["status", "wish"], ["why", "*"], ["run", "--dry-run"]] {
      for time in ["2026-11-21T11:00:00Z", "2026-11-22T11:58:00Z"] {
        let told = try await bgfetch(arguments, environment: ["BGFETCH_NOW": time, "TZ": "Asia/Tokyo"]).output
        #expect(told.firstMatch(of: /[0-9]Z\b/) == nil, "\(told)")
        #expect(told.contains("21:00:00") || arguments[0] == "run" || time > Self.today, "\(told)")
      }
    }
  }

  /// One feed for each kind of time that the store keeps.
  private func program(_ server: ScriptedServer) throws -> BuiltProgram {
    server.feed("/plain", ["a"])
    server.on(
      "/wish",
      .document(rss([("a", "A")]), etag: "\"a\"", lastModified: nil).with("Cache-Control", "max-age=86400"))
    server.on("/limited", .status(429).with("Retry-After", "3600"))
    server.on("/unnamed", .status(429))
    server.on("/failing", .status(500))
    server.on("/refused", .status(404))
    server.on("/gone", .status(410))
    let feeds = ["plain", "wish", "limited", "unnamed", "failing", "refused", "gone"].map { feed in
      "  \(feed): {url: \"\(server.url("/" + feed))\"}\n"
    }
    return try BuiltProgram(
      configuration: "feeds:\n" + feeds.joined()
        + "  scheduled: {url: \"\(server.url("/plain"))?2\", schedule: \"0 3 * * *\"}\n")
  }

  @Test func `every command works at any time`() async throws {
    let bgfetch = try program(server)
    _ = try await run(bgfetch, at: Self.today)
    for time in [
      "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2038-01-19T03:14:08Z", "9999-12-31T23:59:59Z",
    ] {
      for command in [
        ["status"], ["why", "*"], ["items"], ["hooks"], ["run", "--dry-run"], ["check"], ["badge"],
      ] {
        let invoked = try await bgfetch(command, at: time)
        #expect(invoked.status == 0 && invoked.errors.split(separator: "\n").count <= 1, "\(command)")
      }
    }
  }

  private static let tell = "echo \"$BGFETCH_TITLE\" >> \"$HOME/said\""

  @Test(arguments: ["2036-02-07T06:28:16Z", "1970-01-01T00:00:10Z", "2027-03-01T00:00:00Z"])
  func `one run with a wrong clock destroys nothing that a right one wants`(wrong: String) async throws {
    let server = try ScriptedServer(feeds: ["/left": ["l"]])
    server.on("/1.mp3", .document("one"))
    server.on("/2.mp3", .status(503))
    server.on(
      "/planet",
      .document(
        podcast([
          Episode(id: "1", url: server.url("/1.mp3")), Episode(id: "2", url: server.url("/2.mp3")),
        ]), etag: nil, lastModified: nil))
    let bgfetch = try BuiltProgram()
    let path = try bgfetch.script("say", "test -e \"$HOME/broken\" && exit 1; \(Self.tell)")
    func configure(_ more: String) throws {
      try bgfetch.configure(
        """
        documents: HOME/documents
        free-space: 0B
        network: {private-addresses: allow}
        feeds:
          planet: {url: "\(server.url("/planet"))", first-run: all, download: {keep: {age: 60d}}}
        \(more)
        hooks: {say: {digest: "0 18 * * *", stdin: json, run: ["\(path)"]}}
        """.replacing("HOME", with: bgfetch.home.path))
    }
    try configure("  left: {url: \"\(server.url("/left"))\", first-run: all}")
    for day in ["19", "20"] { _ = try await run(bgfetch, at: "2026-11-\(day)T19:00:00Z") }
    try configure("")
    _ = try await run(bgfetch, at: Self.today)
    _ = try bgfetch.home.write("", to: "broken")
    server.on(
      "/planet",
      .document(podcast([Episode(id: "3", url: server.url("/3.mp3"))]), etag: nil, lastModified: nil))
    server.on("/3.mp3", .document("three"))
    _ = try await run(bgfetch, at: "2026-11-21T13:30:00Z")
    let before = try await bgfetch("history", "--json", at: Self.today).json.count

    _ = try await run(bgfetch, at: wrong)

    unlink(bgfetch.home.file("broken"))
    _ = try await run(bgfetch, at: "2026-11-21T18:30:00Z")
    _ = try await run(bgfetch, at: "2026-11-22T18:30:00Z")
    #expect(try await bgfetch("history", "--json", at: "2026-11-22T18:30:00Z").json.count >= before)
    let files = try FileManager.default.subpathsOfDirectory(atPath: bgfetch.home.file("documents"))
    #expect(files.count { $0.hasSuffix(".mp3") } == 2, "\(files)")
    let said = bgfetch.said
    #expect(said.split(separator: "\n").count >= 2, "\(said)")
    #expect(try await bgfetch("hooks", "--json").json.allSatisfy { $0["status"] as? String != "expired" })
    let transfers = try await bgfetch("transfers", "list", "--all", "--json").json
    #expect(transfers.allSatisfy { $0["status"] as? String != "failed" }, "\(transfers)")
    // The feed that left the configuration is still known, with its item.
    try configure("  left: {url: \"\(server.url("/left"))\", first-run: all}")
    #expect(try await bgfetch("items", "left", at: "2026-11-22T18:30:00Z").lines.count == 1)
  }
}

// Wrong clocks: no feed is fetched too often, nothing is lost, and nothing waits for years once the clock is
// right again.

import Foundation
import TestKit
import Testing

@Suite final class WrongClockTests: ServerSuite {
  private static let today = "2026-11-21T12:00:00Z"

  @Test func `tables show all times in the configured zone`() async throws {
    let bgfetch = try program()
    try await bgfetch("run", at: Self.today)
    try await bgfetch("pause", "plain", "--until", "2036-11-24")
    for arguments in [["status"], ["status", "wish"], ["why", "*"], ["run", "--dry-run"]] {
      for time in ["2026-11-21T11:00:00Z", "2026-11-22T11:58:00Z"] {
        let told = try await bgfetch(arguments, environment: ["BGFETCH_NOW": time, "TZ": "Asia/Tokyo"]).output
        #expect(told.firstMatch(of: /[0-9]Z\b/) == nil, "\(arguments) \(time)")
        #expect(told.contains("21:00:00") || arguments[0] == "run" || time > Self.today)
      }
    }
  }

  /// One feed for each kind of time that the store keeps.
  private func program() throws -> BuiltProgram {
    server.feed("/plain", ["a"])
    server.on("/wish", feedAnswer("a").with("Cache-Control", "max-age=86400"))
    server.on("/limited", .status(429).with("Retry-After", "3600"))
    for (path, status) in [("/unnamed", 429), ("/failing", 500), ("/refused", 404), ("/gone", 410)] {
      server.on(path, .status(status))
    }
    let bgfetch = try BuiltProgram(
      server, ["plain", "wish", "limited", "unnamed", "failing", "refused", "gone"])
    let scheduled = "{url: \"\(server.url("/plain"))?2\", schedule: \"0 3 * * *\"}"
    try bgfetch.edit("feeds:\n", to: "feeds:\n  scheduled: \(scheduled)\n")
    return bgfetch
  }

  @Test func `every command works at any time`() async throws {
    let bgfetch = try program()
    try await bgfetch("run", at: Self.today)
    for time in [
      "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2038-01-19T03:14:08Z", "9999-12-31T23:59:59Z",
    ] {
      for command in [
        ["status"], ["why", "*"], ["items"], ["hooks"], ["run", "--dry-run"], ["check"], ["badge"],
      ] {
        let invoked = try await bgfetch(command, at: time)
        #expect(invoked.status == 0, "\(command)")
        #expect(invoked.errors.split(separator: "\n").count <= 1, "\(command)")
      }
    }
  }

  @Test(arguments: ["2036-02-07T06:28:16Z", "1970-01-01T00:00:10Z", "2027-03-01T00:00:00Z"])
  func `one run with a wrong clock destroys nothing that a right one wants`(wrong: String) async throws {
    server.feed("/left", ["l"])
    server.on("/1.mp3", .document("one"))
    server.on("/2.mp3", .status(503))
    server.on("/3.mp3", .document("three"))
    func serve(_ ids: String...) {
      server.on("/planet", .document(podcast(ids.map { Episode(id: $0, url: server.url("/\($0).mp3")) })))
    }
    serve("1", "2")
    let tell = "test -e \"$HOME/broken\" && exit 1; echo \"$BGFETCH_TITLE\" >> \"$HOME/said\""
    let left = "  left: {url: \"\(server.url("/left"))\", first-run: all}\n"
    let bgfetch = try BuiltProgram(
      scripts: ["say": tell],
      configuration: """
        documents: HOME/documents
        free-space: 0B
        network: {private-addresses: allow}
        hooks: {say: {digest: "0 18 * * *", stdin: json, run: [HOME/say]}}
        feeds:
          planet: {url: "\(server.url("/planet"))", first-run: all, download: {keep: 60d}}
        \(left)
        """)
    for day in ["19", "20"] { try await bgfetch("run", at: "2026-11-\(day)T19:00:00Z") }
    try bgfetch.edit(left, to: "")
    try await bgfetch("run", at: Self.today)
    try bgfetch.home.write("", to: "broken")
    serve("3")
    try await bgfetch("run", at: "2026-11-21T13:30:00Z")
    let before = try await bgfetch("history", "--json", at: Self.today).json.count

    try await bgfetch("run", at: wrong)

    unlink(bgfetch.home.file("broken"))
    for day in ["21", "22"] { try await bgfetch("run", at: "2026-11-\(day)T18:30:00Z") }
    #expect(try await bgfetch("history", "--json", at: "2026-11-22T18:30:00Z").json.count >= before)
    let files = try FileManager.default.subpathsOfDirectory(atPath: bgfetch.home.file("documents"))
    #expect(files.count { $0.hasSuffix(".mp3") } == 2)
    #expect(bgfetch.said.split(separator: "\n").count >= 2)
    #expect(try await bgfetch("hooks", "--json").json.allSatisfy { $0["status"] as? String != "expired" })
    let transfers = try await bgfetch("transfers", "list", "--all", "--json").json
    #expect(transfers.allSatisfy { $0["status"] as? String != "failed" }, "\(transfers)")
    // The feed that left the configuration is still known, with its item.
    try bgfetch.edit("feeds:\n", to: "feeds:\n" + left)
    #expect(try await bgfetch("items", "left", at: "2026-11-22T18:30:00Z").lines.count == 1)
  }
}

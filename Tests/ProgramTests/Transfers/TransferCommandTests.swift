// `bgfetch transfers`: list, run, suspend, cancel, add.

import Foundation
import TestKit
import Testing

@Suite final class TransferCommandTests: ServerSuite {
  /// A program with three queued episodes, none downloaded.
  private func program(_ server: ScriptedServer) async throws -> BuiltProgram {
    let items = (1...3).reversed().map { number in
      "<item><guid isPermaLink=\"false\">e\(number)</guid><title>Episode \(number)</title>"
        + "<link>\(server.url("/page\(number)"))</link>"
        + "<enclosure url=\"\(server.url("/\(number).mp3"))\" type=\"audio/mpeg\" length=\"9\"/></item>"
    }
    let feed = "<rss version=\"2.0\"><channel><title>Daily</title>" + items.joined() + "</channel></rss>"
    server.on("/feed", .document(feed, etag: "\"1\"", lastModified: nil))
    for number in 1...3 {
      server.on(
        "/\(number).mp3",
        .document("episode \(number)", type: "audio/mpeg", etag: "\"\(number)\"", lastModified: nil))
    }
    let bgfetch = try BuiltProgram(
      scripts: ["finish": "echo \"$BGFETCH_FEED $BGFETCH_COUNT\" >> \"$HOME/finished\""],
      configuration: """
        documents: HOME/documents
        free-space: 0B
        feeds:
          daily:
            url: "\(server.url("/feed"))"
            download: {}
            first-run: all
          plain: "\(server.url("/plain"))"
        hooks: {finish: {events: [session-finished], run: [HOME/finish]}}
        """)
    try await bgfetch("run", "daily", "--no-transfers", status: 0)
    return bgfetch
  }

  private func statuses(_ bgfetch: BuiltProgram, _ arguments: String...) async throws -> [String] {
    let listed = try await bgfetch(["transfers", "--json"] + arguments, status: 0)
    return listed.json.map { "\($0["number"] ?? "") \($0["status"] ?? "")" }
  }

  // `bgfetch status` said that such a feed is fetched only when named.
  @Test func `status shows a feed of kind asset with a waiting transfer as under way`() async throws {
    server.on("/image", .document("an image", type: "application/octet-stream", etag: nil, lastModified: nil))
    let bgfetch = try BuiltProgram(
      server, ["image"], keys: "kind: asset, minimum-interval: 7d",
      more: "documents: HOME/documents\nfree-space: 0B")
    try await bgfetch("run", "--no-transfers")

    let status = try await bgfetch("status")
    try await bgfetch("status", "image", output: "its download is running; see bgfetch transfers")

    #expect(status.output.contains(/image +never fetched +under way +0 +1\n/), "\(status.output)")
  }

  @Test func `queued transfers are listed, and downloaded by transfers run`() async throws {
    let bgfetch = try await program(server)
    #expect(try await statuses(bgfetch).count == 3)
    #expect(try await statuses(bgfetch, "--limit", "1").count == 1)
    #expect(server.requests.map(\.path) == ["/feed"])

    try await bgfetch("transfers", "run", "-v", status: 0, errors: "3 transfers, badge 3\n")

    #expect(try await statuses(bgfetch) == [])
    #expect(try await statuses(bgfetch, "--status", "finished").count == 3)
    try await bgfetch("transfers", "retry", "1", errors: "bgfetch transfers add downloads it again")
    #expect(bgfetch.text(of: "finished") == "daily 3\n")
    let items = try await bgfetch("items", "--format", "{item.id} {asset.path}")
    #expect(items.lines.allSatisfy { $0.contains(bgfetch.home.file("documents") + "/daily/") })
  }

  @Test func `paused and cancelled transfers wait, and the last cancel ends the session`() async throws {
    let bgfetch = try await program(server)

    let paused = try await bgfetch("transfers", "pause", "1")
    #expect(paused.output.hasPrefix("#1  daily  Episode "))
    #expect(paused.output.hasSuffix("paused\n"))
    try await bgfetch("transfers", "cancel", "2", status: 0)
    try await bgfetch("transfers", "run", status: 0)
    #expect(try await statuses(bgfetch, "--all").sorted() == ["1 suspended", "2 cancelled", "3 finished"])
    #expect(bgfetch.text(of: "finished") == "")

    #expect(try await bgfetch("transfers", "cancel", "daily").status == 0)
    #expect(bgfetch.text(of: "finished") == "daily 1\n")

    #expect(try await bgfetch("transfers", "retry", "--all").errors.hasPrefix("nothing to retry"))
    #expect(try await bgfetch("transfers", "retry", "1").status == 0)
    #expect(try await statuses(bgfetch) == ["1 queued"])
  }

  @Test func `a mistake is reported with advice`() async throws {
    let bgfetch = try await program(server)
    for (arguments, message) in [
      (
        ["transfers", "cancel", "9"],
        "bgfetch: there is no transfer 9; bgfetch transfers list --all shows them"
      ),
      (["transfers", "resume", "1"], "bgfetch: transfer 1 is queued, and continues by itself"),
      (["transfers", "retry", "dayly"], "bgfetch: no feed is named \"dayly\"; did you mean \"daily\"?"),
      (
        ["transfers", "add", "plain", "--limit", "1"],
        "bgfetch: plain has no download; write download: {} below it in the configuration"
      ),
      (
        ["transfers", "add", "daily"],
        "bgfetch: choose items: by number, or with --limit 5 or --since; bgfetch items shows the numbers"
      ),
    ] {
      #expect(try await bgfetch(arguments, status: 2).errors == message + "\n")
    }
  }

  @Test func `add queues enclosures of known items, even removed ones, and nothing else`() async throws {
    let bgfetch = try await program(server)
    try await bgfetch("transfers", "cancel", "--all")
    #expect(try await bgfetch("transfers", "add", "daily", "--limit", "2").lines.count == 2)
    #expect(try await bgfetch("transfers", "run").status == 0)
    #expect(try await bgfetch("transfers", "add", "daily", "--limit", "2").output == "")

    func path() async throws -> String {
      try await bgfetch("items", "--limit", "1", "--format", "{asset.path}").output
    }
    let placed = try await path().dropLast()
    try FileManager.default.removeItem(atPath: String(placed))
    let item = try #require(try await bgfetch("items", "--limit", "1", "--json").json.first)
    let file = try #require(
      (item["assets"] as? [[String: Any]])?.first { $0["status"] as? String == "finished" })

    #expect(placed.hasPrefix("/"))
    #expect(try await path() == "\n")
    #expect(file["path"] is NSNull)

    #expect(try await bgfetch("transfers", "add", "daily", "--limit", "2").lines.count == 1)
    #expect(!server.requests.contains { $0.path.hasPrefix("/page") })
  }

  @Test func `a failed transfer is a problem until it is cancelled`() async throws {
    let bgfetch = try await program(server)
    server.on("/2.mp3", .status(404))

    try await bgfetch("transfers", "run", "-q", status: 3, errors: "failed")
    try await bgfetch("status", "--problems", status: 3, output: "bgfetch transfers retry 2 tries it again")

    try await bgfetch("transfers", "cancel", "2", status: 0)
    try await bgfetch("status", "--problems", status: 0)
  }
}

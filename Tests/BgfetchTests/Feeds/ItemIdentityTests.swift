// News over several runs: identity, renewed guids, rebuilt sites, and edits.

import TestKit
import Testing

@Suite final class IdentityRunTests: ServerSuite {
  private func configuration(_ server: ScriptedServer, _ keys: String = "") -> String {
    "feeds: {planet: {url: \"\(server.url("/planet"))\", first-run: all\(keys)}}\n"
      + "hooks: {log: {events: [notification], run: [HOME/log, \"{title}: {body}\"], stdin: none}}\n"
  }

  /// Serves items made of guid, link and title.
  private func serve(_ server: ScriptedServer, _ items: [(guid: String, link: String, title: String)]) {
    let entries = items.map { item in
      "<item><guid isPermaLink=\"false\">\(item.guid)</guid><link>\(item.link)</link>"
        + "<title>\(item.title)</title></item>"
    }
    server.on(
      "/planet",
      .document(
        "<rss version=\"2.0\"><channel><title>Planet</title>\(entries.joined())</channel></rss>", etag: nil,
        lastModified: nil))
  }

  private func posts(
    _ numbers: ClosedRange<Int>, guids: String, host: String = "x.example", title: String = "Post"
  )
    -> [(guid: String, link: String, title: String)]
  {
    numbers.map { ("\(guids)\($0)", "https://\(host)/\($0)", "\(title) \($0)") }
  }

  private func program(_ server: ScriptedServer, _ keys: String = "") throws -> BuiltProgram {
    let bgfetch = try BuiltProgram(configuration: configuration(server, keys))
    _ = try bgfetch.script("log", "echo \"$1\" >> \"$(dirname \"$0\")/told\"")
    return bgfetch
  }

  @Test func `renewed guids are new once, and status and check say that links decide`() async throws {
    let bgfetch = try program(server)
    var counts: [Int?] = []
    for mark in ["a", "b", "c", "d", "e"] {
      serve(server, posts(1...5, guids: mark))
      counts.append(try await bgfetch("run", "--force", "--json").json.first?["count"] as? Int)
    }

    let status = try await bgfetch("status")
    try await bgfetch("check", status: 0, errors: "set identity: link to make that permanent")

    #expect(counts == [5, 0, 0, 0, 0])
    #expect(status.output.contains("planet: guids are renewed while links stay, so links decide what is new"))
    #expect(try await bgfetch("status", "--json").json.first?["identity"] as? String == "link")
  }

  @Test
  func `all items of a very long document are known, and status and check report the limit`() async throws {
    let bgfetch = try program(server)
    serve(server, posts(1...5002, guids: "g").reversed())

    let first = try await bgfetch("run", "--json")
    let items = try await bgfetch("items", "--json")
    let status = try await bgfetch("status", "planet", output: "5000 known, 5000 unseen, 2 pruned")
    let check = try await bgfetch("check")
    serve(server, posts(1...5003, guids: "g").reversed())
    let second = try await bgfetch("run", "--force", "--json")

    #expect(first.json.first?["count"] as? Int == 5000)
    #expect(items.json.count == 5000)
    #expect(items.json.last?["title"] as? String == "Post 3")
    let cut = "planet: the document has 5002 items: only the newest 5000 are listed"
    #expect(status.output.contains(cut))
    #expect(check.errors.contains("warning: feed " + cut))
    #expect(second.json.first?["count"] as? Int == 1)
    #expect(bgfetch.badge == "5000\n")
  }
}

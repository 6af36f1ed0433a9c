// What is new, over several runs: identity, renewed guids, rebuilt sites, and edits.

import TestKit
import Testing

@Suite struct IdentityRunTests {
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
    let server = try ScriptedServer()
    let bgfetch = try program(server)
    var counts: [Int?] = []
    for mark in ["a", "b", "c", "d", "e"] {
      serve(server, posts(1...5, guids: mark))
      counts.append(try await bgfetch("run", "--force", "--json").json.first?["count"] as? Int)
    }

    let status = try await bgfetch("status")
    let check = try await bgfetch("check")

    #expect(counts == [5, 0, 0, 0, 0])
    #expect(status.output.contains("planet: guids are renewed while links stay, so links decide what is new"))
    #expect(try await bgfetch("status", "--json").json.first?["identity"] as? String == "link")
    #expect(check.errors.contains("set identity: link to make that permanent"))
    #expect(check.status == 0)
  }

  @Test func `links with a token are new once; where it is unsure, status and check name the cure`()
    async throws
  {
    let server = try ScriptedServer()
    let bgfetch = try program(server)
    func run(_ items: [(guid: String, link: String, title: String)]) async throws -> Int? {
      serve(server, items)
      return try await bgfetch("run", "--force", "--json").json.first?["count"] as? Int
    }
    var counts: [Int?] = []
    for mark in ["a", "b", "c"] {
      counts.append(try await run(posts(1...5, guids: mark, host: mark + ".example")))
    }
    let proven = try await bgfetch("status", "planet")
    counts.append(try await run([("d", "https://x.example/d", "Post 5")]))
    counts.append(try await run([("e", "https://x.example/e", "Post 5")]))

    let status = try await bgfetch("status", "planet")
    let check = try await bgfetch("check")

    #expect(counts == [5, 0, 0, 1, 1])
    #expect(
      proven.output.contains(
        "guids and links change while titles stay, so titles and dates decide what is new"))
    #expect(status.output.contains("set identity: title"))
    #expect(
      check.errors.contains("warning: feed planet: new items look like known ones with another guid or link"))
  }

  @Test func `a rebuilt site is one notification, not a flood`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try program(server)
    serve(server, posts(1...12, guids: "a"))
    _ = try await bgfetch("run")

    serve(server, posts(1...12, guids: "b", host: "new.example", title: "Anew"))
    let run = try await bgfetch("run", "--force", "-q")
    let status = try await bgfetch("status")
    serve(server, posts(1...13, guids: "b", host: "new.example", title: "Anew"))
    let next = try await bgfetch("run", "--force", "--json")

    #expect(run.errors == "planet  no-data, 12 old ones under new identities\n")
    #expect(status.output.contains("12 old items have new identities and count as seen"))
    #expect(next.json.first?["count"] as? Int == 1)
    #expect(bgfetch.badge == "13\n")
    #expect(bgfetch.text(of: "told").contains("Planet was rebuilt: 12 old items have new identities"))
  }

  @Test
  func `all items of a very long document are known, and status and check report the limit`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try program(server)
    serve(server, posts(1...5002, guids: "g").reversed())

    let first = try await bgfetch("run", "--json")
    let items = try await bgfetch("items", "--json")
    let status = try await bgfetch("status", "planet")
    let check = try await bgfetch("check")
    serve(server, posts(1...5003, guids: "g").reversed())
    let second = try await bgfetch("run", "--force", "--json")

    #expect(first.json.first?["count"] as? Int == 5000)
    #expect(items.json.count == 5000)
    #expect(items.json.last?["title"] as? String == "Post 3")
    #expect(status.output.contains("5000 known, 5000 unseen, 2 pruned"))
    let cut = "planet: the document has 5002 items: only the newest 5000 are listed"
    #expect(status.output.contains(cut))
    #expect(check.errors.contains("warning: feed " + cut))
    #expect(second.json.first?["count"] as? Int == 1)
    #expect(bgfetch.badge == "5000\n")
  }

  @Test func `items with one guid are all kept, also under another identity rule`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try program(server)
    let log = (1...3).map { (guid: "log", link: "https://x.example/log", title: "Version \($0)") }
    serve(server, log)

    let first = try await bgfetch("run", "--json")
    let status = try await bgfetch("status")
    try bgfetch.configure(configuration(server, ", identity: title"))
    let second = try await bgfetch("run", "--force", "--json")

    #expect(first.json.first?["count"] as? Int == 3)
    #expect(status.output.contains("planet: guids repeat, so links and titles help to tell items apart"))
    #expect(second.json.first?["count"] as? Int == 0)
  }

  @Test func `an edit that came too soon is reported a day later, even after a 304`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try program(server, ", updated: notify")
    func run(_ day: Int, _ title: String) async throws -> [String: Any]? {
      server.on("/planet", .document(rss([("a", title)]), etag: "\"\(title)\"", lastModified: nil))
      return try await bgfetch("run", "--force", "--json", at: "2026-11-2\(day)T08:00:00Z").json.first
    }
    _ = try await run(1, "One")
    #expect(try await run(1, "Two")?["count"] as? Int == 1)

    let soon = try await run(1, "Three")
    let later = try await run(2, "Three")
    let last = try await run(4, "Three")

    #expect(soon?["count"] as? Int == 0)
    #expect(later?["reason"] as? String == "1 updated")
    #expect(last?["reason"] as? String == "not modified")
  }
}

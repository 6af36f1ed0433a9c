// News over several runs: identity, renewed guids, rebuilt sites, and edits.

import TestKit
import Testing

@Suite final class IdentityRunTests: ServerSuite {
  /// Serves posts whose guids begin with this text.
  private func serve(_ numbers: ClosedRange<Int>, guids: String) {
    let entries = numbers.reversed().map { number in
      "<item><guid isPermaLink=\"false\">\(guids)\(number)</guid><link>https://x.example/\(number)</link>"
        + "<title>Post \(number)</title></item>"
    }
    let channel = "<channel><title>Planet</title>\(entries.joined())</channel>"
    server.on("/planet", .document("<rss version=\"2.0\">\(channel)</rss>"))
  }

  @Test func `items with renewed guids are new once, and the reason says that links decide`() async throws {
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")
    var counts: [Int?] = []
    for mark in ["a", "b", "c", "d", "e"] {
      serve(1...5, guids: mark)
      counts.append(try await bgfetch("run", "--force", "--json").json.first?["count"] as? Int)
    }

    let status = try await bgfetch("status", "--json")

    #expect(counts == [5, 0, 0, 0, 0])
    #expect(
      status.json.first?["reason"] as? String == "nothing new, guids are renewed, links decide")
  }

  @Test
  func `all items of a very long document are known, and status and check report the limit`() async throws {
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")
    serve(1...5002, guids: "g")

    let first = try await bgfetch("run", "--json")
    let items = try await bgfetch("items", "--json").json
    let status = try await bgfetch("status", "planet", output: "5000 known, 5000 unseen, 2 pruned")
    let check = try await bgfetch("check")
    serve(1...5003, guids: "g")
    let second = try await bgfetch("run", "--force", "--json")

    #expect(first.json.first?["count"] as? Int == 5000)
    #expect(items.count == 5000)
    #expect(items.last?["title"] as? String == "Post 3")
    let cut = "planet: the document has 5002 items: only the newest 5000 are listed"
    #expect(status.output.contains(cut))
    #expect(check.errors.contains("warning: feed " + cut))
    #expect(second.json.first?["count"] as? Int == 1)
    #expect(bgfetch.badge == "5000\n")
  }
}

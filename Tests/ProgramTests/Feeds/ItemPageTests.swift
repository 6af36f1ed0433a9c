// Feeds with teasers, whose items get their contents from their pages.

import Foundation
import TestKit
import Testing

@Suite final class ItemPageTests: ServerSuite {
  /// A feed with items `1`, `2` and so on, the newest first, each with a teaser.
  private func serve(_ names: [Int], teasers: [Int: String] = [:], tag: String? = nil) {
    let items = names.map { name in
      "<item><guid>\(name)</guid><title>Title \(name)</title><link>\(server.url("/\(name)"))</link>"
        + "<description>\(teasers[name] ?? "Teaser \(name)")</description></item>"
    }
    let text = "<rss version=\"2.0\"><channel><title>Planet</title>" + items.joined() + "</channel></rss>"
    server.on("/planet", .document(text, etag: tag.map { "\"\($0)\"" }))
    for name in names { server.on("/\(name)", article("<p>Whole <a href=\"more\">\(name)</a></p>")) }
  }

  private func article(_ body: String) -> ScriptedAnswer {
    .document("<html><body><nav>Menu</nav><article>\(body)</article></body></html>", type: "text/html")
  }

  private func program(_ keys: String = "page: article", more: String = "") throws -> BuiltProgram {
    try BuiltProgram(
      scripts: ["say": "printf '%s\\n' \"$BGFETCH_BODY\" >> \"$HOME/said\""],
      configuration: """
        network: {timeout: 1h}
        feeds:
          planet: {url: "\(server.url("/planet"))", first-run: all, content: {\(keys)}, \(more)
            notify: {body: "{item.title}: {item.content.text}"}}
        hooks:
          say: {events: [notification], group: item, limit: none, run: ["HOME/say"]}
        """)
  }

  /// The contents of the items by title.
  private func contents(_ bgfetch: BuiltProgram) async throws -> [String: String] {
    let items = try await bgfetch("items", "--json").json.map {
      ($0["title"] as? String ?? "", $0["content"] as? String ?? "")
    }
    return Dictionary(uniqueKeysWithValues: items)
  }

  private func reason(_ bgfetch: BuiltProgram, at time: String? = nil) async throws -> String? {
    try await bgfetch("run", "--force", "--json", at: time).json.first?["reason"] as? String
  }

  private func whole(_ name: Int) -> String {
    "<p>Whole <a href=\"\(server.url("/more"))\">\(name)</a></p>"
  }

  @Test func `new items have the articles of their pages, already in messages`() async throws {
    serve([2, 1], tag: "a")
    let bgfetch = try program()

    #expect(try await reason(bgfetch) == "2 new, 2 pages read")
    #expect(try await contents(bgfetch) == ["Title 1": whole(1), "Title 2": whole(2)])
    #expect(Set(bgfetch.said.split(separator: "\n")) == ["Title 1: Whole 1", "Title 2: Whole 2"])
    #expect(try await bgfetch("items", "--json").json.first?["summary"] as? String == "Teaser 2")
    #expect(server.requests("/1").first?["Accept"] == "text/html, application/xhtml+xml;q=0.9, */*;q=0.5")
    // The requests of pages are in the history of the fetch, and no page is requested again.
    let requests = try await bgfetch("history", "--requests", "--json").json
    #expect(requests.compactMap { $0["address"] as? String }.filter { $0.hasSuffix("/1") }.count == 1)
    #expect(try await reason(bgfetch) == "not modified")
    serve([3, 2, 1], tag: "b")
    #expect(try await reason(bgfetch) == "1 new, 1 page read")
    #expect(server.requests.count == 6)
    #expect(try await bgfetch("items", "--search", "whole", "--json").json.count == 3)
  }

  @Test func `a page that fails leaves the teaser and is tried in three fetches`() async throws {
    serve([2, 1], tag: "a")
    server.on("/1", .document("<html><p>Redesigned", type: "text/html"))
    let bgfetch = try program()
    let first = try await reason(bgfetch) ?? ""
    server.on("/2", .status(404))

    let problem = "\(server.url("/1")): content.page \"article\" matches none of the "
    #expect(first.hasPrefix("2 new, 1 of 2 pages read (" + problem))
    #expect(try await contents(bgfetch) == ["Title 1": "Teaser 1", "Title 2": whole(2)])
    for _ in 1...2 {
      #expect(try await reason(bgfetch)?.hasPrefix("not modified, 0 of 1 page read (") == true)
    }
    #expect(try await reason(bgfetch) == "not modified")
    #expect(server.requests("/1").count == 3)
    try await bgfetch("status", "--problems", status: 0)
  }

  @Test func `an article is found without a selector, and what has less text leaves the teaser`() async throws
  {
    let words =
      "The ferry was late again this morning, and nobody had told the people who waited in the rain, some of "
      + "them for hours, until at last another boat came from the island."
    let menu = "<ul>" + (1...9).map { "<li><a href=\"/\($0)\">Part \($0)</a></li>" }.joined() + "</ul>"
    let whole = "<p>\(words)</p><p>\(words)</p>"
    serve([3, 2, 1], teasers: [3: "\(words) \(words) \(words)"])
    server.on("/1", .document("\(menu)<div><h1>One</h1>\(whole)</div>", type: "text/html"))
    server.on("/2", .document("\(menu)<p>Please log in.</p>", type: "text/html"))
    server.on("/3", .document("\(menu)<div>\(whole)</div>", type: "text/html"))
    let bgfetch = try program("page: auto")

    let reason = try await reason(bgfetch) ?? ""
    let contents = try await contents(bgfetch)

    #expect(reason.hasPrefix("3 new, 1 of 3 pages read (\(server.url("/"))"))
    #expect(contents["Title 1"] == whole)
    #expect(contents["Title 2"] == "Teaser 2")
    #expect(contents["Title 3"]?.hasPrefix(words) == true)
    let history = try await bgfetch("history", "planet").output
    #expect(
      history.contains("no article found in the ") || history.contains("has less text than the feed gave"))
  }

  @Test func `an hour has a limit of pages, and later fetches go on where it ended`() async throws {
    serve((1...45).reversed(), tag: "a")
    let bgfetch = try program()

    #expect(try await reason(bgfetch, at: "2026-11-20T10:00:00Z") == "45 new, 20 pages read")
    #expect(try await contents(bgfetch)["Title 26"] == whole(26))
    #expect(try await reason(bgfetch, at: "2026-11-20T10:30:00Z") == "not modified")
    #expect(try await reason(bgfetch, at: "2026-11-20T11:00:00Z") == "not modified, 20 pages read")
    #expect(try await bgfetch("items", "--search", "teaser", "--json").json.count == 45)
    #expect(try await reason(bgfetch, at: "2026-11-20T12:00:00Z") == "not modified, 5 pages read")
    #expect(try await Set(contents(bgfetch).values) == Set((1...45).map(whole)))
    #expect(try await bgfetch("items", "--search", "whole", "--json").json.count == 45)
  }

  @Test(
    arguments: [
      (429, [("Retry-After", "7200")], 2), (503, [("Retry-After", "7200")], 2),
      (302, [("Retry-After", "7200")], 2),
      (429, [("X-RateLimit-Reset", "7200")], 2), (429, [], 0),
      (403, [("RateLimit-Remaining", "0"), ("RateLimit-Reset", "7200")], 2),
      (503, [], 0), (403, [("X-RateLimit-Remaining", "9"), ("X-RateLimit-Reset", "7200")], 0),
      (429, [("Retry-After", "253402300799")], 24), (503, [("Retry-After", "-7")], 0),
    ] as [(Int, [(String, String)], Int)])
  func `a page whose server asks to wait is not requested before, in any run`(
    status: Int, fields: [(String, String)], hours: Int
  ) async throws {
    serve([2, 1], tag: "a")
    for path in ["/1", "/2"] {
      let answer = ScriptedAnswer.status(status).with("Location", "/elsewhere")
      server.on(path, fields.reduce(answer) { $0.with($1.0, $1.1) })
    }
    let bgfetch = try program()
    func pages() -> Int { server.requests("/1").count + server.requests("/2").count }
    _ = try await reason(bgfetch, at: "2026-11-20T10:00:00Z")
    let first = pages()
    for name in [2, 1] { server.on("/\(name)", article("<p>Whole <a href=\"more\">\(name)</a></p>")) }

    _ = try await reason(bgfetch, at: "2026-11-20T11:00:00Z")
    let second = pages()
    _ = try await reason(bgfetch, at: "2026-11-20T12:30:00Z")

    #expect(first == (status == 403 && hours == 0 ? 2 : 1))
    #expect(second == (hours > 0 ? first : first + 2))
    #expect(pages() == (hours > 2 ? first : first + 2))
  }

  @Test func `a page with a 429 spares its public host in later runs too`() async throws {
    let internet = try PretendInternet()
    let link = "<link>http://pages.example/1</link>"
    internet["http://a.example/"] = .document(
      "<rss version=\"2.0\"><channel><item><guid>1</guid>\(link)</item></channel></rss>")
    internet["http://pages.example/1"] = .status(429, [("Retry-After", "1800")])
    internet["http://pages.example/feed"] = .document(
      "<rss version=\"2.0\"><channel><item><guid>2</guid></item></channel></rss>")
    let bgfetch = try BuiltProgram(
      configuration: """
        network: {proxy: "\(internet.server.origin)", delay-per-host: 0s}
        defaults: {first-run: all}
        feeds:
          a: {url: "http://a.example/", content: {page: article}}
          b: "http://pages.example/feed"
        """)
    try await bgfetch("run", "a", at: moment(hours: 0))
    let first = internet.asked

    try await bgfetch("run", "b", at: moment(minutes: 20))
    let second = internet.asked.count
    try await bgfetch("run", "b", at: moment(minutes: 40))

    #expect(first == ["http://a.example/", "http://pages.example/1"])
    #expect(second == 2)
    #expect(internet.asked.last == "http://pages.example/feed")
  }

  @Test func `a signal or the budget ends the pages, and the news is stored without them`() async throws {
    serve([2, 1])
    let gate = Gate()
    server.on("/2", article("<p>Late</p>").held(by: gate))
    let bgfetch = try program()
    let run = try bgfetch.started(["run"])
    await server.received(2)
    run.signal(SIGTERM)
    #expect(await run.ended().status == 143)
    gate.open()

    #expect(try await contents(bgfetch) == ["Title 1": "Teaser 1", "Title 2": "Teaser 2"])
    #expect(try await reason(bgfetch) == "nothing new, 2 pages read")
  }

  @Test func `an edited item gets its page again`() async throws {
    serve([1])
    let bgfetch = try program()
    try await bgfetch("run")
    let item =
      "<guid>1</guid><title>New</title><link>\(server.url("/1"))</link><description>Other</description>"
    server.on("/planet", .document("<rss version=\"2.0\"><channel><item>\(item)</item></channel></rss>"))
    server.on("/1", article("<p>Better</p>"))

    #expect(try await reason(bgfetch) == "nothing new, 1 page read")
    #expect(try await contents(bgfetch) == ["New": "<p>Better</p>"])
  }

  @Test func `pages have the rules of all requests`() async throws {
    let other = try ScriptedServer(["/1": article("<p>Secret</p>")], on: "127.0.0.2")
    let deep = String(repeating: "<div>", count: 50_000) + "<article>Deep"
    serve([3, 2, 1])
    server.on("/1", .redirect(to: other.url("/1")))
    server.on("/2", .document(deep, type: "text/html"))
    server.on("/3", .document("<article>" + String(repeating: "x", count: 3_000_000), type: "text/html"))
    let bgfetch = try program(more: "headers: {X-Key: me},")

    #expect(try await reason(bgfetch)?.hasPrefix("3 new, 2 of 3 pages read (") == true)
    #expect(other.requests.isEmpty)
    #expect(server.requests("/1").first?["X-Key"] == "me")
    let found = try await contents(bgfetch)
    #expect(found["Title 1"] == "Teaser 1")
    #expect(found["Title 2"] == "Deep")
    #expect(found["Title 3"].map { (1 << 20 - 100...1 << 20).contains($0.utf8.count) } == true)
  }
}

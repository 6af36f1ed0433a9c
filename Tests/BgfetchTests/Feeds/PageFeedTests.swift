// Feeds of kind html: the items of a page, and a page whose text is watched.

import Foundation
import TestKit
import Testing

@Suite struct PageFeedTests {
  private func program(_ server: ScriptedServer, _ feed: String) throws -> BuiltProgram {
    try BuiltProgram(
      scripts: ["say": "printf '%s|%s\\n' \"$BGFETCH_TITLE\" \"$BGFETCH_BODY\" >> \"$HOME/said\""],
      configuration: """
        feeds:
          page: {url: "\(server.url("/page"))", kind: html, \(feed)}
        hooks:
          say: {events: [notification], run: ["HOME/say"]}
        """)
  }

  /// The lines that the hook said after the first run.
  private func said(_ bgfetch: BuiltProgram) -> [String] {
    bgfetch.said.split(separator: "\n").map(String.init).filter { $0.contains(" new|") }
  }

  private func page(_ body: String) -> ScriptedAnswer {
    .document("<html><title>Harbour</title><body>\(body)</body></html>", type: "text/html")
  }

  private func posts(_ names: String...) -> ScriptedAnswer {
    page(names.map { "<article><h2><a href='/\($0)'>Post \($0)</a></h2></article>" }.joined())
  }

  @Test func `new items of a page are announced, and a page without any has failed`() async throws {
    let server = try ScriptedServer(["/page": posts("one")])
    let bgfetch = try program(server, "html: {items: article}")
    try await bgfetch("run")

    server.on("/page", posts("two", "one"))
    try await bgfetch("run", "--force")
    let items = try await bgfetch("items", "--json").json
    server.on("/page", page("<p>New design"))
    let failed = try await bgfetch("run", "--force", "--json").json

    #expect(server.requests.first?["Accept"] == "text/html, application/xhtml+xml;q=0.9, */*;q=0.5")
    #expect(said(bgfetch) == ["Harbour: 1 new|Post two"])
    #expect(items.first?["link"] as? String == server.url("/two"))
    #expect(failed.first?["result"] as? String == "failed")
    #expect(
      (failed.first?["reason"] as? String)?.hasPrefix("html.items \"article\" matches none of the ") == true)
  }

  @Test func `each change of a watched page is a message with the changed line`() async throws {
    let server = try ScriptedServer(["/page": page("<h1>Ferries</h1><p>On time")])
    let bgfetch = try program(server, "html: {text: body}, notify: {item: \"{item.title} [{item.summary}]\"}")
    let runs = [
      try await bgfetch("run", "--json"), try await bgfetch("run", "--force", "--json"),
    ]
    for text in ["Two hours late", "On time", "Two hours late"] {
      server.on("/page", page("<h1>Ferries</h1><p class=x>\(text)<script>1</script>"))
      try await bgfetch("run", "--force")
    }
    let again = try await bgfetch("run", "--force", "--json")
    let items = try await bgfetch("items", "--json").json

    #expect(runs.map { $0.json.first?["result"] as? String } == ["no-data", "no-data"])
    #expect(again.json.first?["reason"] as? String == "nothing new")
    #expect(
      said(bgfetch) == [
        "Harbour: 1 new|Harbour: Two hours late [- On time + Two hours late]",
        "Harbour: 1 new|Harbour: On time [- Two hours late + On time]",
        "Harbour: 1 new|Harbour: Two hours late [- On time + Two hours late]",
      ])
    #expect(items.count == 4)
    #expect(
      items.first?["content"] as? String
        == "<pre>- On time\n+ Two hours late</pre><hr><pre>Ferries\nTwo hours late</pre>")
    #expect(bgfetch.badge == "3\n")
  }

  @Test func `a list that may be empty is no failure, and its first item is news`() async throws {
    let server = try ScriptedServer(["/page": page("<p>None today")])
    let bgfetch = try program(server, "html: {items: article, allow-empty: true}")

    let empty = try await bgfetch("run", "--json")
    server.on("/page", posts("one"))
    try await bgfetch("run", "--force")
    server.on("/page", .status(204))

    #expect(empty.json.first?["result"] as? String == "no-data")
    #expect(said(bgfetch) == ["Harbour: 1 new|Post one"])
    #expect(try await bgfetch("run", "--force", "--json").json.first?["result"] as? String == "no-data")
  }

  @Test func `a watched page is asked with its validators, and its items outlast being seen`() async throws {
    let server = try ScriptedServer([
      "/page": .document("<p>a", type: "text/html", etag: "\"1\"")
    ])
    let bgfetch = try program(server, "title: T")
    try await bgfetch("run")
    let same = try await bgfetch("run", "--force", "--json")
    try await bgfetch("seen", "--all")
    server.on("/page", .document("<p>b", type: "text/html", etag: "\"2\""))

    #expect(same.json.first?["reason"] as? String == "not modified")
    #expect(try await bgfetch("run", "--force", "--json").json.first?["result"] as? String == "new-data")
    #expect(said(bgfetch) == ["T: 1 new|page: b"])
  }

  @Test func `add writes a page to watch, with a selector, if it has such text`() async throws {
    let feed = "<link rel=alternate type=application/rss+xml href=/feed>"
    let server = try ScriptedServer(["/page": page(feed + "<main>On time</main>")])
    let bgfetch = try BuiltProgram(configuration: "feeds: {}\n")

    try await bgfetch("add", "--watch", server.url("/page"), "p..x", status: 2, errors: "selector")
    try await bgfetch("add", "--watch", server.url("/page"), "#none", status: 4, errors: "matches none of")
    try await bgfetch(
      "add", "--watch", server.url("/page"), "main > *, main", "--tag", "sea", status: 0,
      output:
        "added \"Harbour\" as harbour: the first run stores its text, and later ones report what changes")
    try await bgfetch(
      "add", "--watch", server.url("/page") + "?whole", "--print", status: 0, output: "kind: html}")
    server.on("/page", page("<main>Late</main>"))
    try await bgfetch("run", status: 0)

    #expect(
      bgfetch.text(of: "bgfetch.yaml").contains(
        "harbour: {url: \"\(server.url("/page"))\", tags: [sea], kind: html, html: {text: \"main > *, main\"}}"
      ))
    #expect(try await bgfetch("items", "--json").json.first?["content"] as? String == "<pre>Late</pre>")
  }

  @Test func `add says that a page without a feed can be watched itself`() async throws {
    let server = try ScriptedServer(["/page": page("<p>x")])
    let bgfetch = try program(server, "title: T")

    #expect(
      try await bgfetch("add", server.url("/page") + "?other", errors: "bgfetch add --watch").status != 0)
  }
}

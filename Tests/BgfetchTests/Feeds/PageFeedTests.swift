// Feeds of kind html: the items of a page, and a page whose text is watched.

import Foundation
import TestKit
import Testing

@Suite final class PageFeedTests: ServerSuite {
  private func program(_ feed: String) throws -> BuiltProgram {
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
    server.on("/page", posts("one"))
    let bgfetch = try program("html: {items: article}")
    try await bgfetch("run")

    server.on("/page", posts("two", "one"))
    try await bgfetch("run", "--force")
    let items = try await bgfetch("items", "--json").json
    server.on("/page", page("<p>New design"))
    let failed = try await bgfetch("run", "--force", "--json").json.first

    #expect(server.requests.first?["Accept"] == "text/html, application/xhtml+xml;q=0.9, */*;q=0.5")
    #expect(said(bgfetch) == ["Harbour: 1 new|Post two"])
    #expect(items.first?["link"] as? String == server.url("/two"))
    #expect(failed?["result"] as? String == "failed")
    #expect((failed?["reason"] as? String)?.hasPrefix("html.items \"article\" matches none of the ") == true)
  }

  @Test func `each change of a watched page is a message with the changed line`() async throws {
    server.on("/page", page("<h1>Ferries</h1><p>On time"))
    let bgfetch = try program("html: {text: body}, notify: {item: \"{item.title} [{item.summary}]\"}")
    for _ in 1...2 {
      #expect(try await bgfetch("run", "--force", "--json").results == ["page": "no-data"])
    }
    for text in ["Two hours late", "On time", "Two hours late"] {
      server.on("/page", page("<h1>Ferries</h1><p class=x>\(text)<script>1</script>"))
      try await bgfetch("run", "--force")
    }
    let again = try await bgfetch("run", "--force", "--json")
    let items = try await bgfetch("items", "--json").json

    #expect(again.json.first?["reason"] as? String == "nothing new")
    let late = "Harbour: 1 new|Harbour: Two hours late [- On time\n+ Two hours late]\n"
    let onTime = "Harbour: 1 new|Harbour: On time [- Two hours late\n+ On time]\n"
    #expect(bgfetch.said.hasSuffix(late + onTime + late))
    #expect(items.count == 4)
    let content = "<pre>- On time\n+ Two hours late</pre><hr><pre>Ferries\nTwo hours late</pre>"
    #expect(items.first?["content"] as? String == content)
    #expect(bgfetch.badge == "3\n")
  }

  @Test func `a list that may be empty is no failure, and its first item is news`() async throws {
    let bgfetch = try program("html: {items: article, allow-empty: true}")

    for (answer, result) in [
      (page("<p>None today"), "no-data"), (posts("one"), "new-data"), (ScriptedAnswer.status(204), "no-data"),
    ] {
      server.on("/page", answer)
      #expect(try await bgfetch("run", "--force", "--json").results == ["page": result])
    }
    #expect(said(bgfetch) == ["Harbour: 1 new|Post one"])
  }

  @Test func `a watched page is asked with its validators, and its items outlast being seen`() async throws {
    server.on("/page", .document("<p>a", type: "text/html", etag: "\"1\""))
    let bgfetch = try program("title: T")
    try await bgfetch("run")
    let same = try await bgfetch("run", "--force", "--json")
    try await bgfetch("seen", "--all")
    server.on("/page", .document("<p>b", type: "text/html", etag: "\"2\""))

    #expect(same.json.first?["reason"] as? String == "not modified")
    #expect(try await bgfetch("run", "--force", "--json").results == ["page": "new-data"])
    #expect(bgfetch.said.hasSuffix("T: 1 new|- a\n+ b\n"))
  }

  @Test func `add writes a page to watch, with a selector, if it has such text`() async throws {
    let feed = "<link rel=alternate type=application/rss+xml href=/feed>"
    server.on("/page", page(feed + "<main>On time</main>"))
    let (bgfetch, url) = (try BuiltProgram(configuration: "feeds: {}\n"), server.url("/page"))
    let told = "as harbour: the first run stores its text, and later ones report what changes"

    try await bgfetch("add", "--watch", url, "p..x", status: 2, errors: "selector")
    try await bgfetch("add", "--watch", url, "#none", status: 4, errors: "matches none of")
    try await bgfetch(
      "add", "--watch", url, "main > *, main", "--tag", "sea", status: 0, output: "added \"Harbour\" " + told)
    try await bgfetch("add", "--watch", url + "?whole", "--print", status: 0, output: "kind: html}")
    server.on("/page", page("<main>Late</main>"))
    try await bgfetch("run", status: 0)

    let entry = "harbour: {url: \"\(url)\", tags: [sea], kind: html, html: {text: \"main > *, main\"}}"
    #expect(bgfetch.text(of: "bgfetch.yaml").contains(entry))
    #expect(try await bgfetch("items", "--json").json.first?["content"] as? String == "<pre>Late</pre>")
  }

}

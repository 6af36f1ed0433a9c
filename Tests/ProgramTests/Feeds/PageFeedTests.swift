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

  @Test(arguments: [
    ("", false), ("title: T", false), ("html: {text: body}", true), ("html: {text: .form}", false),
  ])
  func `a login page or a check of browsers in place of a page is no change of it`(
    keys: String, isChange: Bool
  ) async throws {
    server.on("/page", page("<div class=form><h1>Ferries</h1><p>On time</div>"))
    let bgfetch = try program(keys)
    try await bgfetch("run")

    server.on("/page", page("<form><p>Log in<input type=password></form>"))
    #expect(
      try await bgfetch("run", "--force", "--json").results == ["page": isChange ? "new-data" : "failed"])
    server.on("/page", page("<div class=form><h1>Ferries</h1><p>Late<input type=password></div>"))
    #expect(try await bgfetch("run", "--force", "--json").results == ["page": "new-data"])
    guard keys.isEmpty else { return }
    server.on("/page", page("<p>Wait<script src='/cdn-cgi/challenge-platform/x'></script>"))
    let checked = try await bgfetch("run", "--force", "--json").json.first?["reason"] as? String
    #expect(checked?.hasPrefix("Cloudflare sent a browser check") == true)
  }

  @Test(arguments: [
    ("another address that asks for a password", "/login", "<p>Log in<input type=password>", "failed"),
    (
      "another address with one line of before", "/login", "<p>On time<p>Log in<input type=password>",
      "new-data"
    ),
    ("another address without a password", "/other", "<p>Late", "new-data"),
  ])
  func `of a selected text only a login page elsewhere is no change`(
    row: String, path: String, text: String, result: String
  ) async throws {
    server.on("/page", page("<main><p>On time</main>"))
    let bgfetch = try program("html: {text: main}")
    try await bgfetch("run")

    server.on("/page", .redirect(302, to: server.url(path)))
    server.on(path, page("<main>\(text)</main>"))
    let found = try await bgfetch("run", "--force", "--json").results
    server.on("/page", page("<main><p>On time</main>"))
    let back = try await bgfetch("run", "--force", "--json").results

    #expect(found == ["page": result], "\(row)")
    #expect(back == ["page": result == "failed" ? "no-data" : "new-data"], "\(row)")
  }

  @Test func `the title of the configuration names a page in items, messages and mail`() async throws {
    let bgfetch = try BuiltProgram(
      scripts: ["send": "cat >> \"$HOME/mails\""],
      configuration: """
        feeds:
          page: {url: "\(server.url("/page"))", kind: html, title: Warnings, filter: {include: WARN}}
        hooks:
          mail: {to: me@mail.example, run: [HOME/send]}
        """)
    server.on("/page", page("<p>a"))
    try await bgfetch("run")
    server.on("/page", page("<p>b<p>WARN four"))
    try await bgfetch("run", "--force")

    #expect(try await bgfetch("items", "--json").json.first?["title"] as? String == "Warnings: WARN four")
    #expect(bgfetch.text(of: "mails").contains("\nSubject: Warnings: WARN four\n"))
  }

  @Test func `pages that change in one run beyond the limit of a hook are told with their lines`()
    async throws
  {
    let names = (1...7).map { "p\($0)" }
    for name in names { server.on("/" + name, page("<h1>Shop</h1><p>12 €")) }
    let bgfetch = try BuiltProgram(
      server, names, keys: "kind: html, title: X",
      more: """
        hooks:
          say: {events: [notification], run: [HOME/say]}
          all: {events: [notification], group: run, run: [HOME/say]}
          mail: {to: me@mail.example, run: [HOME/send]}
        """,
      scripts: [
        "say": "printf '%s|%s\\n' \"$BGFETCH_TITLE\" \"$BGFETCH_BODY\" >> \"$HOME/said\"",
        "send": "if grep -q '12 =E2=82=AC'; then echo 1 >> \"$HOME/mails\"; fi",
      ])
    try await bgfetch("run")
    for name in names { server.on("/" + name, page("<h1>Shop</h1><p>10 € in \(name)")) }
    try await bgfetch("run", "--force")

    for name in names {
      #expect(bgfetch.said.contains("+ 10 € in \(name)"), "\(name)")
    }
    #expect(bgfetch.said.components(separatedBy: "+ 10 €").count == 15)
    #expect(bgfetch.text(of: "mails").split(separator: "\n").count == 7)
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
    let added = try await bgfetch(
      "add", "--watch", url, "main > *, main", "--tag", "sea", status: 0, output: "added \"Harbour\" " + told)
    #expect(added.output.contains("\n  a page is looked at once a day"))
    try await bgfetch(
      "add", "--watch", url + "?whole", "--dry-run", status: 0, output: "kind: html}\n  # On time")
    server.on("/page", page("<main>Late</main>"))
    try await bgfetch("run", status: 0)

    let entry = "harbour: {url: \"\(url)\", tags: [sea], kind: html, html: {text: \"main > *, main\"}}"
    #expect(bgfetch.text(of: "bgfetch.yaml").contains(entry))
    #expect(try await bgfetch("items", "--json").json.first?["content"] as? String == "<pre>Late</pre>")
  }

  @Test func `several parts of a page get names, and share one request`() async throws {
    server.on("/page", page("<p class=price>12 €<p class=stock>sold out"))
    let (bgfetch, url) = (try BuiltProgram(configuration: "feeds: {}\n"), server.url("/page"))

    let rehearsed = try await bgfetch("add", "--watch", url, "price=.price", ".stock", "--dry-run", "--json")
      .json
    let entries = try await bgfetch("add", "--watch", url, "price=.price", "stock=.stock", "--dry-run").output
    try await bgfetch(
      "add", "--watch", url, "price=.price", "stock=.none", status: 4, errors: "matches none of")
    try await bgfetch("add", "--watch", url, "a=.price", "a=.stock", status: 2, errors: "the same name")
    try await bgfetch("add", url, "a", "b", status: 2, errors: "only --watch takes several")
    #expect(bgfetch.text(of: "bgfetch.yaml").hasSuffix("feeds: {}\n"))
    try await bgfetch("add", "--watch", url, "price=.price", "stock=.stock", status: 0, output: "as stock")
    try await bgfetch("add", "--watch", url, "again=.price", status: 2, errors: "is already the feed price")
    let before = server.requests.count
    let results = try await bgfetch("run", "--json").results

    #expect(rehearsed.map { $0["feed"] as? String } == ["price", "harbour"])
    #expect(entries.hasPrefix("feeds:\n  price: {"))
    #expect(entries.contains("\n  # 12 €\n  stock: {"))
    #expect(entries.components(separatedBy: "feeds:").count == 2)
    #expect(rehearsed.map { $0["text"] as? [String] } == [["12 €"], ["sold out"]])
    #expect(results == ["price": "no-data", "stock": "no-data"])
    // Messages say which part has changed.
    #expect(bgfetch.text(of: "bgfetch.yaml").contains("title: \"Harbour: price\""))
    #expect(server.requests.count == before + 1)
    #expect(try await bgfetch("check", status: 0).errors.isEmpty)
  }

  @Test func `parse shows the text of a page at an address`() async throws {
    server.on("/page", page("<nav>menu</nav><p>On time<p hidden>x"))
    let bgfetch = try BuiltProgram(configuration: "feeds: {}\n")

    try await bgfetch("parse", server.url("/page"), prints: "Harbour  html, 1 line of text\nOn time\n")
    try await bgfetch("parse", server.url("/none"), status: 4, errors: "404")
    let bare = server.url("/page").replacing("http://", with: "")
    try await bgfetch("parse", bare, prints: "Harbour  html, 1 line of text\nOn time\n")
    try await bgfetch("parse", "missing.xml", status: 74)
    server.on("/page", .document("<title>Harbour</title><nav>menu</nav><p>On time", type: "text/html"))
    try await bgfetch("parse", server.url("/page"), prints: "Harbour  html, 1 line of text\nOn time\n")
  }

  /// The reasons of fetches for these answers, one after the other.
  private func reasons(_ bgfetch: BuiltProgram, _ answers: [ScriptedAnswer]) async throws -> [String] {
    var reasons: [String] = []
    for answer in answers {
      server.on("/page", answer)
      let fetch = try await bgfetch("run", "--force", "--json").json.first
      reasons.append("\(fetch?["result"] as? String ?? ""): \(fetch?["reason"] as? String ?? "")")
    }
    return reasons
  }

  @Test func `only a word that disappears is told, and what was left out is not told later`() async throws {
    let bgfetch = try program("html: {text: .stock}, filter: {include: {text: '^- .*sold out'}}")

    let found = try await reasons(
      bgfetch,
      ["sold out", "few", "sold out", "sold  <b>out</b>", "many"].map { page("<p class=stock>\($0)") })

    #expect(
      found == [
        "no-data: 1 stored as seen by the first run", "new-data: 1 new", "no-data: 1 left out by filter",
        "no-data: nothing new", "new-data: 1 new",
      ])
    #expect(bgfetch.said.hasSuffix("Harbour: 1 new|- sold out\n+ few\nHarbour: 1 new|- sold out\n+ many\n"))
  }

  @Test func `a page that fails, is empty or asks who is there has not changed`() async throws {
    let bgfetch = try program("html: {text: .stock}")
    let stock = page("<p class=stock>12 pieces")

    let found = try await reasons(
      bgfetch,
      [
        stock, .status(404), page(""), page("<h1>Are you a human?</h1><form>"), page("<p class=stock> "),
        stock,
      ])

    #expect(found.map { $0.hasPrefix("failed: ") } == [false, true, true, true, true, false])
    #expect(found[3].contains("html.text \".stock\" matches none of "))
    #expect(found.last == "no-data: nothing new")
    #expect(!bgfetch.said.contains(" new|"))
  }

  @Test func `programs and files are watched line by line, and their changes have the signs everywhere`()
    async throws
  {
    let bgfetch = try BuiltProgram(
      scripts: ["get": "cat >> \"$HOME/got\"", "show": "cat \"$HOME/data\""],
      configuration: """
        feeds:
          json: {command: ["HOME/show"], kind: html}
        hooks:
          get: {events: [notification, new-item], run: ["HOME/get"], stdin: json}
        """)
    _ = try bgfetch.home.write("{\n  \"price\": 12\n}\n", to: "data")
    try await bgfetch("run")
    _ = try bgfetch.home.write("{\n  \"price\": 13\n}\n", to: "data")
    try await bgfetch("run", "--force")

    let events = bgfetch.json(of: "got")
    let changes = ["- \"price\": 12", "+ \"price\": 13"]
    let news = events.first { $0["event"] as? String == "new-item" }
    let told = events.last { $0["event"] as? String == "notification" }
    #expect((news?["item"] as? [String: Any])?["summary"] as? String == changes.joined(separator: "\n"))
    #expect((told?["items"] as? [[String: Any]])?.first?["changes"] as? [String] == changes)
    #expect(told?["body"] as? String == changes.joined(separator: "\n"))
  }
}

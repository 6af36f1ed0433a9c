// The page and the feeds that bgfetch writes, read by a browser and by other readers.

import Foundation
import TestKit
import Testing

@Suite final class OutputTests: ServerSuite {
  /// A program with one feed of two items, both new, and these keys.
  private func program(_ keys: String, items: String? = nil) throws -> BuiltProgram {
    let standard = """
      <item><guid>2</guid><title>Second &lt;b&gt;</title><link>https://a.example/2</link></item>
      <item><guid>1</guid><title>First</title><link>https://a.example/1</link></item>
      """
    let channel = "<channel><title>Planet</title>\(items ?? standard)</channel>"
    server.on("/planet", .document("<rss version=\"2.0\">\(channel)</rss>"))
    return try BuiltProgram(server, keys: "first-run: all, minimum-interval: every-run", more: keys)
  }

  @Test func `a run writes the files, and so does a command that changes unseen items`() async throws {
    let outputs = "outputs: {HOME/news.html: {}, HOME/all.atom: {}, HOME/unread.json: {unseen: true}}"
    let bgfetch = try program(outputs)

    #expect(try await bgfetch("run").errors == "")
    #expect(bgfetch.text(of: "news.html").contains("2 new items"))
    try await bgfetch("seen", "1", status: 0)

    #expect(bgfetch.text(of: "news.html").contains("1 new item<"))
    #expect(bgfetch.text(of: "all.atom").components(separatedBy: "<entry>").count == 3)
    let unread = bgfetch.text(of: "unread.json")
    #expect(unread.contains("urn:bgfetch:planet:2"))
    #expect(!unread.contains("urn:bgfetch:planet:1"))
  }

  @Test func `a file with the same content is not touched, and a missing one is written`() async throws {
    let bgfetch = try program("outputs: {HOME/all.xml: {}}")
    let path = bgfetch.home.file("all.xml")
    func number() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }
    try await bgfetch("run")
    let before = try number()

    try await bgfetch("run", "planet")
    #expect(try number() == before)
    #expect(before != nil)
    unlink(path)
    try await bgfetch("run", "planet")

    #expect(bgfetch.text(of: "all.xml").contains("<title>First</title>"))
  }

  @Test func `a file that cannot be written is a warning, of which cron hears once a day`() async throws {
    let bgfetch = try program("outputs: {HOME/nowhere/news.html: {}}")
    func warns(_ time: String) async throws -> Bool {
      try await bgfetch("run", "-q", "--force", at: time).errors.contains("nowhere")
    }

    let run = try await bgfetch("run", "-q", "--force", at: "2026-11-21T10:00:00Z", status: 0)
    #expect(run.errors.contains("nowhere/news.html: the directory \(bgfetch.home.file("nowhere")) does not"))
    #expect(bgfetch.badge == "2\n")
    #expect(try await !warns("2026-11-21T10:05:00Z"))
    #expect(try await warns("2026-11-22T10:05:00Z"))
  }

  @Test func `check warns about directories in which no file can be written`() async throws {
    let bgfetch = try program(
      "outputs: {HOME/nowhere/news.html: {}, HOME/open/all.atom: {}, HOME/all.xml: {}}")
    chmod(try bgfetch.makeDirectory("open"), 0o777)

    let check = try await bgfetch("check", status: 0)

    #expect(check.errors.split(separator: "\n").count { $0.contains("output") } == 2)
    #expect(check.errors.contains("output \(bgfetch.home.file("nowhere/news.html")): the directory"))
    #expect(check.errors.contains("output: \(bgfetch.home.file("open"))"))
  }

  @Test func `a web server may read the files`() async throws {
    let bgfetch = try program("outputs: {HOME/news.html: {}}")

    try await bgfetch.shell(
      "umask 022; $BGFETCH run > /dev/null; stat -c %a \"$HOME/news.html\"", prints: "644\n")
  }

  @Test func `the files do not wait for downloads`() async throws {
    let gate = Gate()
    server.on("/long.mp3", .document("sound").held(by: gate))
    server.on("/feed", .document(podcast([Episode(id: "1", title: "Long", url: server.url("/long.mp3"))])))
    let bgfetch = try BuiltProgram(
      configuration: """
        outputs: {HOME/news.html: {}}
        documents: HOME/documents
        free-space: 1KiB
        budget: none
        feeds: {planet: {url: "\(server.url("/feed"))", first-run: all, download: {}}}
        """)

    let run = try bgfetch.started(["run"])
    #expect(await eventually { !server.requests("/long.mp3").isEmpty })
    #expect(bgfetch.text(of: "news.html").contains(">Long<"))
    gate.open()

    #expect(await run.ended().status == 0)
  }

  @Test func `the items are read under the lock of the files`() async throws {
    let bgfetch = try program("outputs: {HOME/news.html: {}}")
    try await bgfetch("run")

    let seen = try await bgfetch.shell(
      """
      exec 9>>"$HOME/state/outputs.lock"; flock -x 9
      "$BGFETCH" seen 1 9>&- & first=$!
      n=0; while [ "$(cat "$HOME/state/badge")" != 1 ] && [ $n -lt 3000 ]; do sleep 0.05; n=$((n+1)); done
      grep -o '<title>.*</title>' "$HOME/news.html"
      exec 9>&-; wait $first
      grep -o '<title>.*</title>' "$HOME/news.html"
      """)

    #expect(
      seen.lines.filter { $0.hasPrefix("<title>") } == [
        "<title>2 new items</title>", "<title>1 new item</title>",
      ])
  }

  @Test(arguments: [("atom", "atom"), ("json-feed", "json-feed")])
  func `a feed written by items can be read again`(format: String, name: String) async throws {
    let bgfetch = try program("")
    try await bgfetch("run")

    let file = bgfetch.home.file("out")
    try await bgfetch("items", "--format", format, "-o", file, status: 0, prints: "")

    let feed = try #require(try await bgfetch("parse", "--json", file).json.first)
    #expect(feed["format"] as? String == name)
    let items = try #require(feed["items"] as? [[String: Any]])
    #expect(items.map { $0["title"] as? String } == ["Second", "First"])
    #expect(items.map { $0["link"] as? String } == ["https://a.example/2", "https://a.example/1"])
  }

  private static let newsboat = "/usr/bin/newsboat"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: newsboat), "newsboat is not installed"))
  func `newsboat reads from bgfetch`() async throws {
    let bgfetch = try program("outputs: {HOME/all.atom: {title: \"All & more\"}}")
    try await bgfetch("run")
    try bgfetch.home.write("file://\(bgfetch.home.file("all.atom"))\n", to: "urls")

    let read = try await bgfetch.shell(
      "\(Self.newsboat) -u \"$HOME/urls\" -c \"$HOME/cache.db\" -C /dev/null -x reload print-unread")

    #expect(read.output.contains("2 unread"))
  }

  private static let chromium = "/usr/bin/chromium"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: chromium), "Chromium is not installed"))
  func `a browser shows hostile items as text, and requests nothing`() async throws {
    let trap = try ScriptedServer()
    let texts = [
      "</title><script>document.title = 'owned'</script>", "<img src='\(trap.url("/img"))' onerror='x()'>",
      "\"><style>body { background: url(\(trap.url("/css"))) }</style>",
      "<iframe src='\(trap.url("/frame"))'>",
    ]
    let items = texts.enumerated().map { number, text in
      let escaped = text.replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
      return """
        <item><guid>\(number)</guid><title>\(escaped.replacing("&lt;", with: "&amp;lt;"))</title>
        <link>javascript:alert(1)</link><description>\(escaped)</description></item>
        """
    }
    let bgfetch = try program("outputs: {HOME/news.html: {}}", items: items.joined())
    try await bgfetch("run")

    let shown = try await browse("news.html", bgfetch)

    #expect(shown.status == 0, "\(shown.errors)")
    #expect(shown.output.contains("<title>4 new items</title>"))
    #expect(shown.output.contains("document.title = 'owned'"))
    for mark in ["<script", "<iframe", "<img", "javascript:"] { #expect(!shown.output.contains(mark)) }
    // The console of a browser names everything that the page's policy blocks. It is silent, so the style is applied.
    #expect(!shown.errors.contains("Content Security Policy"), "\(shown.errors)")
    #expect(trap.connections == 0)
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: chromium), "Chromium is not installed"))
  func `the policy of the page blocks content that a missing escape would let through`() async throws {
    let trap = try ScriptedServer()
    let bgfetch = try program("outputs: {HOME/news.html: {}}")
    try await bgfetch("run")
    let escape = """
      <script>document.title = 'owned'</script><img src="\(trap.url("/img"))" onerror="document.title = 'owned'">
      <style>body { background: url(\(trap.url("/css"))) }</style><base href="\(trap.url("/base"))">
      """
    let page = bgfetch.text(of: "news.html").replacing("</main>", with: escape + "</main>")
    try bgfetch.home.write(page, to: "broken.html")

    let shown = try await browse("broken.html", bgfetch)

    #expect(shown.status == 0, "\(shown.errors)")
    #expect(shown.output.contains("<title>2 new items</title>"))
    #expect(shown.errors.contains("Content Security Policy"), "\(shown.errors)")
    #expect(trap.connections == 0)
  }

  /// The document of a page after Chromium has loaded it, and the messages of the console on stderr.
  private func browse(_ page: String, _ bgfetch: BuiltProgram) async throws -> Invoked {
    try await bgfetch.shell(
      """
      timeout 600 \(Self.chromium) --headless=new --no-sandbox --disable-gpu --user-data-dir="$HOME/profile" \
        --enable-logging=stderr --dump-dom "file://$HOME/\(page)"
      """)
  }
}

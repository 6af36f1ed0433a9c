// Articles in the terminal and for scripts: `bgfetch read`, and items by number.

import Foundation
import TestKit
import Testing

@Suite final class ReadTests: ServerSuite {
  private func program(more: String = "") async throws -> BuiltProgram {
    let content = """
      <h2>Head</h2><p>\(String(repeating: "some words ", count: 20))and <a href="https://a.example/x">a link</a>.</p>\
      <script>evil()</script><ul><li>One<li>Two</ul>
      """
    server.on(
      "/planet",
      .document(
        """
        <rss version="2.0"><channel><title>Planet</title>
        <item><guid>1</guid><title>First</title><link>https://p.example/1</link>\
        <description><![CDATA[\(content)]]></description><author>ann</author>\
        <enclosure url="\(server.url("/1.mp3"))" type="audio/mpeg" length="5"/></item>
        <item><guid>2</guid><title>Second</title></item></channel></rss>
        """))
    server.on("/1.mp3", .document("sound"))
    let bgfetch = try BuiltProgram(server, keys: "first-run: all" + more)
    try await bgfetch("run")
    return bgfetch
  }

  private func number(of title: String, _ bgfetch: BuiltProgram) async throws -> Int {
    let items = try await bgfetch("items", "--json").json
    return try #require(items.first { $0["title"] as? String == title }?["number"] as? Int)
  }

  @Test func `an article is read as text, and is then seen`() async throws {
    let bgfetch = try await program()
    let first = try await number(of: "First", bgfetch)

    let peeked = try await bgfetch("read", "--peek", "\(first)")
    #expect(bgfetch.badge == "2\n")
    let read = try await bgfetch("read", "#\(first)")

    #expect(read.output == peeked.output)
    #expect(bgfetch.badge == "1\n")
    let lines = read.lines
    #expect(lines.first == "First")
    #expect(lines.contains("https://p.example/1"))
    #expect(lines[1].hasPrefix("#\(first) · Planet · "))
    #expect(lines[1].hasSuffix(" · ann"))
    #expect(lines.contains("Head"))
    #expect(lines.contains("• Two"))
    #expect(!read.output.contains("evil"))
    #expect(read.output.contains("a link[1]."))
    #expect(lines.contains("[1] https://a.example/x"))
    #expect(lines.last == "[2] file: \(server.url("/1.mp3"))")
    #expect(lines.allSatisfy { $0.count <= 80 })
    let second = try await number(of: "Second", bgfetch)
    #expect(try await bgfetch("read", "\(second)").lines.last == "(no text)")
  }

  @Test func `an item without text has its page`() async throws {
    server.on(
      "/planet",
      .document(
        """
        <rss version="2.0"><channel><title>Planet</title>
        <item><title>Bare</title><link>https://p.example/1</link></item></channel></rss>
        """))
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")
    try await bgfetch("run")

    let bare = "(no text; bgfetch open 1 opens its page)"
    #expect(try await bgfetch("read", "--peek", "1").lines.last == bare)
  }

  @Test func `the end of a very long article is missing, and its page has it`() async throws {
    let content = String(repeating: "<p>Some words of a long article.</p>", count: 100_000)
    server.on(
      "/planet",
      .document(
        """
        <rss version="2.0"><channel><title>Planet</title>
        <item><guid>1</guid><title>Long</title><link>https://p.example/1</link>\
        <description><![CDATA[\(content)]]></description></item></channel></rss>
        """))
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")
    try await bgfetch("run")
    let number = try await number(of: "Long", bgfetch)

    let lines = try await bgfetch("read", "--peek", "\(number)").lines
    let command = "bgfetch open \(number)"
    #expect(lines.contains("(2.5 MB more on the article's page: \(command))"))
    #expect(lines.last { $0.hasPrefix("Some") } == "Some words of a long article.")
    let rest = try await bgfetch("items", "--json").json.first?["rest"] as? [String: Any]
    let stored = try await bgfetch("items", "--json").json.first?["content"] as? String
    #expect(rest?["command"] as? String == command)
    #expect(rest?["bytes"] as? Int == 3_600_000 - (stored?.utf8.count ?? 0))
    let read =
      try await bgfetch("read", "--peek", "--json", "\(number)").json.first?["rest"] as? [String: Any]
    #expect(read?["command"] as? String == command)
  }

  @Test func `the unseen items of feeds are read one after the other`() async throws {
    let bgfetch = try await program()

    let both = try await bgfetch("read", "planet", "--json").json
    try await bgfetch("read", "planet", prints: "", errors: "no unseen items")

    #expect(Set(both.map { $0["title"] as? String }) == ["First", "Second"])
    #expect(both.compactMap { $0["links"] as? [String] }.contains(["https://a.example/x"]))
    #expect(bgfetch.badge == "0\n")
  }

  @Test func `items --format html is a page without anything active`() async throws {
    let bgfetch = try await program()

    let page = try await bgfetch("items", "--format", "html", "planet", output: "<h2>Head</h2><p>some words")
      .output

    #expect(page.contains("href=\"https://p.example/1\""))
    #expect(!page.contains("<script"))
    #expect(!page.contains("evil"))
  }

  @Test(arguments: ["COLUMNS", "FZF_PREVIEW_COLUMNS"])
  func `an article is as wide as the environment says`(variable: String) async throws {
    let bgfetch = try await program()

    try await bgfetch.shell("\(variable)=40 \"$BGFETCH\" read planet > \"$HOME/narrow\"", status: 0)

    let lines = bgfetch.text(of: "narrow").split(separator: "\n")
    #expect(lines.contains("Second"))
    #expect(lines.allSatisfy { $0.count <= 40 })
  }

  @Test(arguments: [60, 120])
  func `a terminal shows articles and lists through the pager, at its width`(columns: Int) async throws {
    let bgfetch = try await program()
    let pager = "TERM=xterm PAGER='cat > \"$HOME/paged\"'"

    for command in ["read --peek planet", "items", "status"] {
      try await bgfetch.shell(
        "\(pager) script -qec 'stty cols \(columns); \"$BGFETCH\" \(command)' /dev/null", status: 0)
      #expect(bgfetch.text(of: "paged").contains(/[Pp]lanet/), "\(command)")
    }
    unlink(bgfetch.home.file("paged"))
    try await bgfetch.shell(
      "\(pager.replacing(">", with: ">>")) NO_COLOR=1 script -qec 'stty cols \(columns); \"$BGFETCH\" read 2' /dev/null",
      status: 0)

    let paged = bgfetch.text(of: "paged")
    #expect(paged.contains("\u{1B}]8;;https://a.example/x\u{1B}\\[1]"))
    let text = paged.replacing(/\u{1B}\]8;;[^\u{1B}]*\u{1B}\\/, with: "")
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= min(columns, 80) })
    #expect(bgfetch.badge == "1\n")
  }

  @Test(arguments: [("", "FRX"), ("LESS=-F", "-F")])
  func `less ends by the interrupt key, and needs none for a short article`(
    setting: String, options: String
  ) async throws {
    let bgfetch = try await program()
    _ = try bgfetch.script("less", "echo \"$LESS\" >> \"$HOME/options\"; cat > /dev/null")

    try await bgfetch.shell(
      "PATH=\"$HOME:$PATH\" TERM=xterm \(setting) script -qec '\"$BGFETCH\" read --peek 2' /dev/null",
      status: 0)

    #expect(bgfetch.text(of: "options") == "\(options) -K\n")
  }

  @Test(arguments: ["", "--json"])
  func `an article is seen when the reader of a pipe has taken all of it`(option: String) async throws {
    let bgfetch = try await program()

    try await bgfetch.shell("\"$BGFETCH\" read planet \(option) | head -n 1", status: 0)

    #expect(bgfetch.badge == "1\n")
    let file = bgfetch.home.file("file")
    try await bgfetch.shell("\"$BGFETCH\" read planet \(option) > \"\(file)\"", status: 0)
    #expect(bgfetch.badge == "0\n")
  }

  /// Fetches an article of so many paragraphs, and returns its number.
  private func longArticle(of paragraphs: Int, _ bgfetch: BuiltProgram) async throws -> Int {
    let content = String(repeating: "<p>Some words of a long article.</p>", count: paragraphs)
    server.on(
      "/planet",
      .document(
        """
        <rss version="2.0"><channel><title>Planet</title><item><guid>3</guid><title>Long</title>\
        <description><![CDATA[\(content)]]></description></item></channel></rss>
        """))
    try await bgfetch("run", "planet")
    return try await number(of: "Long", bgfetch)
  }

  @Test func `a long article of which a pipe takes the beginning stays unseen`() async throws {
    let bgfetch = try await program()
    let number = try await longArticle(of: 1000, bgfetch)

    try await bgfetch.shell("\"$BGFETCH\" read \(number) | head -n 1", status: 0)
    #expect(bgfetch.badge == "3\n")
    try await bgfetch.shell("\"$BGFETCH\" read \(number) | tail -n 1", status: 0)
    #expect(bgfetch.badge == "2\n")
  }

  @Test(arguments: [
    ("(sleep 0.2; head -c 4096 > /dev/null; sleep 0.2; cat > /dev/null)", 2),
    ("(head -c 500000 > /dev/null; sleep 0.2)", 3), ("head -c 500000 > /dev/null", 3), ("true", 3),
  ])
  func `an article of a megabyte is seen when a slow reader of a pipe has all of it`(
    reader: String, badge: Int
  ) async throws {
    let bgfetch = try await program()
    let number = try await longArticle(of: 30_000, bgfetch)

    try await bgfetch.shell("\"$BGFETCH\" read \(number) | \(reader)", status: 0)

    #expect(bgfetch.badge == "\(badge)\n")
  }

  @Test func `items and files are chosen by number`() async throws {
    let bgfetch = try await program(more: ", download: {}")
    let first = try await number(of: "First", bgfetch)

    let listed = try await bgfetch("items", "\(first)", "--format", "tsv").output
    let queued = try await bgfetch("transfers", "add", "\(first)")

    let columns = listed.split(separator: "\t").map(String.init)
    try #require(columns.count == 6)
    #expect(columns[0] == "\(first)")
    #expect(columns[1] == "unseen")
    #expect(Array(columns[3...]) == ["planet", "First", "https://p.example/1\n"])
    #expect(queued.status == 0)
    #expect(queued.errors.contains("nothing to queue"))
  }

  @Test func `starred items are listed and written to their output, until they lose the star`() async throws {
    let bgfetch = try await program()
    let first = try await number(of: "First", bgfetch)
    let output = bgfetch.home.file("starred.atom")
    try bgfetch.edit("feeds:", to: "outputs: {\(output): {starred: true}}\nfeeds:")

    try await bgfetch("star", "\(first)", prints: "1 item starred\n")
    try await bgfetch("star", "\(first)", prints: "1 item was starred already\n")
    try await bgfetch("items", "--starred", "--format", "{item.title}", prints: "First\n")
    try await bgfetch("read", "planet", "--starred", "--peek", output: "First")
    let written = bgfetch.text(of: "starred.atom")
    try await bgfetch("unstar", "planet", prints: "1 item no longer starred\n")
    try await bgfetch("unstar", "planet", prints: "none of these items had a star\n")

    #expect(written.components(separatedBy: "<entry>").count == 2)
    #expect(written.contains("First"))
    try await bgfetch("items", "--starred", prints: "")
    #expect(!bgfetch.text(of: "starred.atom").contains("First"))
  }
}

// Mail as a hook of its own kind: a mail for each item beside grouped popups, and items that count as seen once they are delivered.

import Foundation
import TestKit
import Testing

@Suite struct MailHookTests {
  /// A program with two feeds, a `sendmail` on the PATH that appends the subject of each mail to `said`, and a hook that appends
  /// the title of each message to `popups`.
  private func program(
    _ server: ScriptedServer, mail: String = "{to: me@mail.example}", more: String = "",
    sendmail: String = "[ $1 = -t ] && grep ^Subject: >> \"$HOME/said\""
  ) throws -> BuiltProgram {
    try BuiltProgram(
      server, ["planet", "moon"], keys: "first-run: all, minimum-interval: 1h, tags: [space]",
      more: """
        hooks:
          mail: \(mail)
          log: {events: [notification], run: [HOME/log, "{title}"]}
        \(more)
        """,
      scripts: ["sendmail": sendmail, "log": "echo \"$1\" >> \"$HOME/popups\""]
    ).keeping(server)
  }

  private func server() throws -> ScriptedServer {
    let server = try ScriptedServer(planet: ["b", "a"])
    server.feed("/moon", ["m"], title: "Moon")
    return server
  }

  private func run(
    _ bgfetch: BuiltProgram, _ arguments: [String] = ["run"], at time: String = "21T08:00:00Z"
  ) async throws -> Invoked {
    try await bgfetch(
      arguments, at: "2026-11-" + time, environment: ["PATH": bgfetch.home.path + ":/usr/bin:/bin"])
  }

  private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init).sorted() }

  private func unseen(_ bgfetch: BuiltProgram) async throws -> Int {
    try await bgfetch("items", "--unseen", "--json").json.count
  }

  @Test func `an address is enough for a mail of each item, and popups stay grouped`() async throws {
    let bgfetch = try program(try server())

    _ = try await run(bgfetch)

    #expect(lines(bgfetch.said) == ["a", "b", "m"].map { "Subject: Title of \($0)" })
    #expect(lines(bgfetch.text(of: "popups")) == ["Moon: 1 new", "Planet: 2 new"])
    #expect(bgfetch.badge == "3\n")
  }

  @Test func `a hook that groups by run gets one message beside the others`() async throws {
    let bgfetch = try program(try server(), mail: "{to: me@mail.example, group: run}")

    _ = try await run(bgfetch)

    #expect(lines(bgfetch.said).count == 1)
    #expect(bgfetch.said.hasSuffix(": 3 new\n"))
    #expect(lines(bgfetch.text(of: "popups")).count == 2)
  }

  @Test func `with seen, what was delivered counts as seen, and other hooks get it all the same`()
    async throws
  {
    let bgfetch = try program(
      try server(), mail: "{to: me@mail.example, seen: true, feeds: [planet]}",
      more: "  bar: {events: [badge-changed], retries: 0, run: [HOME/log, \"badge {badge}\"]}")

    let run = try await run(bgfetch, ["run", "-v"])

    #expect(try await unseen(bgfetch) == 1)
    #expect(bgfetch.badge == "1\n")
    #expect((run.output + run.errors).contains("badge 1\n"))
    let popups = lines(bgfetch.text(of: "popups"))
    #expect(popups.contains("Planet: 2 new"))
    #expect(popups.contains("badge 1"))
    // It is no mark of the person's, which undo would take back.
    try await bgfetch("undo")
    #expect(try await unseen(bgfetch) == 1)
    try await bgfetch("unseen", "planet")
    #expect(try await unseen(bgfetch) == 3)
  }

  @Test func `a message that waits for its hours has items that a mail has marked`() async throws {
    let bgfetch = try program(
      try server(), mail: "{to: me@mail.example, seen: true}",
      more: "  later: {digest: \"0 9 * * *\", stdin: json, run: [HOME/log, \"{title}\"]}")

    _ = try await run(bgfetch)
    #expect(try await unseen(bgfetch) == 0)
    _ = try await run(bgfetch, at: "21T09:00:00Z")

    #expect(bgfetch.text(of: "popups").contains("later: Title of"))
  }

  @Test(arguments: [("exit 75", 2, "pending"), ("exit 1", 1, "dead"), ("", 0, "")])
  func `an item whose mail failed stays unseen until it is delivered, once`(
    failure: String, left: Int, status: String
  ) async throws {
    let server = try ScriptedServer(planet: ["a"])
    server.feed("/moon", [])
    let send =
      "test -e \"$HOME/mended\" || \(failure.isEmpty ? "true" : failure); grep ^Subject: >> \"$HOME/said\""
    let bgfetch = try program(
      server,
      mail: "{to: me@mail.example, feeds: [planet], seen: true, retries: \(status == "dead" ? 0 : 3)}",
      sendmail: send)

    _ = try await run(bgfetch)
    #expect(try await unseen(bgfetch) == (left > 0 ? 1 : 0))
    let waiting = try await bgfetch("hooks", "list", "mail", "--json").json
    #expect(waiting.map { $0["status"] as? String } == (left > 0 ? [status] : []))

    _ = try bgfetch.home.write("", to: "mended")
    _ = try await run(bgfetch, ["hooks", "retry", "mail"], at: "21T08:00:01Z")
    _ = try await run(bgfetch, at: "21T08:20:00Z")
    _ = try await run(bgfetch, at: "21T09:20:00Z")

    #expect(bgfetch.said == "Subject: Title of a\n")
    #expect(try await unseen(bgfetch) == 0)
    #expect(bgfetch.badge == "0\n")
  }

  @Test func `without sendmail the run says what to install`() async throws {
    let bgfetch = try program(try server())

    let run = try await bgfetch("run", "-v", environment: ["PATH": "/nowhere"])

    // A machine of a developer may have one in /usr/sbin.
    guard !FileManager.default.fileExists(atPath: "/usr/sbin/sendmail") else { return }
    #expect(
      run.errors.contains("there is no program sendmail; install one, such as msmtp-mta"), "\(run.errors)")
  }

  @Test func `filters find the tags of the feed and the categories of the item`() async throws {
    let server = try ScriptedServer(planet: [])
    server.feed("/moon", [])
    server.on(
      "/planet",
      .document(
        """
        <rss version="2.0"><channel><title>Planet</title><item><guid>urn:a</guid><title>A</title>
        <link>https://planet.example/a</link><category>linux</category><category>news\r\nBcc: x</category>
        </item></channel></rss>
        """))
    let bgfetch = try program(
      server, mail: "{to: me@mail.example, feeds: [planet]}", sendmail: "cat > \"$HOME/said\"")

    _ = try await run(bgfetch)

    let header = bgfetch.said.components(separatedBy: "\n\n")[0].components(separatedBy: "\n")
    for line in [
      "From: \"Planet\" <me@mail.example>", "X-Tags: space", "X-RSS-Feed: \(server.url("/planet"))",
      "X-RSS-ID: urn:a", "X-RSS-URL: https://planet.example/a", "X-RSS-TAGS: linux,news Bcc: x",
      "User-Agent: bgfetch",
    ] {
      #expect(header.contains(line))
    }
  }

  @Test func `a digest has summaries, or articles, and the changes of watched pages`() async throws {
    let server = try ScriptedServer(planet: [])
    server.feed("/moon", [])
    let article = String(repeating: "A rather long sentence of an article. ", count: 20)
    server.on(
      "/planet",
      .document(
        """
        <rss version="2.0"><channel><title>Planet</title><item><guid>a</guid><title>A</title>
        <link>https://planet.example/a</link><description>\(article)&lt;b>The end&lt;/b></description>
        </item></channel></rss>
        """))
    server.on("/page", .document("<main><p>Same</p><p>Old price</p></main>"))
    let bgfetch = try BuiltProgram(
      server, ["planet"], keys: "first-run: all",
      more: """
        hooks:
          short: {digest: "0 9 * * *", to: me@mail.example, run: [HOME/send, short]}
          long: {digest: "0 9 * * *", to: me@mail.example, articles: true, run: [HOME/send, long]}
        """, scripts: ["send": "cat > \"$HOME/$1\""])
    try bgfetch.edit(
      "\nfeeds:\n",
      to:
        "\nfeeds:\n  page: {kind: html, url: \"\(server.url("/page"))\", html: {text: main}, minimum-interval: 1m}\n"
    )
    try await bgfetch("run", at: "2026-11-21T08:00:00Z", status: 0)
    server.on("/page", .document("<main><p>Same</p><p>New price</p></main>"))
    try await bgfetch("run", at: "2026-11-21T09:00:00Z", status: 0)

    let (short, long) = (bgfetch.text(of: "short"), bgfetch.text(of: "long"))
    #expect(short.contains("  A rather long sentence of an article."))
    #expect(!short.contains("The end"))
    #expect(long.contains("<b>The end</b>"))
    for mail in [short, long] {
      #expect(mail.contains("Old price"))
      #expect(mail.contains("New price"))
      #expect(!mail.contains("Same"))
      #expect(mail.split(separator: "\n").allSatisfy { $0.utf8.count <= 76 })
    }
  }
}

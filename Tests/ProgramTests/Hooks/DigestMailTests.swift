// Digests and mail: collected until their time, sent once by real programs, and readable by real mail readers.

import Core
import Foundation
import TestKit
import Testing

@Suite struct DigestMailTests {
  /// A program with two feeds and a digest at 07:00 whose mails are files `mail.…` in the home.
  private func program(
    _ server: ScriptedServer, script: String = "cat > \"$(mktemp \"$HOME/mail.XXXXXX\")\""
  ) throws -> BuiltProgram {
    try BuiltProgram(
      server, ["planet", "moon"], keys: "first-run: all, minimum-interval: 1h",
      more: "hooks: {morning: {digest: \"0 7 * * *\", run: [HOME/send], to: me@mail.example}}",
      scripts: ["send": script])
  }

  private func server() throws -> ScriptedServer {
    let server = try ScriptedServer(planet: ["a"])
    server.feed("/moon", ["m"], title: "Moon")
    return server
  }

  private func mails(_ bgfetch: BuiltProgram) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: bgfetch.home.path)) ?? []
    return names.filter { $0.hasPrefix("mail.") }.map { bgfetch.text(of: $0) }
  }

  @discardableResult
  private func run(_ bgfetch: BuiltProgram, at time: String) async throws -> Invoked {
    try await bgfetch("run", at: "2026-11-" + time, status: 0)
  }

  @Test func `the messages of a day are one mail at the time of the schedule`() async throws {
    let server = try server()
    let bgfetch = try program(server)

    try await run(bgfetch, at: "21T08:00:00Z")
    server.feed("/planet", ["b", "a"])
    try await run(bgfetch, at: "21T20:00:00Z")
    try await run(bgfetch, at: "22T06:59:59Z")
    #expect(mails(bgfetch) == [])
    try await bgfetch("hooks", at: "2026-11-22T06:59:59Z", output: "postponed until 2026-11-22 07:00:00")

    // News of the run that sends the digest is part of it.
    server.feed("/moon", ["n", "m"], title: "Moon")
    try await run(bgfetch, at: "22T08:30:00Z")
    try await run(bgfetch, at: "22T08:45:00Z")

    let all = mails(bgfetch)
    #expect(all.count == 1)
    let mail = all.first ?? ""
    #expect(mail.hasPrefix("From: me@mail.example\nTo: me@mail.example\nSubject: morning: "))
    for id in ["a", "b", "m", "n"] {
      #expect(mail.contains("- Title of \(id)\n  https://planet.example/\(id)\n"))
    }
    #expect(mail.contains("\n4 new in 2 feeds\n"))
    try await bgfetch("hooks", at: "2026-11-22T08:45:00Z", prints: "")
  }

  @Test func `a digest that failed is sent again as it was, and later news waits for the next`() async throws
  {
    let server = try server()
    let bgfetch = try program(
      server, script: "cat > \"$(mktemp \"$HOME/mail.XXXXXX\")\"; test -e \"$HOME/mended\"")

    try await run(bgfetch, at: "21T08:00:00Z")
    try await run(bgfetch, at: "22T07:00:00Z")
    server.feed("/planet", ["b", "a"])
    _ = try bgfetch.home.write("", to: "mended")
    try await run(bgfetch, at: "22T08:30:00Z")
    try await run(bgfetch, at: "22T09:30:00Z")

    let both = mails(bgfetch)
    #expect(both.count == 2)
    #expect(both.first == both.last)
    #expect(!both.contains { $0.contains("Title of b") })
    try await run(bgfetch, at: "23T07:00:00Z")
    #expect(mails(bgfetch).filter { $0.contains("Title of b") && !$0.contains("Title of a") }.count == 1)
  }

  @Test func `hooks test sends a sample`() async throws {
    let bgfetch = try program(try server())

    try await bgfetch("hooks", "test", "morning", prints: "morning: delivered\n")

    #expect(mails(bgfetch).first?.contains("Subject: morning: A sample item\n") == true)
    #expect(mails(bgfetch).first?.contains("- A sample item\n  https://planet.example/sample\n") == true)
  }

  @Test func `an item is a mail from its feed with the article, and its update a reply`() async throws {
    let server = try server()
    func publish(_ text: String, updated: String) {
      let title = "Grüße, \"a\" &lt;b@c.d&gt;\r\nBcc: x"
      let article = "<h2>One</h2><p>\(text) <a href='/x'>there</a></p><script>alert(1)</script><ul><li>2</ul>"
        .replacing("<", with: "&lt;")
      server.on(
        "/planet",
        .document(
          """
          <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://planet.example/"><title>\(title)</title>
          <entry><id>urn:a</id><title>From \(title)</title><link href="/a"/><author><name>Ann</name></author>
          <published>2026-11-20T21:00:00Z</published><updated>\(updated)</updated>
          <content type="html">\(article)</content></entry></feed>
          """))
    }
    publish("first", updated: "2026-11-20T21:00:00Z")
    let bgfetch = try BuiltProgram(
      scripts: ["send": "cat > \"$HOME/mail.$(ls \"$HOME\" | grep -c mail.)\""],
      configuration: """
        defaults: {first-run: all, minimum-interval: 1h, updated: notify}
        feeds: {planet.: "\(server.url("/planet"))"}
        hooks:
          me: {run: ["HOME/send"], to: me@mail.example, from: bg@home.example, limit: 1}
        """)

    try await run(bgfetch, at: "21T08:00:00Z")
    publish("second", updated: "2026-11-22T08:00:00Z")
    try await run(bgfetch, at: "22T09:00:00Z")

    let mails = mails(bgfetch).sorted { $0.contains("first") && !$1.contains("first") }
    try #require(mails.count == 2)
    guard let first = try await readByPython(mails[0], in: bgfetch),
      let second = try await readByPython(mails[1], in: bgfetch)
    else { return }
    let feed = "Grüße, \"a\" <b@c.d> Bcc: x"
    expect(
      first,
      [
        "defects": 0, "from": #""Grüße, \"a\" <b@c.d> Bcc: x" <bg@home.example>"#,
        "subject": "From " + feed, "date": "2026-11-20T21:00:00+00:00", "to": "me@mail.example",
      ])
    #expect(
      (first["text"] as? String)?.trimmingCharacters(in: .newlines)
        == "Ann\n\nOne\n\nfirst there[1]\n\n• 2\n\n[1] https://planet.example/x\n\nhttps://planet.example/a")
    #expect(first["bcc"] is NSNull)
    #expect(first["reply"] is NSNull)
    #expect((first["list"] as? String)?.hasSuffix(" <planet.me.bgfetch.localhost>") == true)
    let html = first["html"] as? String ?? ""
    #expect(html.contains("<a href=\"https://planet.example/x\" rel=\"noreferrer\">there</a>"))
    #expect(!html.contains("<script"))
    #expect(!html.contains("<b@"))
    #expect((second["text"] as? String)?.contains("second there[1]") == true)
    let id = try #require(first["id"] as? String)
    expect(
      second, ["reply": id, "references": id, "subject": "From " + feed, "date": "2026-11-22T09:00:00+00:00"])
    #expect(second["id"] as? String != id)
  }

  @Test func `no feed makes a mail in which a strict reader finds a defect`() async throws {
    let items: [(title: String, content: String)] = [
      ("Grüße — 日本語 👩‍👩‍👧‍👦", "ü"), (String(repeating: "x", count: 2000), "a"),
      (String(repeating: "漢", count: 700), "a"), (String(repeating: "word ", count: 300), "a"),
      (String(repeating: "e\u{301}", count: 600), "a"), ("", "Only text"), ("", ""),
      ("=?UTF-8?B?R3LDvMOfZQ==?= =?x?", "a"), ("a\r\nBcc: v@x.example\r\n\r\nb", "a"), ("Tab\there", "a"),
      ("\\ \"q\" (c) <a@b.c>, d@e.f;", "a"), ("Blanks   ", "<pre>a   \nb\t\n</pre>"),
      ("Long line", "<pre>" + String(repeating: "z", count: 5000) + "</pre>"),
      ("Dots", "<pre>.\n..\nFrom me\n>From you</pre><p>.</p><p>From here"),
      ("Controls", "a&#0;b&#1;c&#27;[31m"),
      ("Address", "<a href='https://x.example/\(String(repeating: "y", count: 3000))'>x</a>"),
      ("--=_bgfetch_part--", "<pre>--=_bgfetch_part\nContent-Type: text/html\n\n--=_bgfetch_part--"),
      ("Ends of lines", "<pre>a\r\nb\rc\u{2028}d\u{85}e"), ("Emoji", String(repeating: "😀", count: 5000)),
      ("Half a mark", "&#xD800;&#xDC00;\u{FFFD}"),
    ]
    let rss = items.enumerated().map { number, item in
      """
      <item><guid isPermaLink="false">\(escapedMarkup(String(repeating: "ü\r\n", count: number * 30)))\(number)</guid>
      <title>\(escapedMarkup(escapedMarkup(item.title)))</title><description>\(escapedMarkup(item.content))</description>
      <category>\(escapedMarkup(item.title))</category><author>"Ann\\" &lt;x@y></author></item>
      """
    }
    let title = "Pla\"net\\ &lt;v@x.example&gt;,\r\nBcc: v@x.example; Ünï"
    let server = try ScriptedServer(planet: [])
    server.on(
      "/planet",
      .document("<rss version=\"2.0\"><channel><title>\(title)</title>\(rss.joined())</channel></rss>"))
    let bgfetch = try BuiltProgram(
      server, keys: "first-run: all",
      more: """
        hooks: {me: {to: [me@mail.example, you@mail.example], from: bg@home.example, run: [HOME/send]}}
        """,
      scripts: [
        "send":
          """
        cat > "$HOME/new"
        grep -q '^Subject: 1 feed added' "$HOME/new" || mv "$HOME/new" "$HOME/mail.$(ls "$HOME" | grep -c mail.)"
        """
      ])

    try await run(bgfetch, at: "21T08:00:00Z")

    #expect(mails(bgfetch).count == items.count)
    let read = try await bgfetch.shell(
      """
      command -v python3 >/dev/null || { echo skipped; exit; }
      python3 - <<'END'
      import email, email.policy, glob, os
      for path in glob.glob(os.environ["HOME"] + "/mail.*"):
        raw = open(path, "rb").read()
        mail = email.message_from_bytes(raw.replace(b"\\n", b"\\r\\n"), policy=email.policy.SMTP + email.policy.strict)
        for part in mail.walk():
          if not part.is_multipart(): part.get_content()
        problems = [defect for name in mail.keys() for defect in mail[name].defects]
        lines = raw.split(b"\\n")
        if any(len(line) > 78 or line == b"." or line.startswith(b"From ") for line in lines): problems.append("lines")
        if any(byte != 10 and not 32 <= byte < 127 for byte in raw): problems.append("bytes")
        if len(mail["to"].addresses) != 2 or mail["bcc"]: problems.append("recipients")
        if mail["from"].addresses[0].addr_spec != "bg@home.example": problems.append("sender")
        if not mail["subject"]: problems.append("subject")
        if problems: print(mail["subject"], problems)
      END
      """)
    guard read.output != "skipped\n" else { return }
    #expect(read.output == "")
    #expect(read.status == 0, "\(read.errors)")
  }

  /// A mail as the mail package of Python reads it; nil without Python.
  private func readByPython(_ mail: String, in bgfetch: BuiltProgram) async throws -> [String: Any]? {
    _ = try bgfetch.home.write(mail, to: "received")
    let read = try await bgfetch.shell(
      """
      command -v python3 >/dev/null || { echo skipped; exit; }
      python3 - <<'END'
      import email, email.policy, json, os
      mail = email.message_from_bytes(open(os.environ["HOME"] + "/received", "rb").read(), policy=email.policy.default)
      parts = list(mail.iter_parts())
      print(json.dumps({
        "defects": len(mail.defects) + sum(len(part.defects) for part in parts),
        "subject": mail["subject"], "bcc": mail["bcc"],
        "from": str(mail["from"]), "id": mail["message-id"], "reply": mail["in-reply-to"],
        "references": mail["references"], "list": mail["list-id"], "to": mail["to"], "date": mail["date"].datetime.isoformat(), "text": mail.get_body(("plain",)).get_content(),
        "html": mail.get_body(("html",)).get_content()}))
      END
      """)
    guard read.output != "skipped\n" else { return nil }
    #expect(read.status == 0, "\(read.errors)")
    #expect(read.json.count == 1)
    return read.json.first
  }
}

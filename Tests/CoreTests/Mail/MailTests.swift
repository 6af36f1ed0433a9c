// Mail: headers that no text can break, bodies in short lines, and links that are safe.

import Foundation
import Testing

@testable import Core

@Suite struct MailTests {

  private func event(
    _ kind: EventKind = .digest, title: String = "T", body: String = "B", items: [EventItem] = [],
    fields: JSONValue = .object([])
  ) -> Event {
    Event(
      id: "1-7/digest//morning.4", kind: kind, feed: nil, time: now, cause: .timer,
      fields: JSONValue(["title": title, "body": body, "count": items.count, "items": items])
        .adding(fields))
  }

  private func item(_ title: String, link: String = "https://planet.example/a", feed: String = "Planet")
    throws
    -> EventItem
  {
    EventItem(
      title: title, link: link, id: "a", feed: try #require(FeedName("planet")), feedTitle: feed,
      published: now)
  }

  private func mail(_ event: Event, to: [String] = ["me@mail.example"], from: String? = nil) -> String {
    Core.mail(event, by: "morning", MailAddresses(to: to, from: from), in: .utc)
  }

  /// The header as lines.
  private func header(_ mail: String) -> [String] {
    mail.components(separatedBy: "\n\n")[0].components(separatedBy: "\n")
  }

  /// The parts of a mail by media type, decoded.
  private func parts(_ mail: String) -> [String: String] {
    var parts: [String: String] = [:]
    for part in mail.components(separatedBy: "--=_bgfetch_part\n").dropFirst() {
      guard let end = part.range(of: "\n\n") else { continue }
      let type = part.dropFirst("Content-Type: ".count).prefix { $0 != ";" }
      let body = part[end.upperBound...].replacing("=\n", with: "")
      var bytes: [UInt8] = []
      var rest = Array(body.utf8)[...]
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "=") else {
          bytes.append(byte)
          continue
        }
        bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      }
      parts[String(type)] = String(decoding: bytes, as: UTF8.self)
    }
    return parts
  }

  @Test func `a mail has the fields that RFC 5322 and filters want`() {
    let lines = header(
      mail(event(title: "morning: A"), to: ["me@mail.example", "you"], from: "bg@home.example"))

    #expect(
      Array(lines.prefix(5)) == [
        "From: bg@home.example", "To: me@mail.example,", " you", "Subject: morning: A",
        "Date: Mon, 02 Nov 2026 10:00:00 +0000",
      ])
    #expect(lines[5].hasPrefix("Message-ID: <1793613600."))
    #expect(lines[5].hasSuffix(".bgfetch@home.example>"))
    #expect(
      Array(lines.dropFirst(6)) == [
        "List-Id: <morning.bgfetch.localhost>", "Auto-Submitted: auto-generated", "User-Agent: bgfetch",
        "MIME-Version: 1.0",
        "Content-Type: multipart/alternative; boundary=\"=_bgfetch_part\"",
      ])
  }

  @Test func `the same delivery has the same Message-ID, and another one another`() {
    let first = mail(event())
    #expect(first == mail(event()))
    #expect(header(first)[4] != header(mail(event(title: "U")))[4])
    #expect(header(mail(event(), to: ["root"]))[4].hasSuffix("@localhost>"))
  }

  @Test(arguments: [
    ("Plain text: with signs", "Subject: Plain text: with signs"),
    ("Grüße", "Subject: =?UTF-8?B?R3LDvMOfZQ==?="),
    ("=?UTF-8?Q?x?=", "Subject: =?UTF-8?B?PT9VVEYtOD9RP3g/PQ==?="),
    ("a\r\nBcc: you@mail.example", "Subject: =?UTF-8?B?YQ0KQmNjOiB5b3VAbWFpbC5leGFtcGxl?="),
    ("", "Subject: "),
  ])
  func `a subject that is not plain becomes encoded words`(text: String, field: String) {
    #expect(headerField("Subject", text) == field)
  }

  @Test(arguments: ["x", "é", "漢", "👩‍👩‍👧‍👦", "word "])
  func `a long subject is folded at whole characters`(piece: String) throws {
    let text = String(repeating: piece, count: 400)
    let lines = headerField("Subject", text).components(separatedBy: "\n")

    var decoded = ""
    for line in lines {
      #expect(line.utf8.count <= 76)
      let word = line.split(separator: " ").last ?? ""
      #expect(word.hasPrefix("=?UTF-8?B?"), "\(line)")
      #expect(word.hasSuffix("?="), "\(line)")
      #expect(word.utf8.count <= 75, "\(line)")
      let data = try #require(Data(base64Encoded: String(word.dropFirst(10).dropLast(2))))
      decoded += try #require(String(data: data, encoding: .utf8))
    }
    #expect(decoded == text)
  }

  @Test(arguments: [
    ("a=b", "a=3Db"), ("é", "=C3=A9"), ("a \nb", "a=20\nb"), (".\n..", "=2E\n=2E."),
    ("From x\nFrom", "=46rom x\nFrom"), ("tab\t", "tab=09"),
    (String(repeating: "a", count: 76), String(repeating: "a", count: 75) + "=\na"),
    (String(repeating: "a", count: 75) + ".b", String(repeating: "a", count: 75) + "=\n=2Eb"),
    (String(repeating: "a", count: 75) + "From b", String(repeating: "a", count: 75) + "=\n=46rom b"),
    (String(repeating: "a", count: 70) + "FromFrom ", String(repeating: "a", count: 70) + "FromF=\nrom=20"),
  ])
  func `a body is quoted-printable`(text: String, encoded: String) {
    #expect(quotedPrintable(text) == encoded)
  }

  @Test func `no line of a mail is longer than 76 bytes, and all of it is ASCII`() throws {
    let title = String(repeating: "Überlänge.", count: 900)
    let text = mail(
      event(
        title: title, body: title,
        items: [try item(title, link: "https://x.example/" + String(repeating: "y", count: 4000))]))

    #expect(text.utf8.allSatisfy { $0 == 10 || (0x20..<0x7F).contains($0) })
    #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= 76 })
    #expect(!text.split(separator: "\n").contains("."))
  }

  @Test func `both parts list the items with their links`() throws {
    let parts = parts(mail(event(items: [try item("A & B"), try item("<b>C</b>", link: "")])))

    #expect(
      parts["text/plain"] == "Planet\n- A & B\n  https://planet.example/a\n- <b>C</b>\n\n2 new in 1 feed\n\n")
    let html = parts["text/html"] ?? ""
    #expect(html.contains("<h2 style=\"font-size:1.1em;margin:1.2em 0 .3em\">Planet</h2>"))
    #expect(
      html.contains(
        "<li><a href=\"https://planet.example/a\">A &amp; B</a> <small style=\"opacity:.7\"> 2 Nov, 10:00"))
    #expect(html.contains("<li>&lt;b&gt;C&lt;/b&gt; <small"))
  }

  @Test func `a digest keeps the lines of code, tables and addresses, and wraps all else`() throws {
    let long = String(repeating: "word ", count: 20) + "end"
    let address = "https://planet.example/" + String(repeating: "y", count: 90)
    let code = "if a:\n    " + String(repeating: "b = 1; ", count: 12) + "\n        return"
    let record = with(ItemRecord("A", guid: "a")) {
      $0.details = ItemDetails()
      $0.details?.content =
        "<p>\(long)</p><pre>\(code)</pre><blockquote>\(long)</blockquote><ol><li>\(long)</ol>"
        + "<p><a href=\"\(address)\">there</a>"
    }
    var listed = try item(long, link: address)
    listed.number = 7
    let changed = with(try item("Page", link: "")) { $0.changes = ["- " + long, "+ new"] }
    var event = event(items: [listed, changed], fields: JSONValue(["messages": "wiki: " + long]))
    event.mailed = [
      StoredItem(
        number: 7, feed: try #require(FeedName("planet")), record: record, firstSeen: now, updatedAt: nil)
    ]
    let text = parts(mail(event))["text/plain"] ?? ""
    let lines = text.components(separatedBy: "\n")

    for line in code.split(separator: "\n") { #expect(lines.contains("      " + line), "\(line)") }
    #expect(lines.contains("  " + address))
    #expect(lines.contains("  [1] " + address))
    for start in ["- word", "  > word", "  1. word", "     word", "  - word", "    word", "wiki: word"] {
      #expect(lines.contains { $0.hasPrefix(start) }, "\(start)")
    }
    #expect(lines.allSatisfy { displayWidth($0) <= 74 || $0.contains(address) || $0.contains("b = 1") })
  }

  @Test(arguments: [
    "</a><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
    "--=_bgfetch_part\nContent-Type: text/html", "&lt;script&gt;", "'onmouseover='alert(1)",
  ])
  func `nothing of a feed is markup, a header or a boundary`(text: String) throws {
    let line = text.replacing("\n", with: " ")
    let link = "https://planet.example/?q=\"'><script>"
    let mail = mail(event(title: text, items: [try item(line, link: link, feed: line)]))

    #expect(mail.components(separatedBy: "\n--=_bgfetch_part").count == 4)
    let html = parts(mail)["text/html"] ?? ""
    #expect(!html.contains("<script"))
    #expect(!html.contains("<img"))
    #expect(!html.contains("'on"))
    #expect(html.contains("href=\"https://planet.example/?q=&quot;&#39;&gt;&lt;script&gt;\""))
    #expect(header(mail).filter { $0.hasPrefix("Content-Type") }.count == 1)
  }

  @Test func `a message has its own body, and the link of its item or feed`() throws {
    let one = parts(
      mail(event(.notification, body: "Resolved: <all> is well\nagain", items: [try item("Incident")])))
    let none = parts(
      mail(event(.notification, body: "3 failures", fields: JSONValue(["link": "https://planet.example/"]))))

    #expect(one["text/plain"] == "Resolved: <all> is well\nagain\n\nhttps://planet.example/a\n\n")
    #expect(
      one["text/html"]?.contains(
        "<p>Resolved: &lt;all&gt; is well<br>\nagain</p>\n<p><a href=\"https://planet.example/a\">") == true)
    #expect(none["text/plain"] == "3 failures\n\nhttps://planet.example/\n\n")
  }

  /// A mail about an item, whose header begins with the sender.
  private func mail(
    about record: ItemRecord, in feed: String = "planet", titled title: String? = nil, mark: String = "n0"
  ) throws -> String {
    let item = StoredItem(
      number: 7, feed: try #require(FeedName(feed)), record: record, firstSeen: now, updatedAt: nil)
    var listed = try self.item(itemTitle(record), link: webLink(record.link))
    listed.files = ["/documents/a.mp3"]
    var event = event(.notification, title: title ?? listed.feedTitle, body: "body", items: [listed])
    event.id = "1-7/notification/planet/\(mark)"
    event.mailed = [item]
    return mail(event, from: "bg@home.example")
  }

  @Test(
    arguments: [
      (nil, "Mon, 02 Nov 2026 10:00:00 +0000"), (now - .days(1), "Sun, 01 Nov 2026 10:00:00 +0000"),
      (now + .days(400), "Mon, 02 Nov 2026 10:00:00 +0000"),
      (Instant(secondsSince1970: -1), "Mon, 02 Nov 2026 10:00:00 +0000"),
    ] as [(Instant?, String)])
  func `a mail about an item is from its feed, with its title and a date that can be`(
    published: Instant?, date: String
  ) throws {
    var record = ItemRecord("Title", guid: "a", link: "https://planet.example/a")
    record.published = published
    let lines = header(try mail(about: record, in: "planet..org."))

    #expect(
      Array(lines.prefix(4)) == [
        "From: \"Planet\" <bg@home.example>", "To: me@mail.example", "Subject: Title", "Date: " + date,
      ])
    #expect(lines.contains("List-Id: \"Planet\" <planet.org.morning.bgfetch.localhost>"))
    #expect(header(try mail(about: record, titled: "[P] Title"))[2] == "Subject: [P] Title")
  }

  @Test func `a mail about an update is a reply to the first one, which depends on nothing but the item`()
    throws
  {
    let (old, new) = (ItemRecord("Old", guid: "a"), ItemRecord("New", guid: "a"))
    func field(_ name: String, _ mail: String) -> String? {
      header(mail).first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }
    let first = try #require(field("Message-ID", try mail(about: old)))

    #expect(try field("Message-ID", mail(about: new, mark: "n4")) == first)
    #expect(try field("Message-ID", mail(about: ItemRecord("Old", guid: "b"))) != first)
    #expect(try field("References", mail(about: old)) == nil)
    let reply = try mail(about: new, mark: "u7")
    #expect(field("References", reply) == first)
    #expect(field("In-Reply-To", reply) == first)
    #expect(field("Message-ID", reply) != first)
  }

  @Test(arguments: [
    (
      "<p>Text <a href=\"https://x.example/\">there</a></p>", nil,
      "Text there[1]\n\n[1] https://x.example/\n\n"
    ),
    (nil, "A summary", "A summary\n\n"), (nil, nil, "body\n\n"),
    ("<img src=\"https://x.example/\">", nil, "[image][1]\n\n[1] https://x.example/\n\n"),
  ])
  func `the text of an item is its content, else its summary, else that of the message`(
    content: String?, summary: String?, text: String
  ) throws {
    var record = ItemRecord("Title", guid: "a", link: "https://planet.example/a")
    record.summary = summary
    record.details = ItemDetails()
    record.details?.content = content
    let parts = parts(try mail(about: record))

    #expect(parts["text/plain"] == text + "/documents/a.mp3\nhttps://planet.example/a\n\n")
    #expect(parts["text/html"]?.contains("<a href=\"https://planet.example/a\">Title</a></h1>") == true)
    #expect(parts["text/html"]?.contains("<p>/documents/a.mp3</p>") == true)
  }

  @Test func `a mail says what is missing of its article`() throws {
    var record = ItemRecord("Title", guid: "a", link: "https://planet.example/a")
    record.details = with(ItemDetails()) {
      $0.content = "<p>Text</p>"
      $0.rest = ByteCount(1_300_000)
    }
    let parts = parts(try mail(about: record))

    let note = "1.3 MB more on the article's page: bgfetch open"
    #expect(parts["text/plain"]?.hasPrefix("Text\n\n\(note)") == true)
    #expect(parts["text/html"]?.contains("<p>\(escapedMarkup(note))") == true)
  }

  @Test func `a mail is the input of a hook with to`() {
    let hook = with(
      HookSpec(name: "morning", events: [.notification], run: [.one(Template(literal: "msmtp"))])
    ) {
      $0.stdin = .mail(MailAddresses(to: ["me@mail.example"]))
    }

    #expect(hookCall(hook, event(), replaces: "", in: .utc).input == mail(event()))
  }
}

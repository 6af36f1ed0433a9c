// `bgfetch import` of what rss2email has, and of pauses.

import Foundation
import TestKit
import Testing

@Suite struct MailImportTests {
  private let bgfetch: BuiltProgram

  init() throws {
    bgfetch = try BuiltProgram()
  }

  @Test func `rss2email's database keeps what was mailed from being announced`() async throws {
    let server = try ScriptedServer()
    server.feed("/a", ["one", "two", "three"])
    try bgfetch.home.write(
      "[DEFAULT]\nto = me@x.example\n[feed.alpha]\nurl = \(server.url("/a"))\n", to: "rss2email.cfg")
    try bgfetch.home.write(
      #"{"version": 2, "feeds": [{"name": "alpha", "seen": {"one": {"hash": "1"}, "SERVER/two": {"hash": "2"}}}]}"#
        .replacing("SERVER", with: server.url("")),
      to: "rss2email.json")

    // feedparser, which rss2email reads feeds with, completes a guid that is no address.
    let imported = try await bgfetch("import", "rss2email.cfg", "rss2email.json", status: 0)
    try await bgfetch("run", status: 0)

    #expect(imported.output.contains("2 mailed items will not be announced again\n"))
    #expect(try await bgfetch("items", "--unseen", "--format", "{item.id}").lines == ["three"])
    #expect(try await bgfetch("items", "--format", "{item.id} {item.title}").lines.count == 3)
    try await bgfetch(
      "import", "rss2email.json", status: 2,
      errors: "alpha: no feed of these names is in the same import; write rss2email.cfg before its database")
  }

  @Test func `items of rss2email without an id are announced rather than lost, or a line names their feed`()
    async throws
  {
    let server = try ScriptedServer()
    server.feed("/mixed", ["mailed", "bare", "new"])
    server.feed("/bare", ["one", "two"])
    try bgfetch.home.write(
      "[DEFAULT]\nto = me@x.example\n[feed.mixed]\nurl = \(server.url("/mixed"))\n"
        + "[feed.bare]\nurl = \(server.url("/bare"))\ntrust-guid = False\n", to: "rss2email.cfg")
    try bgfetch.home.write(
      #"{"version": 2, "feeds": [{"name": "mixed", "seen": {"mailed": {"hash": "1"}, "2f": {"hash": "2f"}}}, "#
        + #"{"name": "bare", "seen": {"3a": {"hash": "3a"}}}]}"#,
      to: "rss2email.json")

    let imported = try await bgfetch("import", "rss2email.cfg", "rss2email.json", status: 0)
    try await bgfetch("run", status: 0)
    let again = try await bgfetch("import", "rss2email.cfg", "rss2email.json", status: 0)

    #expect(
      imported.output.contains(
        """
        1 mailed item will not be announced again
        mixed: some mailed items have no id there, and are announced again if the feed still has them
        bare: no mailed item has an id there, so what the first run finds counts as mailed; \
        to announce it: first-run: all

        """))
    #expect(
      try await bgfetch("items", "--unseen", "--format", "{item.id}").lines.sorted() == ["bare", "new"])
    #expect(!again.output.contains("id there"))
  }

  @Test func `a feed that rss2email or urlwatch does not fetch is paused until bgfetch resume`() async throws
  {
    try bgfetch.home.write(
      "[DEFAULT]\nto = me@x.example\n[feed.alpha]\nurl = https://a.example/\nactive = False\n"
        + "[feed.beta]\nurl = https://b.example/\n", to: "rss2email.cfg")
    try bgfetch.home.write("name: page\nurl: https://page.example/\nenabled: false\n", to: "urls.yaml")

    let printed = try await bgfetch("import", "rss2email.cfg", "urls.yaml", "--print", status: 0)
    let imported = try await bgfetch("import", "rss2email.cfg", "urls.yaml", status: 0)

    #expect(printed.errors.contains("paused in the other program: bgfetch pause alpha page\n"))
    #expect(
      imported.output.contains("alpha and page: paused, as in the other program, until bgfetch resume\n"))
    #expect(!bgfetch.text(of: "bgfetch.yaml").contains("never"))
    try await bgfetch("resume", "alpha", "page", status: 0, prints: "alpha  resumed\npage  resumed\n")
  }

  @Test func `rss2email's recipient becomes a hook, or a line says which`() async throws {
    let list = "[DEFAULT]\nto = me@x.example\ndigest = True\n[feed.alpha]\nurl = https://a.example/\n"
    let fresh = try BuiltProgram()
    try fresh.home.write(list, to: "rss2email.cfg")
    try bgfetch.home.write(list, to: "rss2email.cfg")
    try bgfetch.configure("feeds: {planet: \"https://planet.example/\"}\n")

    let first = try await fresh("import", "rss2email.cfg", status: 0)
    let later = try await bgfetch("import", "rss2email.cfg", status: 0)

    #expect(
      fresh.text(of: "bgfetch.yaml").contains(
        "mail: {to: me@x.example, digest: \"0 7 * * *\", articles: true}"))
    try await fresh("check", status: 0)
    #expect(!first.errors.contains("mails to"))
    #expect(
      later.errors.contains(
        "it mails to me@x.example; before the next run, write "
          + #"mail: {"to":"me@x.example","digest":"0 7 * * *","articles":true}"#))
    // The configuration has the hook now.
    #expect(!(try await fresh("import", "rss2email.cfg", status: 0).errors.contains("mails to")))
  }
}

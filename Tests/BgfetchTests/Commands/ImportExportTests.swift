// `bgfetch import` and `bgfetch export`.

import Foundation
import TestKit
import Testing

@Suite struct SubscriptionTests {
  private static let opml = """
    <opml version="2.0"><body>
      <outline text="Planet Example" xmlUrl="https://planet.example/atom.xml"/>
      <outline text="LWN.net: &quot;news&quot; &amp; more" xmlUrl="https://lwn.example/rss"/>
      <outline text="paper" xmlUrl="https://me:geheim@paper.example/full.rss?token=geheim"/>
      <outline text="Again" xmlUrl="HTTPS://planet.example:443/atom.xml"/>
      <outline text="bare" xmlUrl="https://bare.example/"/>
    </body></opml>
    """

  private let bgfetch: BuiltProgram

  init() throws {
    bgfetch = try BuiltProgram()
    try bgfetch.home.write(Self.opml, to: "list.opml")
  }

  @Test func `an imported list is a valid configuration, and warnings name what was left out`() async throws {
    let path = bgfetch.configurationPath
    let imported = try await bgfetch("import", "list.opml", status: 0)
    try bgfetch.home.write(imported.output, to: "bgfetch.yaml")

    #expect(
      imported.errors == """
        list.opml:4: left out: https://***@paper.example/full.rss?token=*** contains a user name or a password; \
        write it into the configuration yourself, with auth: and a secret
        list.opml:5: left out: HTTPS://planet.example:443/atom.xml is already the address of planet-example
        3 feeds printed, 2 left out; write them to a file, and include: [FILE] into the configuration

        """)
    #expect(
      bgfetch.text(of: "bgfetch.yaml") == """
        feeds:
          planet-example: {url: "https://planet.example/atom.xml", title: Planet Example}
          lwn-news-more: {url: "https://lwn.example/rss", title: "LWN.net: \\"news\\" & more"}
          bare: https://bare.example/

        """)
    try await bgfetch("check", status: 0, prints: "\(path): 3 feeds, 0 hooks, no problems\n")
  }

  @Test func `an import takes commands only if asked to`() async throws {
    let list =
      "\"exec:~/bin/made --all\" news\n\"filter:~/bin/clean:https://a.example/\"\nhttps://b.example/\n"

    let plain = try await bgfetch("import", "-", input: list)
    let allowed = try await bgfetch("import", "-", "--allow-commands", input: list)
    try bgfetch.home.write(allowed.output, to: "bgfetch.yaml")

    #expect(plain.output == "feeds:\n  b.example: https://b.example/\n")
    #expect(
      plain.errors.hasSuffix(
        "\n1 feed printed, 2 left out; write them to a file, and include: [FILE] into the configuration\n"))
    #expect(
      plain.errors.hasPrefix("-:1: left out: it runs ~/bin/made --all; use --allow-commands to import it\n"))
    #expect(allowed.errors.hasPrefix("-:1: each fetch runs ~/bin/made --all; imported\n"))
    #expect(
      bgfetch.text(of: "bgfetch.yaml") == """
        feeds:
          made: {command: ["~/bin/made", --all], tags: [news]}
          a.example: {url: "https://a.example/", command: ["~/bin/clean"]}
          b.example: https://b.example/

        """)
    try await bgfetch("check", status: 0)
  }

  @Test func `a newsboat list is read from standard input`() async throws {
    let list = "https://a.example/ \"~The A\"\n\"query:All:unread = \\\"yes\\\"\"\n"

    let yaml = try await bgfetch("import", "-", input: list)

    #expect(yaml.output == "feeds:\n  the-a: {url: \"https://a.example/\", title: The A}\n")
    #expect(yaml.errors.hasPrefix("-:2: left out: query: searches other feeds"))
    #expect(
      yaml.errors.hasSuffix(
        "1 feed printed, 1 left out; write them to a file, and include: [FILE] into the configuration\n"))
  }

  @Test(arguments: [
    ("", "is empty"), ("<rss version='2.0'><channel/></rss>", "is a feed, not a list of feeds"),
    ("<html><body>x</body></html>", "is a web page"), ("Dear all", "is text"),
    ("<opml><body/></opml>", "no feed in it can be imported"),
    ("query:a:b\n", "no feed in it can be imported"),
  ])
  func `a document that is not a list of feeds ends with 4`(text: String, said: String) async throws {
    try bgfetch.home.write(text, to: "list")

    try await bgfetch("import", "list", status: 4, prints: "", errors: "list: \(said)")
  }

  @Test func `a list that is missing ends with 74`() async throws {
    try await bgfetch("import", "missing", status: 74)
  }

  @Test func `an export has configured and learned titles, and no secret`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"], title: "Planet & Co")
    try bgfetch.configure(
      """
      feeds:
        planet: "\(server.url("/planet"))"
        lwn: {url: "https://lwn.example/rss?a=1&b=2", title: "LWN <net>", minimum-interval: never}
        patron: {url: {command: [touch, HOME/asked]}, minimum-interval: never}
      """)
    let before = try await bgfetch("export", status: 0, output: "text=\"planet\"")
    try await bgfetch("run", "planet")

    let after = try await bgfetch("export", output: "text=\"Planet &amp; Co\"")

    #expect(before.errors == "patron: its url is a secret; left out\n")
    #expect(after.output.contains("htmlUrl=\"https://planet.example/\""))
    #expect(after.output.contains("xmlUrl=\"https://lwn.example/rss?a=1&amp;b=2\""))
    #expect(!after.output.contains("patron"))
    #expect(!FileManager.default.fileExists(atPath: bgfetch.home.file("asked")))
  }
}

// `bgfetch add`: feeds found by their address, on pages and in well-known places, and written into the configuration.

import Foundation
import TestKit
import Testing

/// A page with these links to feeds.
func page(_ links: [(address: String, title: String)], body: String = "") -> ScriptedAnswer {
  let tags = links.map {
    "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"\($0.title)\" href=\"\($0.address)\">"
  }
  return .document(
    "<!DOCTYPE html><html><head><title>A page</title>\(tags.joined())</head><body>\(body)</body></html>",
    type: "text/html")
}

@Suite final class AddTests: ServerSuite {
  private let bgfetch: BuiltProgram

  override init() throws {
    bgfetch = try BuiltProgram(
      configuration: """
        # My feeds
        feeds:
          lwn: https://lwn.example/rss # weekly

        hooks: {}

        """)
    try super.init()
  }

  /// The present configuration.
  private var text: String { bgfetch.text(of: "bgfetch.yaml") }

  @Test func `a feed is added under its title's name, and nothing else changes`() async throws {
    server.feed("/feed", ["a", "b"], title: "Planet Debian - All posts")
    let before = text

    let added = try await bgfetch("add", server.url("/feed"), status: 0)
    let after = before.replacing(
      " # weekly\n", with: " # weekly\n  planet-debian-all-posts: \(server.url("/feed"))\n")

    #expect(
      added.output == """
        added "Planet Debian - All posts" as planet-debian-all-posts: 2 items; the first run stores them as seen
          \(server.url("/feed")) in \(bgfetch.configurationPath)

        """)
    #expect(added.errors == "")
    #expect(text == after)
    #expect(
      try await bgfetch("run", "planet-debian-all-posts", "--json").results == [
        "planet-debian-all-posts": "no-data"
      ])
  }

  @Test(arguments: ["one", "two"])
  func `a feed that was removed before continues where it stopped`(name: String) async throws {
    server.feed("/feed", ["a"])
    try await bgfetch("add", server.url("/feed"), "one", status: 0)
    try await bgfetch("run", "one", status: 0)
    try await bgfetch("remove", "one", status: 0)
    server.feed("/feed", ["b", "a"])

    let added = try await bgfetch("add", server.url("/feed"), name, status: 0)
    let run = try await bgfetch("run", name, "--force", "--json")

    #expect(added.output.contains("2 items; it was there before, and continues where it stopped\n"))
    #expect(run.results == [name: "new-data"])
  }

  @Test func `for a podcast add proposes to download, in a line that the configuration takes`() async throws {
    let enclosure = "<enclosure url=\"https://a.example/1.mp3\" type=\"audio/mpeg\"/>"
    let item = "<item><guid>1</guid><title>Episode</title>\(enclosure)</item>"
    server.on("/pod", .document("<rss version=\"2.0\"><channel><title>Pod</title>\(item)</channel></rss>"))

    let added = try await bgfetch("add", server.url("/pod"), status: 0)

    let line = "  pod: {url: \"\(server.url("/pod"))\", download: {}}"
    #expect(added.output.hasSuffix("to download them, write in its place:\n  \(line)\n"))
    try bgfetch.configure("feeds:\n\(line)\n")
    try await bgfetch("check", status: 0)
  }

  @Test func `for other JSON add proposes a feed of kind json, which the configuration takes`() async throws {
    let document =
      #"{"incidents": [{"id": "a", "name": "Database is down", "shortlink": "https://a.example/"}]}"#
    server.on("/api", .document(document, type: "application/json"))

    let refused = try await bgfetch("add", server.url("/api"), status: 4, prints: "")

    let mapping = "{items: /incidents, id: /id, title: /name, link: /shortlink}"
    let line = "  NAME: {url: \"\(server.url("/api"))\", kind: json, json: \(mapping)}"
    #expect(refused.errors.hasSuffix("write them into the configuration:\n\(line)\n"), "\(refused.errors)")
    try bgfetch.configure("feeds:\n\(line)\n")
    try await bgfetch("run", status: 0)
    #expect(try await bgfetch("items", "--format", "{item.title}").output == "Database is down\n")
  }

  @Test(arguments: ["text/html", "application/json"])
  func `a feed is found by the header of a page of any type`(type: String) async throws {
    server.feed("/posts.xml", ["a"], title: "Posts")
    let link = #"<posts.xml>; rel="alternate"; type="application/atom+xml""#
    server.on("/", .status(200, [("Content-Type", type), ("Link", link)], body: "[]"))
    let address = server.url("/").replacing("http:", with: "feed:http:")

    #expect(try await bgfetch("add", address).output.hasPrefix("added \"Posts\" as posts: 1 item;"))
  }

  @Test func `a podcast is added with its files, and without them says how to get them`() async throws {
    for path in ["/talk", "/show"] {
      server.on(path, .document(podcast([Episode(id: "a", url: server.url("/a.mp3"))])))
    }
    server.on("/a.mp3", .document("abc", type: "audio/mpeg"))

    let with = try await bgfetch("add", "--download", server.url("/talk"), "talk")
    try await bgfetch("add", server.url("/show"), output: "to download them, write in its place:\n")
    let run = try await bgfetch("run", "--json")

    #expect(text.contains("talk: {url: \"\(server.url("/talk"))\", download: {}}"))
    #expect(!with.output.contains("download"))
    #expect(run.output.split(separator: "\n").filter { $0.contains(".mp3\"") }.count == 1)
  }

  @Test func `the feed of a page is found by its link, and the address needs no scheme`() async throws {
    server.on("/blog/", page([("feed?a=1&amp;b=2", "Posts"), ("/comments/feed", "Comments")]))
    server.feed("/blog/feed", ["a"], title: "A blog")

    let added = try await bgfetch("add", "127.0.0.1:\(server.port)/blog/", "mine", "--tag", "people")

    #expect(added.status == 0)
    #expect(added.output.hasPrefix("added \"A blog\" as mine: 1 item; "))
    #expect(text.contains("  mine: {url: \"\(server.url("/blog/feed?a=1&b=2"))\", tags: [people]}\n"))
    #expect(server.requests("/comments/feed").isEmpty)
  }

  @Test func `several feeds are listed, and --choose takes one`() async throws {
    server.on("/", page([("/news", "News"), ("/atom", "News"), ("/radio", "Radio"), ("/gone", "Gone")]))
    for path in ["/news", "/atom"] { server.feed(path, ["a"], title: "News") }
    server.feed("/radio", ["b"], title: "Radio \u{1B}[31m")
    let before = text

    let listed = try await bgfetch("add", server.origin, status: 2)
    let json = try await bgfetch("add", server.origin, "--json")
    #expect(text == before)
    let wrong = try await bgfetch("add", server.origin, "--choose", "3", status: 2)
    try await bgfetch("add", server.origin, "--choose", "2", status: 0)

    #expect(
      listed.errors == """
        \(server.origin) has 2 feeds:
          1  News: 1 item
             \(server.url("/news"))
          2  Radio: 1 item
             \(server.url("/radio"))
        bgfetch: take one of them with --choose N

        """)
    #expect(json.json.compactMap { $0["url"] as? String } == [server.url("/news"), server.url("/radio")])
    #expect(wrong.errors.contains("--choose 3: the page has only 2 feeds"))
    #expect(text.contains("  radio: \(server.url("/radio"))\n"))
  }

  @Test func `links that are not read are listed by their addresses`() async throws {
    server.on("/", page((1...7).map { (address: "/feed\($0)", title: "Feed \($0)") }))
    for number in 1...5 { server.feed("/feed\(number)", ["a\(number)"], title: "Feed \(number)") }

    let listed = try await bgfetch("add", server.origin)
    let wrong = try await bgfetch("add", server.origin, "--choose", "6")

    #expect(listed.errors.hasPrefix("\(server.origin) links to 7 feeds:\n"))
    #expect(
      listed.errors.hasSuffix(
        """
          These were not read; to add one of them, use its address:
             Feed 6: \(server.url("/feed6"))
             Feed 7: \(server.url("/feed7"))
        bgfetch: take one of them with --choose N

        """))
    #expect(wrong.errors.contains("only 5 feeds of the page were read; add another by its own address"))
    #expect(server.requests("/feed6").isEmpty)
  }

  @Test func `an invalid tag is refused, even without a configuration`() async throws {
    let bgfetch = try BuiltProgram()

    try await bgfetch("add", server.origin, "--tag", "a b", status: 2, errors: "\"a b\" is not a valid tag")

    #expect(server.requests.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: bgfetch.configurationPath))
  }

  @Test(arguments: [
    (ScriptedAnswer.status(404), "the server answered 404; check the address\n"),
    (.status(429, [("Retry-After", "60")]), "the server answered 429"),
    (page([], body: "<form><input type=password></form>"), "a login page without a link to a feed"),
    (page([("/broken", "Broken")]), "the page links to the feed"),
    (page([], body: "<p>x"), "or watch the page itself with bgfetch add --watch\n"),
    (.document([0x89, 0x50, 0x4E, 0x47], type: "image/png"), "not a feed: a PNG image"),
    (.document("", type: "text/plain"), "not a feed: the document is empty"),
  ])
  func `what is no feed says why, and nothing is written`(answer: ScriptedAnswer, said: String) async throws {
    server.on("/page", answer)
    let before = text

    let added = try await bgfetch("add", server.url("/page"), status: 4, errors: said)

    #expect(added.errors.hasPrefix("bgfetch: \(server.url("/page")): "))
    #expect(text == before)
  }

  @Test func `a permanent redirect gives the new address, another one does not`() async throws {
    server.on("/old", .redirect(301, to: "/moved"))
    server.on("/rotating", .redirect(302, to: "/other"))
    server.feed("/moved", ["a"], title: "Moved")
    server.feed("/other", ["b"], title: "Rotating")

    for path in ["/old", "/rotating"] { try await bgfetch("add", server.url(path)) }

    #expect(text.contains("  moved: \(server.url("/moved"))\n"))
    #expect(text.contains("  rotating: \(server.url("/rotating"))\n"))
  }

  private func program(in internet: PretendInternet) throws -> BuiltProgram {
    try BuiltProgram(
      configuration: "network: {proxy: \"\(internet.server.origin)\", delay-per-host: 0s}\nfeeds: {}\n")
  }

  @Test func `a public page cannot lead to a private address`() async throws {
    server.feed("/planet", ["a"])
    let internet = try PretendInternet()
    internet["http://blog.example/"] = page([(server.url("/planet"), "Inner")])

    try await program(in: internet)("add", "http://blog.example/", status: 4, errors: "private address")

    #expect(server.requests.isEmpty)
  }

  @Test func `the feed of a known site is asked first`() async throws {
    let internet = try PretendInternet()
    internet["http://gitlab.example.org/a/tool/-/releases.atom"] = .document(rss([], title: "x"))
    internet["http://gitlab.example.org/a/tool/-/tags?format=atom"] = feedAnswer("v1")
    let bgfetch = try program(in: internet)

    try await bgfetch("add", "http://gitlab.example.org/a/tool", status: 0)

    #expect(internet.asked.count == 2)
    #expect(
      bgfetch.text(of: "bgfetch.yaml").hasSuffix(
        """
        feeds:
          tool: http://gitlab.example.org/a/tool/-/tags?format=atom

        """))
  }

  @Test func `a file of this machine is a feed, too`() async throws {
    let path = try bgfetch.home.write(rss([("a", "A")], title: "Mine"), to: "mine.xml")

    try await bgfetch("add", path, status: 0)

    #expect(text.contains("  mine: file://\(path)\n"))
  }

  @Test func `--dry-run shows the entry and writes nothing`() async throws {
    server.feed("/planet", ["a"])
    let url = server.url("/planet")
    let before = text

    try await bgfetch("add", url, "--dry-run", prints: "feeds:\n  planet: \(url)\n")
    let json = try await bgfetch("add", url, "--dry-run", "--json").json.first

    #expect(json?["feed"] as? String == "planet")
    #expect(json?["file"] is NSNull)
    #expect(text == before)
  }
}

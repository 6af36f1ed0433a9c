// `bgfetch import` and `bgfetch export`.

import Foundation
import TestKit
import Testing

@testable import Store

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
    let imported = try await bgfetch("import", "list.opml", "--print", status: 0)
    try bgfetch.home.write(imported.output, to: "bgfetch.yaml")

    #expect(
      imported.errors == """
        list.opml:4: left out: https://***@paper.example/full.rss?token=*** contains a user name or a password; \
        write it into the configuration yourself, with auth: and a secret
        list.opml:5: HTTPS://planet.example:443/atom.xml is already the address of planet-example
        printed 3 feeds; 1 there already; 1 left out, for the reasons above
        write them to a file, and include: [FILE] into the configuration

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

    let plain = try await bgfetch("import", "-", "--print", input: list)
    let allowed = try await bgfetch("import", "-", "--print", "--allow-commands", input: list)
    try bgfetch.home.write(allowed.output, to: "bgfetch.yaml")

    #expect(plain.output == "feeds:\n  b.example: https://b.example/\n")
    #expect(plain.errors.contains("\nprinted 1 feed; 2 left out, for the reasons above\n"))
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

  @Test func `a newsboat list is read from standard input, and its queries are answered`() async throws {
    let list =
      "https://a.example/ \"~The A\"\n\"query:All:unread = \\\"yes\\\"\"\n\"query:No:rssurl =~ \\\"a\\\"\"\n"

    let yaml = try await bgfetch("import", "-", "--print", input: list)

    #expect(yaml.output == "feeds:\n  the-a: {url: \"https://a.example/\", title: The A}\n")
    #expect(
      yaml.errors == """
        -:2: query All: bgfetch items --unseen
        -:3: left out: query No, rssurl =~ "a": there is no option for rssurl =~ a
        printed 1 feed; 1 query answered above; 1 left out, for the reasons above
        write them to a file, and include: [FILE] into the configuration

        """)
  }

  @Test func `one import makes a configuration, and a second one changes nothing`() async throws {
    let fresh = try BuiltProgram()
    try fresh.home.write(Self.opml, to: "list.opml")
    let path = fresh.configurationPath

    let first = try await fresh("import", "list.opml", status: 0)
    let text = fresh.text(of: "bgfetch.yaml")
    let second = try await fresh("import", "list.opml", status: 0)

    #expect(
      first.output.hasPrefix(
        "imported 3 feeds into \(path); 1 there already; 1 left out, for the reasons above\n"))
    #expect(text.contains("\n  bare: https://bare.example/\nhooks:\n"))
    #expect(
      second.output == "nothing new; 4 there already; 1 left out, for the reasons above\nnext: bgfetch run\n")
    #expect(fresh.text(of: "bgfetch.yaml") == text)
    try await fresh("check", status: 0)
  }

  @Test func `an import adds to a configuration like add, and says how many of each kind`() async throws {
    try bgfetch.configure("# mine\nfeeds:\n  lwn: https://lwn.example/rss # weekly\n\nhooks: {}\n")
    let path = bgfetch.configurationPath
    try bgfetch.home.write(
      "# podget\nhttps://pod.example/rss Talk The Show\n", to: "serverlist")
    try bgfetch.home.write(
      "name: Ferries\nurl: https://ferries.example/\nfilter: [{css: main}, {grepi: ads}]\n---\nurl: https://x.example/\nfilter: [{xpath: //a}]\n",
      to: "urls.yaml")

    let imported = try await bgfetch("import", "list.opml", "serverlist", "urls.yaml", status: 0)

    #expect(
      imported.output == """
        imported 2 feeds, 1 podcast and 1 page to watch into \(path); 2 there already; 2 left out, for the reasons above
        later episodes are downloaded; for an earlier one: bgfetch transfers add the-show --limit 1
        a page is looked at once a day, or hourly if its server tells changes; minimum-interval changes that
        next: bgfetch run

        """)
    #expect(
      bgfetch.text(of: "bgfetch.yaml").hasSuffix(
        """
        # mine
        feeds:
          lwn: https://lwn.example/rss # weekly
          planet-example: {url: "https://planet.example/atom.xml", title: Planet Example}
          bare: https://bare.example/
          the-show: {url: "https://pod.example/rss", title: The Show, tags: [talk], first-run: none, download: {name: "Talk/The Show/{name}{ext}"}}
          ferries: {url: "https://ferries.example/", title: Ferries, kind: html, html: {text: main, ignore-lines: [ads]}}

        hooks: {}

        """))
    try await bgfetch("check", status: 0)
  }

  @Test func `newsboat's cache brings articles with read marks and stars`() async throws {
    let server = try ScriptedServer()
    server.feed("/a", ["one", "two", "three", "four"])
    let url = server.url("/a")
    try bgfetch.home.write("\(url) \"~A\"\n", to: "urls")
    try makeCache(
      "INSERT INTO rss_feed VALUES ('\(url)', '', 'A'), ('https://gone.example/', '', '');",
      [("one", 0, ""), ("two", 1, ""), ("three", 0, "s"), ("left", 0, "s")].map { id, unread, flags in
        "INSERT INTO rss_item VALUES ('\(id)', 'Old \(id)', 'https://a.example/\(id)', '', '\(url)', 1700000000, "
          + "'Text', \(unread), '', '', '\(flags)', 0);"
      }.joined())

    let imported = try await bgfetch("import", "cache.db", "urls", status: 0)
    let again = try await bgfetch("import", "cache.db", "urls", status: 0)
    let run = try await bgfetch("run", "--json", status: 0)

    #expect(
      imported.output.contains(
        "cache.db: 4 articles of 1 feed, 1 of them unread; 2 stars; 0 more marked as seen"))
    #expect(
      imported.output.contains("cache.db: 1 more feed not in the configuration; import newsboat's urls"))
    #expect(again.output.contains("cache.db: no new articles or marks"))
    #expect(run.results == ["a": "new-data"])
    #expect(
      try await bgfetch("items", "--unseen", "--format", "{item.id} {seen}").lines.sorted() == [
        "four unseen", "two unseen",
      ])
    #expect(
      try await bgfetch("items", "--starred", "--format", "{item.id} {seen}").lines.sorted()
        == ["left seen", "three seen"])
  }

  @Test func `newsboat's cache has the marks of commands and filters, too`() async throws {
    let bgfetch = try BuiltProgram(
      scripts: ["made": "cat \"$HOME/document\"", "clean": "cat"],
      configuration: "feeds:\n  x: {url: \"https://x.example/\", minimum-interval: never}\n")
    try bgfetch.home.write(rss([("one", "One"), ("two", "Two")]), to: "document")
    let server = try ScriptedServer()
    server.feed("/a", ["three", "four"])
    let feeds = ["exec:~/made --all", "filter:~/clean:\(server.url("/a"))"]
    try bgfetch.home.write(feeds.map { "\"\($0)\"\n" }.joined(), to: "urls")
    try makeCache(
      in: bgfetch,
      zip(feeds, [["one", "two"], ["three", "four"]]).map { feed, ids in
        "INSERT INTO rss_feed VALUES ('\(feed)', '', '');"
          + ids.enumerated().map { index, id in
            "INSERT INTO rss_item VALUES ('\(id)', '\(id)', '', '', '\(feed)', 1700000000, '', \(index), '', '', '', 0);"
          }.joined()
      }.joined())

    let imported = try await bgfetch("import", "--allow-commands", "urls", "cache.db", status: 0)
    let again = try await bgfetch("import", "--allow-commands", "urls", "cache.db", status: 0)
    try await bgfetch("run", status: 0)

    #expect(
      imported.output.contains(
        "cache.db: 4 articles of 2 feeds, 2 of them unread; 0 stars; 0 more marked as seen\n"))
    #expect(!imported.output.contains("not in the configuration"))
    #expect(again.output.contains("nothing new; 2 there already"))
    #expect(
      try await bgfetch("items", "--unseen", "--format", "{item.id}").lines.sorted() == ["four", "two"])
  }

  @Test
  func `newsboat's unread articles are unseen after the first run, too, except those the person has seen`()
    async throws
  {
    let server = try ScriptedServer()
    server.feed("/a", ["one", "two", "three", "four", "five"])
    let url = server.url("/a")
    try bgfetch.home.write("\(url) \"~A\"\n", to: "urls")
    try makeCache(
      "INSERT INTO rss_feed VALUES ('\(url)', '', 'A');",
      [("one", 1), ("two", 1), ("three", 0), ("four", 1)].map { id, unread in
        "INSERT INTO rss_item VALUES ('\(id)', 'Title of \(id)', 'https://a.example/\(id)', '', '\(url)', "
          + "1700000000, 'Text', \(unread), '', '', '', 0);"
      }.joined())
    try await bgfetch("import", "urls", status: 0)
    try await bgfetch("run", status: 0)
    let items = try await bgfetch("items", "--json").json
    let two = try #require(items.first { $0["id"] as? String == "two" }?["number"] as? Int)
    try await bgfetch("read", "\(two)", status: 0)

    try await bgfetch(
      "import", "cache.db",
      output:
        "cache.db: 0 articles of 1 feed, 0 of them unread; 0 stars; 0 more marked as seen, 2 as unseen\n")
    let unseen = try await bgfetch("items", "--unseen", "--format", "{item.id}").lines.sorted()
    #expect(unseen == ["four", "one"])
    #expect(bgfetch.text(of: ".local/state/bgfetch/badge") == "2\n")
    try await bgfetch("seen", "--all", status: 0)
    try await bgfetch("import", "cache.db", output: "cache.db: no new articles or marks\n")
  }

  @Test func `articles are taken over after a run, which does not forget that`() async throws {
    let (server, gate) = (try ScriptedServer(), Gate())
    server.on("/a", .status(500).held(by: gate))
    server.feed("/b", ["one"])
    let (a, b) = (server.url("/a"), server.url("/b"))
    try bgfetch.configure("network: {timeout: 1h}\nfeeds: {a: \"\(a)\"}\n")
    try bgfetch.home.write("\(a)\n\(b)\n", to: "urls")
    try makeCache(oldArticle(of: a), oldArticle(of: b))
    let run = try bgfetch.started(["run"])
    await server.received(1)

    let importing = try bgfetch.started(["import", "urls", "cache.db"])
    #expect(await eventually { importing.errors.hasPrefix("waiting for a run to end (process ") })
    // A hook's run would wait for the hook.
    try await bgfetch("import", "urls", "cache.db", environment: ["BGFETCH_EVENT_ID": "1"], status: 75)
    #expect(!bgfetch.text(of: "bgfetch.yaml").contains(b))
    gate.open()
    #expect(await run.ended().status == 4)
    let imported = await importing.ended()
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.output.contains("cache.db: 2 articles of 2 feeds, 0 of them unread"))

    // Neither document counts as the first one, of which nothing is new.
    server.feed("/a", ["old", "new"])
    try await bgfetch("run", "--force", status: 0)
    let unseen = try await bgfetch("items", "--unseen", "--format", "{item.id}").lines.sorted()
    #expect(unseen == ["new", "one"])
  }

  @Test func `a feed that was renamed in the file gets its articles under the new name`() async throws {
    let server = try ScriptedServer()
    server.feed("/a", ["one"])
    let url = server.url("/a")
    try bgfetch.configure("feeds: {a: \"\(url)\"}\n")
    try await bgfetch("run", status: 0)
    try bgfetch.edit("{a:", to: "{b:")
    try makeCache(oldArticle(of: url))

    try await bgfetch(
      "import", "cache.db", status: 0, errors: "b  was a before, and keeps its 1 item, stars and files")

    let items = try await bgfetch("items", "--format", "{feed} {item.id}").lines.sorted()
    #expect(items == ["b old", "b one"])
  }

  @Test func `podget's library and retention come with its podcasts`() async throws {
    let fresh = try BuiltProgram()
    try fresh.home.write("DIR_LIBRARY=$HOME/POD\nCLEANUP=1\nCLEANUP_DAYS=30\n", to: "podgetrc")
    try fresh.home.write("# podget\nhttps://pod.example/rss Talk The Show\n", to: "serverlist")

    let imported = try await fresh("import", "podgetrc", "serverlist", status: 0)
    let text = fresh.text(of: "bgfetch.yaml")

    #expect(text.contains(#"download: {keep: "30d", name: "Talk/The Show/{name}{ext}"}"#))
    #expect(text.contains("\ndocuments: \"~/POD\"\n"))
    #expect(
      imported.errors == """
        podgetrc:2: podcasts that are imported with it keep files for 30d, by download: {keep: 30d}

        """)
    try await fresh("check", status: 0)
  }

  @Test func `a page that is configured to be fetched more often needs no word about that`() async throws {
    try bgfetch.configure("feeds: {a: https://a.example/}\ndefaults: {minimum-interval: 5m}\n")
    try bgfetch.home.write("url: https://page.example/\n", to: "urls.yaml")

    let imported = try await bgfetch("import", "urls.yaml", status: 0)

    #expect(
      imported.output.hasSuffix(
        "imported 1 page to watch into \(bgfetch.configurationPath)\nnext: bgfetch run\n"))
  }

  @Test func `a cache without a list needs one`() async throws {
    try makeCache()

    try await bgfetch(
      "import", "cache.db", status: 4,
      errors: "cache.db: has articles, but not the list of feeds; import newsboat's urls with it")
  }

  /// Writes a cache as newsboat makes one, with these rows.
  private func makeCache(in program: BuiltProgram? = nil, _ rows: String...) throws {
    let database = try Database(path: (program ?? bgfetch).home.file("cache.db"), access: .write)
    try database.execute(
      """
      CREATE TABLE rss_feed (rssurl VARCHAR(1024) PRIMARY KEY NOT NULL, url VARCHAR(1024) NOT NULL, title VARCHAR(1024));
      CREATE TABLE rss_item (guid VARCHAR(64) NOT NULL, title VARCHAR(1024), url VARCHAR(1024), author VARCHAR(1024),
        feedurl VARCHAR(1024), pubDate INTEGER, content VARCHAR(65535), unread INTEGER(1), enclosure_url VARCHAR(1024),
        enclosure_type VARCHAR(1024), flags VARCHAR(52), deleted INTEGER(1) NOT NULL DEFAULT 0);
      """)
    for row in rows { try database.execute(row) }
  }

  /// The rows of a feed with an article that was read.
  private func oldArticle(of url: String) -> String {
    "INSERT INTO rss_feed VALUES ('\(url)', '', '');"
      + "INSERT INTO rss_item VALUES ('old', 'Old', '\(url)/old', '', '\(url)', 1700000000, '', 0, '', '', '', 0);"
  }

  @Test func `a database of another program is named, and a damaged one too`() async throws {
    try Database(path: bgfetch.home.file("places.db"), access: .write).execute(
      "CREATE TABLE moz_places (url)")
    try bgfetch.home.write("SQLite format 3\u{0}" + String(repeating: "x", count: 5000), to: "damaged.db")

    try await bgfetch(
      "import", "places.db", status: 4, errors: "places.db: is a database, but not newsboat's cache")
    try await bgfetch(
      "import", "damaged.db", status: 4, errors: "damaged.db: is an SQLite database, not a list of feeds")
  }

  @Test(arguments: [
    ("", "is empty"), ("<rss version='2.0'><channel/></rss>", "is a feed, not a list of feeds"),
    ("<html><body>x</body></html>", "is a web page"), ("Dear all", "is text"),
    ("<opml><body/></opml>", "nothing in it can be imported"),
    ("query:a:b\n", "1: left out: query a, b: it cannot be read"),
    ("url: [\n", "is not YAML (line 2: "), ("{\"a\": 1}", "is JSON"),
  ])
  func `a document that is not a list of feeds ends with 4`(text: String, said: String) async throws {
    try bgfetch.home.write(text, to: "list")

    try await bgfetch(
      "import", "list", status: 4, prints: "", errors: "list:\(said.hasPrefix("1") ? "" : " ")\(said)")
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

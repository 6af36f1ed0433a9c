// `bgfetch fleet add`, `set`, `remove`, `list` and `import`: feeds that stand in the store.

import Foundation
import TestKit
import Testing

@Suite final class CatalogCommandTests: ServerSuite {
  /// A program with the feed `own` in its file; the server has the feeds `own`, `a` and `b`.
  private let bgfetch: BuiltProgram

  override init() throws {
    bgfetch = try BuiltProgram()
    try super.init()
    for name in ["own", "a", "b"] { server.feed("/" + name, [name]) }
    try bgfetch.configure(
      """
      defaults: {first-run: all, minimum-interval: 1h}
      network: {delay-per-host: 0s}
      catalog: {slow: {minimum-interval: 6h, tags: [rare]}}
      feeds: {own: "\(server.url("/own"))"}
      """)
  }

  @Test func `a feed of the catalog is fetched with the settings of its tag`() async throws {
    try await bgfetch(
      "fleet", "add", server.url("/a"), "a", "--tag", "linux", "--tag", "slow", prints: "a added\n")
    try await bgfetch("run", at: "2026-11-21T10:00:00Z", status: 0)

    #expect(server.requests("/a").count == 1)
    #expect(try await bgfetch("items", "@rare").lines.count == 1)
    #expect(try await bgfetch("items", "@linux").lines.count == 1)
    try await bgfetch("why", "a", at: "2026-11-21T10:01:00Z", output: "minimum interval  6h")
  }

  @Test func `a list in which feeds have other names renames them`() async throws {
    func list(_ feeds: KeyValuePairs<String, String>) -> String {
      feeds.map { "{\"name\": \"\($0.key)\", \"url\": \"\(server.url($0.value))\"}\n" }.joined()
    }
    try await bgfetch("fleet", "import", "-", input: list(["x": "/a", "y": "/b"]), status: 0)
    try await bgfetch("run", at: "2026-11-21T10:00:00Z", status: 0)

    try await bgfetch(
      "fleet", "import", "--replace", "-", input: list(["x": "/b", "z": "/a"]),
      prints: """
        x  was y before, and keeps its 1 item, stars and files
        z  was x before, and keeps its 1 item, stars and files
        2 feeds, 2 new or changed, 1 removed

        """)
    try await bgfetch("run", at: "2026-11-21T10:05:00Z", status: 0)

    #expect(try await bgfetch("items", "x", "--format", "{item.title}").lines == ["Title of b"])
    #expect(try await bgfetch("items", "z", "--format", "{item.title}").lines == ["Title of a"])
    #expect(server.requests("/a").count == 1)
  }

  @Test func `commands know the catalog before the first run`() async throws {
    try await bgfetch("fleet", "add", server.url("/a"), "a", "--tag", "linux")

    try await bgfetch("run", "a", status: 0)
    try await bgfetch("run", "nothing", status: 2)
    #expect(server.requests("/a").count == 1)
    #expect(server.requests("/own").isEmpty)
    try await bgfetch("check", output: "1 feed, 1 more in the catalog, ")
    #expect(try await bgfetch("check", "--json").json.last?["catalog"] as? Int == 1)
    for command in ["status", "why", "items", "pause", "resume", "history"] {
      try await bgfetch(command, "a", status: 0)
    }
    try await bgfetch("status", output: "\na ")
    try await bgfetch("export", output: server.url("/a"))

    try await bgfetch("fleet", "remove", "a", status: 0)
    try await bgfetch("check", output: ": 1 feed, ")
  }

  @Test func `add and remove leave the catalog alone`() async throws {
    try await bgfetch("fleet", "add", server.url("/a"), "a", "--tag", "linux")

    for words in [[server.url("/a")], [server.url("/b"), "a"]] {
      try await bgfetch(["add"] + words, status: 2, errors: "already")
    }
    for word in ["a", "@linux"] { try await bgfetch("remove", word, status: 2) }

    #expect(try await bgfetch("fleet", "list").output == "a  \(server.url("/a"))  @linux\n")
  }

  @Test func `what the settings of a tag use of the machine is checked as what feeds use`() async throws {
    let far = "{when: {command: [/missing/program]}}"
    let bgfetch = try BuiltProgram(server, more: "catalog: {far: \(far)}")

    let checked = try await bgfetch("check")

    #expect(checked.errors.contains("there is no program /missing/program"))
  }

  @Test func `a feed whose address changes in the catalog keeps its items, and the run says so`() async throws
  {
    func list(_ path: String) -> String { "{\"name\": \"x\", \"url\": \"\(server.url(path))\"}\n" }
    try await bgfetch("fleet", "import", "-", input: list("/a"), status: 0)
    try await bgfetch("run", at: "2026-11-21T10:00:00Z", status: 0)
    try await bgfetch("fleet", "import", "-", input: list("/b"), status: 0)

    try await bgfetch(
      "run", "-v", at: "2026-11-21T10:05:00Z", status: 0,
      errors: "x  was at \(server.url("/a")) before, and keeps its 1 item, stars and files")
  }

  @Test func `a list is taken over, wrong lines are named, and a second one replaces it`() async throws {
    let list = try bgfetch.home.write(
      """
      {"name": "a", "url": "\(server.url("/a"))"}
      {"name": "b", "url": "\(server.url("/b"))", "tags": ["slow", "t"]}
      {"name": "c", "url": "ftp://c.example/"}
      {"name": "d", "url": "\(server.url("/d"))", "tags": ["a b"]}

      """, to: "list.jsonl")

    let told = "2 feeds, 2 new or changed, 2 left out\n"
    let first = try await bgfetch(
      "fleet", "import", list, "--tag", "t", "--tag", "u", status: 3, prints: told)
    #expect(first.errors.contains("list.jsonl:3: \"ftp://c.example/\" is no http or https address"))
    #expect(first.errors.contains("list.jsonl:4: \"a b\" is no tag"))
    #expect(
      try await bgfetch("fleet", "list").output
        == "a  \(server.url("/a"))  @t  @u\nb  \(server.url("/b"))  @slow  @t  @u\n")

    let second = try await bgfetch(
      "fleet", "import", "-", "--replace", input: "{\"name\": \"b\", \"url\": \"\(server.url("/b"))\"}\n")
    #expect(second.output == "1 feed, 1 new or changed, 1 removed\n")
    let listed = try await bgfetch("fleet", "list", "--json").output
    #expect(
      listed.replacing("\\/", with: "/") == "{\"name\":\"b\",\"url\":\"\(server.url("/b"))\",\"tags\":[]}\n")
    try await bgfetch(
      "fleet", "import", "-", "--replace", input: listed, prints: "1 feed, 0 new or changed\n")

    try await bgfetch("run", status: 0)
    #expect(server.requests("/a").isEmpty)
    #expect(server.requests("/b").count == 1)
  }

  @Test func `a feed is changed and removed`() async throws {
    try await bgfetch("fleet", "add", server.url("/a"), "a", "--tag", "t")
    try await bgfetch("run")

    try await bgfetch("fleet", "set", "a", "--url", server.url("/b"), prints: "a changed\n")
    try await bgfetch("fleet", "set", "a", "--tag", "none", prints: "a changed\n")
    try await bgfetch("fleet", "set", "a", "--tag", "none", prints: "a is as it was\n")
    try await bgfetch("run", status: 0)
    #expect(server.requests("/b").count == 1)

    try await bgfetch("fleet", "remove", "a", status: 0)
    try await bgfetch("fleet", "remove", "a", status: 4)
    try await bgfetch("status", "a", status: 2)
  }

  @Test func `what nobody may put into the catalog is refused`() async throws {
    for url in ["file:///etc/passwd", "https://user:word@a.example/", "exec:ls", ""] {
      try await bgfetch("fleet", "add", url, "a", status: 2)
    }
    try await bgfetch("fleet", "add", "https://a.example/", "a b", status: 2)
    try await bgfetch("fleet", "add", "https://a.example/", "a", "--tag", "a b", status: 2)
    try await bgfetch("fleet", "list", prints: "")
  }

  @Test func `defaults with a secret are not for any address, a tag's settings may be`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: """
        defaults: {auth: {bearer: {env: TOKEN}}}
        catalog: {plain: {auth: none}}
        """)

    try await bgfetch("fleet", "add", server.url("/a"), "a", status: 2, errors: "catalog:")
    try await bgfetch("fleet", "add", server.url("/a"), "a", "--tag", "plain", status: 0)
  }

  @Test func `a list with a mistake, or an empty one, removes nothing`() async throws {
    try await bgfetch("fleet", "add", server.url("/a"), "a")

    for list in ["{\"name\": \"b\", \"url\": \"ftp://b.example/\"}\n", "\n"] {
      try await bgfetch("fleet", "import", "-", "--replace", input: list, errors: "nothing is removed")
    }

    #expect(try await bgfetch("fleet", "list").lines.count == 1)
  }

  @Test func `a feed that moves from the catalog into the file stays due`() async throws {
    try await bgfetch("fleet", "add", server.url("/a"), "own")
    try await bgfetch("run", at: "2026-11-21T10:00:00Z")
    try await bgfetch("fleet", "remove", "own")

    try await bgfetch("run", at: "2026-11-21T11:30:00Z")

    #expect(server.requests("/own").count == 2)
  }

  @Test func `a running watch takes up a new feed`() async throws {
    let watch = try bgfetch.started(["run", "--watch"])
    await server.received(1)

    try await bgfetch("fleet", "add", server.url("/a"), "a", status: 0)

    await server.received(2)
    #expect(server.requests("/a").count == 1)
    watch.signal(SIGTERM)
    #expect(await watch.ended().status == 143)
  }
}

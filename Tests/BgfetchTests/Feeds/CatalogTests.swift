// `bgfetch feeds`: feeds that stand in the store.

import Foundation
import TestKit
import Testing

@Suite final class CatalogTests: ServerSuite {
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
      profiles: {slow: {minimum-interval: 6h, tags: [rare]}}
      feeds: {own: "\(server.url("/own"))"}
      """)
  }

  @Test func `a feed of the catalog is fetched with the settings of its profile`() async throws {
    let options = ["--profile", "slow", "--tag", "linux"]
    try await bgfetch(["feeds", "add", "a", server.url("/a")] + options, prints: "a added\n")
    try await bgfetch("run", at: "2026-11-21T10:00:00Z", status: 0)

    #expect(server.requests("/a").count == 1)
    #expect(try await bgfetch("items", "@rare", "@linux").lines.count == 1)
    try await bgfetch("why", "a", at: "2026-11-21T10:01:00Z", output: "minimum interval  6h")
  }

  @Test func `commands know the catalog before the first run, and remove can empty it`() async throws {
    try await bgfetch("feeds", "add", "a", server.url("/a"), "--tag", "linux")

    try await bgfetch("run", "a", status: 0)
    try await bgfetch("run", "nothing", status: 2)
    #expect(server.requests("/a").count == 1 && server.requests("/own").isEmpty)
    try await bgfetch("check", output: "1 feed, 1 more in the catalog, ")
    #expect(try await bgfetch("check", "--json").json.last?["catalog"] as? Int == 1)
    for command in ["status", "why", "items", "pause", "resume", "history"] {
      try await bgfetch(command, "a", status: 0)
    }
    try await bgfetch("status", output: "\na ")
    try await bgfetch("export", output: server.url("/a"))

    let removed = try await bgfetch("remove", "@linux", status: 0)
    #expect(removed.output.hasPrefix("removed a from the catalog\n"))
    try await bgfetch("feeds", "list", prints: "")
    try await bgfetch("remove", "a", status: 2)
    try await bgfetch("check", output: ": 1 feed, ")
  }

  @Test func `a feed that is found by its page is put into the catalog, once`() async throws {
    try await bgfetch(
      "add", server.url("/a"), "moon", "--catalog", "--profile", "slow", "--tag", "t", status: 0,
      output: "\(server.url("/a")) in the catalog\n")

    #expect(
      try await bgfetch("feeds", "export").output.replacing("\\/", with: "/")
        == "{\"name\":\"moon\",\"url\":\"\(server.url("/a"))\",\"profile\":\"slow\",\"tags\":[\"t\"]}\n")
    for arguments in [[server.url("/a")], [server.url("/own")], [server.url("/b"), "moon"]] {
      for catalog in [[], ["--catalog"]] {
        try await bgfetch(["add"] + arguments + catalog, status: 2, errors: "already")
      }
    }
    try await bgfetch("add", server.url("/b"), "--catalog", "--print", status: 2)
  }

  @Test func `what profiles use of the machine is checked as what feeds use`() async throws {
    let far = "{network: {proxy: \"http://proxy.example:3128\"}}"
    let bgfetch = try BuiltProgram(server, more: "profiles: {far: \(far)}")

    let checked = try await bgfetch("check")

    #expect(checked.errors.contains("behind a proxy, a private address is refused only if"))
  }

  @Test func `a list is taken over, wrong lines are named, and a second one replaces it`() async throws {
    let list = try bgfetch.home.write(
      """
      {"name": "a", "url": "\(server.url("/a"))"}
      {"name": "b", "url": "\(server.url("/b"))", "profile": "slow"}
      {"name": "c", "url": "ftp://c.example/"}
      {"name": "d", "url": "\(server.url("/d"))", "profile": "fast"}

      """, to: "list.jsonl")

    let told = "2 feeds, 2 new or changed, 2 left out\n"
    let first = try await bgfetch("feeds", "import", list, status: 3, prints: told)
    #expect(first.errors.contains("list.jsonl:3: \"ftp://c.example/\" is no http or https address"))
    #expect(first.errors.contains("list.jsonl:4: there is no profile \"fast\""))
    #expect(try await bgfetch("feeds", "list").lines.count == 2)

    let second = try await bgfetch(
      "feeds", "import", "-", "--replace", input: "{\"name\": \"b\", \"url\": \"\(server.url("/b"))\"}\n")
    #expect(second.output == "1 feed, 1 new or changed, 1 removed\n")
    #expect(
      try await bgfetch("feeds", "export").output.replacing("\\/", with: "/")
        == "{\"name\":\"b\",\"url\":\"\(server.url("/b"))\",\"profile\":null,\"tags\":[]}\n")

    try await bgfetch("run", status: 0)
    #expect(server.requests("/a").count == 0 && server.requests("/b").count == 1)
  }

  @Test func `a feed is changed and removed`() async throws {
    try await bgfetch("feeds", "add", "a", server.url("/a"))
    try await bgfetch("run")

    try await bgfetch("feeds", "set", "a", "--url", server.url("/b"), prints: "a changed\n")
    try await bgfetch("run", status: 0)
    #expect(server.requests("/b").count == 1)

    try await bgfetch("feeds", "remove", "a", status: 0)
    try await bgfetch("feeds", "remove", "a", status: 4)
    try await bgfetch("status", "a", status: 2)
  }

  @Test func `what nobody may put into the catalog is refused`() async throws {
    for url in ["file:///etc/passwd", "https://user:word@a.example/", "exec:ls", ""] {
      try await bgfetch("feeds", "add", "a", url, status: 2)
    }
    try await bgfetch("feeds", "add", "a", "https://a.example/", "--profile", "fast", status: 2)
    try await bgfetch("feeds", "list", prints: "")
  }

  @Test func `a list with a mistake, or an empty one, removes nothing`() async throws {
    try await bgfetch("feeds", "add", "a", server.url("/a"))

    for list in ["{\"name\": \"b\", \"url\": \"ftp://b.example/\"}\n", "\n"] {
      try await bgfetch("feeds", "import", "-", "--replace", input: list, errors: "nothing is removed")
    }

    #expect(try await bgfetch("feeds", "list").lines.count == 1)
  }

  @Test func `a feed that moves from the catalog into the file stays due`() async throws {
    try await bgfetch("feeds", "add", "own", server.url("/a"))
    try await bgfetch("run", at: "2026-11-21T10:00:00Z")
    try await bgfetch("feeds", "remove", "own")

    try await bgfetch("run", at: "2026-11-21T11:30:00Z")

    #expect(server.requests("/own").count == 2)
  }

  @Test func `a running watch takes up a new feed`() async throws {
    let watch = try bgfetch.started(["run", "--watch"])
    await server.received(1)

    try await bgfetch("feeds", "add", "a", server.url("/a"), status: 0)

    await server.received(2)
    #expect(server.requests("/a").count == 1)
    watch.signal(SIGTERM)
    #expect(await watch.ended().status == 143)
  }
}

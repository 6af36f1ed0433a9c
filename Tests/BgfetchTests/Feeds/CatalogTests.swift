// `bgfetch feeds`: feeds that stand in the store.

import Foundation
import TestKit
import Testing

@Suite struct CatalogTests {
  private func program(_ server: ScriptedServer) throws -> BuiltProgram {
    let bgfetch = try BuiltProgram()
    try bgfetch.configure(
      """
      defaults: {first-run: all, minimum-interval: 1h}
      network: {delay-per-host: 0s}
      profiles:
        slow: {minimum-interval: 6h, tags: [rare]}
      feeds:
        own: "\(server.url("/own"))"
      """)
    return bgfetch
  }

  @Test func `a feed of the catalog is fetched with the settings of its profile`() async throws {
    let server = try ScriptedServer(feeds: ["/own": ["o"], "/a": ["a"]])
    let bgfetch = try program(server)

    let added = try await bgfetch(
      "feeds", "add", "a", server.url("/a"), "--profile", "slow", "--tag", "linux")
    #expect(added.output == "a added\n")
    #expect(try await bgfetch("run", at: "2026-11-21T10:00:00Z").status == 0)

    #expect(server.requests("/a").count == 1)
    #expect(try await bgfetch("items", "@rare", "@linux").lines.count == 1)
    let why = try await bgfetch("why", "a", at: "2026-11-21T10:01:00Z")
    #expect(why.output.contains("minimum interval  6h"))
  }

  @Test func `commands know the catalog before the first run, and remove takes feeds out of it`() async throws
  {
    let server = try ScriptedServer(feeds: ["/own": ["o"], "/a": ["a"]])
    let bgfetch = try program(server)
    try await bgfetch("feeds", "add", "a", server.url("/a"), "--tag", "linux")

    #expect(try await bgfetch("run", "a").status == 0)
    #expect(try await bgfetch("run", "nothing").status == 2)
    #expect(server.requests("/a").count == 1 && server.requests("/own").isEmpty)
    #expect(try await bgfetch("check").output.contains("1 feed, 1 more in the catalog, "))
    #expect(try await bgfetch("check", "--json").json.last?["catalog"] as? Int == 1)
    for command in [
      ["status", "a"], ["why", "a"], ["items", "a"], ["pause", "a"], ["unpause", "a"], ["history", "a"],
    ] {
      #expect(try await bgfetch(command).status == 0, "\(command)")
    }
    #expect(try await bgfetch("status").output.contains("\na "))
    #expect(try await bgfetch("export").output.contains(server.url("/a")))

    let removed = try await bgfetch("remove", "@linux")
    #expect(
      removed.status == 0 && removed.output.hasPrefix("removed a from the catalog\n"), "\(removed.errors)")
    #expect(try await bgfetch("feeds", "list").output == "")
    #expect(try await bgfetch("remove", "a").status == 2)
    #expect(try await bgfetch("check").output.contains(": 1 feed, "))
  }

  @Test func `a feed that is found by its page is put into the catalog, once`() async throws {
    let server = try ScriptedServer(feeds: ["/own": ["o"], "/a": ["a"]])
    let bgfetch = try program(server)

    let added = try await bgfetch(
      "add", server.url("/a"), "moon", "--catalog", "--profile", "slow", "--tag", "t")

    #expect(
      added.status == 0 && added.output.contains("\(server.url("/a")) in the catalog\n"), "\(added.errors)")
    #expect(
      try await bgfetch("feeds", "export").output.replacing("\\/", with: "/")
        == "{\"name\":\"moon\",\"url\":\"\(server.url("/a"))\",\"profile\":\"slow\",\"tags\":[\"t\"]}\n")
    for arguments in [[server.url("/a")], [server.url("/own")], [server.url("/b"), "moon"]] {
      for catalog in [[], ["--catalog"]] {
        let again = try await bgfetch(["add"] + arguments + catalog)
        #expect(again.status == 2 && again.errors.contains("already"), "\(again.errors)")
      }
    }
    #expect(try await bgfetch("add", server.url("/b"), "--catalog", "--print").status == 2)
  }

  @Test func `what profiles use of the machine is checked as what feeds use`() async throws {
    let server = try ScriptedServer(feeds: ["/own": []])
    let bgfetch = try program(server)
    try bgfetch.configure(
      """
      profiles: {far: {download: {directory: /nowhere/at/all}, network: {ca-file: /nowhere/ca.pem}}}
      feeds: {own: "\(server.url("/own"))"}
      """)

    let checked = try await bgfetch("check")

    #expect(checked.errors.contains("profile far: /nowhere/at/all and /nowhere/at do not exist"))
    #expect(checked.errors.contains("ca-file /nowhere/ca.pem cannot be read"))
  }

  @Test func `a list is taken over, wrong lines are named, and a second one replaces it`() async throws {
    let server = try ScriptedServer(feeds: ["/own": [], "/a": ["a"], "/b": ["b"]])
    let bgfetch = try program(server)
    let list = try bgfetch.home.write(
      """
      {"name": "a", "url": "\(server.url("/a"))"}
      {"name": "b", "url": "\(server.url("/b"))", "profile": "slow"}
      {"name": "c", "url": "ftp://c.example/"}
      {"name": "d", "url": "\(server.url("/d"))", "profile": "fast"}

      """, to: "list.jsonl")

    let first = try await bgfetch("feeds", "import", list, status: 3)
    #expect(first.output == "2 feeds, 2 new or changed, 2 left out\n")
    #expect(first.errors.contains("list.jsonl:3: \"ftp://c.example/\" is no http or https address"))
    #expect(first.errors.contains("list.jsonl:4: there is no profile \"fast\""))
    #expect(try await bgfetch("feeds", "list").lines.count == 2)

    let second = try await bgfetch(
      "feeds", "import", "-", "--replace", input: "{\"name\": \"b\", \"url\": \"\(server.url("/b"))\"}\n")
    #expect(second.output == "1 feed, 1 new or changed, 1 removed\n")
    #expect(
      try await bgfetch("feeds", "export").output.replacing("\\/", with: "/")
        == "{\"name\":\"b\",\"url\":\"\(server.url("/b"))\",\"profile\":null,\"tags\":[]}\n")

    #expect(try await bgfetch("run").status == 0)
    #expect(server.requests("/a").count == 0 && server.requests("/b").count == 1)
  }

  @Test func `a feed is changed and removed`() async throws {
    let server = try ScriptedServer(feeds: ["/own": [], "/a": ["a"], "/new": ["n"]])
    let bgfetch = try program(server)
    try await bgfetch("feeds", "add", "a", server.url("/a"))
    try await bgfetch("run")

    #expect(try await bgfetch("feeds", "set", "a", "--url", server.url("/new")).output == "a changed\n")
    #expect(try await bgfetch("run").status == 0)
    #expect(server.requests("/new").count == 1)

    #expect(try await bgfetch("feeds", "remove", "a").status == 0)
    #expect(try await bgfetch("feeds", "remove", "a").status == 4)
    #expect(try await bgfetch("status", "a").status == 2)
  }

  @Test func `what nobody may put into the catalog is refused`() async throws {
    let server = try ScriptedServer(feeds: ["/own": []])
    let bgfetch = try program(server)

    for url in ["file:///etc/passwd", "https://user:word@a.example/", "exec:ls", ""] {
      #expect(try await bgfetch("feeds", "add", "a", url).status == 2)
    }
    #expect(try await bgfetch("feeds", "add", "a", "https://a.example/", "--profile", "fast").status == 2)
    #expect(try await bgfetch("feeds", "list").output == "")
  }

  @Test func `a list with a mistake, or an empty one, removes nothing`() async throws {
    let server = try ScriptedServer(feeds: ["/own": [], "/a": ["a"]])
    let bgfetch = try program(server)
    try await bgfetch("feeds", "add", "a", server.url("/a"))

    for list in ["{\"name\": \"b\", \"url\": \"ftp://b.example/\"}\n", "\n"] {
      let imported = try await bgfetch("feeds", "import", "-", "--replace", input: list)
      #expect(imported.errors.contains("nothing is removed"))
    }

    #expect(try await bgfetch("feeds", "list").lines.count == 1)
  }

  @Test func `a feed that moves from the catalog into the file stays due`() async throws {
    let server = try ScriptedServer(feeds: ["/own": [], "/a": ["a"]])
    let bgfetch = try program(server)
    try await bgfetch("feeds", "add", "own", server.url("/a"))
    try await bgfetch("run", at: "2026-11-21T10:00:00Z")
    try await bgfetch("feeds", "remove", "own")

    try await bgfetch("run", at: "2026-11-21T11:30:00Z")

    #expect(server.requests("/own").count == 2)
  }

  @Test func `a running watch takes up a new feed`() async throws {
    let server = try ScriptedServer(feeds: ["/own": [], "/a": ["a"]])
    let bgfetch = try program(server)
    let watch = try bgfetch.started(["run", "--watch"])
    await server.received(1)

    #expect(try await bgfetch("feeds", "add", "a", server.url("/a")).status == 0)

    await server.received(2)
    #expect(server.requests("/a").count == 1)
    watch.signal(SIGTERM)
    #expect(await watch.ended().status == 143)
  }
}

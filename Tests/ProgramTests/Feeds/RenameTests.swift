// Feeds that are renamed in the file, or by `bgfetch rename`, and feeds whose address changes.

import Foundation
import TestKit
import Testing

@Suite final class RenameTests: ServerSuite {
  /// A program that has fetched the feed `planet`, whose second item is starred, and `moon`.
  private func program(more: String = "") async throws -> BuiltProgram {
    server.feed("/planet", ["a", "b"])
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try BuiltProgram(server, ["planet", "moon"], keys: "first-run: all" + more)
    try await bgfetch("run", at: "2026-11-21T10:00:00Z", status: 0)
    let number = try #require(try await items(bgfetch).firstIndex { $0.hasSuffix("planet Title of a") })
    try await bgfetch("star", items(bgfetch)[number].split(separator: " ").first.map(String.init) ?? "")
    return bgfetch
  }

  /// The items as number, feed and title.
  private func items(_ bgfetch: BuiltProgram, _ more: String...) async throws -> [String] {
    try await bgfetch(["items"] + more + ["--format", "{item.number} {feed} {item.title}"]).lines.sorted()
  }

  @Test func `a feed that is renamed in the file keeps its items, and the run says so`() async throws {
    let bgfetch = try await program()
    let before = try await items(bgfetch)
    try await bgfetch("seen", "moon", prints: "1 item seen, badge 2\n")
    try bgfetch.edit("  planet:", to: "  space:")

    let run = try await bgfetch("run", "-v", "--json", at: "2026-11-21T10:05:00Z", status: 0)

    #expect(run.errors.contains("space  was planet before, and keeps its 2 items, stars and files"))
    let renamed = try #require(run.json.first { $0["type"] as? String == "renamed" })
    #expect(renamed["feed"] as? String == "space")
    #expect(renamed["former"] as? String == "planet")
    #expect(renamed["items"] as? Int == 2)
    #expect(try await items(bgfetch) == before.map { $0.replacing("planet", with: "space") })
    #expect(try await items(bgfetch, "--starred").count == 1)
    #expect(bgfetch.badge == "2\n")
    // It is not fetched again, and its validators are not lost.
    #expect(server.requests("/planet").count == 1)
    try await bgfetch(
      "run", "space", "-v", at: "2026-11-21T11:05:00Z", errors: "space  nothing new, not modified")

    try bgfetch.edit("  space:", to: "  planet:")
    let again = try await bgfetch("run", "-v", at: "2026-11-21T11:10:00Z", status: 0)
    #expect(again.errors.contains("planet  was space before"))
    #expect(try await items(bgfetch) == before)
  }

  @Test(arguments: [
    ["items", "space"], ["status", "space"], ["read", "space", "--peek"], ["why", "space"], ["badge"],
    ["pause", "space"],
  ])
  func `every command knows a renamed feed before the next run`(command: [String]) async throws {
    let bgfetch = try await program()
    try bgfetch.edit("  planet:", to: "  space:")

    try await bgfetch(
      command, at: "2026-11-21T10:05:00Z", status: 0,
      errors: "space  was planet before, and keeps its 2 items, stars and files")
    #expect(try await items(bgfetch, "space").count == 2)
  }

  @Test func `names are swapped with their items`() async throws {
    let bgfetch = try await program()
    try bgfetch.edit("  planet:", to: "  x:")
    try bgfetch.edit("  moon:", to: "  planet:")
    try bgfetch.edit("  x:", to: "  moon:")

    let run = try await bgfetch("run", "-v", at: "2026-11-21T10:05:00Z", status: 0)

    #expect(run.errors.contains("planet  was moon before, and keeps its 1 item, stars and files"))
    #expect(run.errors.contains("moon  was planet before, and keeps its 2 items, stars and files"))
    #expect(!run.errors.contains("was at"))
    #expect(try await items(bgfetch, "planet").map { $0.suffix(10) } == ["Title of m"])
    #expect(try await items(bgfetch, "moon").count == 2)
    #expect(server.requests("/planet").count == 1)
  }

  @Test func `a feed whose address changes keeps its items, and its stars`() async throws {
    let bgfetch = try await program()
    let before = try await items(bgfetch)
    server.feed("/new", ["a", "b", "c"])
    try bgfetch.edit("/planet\"", to: "/new\"")

    let run = try await bgfetch("run", "-v", "--json", at: "2026-11-21T10:05:00Z", status: 0)

    #expect(run.errors.contains("planet  1 new"))
    let told = "planet  was at \(server.url("/planet")) before, and keeps its 2 items, stars and files"
    #expect(run.errors.contains(told))
    let event = try #require(run.json.first { $0["type"] as? String == "readdressed" })
    #expect(event["feed"] as? String == "planet")
    #expect(event["former"] as? String == server.url("/planet"))
    #expect(event["items"] as? Int == 2)
    #expect(Set(try await items(bgfetch)).isSuperset(of: before))
    #expect(try await items(bgfetch, "--starred").count == 1)
    let next = try await bgfetch("run", "planet", "-v", at: "2026-11-21T11:05:00Z", status: 0)
    #expect(!next.errors.contains("was at"))
  }

  @Test func `an address that fails is named as the former one, too`() async throws {
    let bgfetch = try await program()
    server.on("/wrong", .status(404))
    try bgfetch.edit("/planet\"", to: "/wrong\"")

    let failed = try await bgfetch("run", "planet", "-v", at: "2026-11-21T10:05:00Z")
    try bgfetch.edit("/wrong\"", to: "/planet\"")
    let mended = try await bgfetch("run", "planet", "-v", at: "2026-11-21T10:06:00Z", status: 0)

    #expect(failed.errors.contains("planet  was at \(server.url("/planet")) before"))
    #expect(mended.errors.contains("planet  was at \(server.url("/wrong")) before"))
  }

  @Test func `other headers are no other address`()
    async throws
  {
    let bgfetch = try await program()
    try bgfetch.edit("/planet\"", to: "/planet\", headers: {X-Test: a}")

    let run = try await bgfetch("run", "-v", at: "2026-11-21T10:05:00Z", status: 0)

    #expect(server.requests("/planet").count == 2)
    #expect(!run.errors.contains("was at"))
  }

  @Test func `a feed that is renamed by the command after its address has changed keeps everything`()
    async throws
  {
    let bgfetch = try await program()
    let before = try await items(bgfetch)
    server.feed("/new", ["a", "b"])
    try bgfetch.edit("/planet\"", to: "/new\"")
    try await bgfetch("rename", "planet", "space", output: "it keeps its 2 items, stars and files\n")

    let run = try await bgfetch("run", "-v", at: "2026-11-21T10:05:00Z", status: 0)

    #expect(run.errors.contains("space  was at \(server.url("/planet")) before, and keeps its 2 items"))
    #expect(try await items(bgfetch) == before.map { $0.replacing("planet", with: "space") })
  }

  @Test func `with another name and another address it is a new feed; stars of the former one stay`()
    async throws
  {
    let bgfetch = try await program()
    server.feed("/new", ["n"], title: "New")
    try bgfetch.edit("  planet:", to: "  space:")
    try bgfetch.edit("/planet\"", to: "/new\"")

    let run = try await bgfetch("run", "-v", "--json", at: "2026-11-21T10:05:00Z", status: 0)

    let told =
      "planet left the configuration; its items, 2 of them unseen, are kept for 90d, in case its name or address comes back"
    #expect(run.errors.contains(told))
    #expect(run.json.first { $0["type"] as? String == "left" }?["feeds"] as? [String] == ["planet"])
    #expect(try await items(bgfetch, "space").count == 1)
    let next = try await bgfetch("run", "space", "-v", at: "2026-11-21T10:06:00Z", status: 0)
    #expect(!next.errors.contains("left"))
    let starred = try await items(bgfetch, "--starred")
    let number = try #require(starred.first?.split(separator: " ").first.map(String.init))
    #expect(starred == ["\(number) planet Title of a"])
    #expect(try await items(bgfetch, "planet", "--starred") == starred)
    try await bgfetch("items", "planet", status: 2, errors: "no feed is named \"planet\"")
    try await bgfetch("read", number, output: "#\(number) · Planet · ")
    try await bgfetch("items", "--starred", "--format", "atom", output: "<title>Title of a</title>")
    try await bgfetch("unstar", number, status: 0)
    #expect(try await items(bgfetch, "--starred").isEmpty)
    // A star that was taken by mistake can be given back.
    try await bgfetch("star", number, status: 0)
    #expect(try await items(bgfetch, "--starred") == starred)
  }

  @Test func `a feed that left with unseen items is told without a terminal, once; another one is not`()
    async throws
  {
    let bgfetch = try await program()
    server.feed("/new", ["n"], title: "New")
    try await bgfetch("seen", "moon", status: 0)
    try bgfetch.edit("  moon:", to: "  sun:")
    try bgfetch.edit("/moon\"", to: "/new\"")

    let seen = try await bgfetch("run", "sun", at: "2026-11-21T10:05:00Z", status: 0)
    try bgfetch.edit("  planet:", to: "  space:")
    try bgfetch.edit("/planet\"", to: "/other\"")
    server.feed("/other", ["o"], title: "Other")
    let unseen = try await bgfetch("run", "space", at: "2026-11-21T10:06:00Z", status: 0)
    let next = try await bgfetch("run", "space", "--force", at: "2026-11-21T10:07:00Z", status: 0)

    #expect(seen.errors.isEmpty)
    #expect(
      unseen.errors == """
        planet left the configuration; its items, 2 of them unseen, are kept for 90d, in case its name or address comes back

        """)
    #expect(next.errors.isEmpty)
  }

  @Test func `a run with a file that is invalid changes nothing`() async throws {
    let bgfetch = try await program()
    let before = try await items(bgfetch)
    try bgfetch.edit("  planet:", to: "  space: [")
    try await bgfetch("run", at: "2026-11-21T10:05:00Z", status: 78)
    try bgfetch.edit("  space: [", to: "  space:")

    try await bgfetch("run", at: "2026-11-21T10:10:00Z", status: 0)

    #expect(try await items(bgfetch) == before.map { $0.replacing("planet", with: "space") })
  }

  @Test func `a file that is downloaded while its feed is renamed is the feed's, and new`() async throws {
    let gate = Gate()
    server.on("/iso", .document("one"))
    let bgfetch = try BuiltProgram(
      configuration: """
        documents: HOME/documents
        feeds: {planet: {url: "\(server.url("/iso"))", kind: asset, minimum-interval: every-run}}
        """)
    try await bgfetch("run", status: 0)
    server.on("/iso", .document("two").held(by: gate))

    let run = try bgfetch.started(["run"])
    #expect(await eventually { server.requests("/iso").count == 2 })
    try await bgfetch("rename", "planet", "space", output: "it keeps its 1 item, stars and files\n")
    gate.open()
    #expect(await run.ended().status == 0)

    #expect(try await items(bgfetch, "--unseen").map { $0.split(separator: " ")[1] } == ["space"])
    #expect(try await items(bgfetch).count == 2)
    // It takes the place of the feed's former file.
    try await bgfetch.shell("find \"$HOME/documents\" -name 'iso*' -exec cat {} +", prints: "two")
    #expect(try await bgfetch("run", "--json", status: 0).results == ["space": "no-data"])
  }

  @Test func `a downloaded file stays the feed's`() async throws {
    server.on(
      "/planet",
      .document(
        """
        <rss version="2.0"><channel><title>P</title><item><guid>1</guid><title>One</title>
        <enclosure url="\(server.url("/one.mp3"))" type="audio/mpeg" length="3"/></item></channel></rss>
        """))
    server.on("/one.mp3", .document("one"))
    let bgfetch = try BuiltProgram(
      configuration: """
        documents: HOME/documents
        network: {private-addresses: allow}
        feeds: {planet: {url: "\(server.url("/planet"))", first-run: all, download: {}}}
        """)
    try await bgfetch("run", status: 0)

    try await bgfetch("rename", "planet", "space", output: "it keeps its 1 item, stars and files\n")

    let listed = try await bgfetch("transfers", "list", "space", "--all", "--json").json
    #expect(listed.count == 1)
    #expect(listed.first?["gone"] as? Bool == false)
    try await bgfetch("run", "space", status: 0)
    #expect(server.requests("/one.mp3").count == 1)
  }
}

/// `bgfetch rename` in the files of a configuration.
@Suite struct RenameCommandTests {
  @Test func `the name changes in all files, also where hooks and outputs name it`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram(
      configuration: """
        include: [more.yaml]
        hooks:
          mail: {events: [failing], run: ["true"], feeds: [planet, other]} # mine
          all: {events: [failing], run: ["true"], feeds: ["pla*"]}
        outputs: {HOME/a.atom: {feeds: [planet]}}
        feeds: {other: "\(server.url("/other"))", plants: "\(server.url("/plants"))"}
        """)
    _ = try bgfetch.home.write(
      "feeds:\n  # The best.\n  planet: {url: \"\(server.url("/planet"))\", first-run: all}\n",
      to: "more.yaml")
    chmod(bgfetch.home.file("more.yaml"), 0o600)
    try await bgfetch("run", "planet", status: 0)
    let before = bgfetch.text(of: "bgfetch.yaml")

    let renamed = try await bgfetch("rename", "planet", "space", status: 0)

    #expect(renamed.lines.count == 2)
    #expect(renamed.lines.first?.hasPrefix("renamed planet to space in ") == true)
    #expect(renamed.lines.first?.contains("more.yaml") == true)
    #expect(renamed.lines.last == "it keeps its 1 item, stars and files")
    #expect(renamed.errors == "warning: hook all has feeds: [pla*], which space does not match\n")
    #expect(bgfetch.text(of: "more.yaml").contains("  # The best.\n  space: {url:"))
    #expect(
      bgfetch.text(of: "bgfetch.yaml")
        == before.replacing("[planet, other]", with: "[space, other]").replacing("[planet]", with: "[space]"))
    try await bgfetch("items", "--format", "{feed}", prints: "space\n")
  }

  @Test(arguments: [
    (["planet", "other"], "the feed other already exists"), (["planett", "x"], "did you mean \"planet\"?"),
    (["planet", "a b"], "a name has 1 to 100 letters"), (["planet"], "missing expected argument '<name>'"),
  ])
  func `what cannot be renamed is refused`(words: [String], message: String) async throws {
    let bgfetch = try BuiltProgram(
      configuration: "feeds: {planet: \"https://a.example/\", other: \"https://b.example/\"}")

    try await bgfetch(["rename"] + words, status: 2, errors: message)
    #expect(bgfetch.text(of: "bgfetch.yaml").contains("planet:"))
  }

  @Test func `without a store only the file changes`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: \"https://a.example/\"}")

    try await bgfetch("rename", "planet", "space", status: 0)
    #expect(bgfetch.text(of: "bgfetch.yaml").contains("feeds: {space: "))
  }

  @Test func `a feed of the catalog is renamed in the store`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram(
      configuration: "network: {delay-per-host: 0s}\ncatalog: {}\nfeeds: {}\ndefaults: {first-run: all}")
    try await bgfetch("fleet", "add", server.url("/planet"), "planet", status: 0)
    try await bgfetch("run", status: 0)

    try await bgfetch("rename", "planet", "space", output: "renamed planet to space in the catalog\n")

    try await bgfetch("items", "--format", "{feed}", prints: "space\n")
    try await bgfetch("fleet", "list", prints: "space  \(server.url("/planet"))\n")
    try await bgfetch("run", status: 0)
    #expect(server.requests("/planet").count == 1)
  }
}

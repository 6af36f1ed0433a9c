// The small commands: items, seen, badge, status, why, check, parse, and what all commands have in common.

import Foundation
import TestKit
import Testing

@Suite struct CommandTests {
  private func program(_ server: ScriptedServer, ids: [String] = ["b", "a"]) async throws -> BuiltProgram {
    server.feed("/planet", ids)
    let bgfetch = try BuiltProgram(
      configuration: "feeds: {planet: {url: \"\(server.url("/planet"))\", first-run: all}}\n")
    _ = try await bgfetch("run")
    return bgfetch
  }

  @Test func `items are listed newest first, as text and as JSON`() async throws {
    let bgfetch = try await program(try ScriptedServer())

    let text = try await bgfetch("items")
    let json = try await bgfetch("items", "--json")

    #expect(text.lines.count == 2)
    #expect(text.output.contains("Title of a"))
    #expect(Set(json.json.compactMap { $0["id"] as? String }) == ["a", "b"])
    #expect(json.json.first?["type"] as? String == "item")
  }

  @Test func `items can be formatted, limited and filtered`() async throws {
    let bgfetch = try await program(try ScriptedServer())

    let formatted = try await bgfetch("items", "--format", "{feed}: {item.title}", "--limit", "1")
    _ = try await bgfetch("seen", "planet", "--item", "a")
    let unseen = try await bgfetch("items", "--unseen", "--format", "{item.id}")

    #expect(formatted.lines.count == 1)
    #expect(formatted.output.hasPrefix("planet: Title of "))
    #expect(unseen.output == "b\n")
  }

  @Test func `seen lowers the badge`() async throws {
    let bgfetch = try await program(try ScriptedServer(), ids: ["c", "b", "a"])

    let one = try await bgfetch("seen", "planet", "--item", "b")
    let badge = bgfetch.badge
    let all = try await bgfetch("seen", "--all")

    #expect(one.status == 0)
    #expect(badge == "2\n")
    #expect(all.status == 0)
    #expect(bgfetch.badge == "0\n")
  }

  @Test func `seen through an item marks it and all older ones`() async throws {
    let bgfetch = try await program(try ScriptedServer(), ids: ["c", "b", "a"])

    _ = try await bgfetch("seen", "planet", "--through", "b")
    let unseen = try await bgfetch("items", "--unseen", "--format", "{item.id}")

    #expect(unseen.output == "c\n")
  }

  @Test func `seen refuses an item that does not exist, and wants feeds or --all`() async throws {
    let bgfetch = try await program(try ScriptedServer())

    #expect(try await bgfetch("seen", "planet", "--item", "zzz").status == 2)
    #expect(try await bgfetch("seen").status == 2)
  }

  @Test func `the badge can be read, set and cleared`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try await program(server)

    #expect(try await bgfetch("badge").output == "2\n")
    _ = try await bgfetch("badge", "set", "9")
    #expect(bgfetch.badge == "9\n")
    server.feed("/planet", ["c", "b", "a"])
    _ = try await bgfetch("run", "--force")
    #expect(bgfetch.badge == "10\n")
    _ = try await bgfetch("badge", "clear")
    #expect(bgfetch.badge == "0\n")
    #expect(try await bgfetch("badge", "set", "many").status == 2)
  }

  @Test func `the badge is printed for waybar, tmux and a template`() async throws {
    let bgfetch = try await program(try ScriptedServer())

    let waybar = try await bgfetch("badge", "--format", "waybar")
    let tmux = try await bgfetch("badge", "--format", "tmux")
    let template = try await bgfetch("badge", "--format", "<{badge}>")

    #expect(waybar.json.first?["text"] as? String == "2")
    #expect(waybar.json.first?["tooltip"] as? String == "Planet: 2")
    #expect(tmux.output == "2\n")
    #expect(template.output == "<2>\n")
  }

  @Test func `status shows each feed and its problems`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try await program(server)
    let quiet = try await bgfetch("status", "--problems")
    server.on("/planet", .status(500))
    _ = try await bgfetch("run", "--force")

    let json = try await bgfetch("status", "--json")
    let problems = try await bgfetch("status", "--problems")

    #expect(quiet.status == 0)
    #expect(quiet.output == "")
    #expect(json.json.first?["failures"] as? Int == 1)
    #expect(json.json.first?["unseen"] as? Int == 2)
    #expect(problems.status == 3)
    #expect(problems.output.contains("the server answered 500"))
  }

  @Test func `why says which rule decides`() async throws {
    let bgfetch = try await program(try ScriptedServer())

    let text = try await bgfetch("why", "planet")
    let json = try await bgfetch("why", "planet", "--json")

    #expect(text.output.contains("minimum interval"))
    #expect(json.json.first?["due"] as? Bool == false)
  }

  @Test func `check counts feeds, hooks and problems`() async throws {
    let bgfetch = try await program(try ScriptedServer())

    let check = try await bgfetch("check")

    #expect(check.status == 0)
    #expect(check.output.contains("1 feed, 0 hooks, no problems"))
  }

  @Test func `a configuration that others may write is refused with advice`() async throws {
    let bgfetch = try await program(try ScriptedServer())
    chmod(bgfetch.configurationPath, 0o666)

    let check = try await bgfetch("check")

    #expect(check.status == 78)
    #expect(check.errors.contains("chmod go-w \(bgfetch.configurationPath)"))
  }

  @Test func `parse prints a document and refuses a page`() async throws {
    let bgfetch = try BuiltProgram()
    let feed = try bgfetch.home.write(rss([("a", "A")]), to: "feed.xml")
    let page = try bgfetch.home.write("<!doctype html><title>x</title>", to: "page.html")

    let parsed = try await bgfetch("parse", feed, "--json")
    let refused = try await bgfetch("parse", page)
    let piped = try await bgfetch("parse", "-", "--json", input: rss([("a", "A")]))

    #expect(parsed.json.first?["format"] as? String == "rss2.0")
    #expect(refused.status == 4)
    #expect(refused.errors.contains("HTML"))
    #expect(piped.output == parsed.output)
  }

  @Test func `state and badge are private to the user`() async throws {
    let bgfetch = try await program(try ScriptedServer())
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    #expect(try mode(bgfetch.state) == 0o700)
    #expect(try mode(bgfetch.state + "/bgfetch.db") == 0o600)
  }

  @Test(arguments: [
    ["frobnicate"], ["run", "--frobnicate"], ["why"], ["run", "--budget", "60"], ["badge", "set"],
    ["run", "--budget", "9223372036854775807s"], ["transfers", "run", "--budget", "3651d"],
  ])
  func `a wrong command line ends with status 2`(arguments: [String]) async throws {
    let bgfetch = try BuiltProgram()

    let invoked = try await bgfetch(arguments)

    #expect(invoked.status == 2)
    #expect(!invoked.errors.isEmpty)
  }

  @Test(arguments: ["noon", "2026-11-21", "2026-13-21T08:30:00Z", "1795252200"])
  func `a BGFETCH_NOW that is not a time is refused with an example`(now: String) async throws {
    let bgfetch = try BuiltProgram()

    for arguments in [["run"], ["status"], ["transfers"], ["push"]] {
      let invoked = try await bgfetch(arguments, at: now)

      #expect(invoked.status == 2, "\(arguments)")
      #expect(
        invoked.errors
          == "bgfetch: BGFETCH_NOW is \"\(now)\", which is not a time; write it like 2026-11-21T08:30:00Z\n")
    }
  }

  @Test func `help and version are printed on standard output`() async throws {
    let bgfetch = try BuiltProgram()

    let help = try await bgfetch("--help")
    let version = try await bgfetch("--version")

    #expect(help.status == 0)
    #expect(help.output.contains("USAGE: bgfetch"))
    #expect(version.output == "0.1.0\n")
  }

  @Test func `a state directory belongs to one configuration`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try await program(server)
    let other = try bgfetch.home.write(
      "state: \(bgfetch.state)\nfeeds: {other: \"\(server.url("/planet"))\"}\n", to: "other.yaml")

    let run = try await bgfetch("run", "--config", other)

    #expect(run.status == 74)
    #expect(run.errors.contains(bgfetch.configurationPath))
  }

  @Test func `output that cannot be written is a failure; a closed pipe is not`() async throws {
    let bgfetch = try await program(try ScriptedServer())

    let full = try await bgfetch.shell("\"$BGFETCH\" items > /dev/full")
    let gone = try await bgfetch.shell("\"$BGFETCH\" items --json | true; \"$BGFETCH\" badge")

    #expect(full.status == 74)
    #expect(full.errors.contains("standard output"))
    #expect(gone.status == 0)
    #expect(gone.errors == "")
  }

  @Test func `a run works with closed standard streams`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try await program(server)

    let closed = try await bgfetch.shell("\"$BGFETCH\" run --force <&- >&- 2>&-")
    let after = try await bgfetch("badge")

    #expect(closed.status == 0)
    #expect(after.output == "2\n")
    #expect(server.requests.count == 2)
  }

  @Test func `status of a feed ignores the deliveries of other feeds`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/other": ["b"]])
    let bgfetch = try BuiltProgram(
      configuration: """
        defaults: {first-run: all}
        feeds: {planet: "\(server.url("/planet"))", other: "\(server.url("/other"))"}
        hooks: {no: {events: [new-item], feeds: [other], run: ["false"], retries: 0}}
        """)
    _ = try await bgfetch("run")

    #expect(try await bgfetch("status", "--problems", "planet").status == 0)
    #expect(try await bgfetch("status", "--problems", "other").status == 3)
  }

  @Test func `hooks commands refuse unknown hook names`() async throws {
    let bgfetch = try await program(try ScriptedServer())

    for command in ["retry", "drop", "test"] {
      #expect(try await bgfetch("hooks", command, "nosuch").status == 2)
    }
  }

  @Test func `a pipe gets colours only with --color always`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try await program(server)
    server.on("/planet", .status(500))
    _ = try await bgfetch("run", "--force")

    #expect(try await bgfetch("status").output.contains("\u{1B}") == false)
    #expect(try await bgfetch("status", "--color", "always").output.contains("\u{1B}[33m"))
    #expect(try await bgfetch("status", "--color", "never").output.contains("\u{1B}") == false)
  }

  @Test func `common options may come before the action`() async throws {
    let bgfetch = try await program(try ScriptedServer())

    #expect(try await bgfetch("badge", "--json", "get").json.first?["badge"] as? Int == 2)
    #expect(try await bgfetch("hooks", "--json", "list").status == 0)
    #expect(try await bgfetch("badge", "--help").output.contains("--format"))
  }

  @Test func `check prints a mistake as JSON with its line`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: "feeds: {planet: {url: \"https://planet.example/\", titel: x}}\n")

    let check = try await bgfetch("check", "--json")

    #expect(check.status == 78)
    #expect(check.json.first?["line"] as? Int == 2)
    #expect(check.json.first?["type"] as? String == "problem")
  }
}

// The small commands: items, seen, badge, status, why, check, parse, and what all commands have in common.

import Foundation
import TestKit
import Testing

@Suite final class SmallCommandTests: ServerSuite {
  private func program(ids: [String] = ["b", "a"]) async throws -> BuiltProgram {
    server.feed("/planet", ids)
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")
    try await bgfetch("run", status: 0)
    return bgfetch
  }

  @Test func `items are listed newest first, as text, as JSON and by a template`() async throws {
    let bgfetch = try await program()

    let text = try await bgfetch("items", output: "Title of a")
    let json = try await bgfetch("items", "--json").json
    let formatted = try await bgfetch("items", "--format", "{feed}: {item.title}", "--limit", "1")
    let number = try #require(json.first { $0["id"] as? String == "a" }?["number"] as? Int)
    try await bgfetch("seen", "\(number)")

    #expect(text.lines.count == 2)
    #expect(Set(json.compactMap { $0["id"] as? String }) == ["a", "b"])
    #expect(json.first?["type"] as? String == "item")
    #expect(formatted.lines.count == 1)
    #expect(formatted.output.hasPrefix("planet: Title of "))
    try await bgfetch("items", "--unseen", "--format", "{item.id}", prints: "b\n")
  }

  @Test func `seen lowers the badge, for a number, a range, by age and for all`() async throws {
    let bgfetch = try await program(ids: ["e", "d", "c", "b", "a"])

    try await bgfetch("seen", "2", prints: "1 item seen, badge 4\n")
    try await bgfetch("seen", "2", prints: "1 item was seen already, badge 4\n")
    try await bgfetch("seen", "1-3", prints: "2 items seen, badge 2\n")
    try await bgfetch(
      "seen", "planet", "--older-than", "1d", prints: "nothing changed: there are no such items, badge 2\n")
    try await bgfetch(
      "seen", "4", "--search", "nothing", prints: "nothing changed: there are no such items, badge 2\n")
    try await bgfetch("seen", "--all", "--limit", "1", prints: "1 item seen, badge 1\n")
    try await bgfetch("seen", "--all", prints: "1 item seen, badge 0\n")
  }

  @Test func `undo takes back the last seen or read`() async throws {
    let bgfetch = try await program(ids: ["c", "b", "a"])

    for command in [["seen", "1-2"], ["read", "planet", "--limit", "2"]] {
      try await bgfetch(command, status: 0)
      try await bgfetch("undo", prints: "undone: 2 items of planet are unseen again, badge 3\n")
    }
    for item in ["1", "2"] { try await bgfetch("seen", item, status: 0) }
    try await bgfetch("undo", prints: "undone: 1 item of planet is unseen again, badge 2\n")
    try await bgfetch("undo", status: 0, prints: "", errors: "only the last seen, read or open can be undone")
  }

  @Test func `status shows each feed and its problems, in colour on a terminal only`() async throws {
    let bgfetch = try await program()
    try await bgfetch("status", "--problems", status: 0, prints: "")
    server.on("/planet", .status(500))
    try await bgfetch("run", "--force")

    let json = try await bgfetch("status", "--json").json.first

    #expect(json?["failures"] as? Int == 1)
    #expect(json?["unseen"] as? Int == 2)
    try await bgfetch("status", "--problems", status: 3, output: "the server answered 500")
    #expect(try await !bgfetch("status").output.contains("\u{1B}"))
    for (setting, hasColor) in [("NO_COLOR= TERM=xterm", true), ("NO_COLOR=1 TERM=xterm", false)] {
      let shown = try await bgfetch.shell("\(setting) PAGER= script -qec '\"$BGFETCH\" status' /dev/null")
      #expect(shown.output.contains("\u{1B}[33m") == hasColor, "\(setting)")
    }
  }

  @Test func `each command answers or refuses its arguments`() async throws {
    let bgfetch = try await program()
    for (arguments, status, output) in [
      (["why", "planet"], 0, "minimum interval"), (["why", "planet", "--json"], 0, #""due":false"#),
      (["check"], 0, "1 feed, 0 hooks, no problems"), (["seen", "99-101"], 2, ""),
      (["seen"], 2, ""), (["badge", "set", "3"], 2, ""), (["hooks", "retry", "nosuch"], 2, ""),
      (["hooks", "drop", "nosuch"], 2, ""), (["hooks", "test", "nosuch"], 2, ""),
      (["badge"], 0, "2\n"), (["hooks", "--json", "list"], 0, ""),
      (["badge", "--help"], 0, "--format"), (["--help"], 0, "USAGE: bgfetch"),
      (["--version"], 0, "0.1.0\n"),
    ] as [([String], Int32, String)] {
      try await bgfetch(arguments, status: status, output: output.isEmpty ? nil : output)
    }
  }

  @Test func `parse prints a document and refuses a page`() async throws {
    let bgfetch = try BuiltProgram()
    let feed = try bgfetch.home.write(rss([("a", "A")]), to: "feed.xml")
    let page = try bgfetch.home.write("<!doctype html><title>x</title>", to: "page.html")

    let parsed = try await bgfetch("parse", feed, "--json")

    #expect(parsed.json.first?["format"] as? String == "rss")
    try await bgfetch("parse", page, status: 4, errors: "HTML")
    try await bgfetch("parse", "-", "--json", input: rss([("a", "A")]), prints: parsed.output)
  }

  @Test func `parse prints the article of a page`() async throws {
    let words =
      "The ferry was late again this morning, and nobody had told the people who waited in the rain."
    let bgfetch = try BuiltProgram()
    let page = try bgfetch.home.write(
      "<title>Harbour</title><body><nav>Menu</nav><p>\(words)</p><img src=1.png>", to: "page.html")
    let empty = try bgfetch.home.write("<title>x</title>", to: "empty.html")

    let article = try await bgfetch(
      "parse", "--article", page, "--base", "https://a.example/b/", "--json"
    ).json.first
    #expect(article?["title"] as? String == "Harbour")
    #expect(article?["html"] as? String == "<p>\(words)</p><img src=\"https://a.example/b/1.png\">")
    try await bgfetch("parse", "--article", page, prints: "Harbour\n\n\(words)\n")
    try await bgfetch("parse", "--article", empty, status: 4, errors: "no article found")
  }

  @Test func `a wrong command line ends with status 2`() async throws {
    let bgfetch = try BuiltProgram(server, ["planet", "moon"])
    for line in [
      "frobnicate", "run --frobnicate", "why", "run --budget 60", "badge set 3",
      "run --budget 9223372036854775807s", "transfers run --budget 3651d", "transfers cancel",
      "transfers add planet", "transfers list --all --status failed", "transfers retry 1 --all",
      "why nobody", "history --limit 0", "simulate planet",
      "simulate planet --result good", "simulate * --result failed",
      "simulate planet --result failed --times 0",
    ] {
      let ended = try await bgfetch(line.split(separator: " ").map(String.init), status: 2)
      #expect(!ended.errors.isEmpty, "\(line)")
    }
  }

  @Test(arguments: ["noon", "2026-11-21", "2026-13-21T08:30:00Z", "1795252200"])
  func `a BGFETCH_NOW that is not a time is refused with an example`(now: String) async throws {
    let bgfetch = try BuiltProgram()

    for command in ["run", "status", "transfers", "push"] {
      let error = "BGFETCH_NOW is \"\(now)\", which is not a time; write it like 2026-11-21T08:30:00Z"
      #expect(try await bgfetch(command, at: now, status: 2).errors == "bgfetch: \(error)\n")
    }
  }

  @Test func `output that cannot be written is a failure; a closed pipe or stream is none`() async throws {
    let bgfetch = try await program()

    try await bgfetch.shell("\"$BGFETCH\" items > /dev/full", status: 74, errors: "standard output")
    let gone = try await bgfetch.shell("\"$BGFETCH\" items --json | true; \"$BGFETCH\" badge", status: 0)
    try await bgfetch.shell("\"$BGFETCH\" run --force <&- >&- 2>&-", status: 0)

    #expect(gone.errors == "")
    try await bgfetch("badge", prints: "2\n")
    #expect(server.requests.count == 2)
  }

  @Test func `status of a feed ignores the deliveries of other feeds`() async throws {
    for name in ["planet", "other"] { server.feed("/" + name, [name]) }
    let hooks = "hooks: {no: {events: [new-item], feeds: [other], run: [\"false\"], retries: 0}}"
    let bgfetch = try BuiltProgram(server, ["planet", "other"], keys: "first-run: all", more: hooks)
    try await bgfetch("run")

    try await bgfetch("status", "--problems", "planet", status: 0)
    try await bgfetch("status", "--problems", "other", status: 3)
  }

  @Test func `check prints a mistake as JSON with its line`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: {url: https://planet.example/, titel: x}}")

    let check = try await bgfetch("check", "--json", status: 78).json.first

    #expect(check?["line"] as? Int == 2)
    #expect(check?["type"] as? String == "problem")
  }
}

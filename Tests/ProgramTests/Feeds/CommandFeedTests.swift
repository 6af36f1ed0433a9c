// Feeds whose document a command prints or filters.

import Core
import Foundation
import TestKit
import Testing

@Suite final class CommandFeedTests: ServerSuite {
  /// A program with a feed that a script makes, which reads its document from `document`.
  private func program(_ script: String, keys: String = "") throws -> BuiltProgram {
    try BuiltProgram(
      scripts: ["make-feed": script],
      configuration: """
        feeds:
          made: {command: ["HOME/make-feed", one, "two words"]\(keys)}
        """)
  }

  /// Writes the document, with items of these titles.
  private func write(_ titles: [String], _ bgfetch: BuiltProgram) throws {
    try bgfetch.home.write(rss(titles.map { ($0, $0) }, title: "Made here"), to: "document")
  }

  private func fetch(_ bgfetch: BuiltProgram, _ arguments: String...) async throws -> (
    result: String?, reason: String?
  ) {
    let line = try await bgfetch(["run", "made", "--json"] + arguments).json.first
    return (line?["result"] as? String, line?["reason"] as? String)
  }

  @Test func `the output of a command is the document`() async throws {
    let bgfetch = try program("echo \"$#|$2|$BGFETCH_FEED\" > \"$HOME/called\"; cat \"$HOME/document\"")
    try write(["a"], bgfetch)

    #expect(try await fetch(bgfetch).result == "no-data", "the first fetch sets the baseline")
    #expect(bgfetch.text(of: "called") == "2|two words|made\n")
    #expect(try await fetch(bgfetch).reason?.contains("not modified") == true)
    try write(["b", "a"], bgfetch)
    #expect(try await fetch(bgfetch).result == "new-data")

    let status = try await bgfetch("status", "made")
    #expect(status.output.contains("Made here"))
    #expect(status.output.contains("make-feed one two words"))
    let due = try await bgfetch("why", "made").output
    #expect(due.contains("minimum interval"))
    #expect(!due.contains("24h"))
    try await bgfetch("export", errors: "made: its items come from a command; left out")
  }

  @Test func `no output of a command or of a filter means nothing new`() async throws {
    let bgfetch = try program("cat \"$HOME/document\" 2>/dev/null; exit 0")

    #expect(try await fetch(bgfetch).result == "no-data")
    try write(["a"], bgfetch)
    #expect(try await fetch(bgfetch).result == "new-data", "the first output, of no items, was the baseline")
    unlink(bgfetch.home.file("document"))
    #expect(try await fetch(bgfetch).result == "no-data")

    server.feed("/feed", ["a"])
    let filter = try program("cat > /dev/null", keys: ", url: \"\(server.url("/feed"))\"")
    #expect(try await fetch(filter).result == "no-data")
  }

  @Test(arguments: [
    ("echo working >&2; echo 'no such account' >&2; exit 3", "ended with status 3: no such account"),
    ("printf 'no such account\\n\\n \\n' >&2; exit 3", "ended with status 3: no such account"),
    ("kill -9 $$", "was ended by signal 9"), ("echo '<html></html>'", "HTML"),
    ("sleep 60", "took longer than 1s"), ("yes", "larger than \(NetworkSettings().maxFeedSize.text)"),
  ])
  func `a command that fails is a failed fetch`(script: String, reason: String) async throws {
    let limit = reason.contains("1s") ? "1s" : "1h"
    let bgfetch = try program(script, keys: ", network: {timeout: \(limit)}")

    let failed = try await fetch(bgfetch)

    #expect(failed.result == "failed")
    #expect(failed.reason?.contains(reason) == true)
  }

  @Test func `a signal ends the command, and nothing counts`() async throws {
    let bgfetch = try program("echo x > \"$HOME/started\"; exec sleep 600")

    let run = try bgfetch.started(["run"])
    #expect(await eventually { bgfetch.text(of: "started") == "x\n" })
    run.signal(SIGTERM)

    #expect(await run.ended().status == 143)
    #expect(try await bgfetch("status", "made", "--json").json.first?["failures"] as? Int == 0)
  }

  @Test func `secrets of the configuration are not in the command's environment`() async throws {
    let bgfetch = try BuiltProgram(
      scripts: ["show": "env > \"$HOME/env\"; exit 0"],
      configuration: """
        feeds:
          made: {command: ["HOME/show"]}
          other: {url: "http://127.0.0.1:1/", auth: {bearer: {env: TOKEN}}}
        """)

    try await bgfetch("run", "made", environment: ["TOKEN": "hunter2", "PLAIN": "x"])

    #expect(bgfetch.text(of: "env").contains("PLAIN=x"))
    #expect(!bgfetch.text(of: "env").contains("hunter2"))
  }

  @Test func `with an address a command filters the response`() async throws {
    server.feed("/feed", ["keep", "drop"])
    let bgfetch = try BuiltProgram(
      scripts: ["filter": "echo x >> \"$HOME/calls\"; sed 's/Title of keep/The filtered title/'"],
      configuration: """
        feeds:
          made: {url: "\(server.url("/feed"))", command: ["HOME/filter"], first-run: all}
          plain: {url: "\(server.url("/feed"))"}
        """)

    try await bgfetch("run")
    for feed in ["made", "plain"] {
      let titles = try await bgfetch("items", feed, "--json").json.compactMap { $0["title"] as? String }
      #expect(titles.contains("The filtered title") == (feed == "made"))
    }
    #expect(server.requests.count == 1, "feeds with one address share the response")

    // A response that has not changed is not filtered again.
    server.on("/feed", .status(304))
    #expect(try await fetch(bgfetch, "--force").result == "no-data")
    #expect(bgfetch.text(of: "calls") == "x\n")
  }

  @Test func `the document of a command is not trusted with files of this machine`() async throws {
    let bgfetch = try program("cat \"$HOME/document\"", keys: ", first-run: all, download: {}")
    let file = try bgfetch.home.write("secret", to: "private.mp3")
    try bgfetch.home.write(
      """
      <rss><channel><item><guid>1</guid><title>t</title>
      <enclosure url="file://\(file)" type="audio/mpeg" length="6"/>
      <enclosure url="http://127.0.0.1:1/x.mp3" type="audio/mpeg" length="6"/></item></channel></rss>
      """, to: "document")

    try await bgfetch("run")

    let transfers = try await bgfetch("transfers", "list", "--all", "--json").json
    #expect(transfers.count == 1)
    #expect((transfers.first?["reason"] as? String)?.contains("private") == true)
  }

  @Test func `check names a program that is missing`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {made: {command: [no-such-program]}}\n")

    try await bgfetch("check", errors: "feed made: there is no program no-such-program")

    #expect(try await fetch(bgfetch).reason?.contains("there is no program no-such-program") == true)
  }
}

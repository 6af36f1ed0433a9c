// `bgfetch push`: payloads that are stored, delivered or refused.

import Foundation
import TestKit
import Testing

@Suite struct PushCommandTests {
  private let silent = #"{"aps": {"content-available": 1}, "feed": "planet"}"#

  /// Three feeds, two of which have push.url, and a hook that logs every accepted push.
  private func program(feeds: String? = nil) throws -> BuiltProgram {
    let several = """
      feeds:
        planet: {url: "http://127.0.0.1:1/feed"}
        daily: {url: "http://127.0.0.1:1/daily", push: {url: "http://127.0.0.1:1/{content-id}.mp3", description: "Episode {content-id}"}}
        notes: {url: "http://127.0.0.1:1/notes", push: {url: "http://127.0.0.1:1/{path}"}}
      """
    return try BuiltProgram(
      scripts: [
        "taken": "echo \"$BGFETCH_FEED $BGFETCH_PAYLOAD\" >> \"$HOME/taken.log\"",
        "told": "echo \"$BGFETCH_TITLE: $BGFETCH_BODY\" >> \"$HOME/told.log\"",
      ],
      configuration: """
        \(feeds ?? several)
        hooks:
          taken: {events: [push-received], run: [HOME/taken]}
          told: {events: [notification], run: [HOME/told]}
        """)
  }

  @Test(
    arguments: [
      (#"{"aps": {"content-available": 1}, "feed": "daily", "content-id": 42}"#, "daily"),
      ("  {\"aps\" : { } ,\n \"feed\" : \"planet\" }\n", "planet"),
    ])
  func `a payload is stored and delivered`(payload: String, feed: String) async throws {
    let bgfetch = try program()

    let push = try await bgfetch("push", input: payload, status: 0)

    #expect(push.output + push.errors == "")
    #expect(bgfetch.text(of: "taken.log").hasPrefix(feed + " {"))
  }

  @Test func `a broken payload is refused with an example, and nothing is stored`() async throws {
    let bgfetch = try program()
    let fetch = #""aps": {"content-available": 1}, "feed""#
    for (payload, cure) in [
      ("{", "not a JSON object"), ("[1]", "not a JSON object"),
      (#"{"aps": {}, "feed": "plant"}"#, "did you mean \"planet\"?"),
      (#"{"aps": {}}"#, "with one of daily, notes"),
      (#"{\#(fetch): "daily"}"#, #""content-id", which push of daily needs, is missing"#),
      (#"{\#(fetch): "daily", "content-id": null}"#, #""content-id": "42", for example"#),
      (#"{\#(fetch): "notes", "path": [1]}"#, "a whole number, or is longer than 256 bytes"),
      (#"{"feed": "planet", "feed": "planet"}"#, "\"feed\" appears twice"),
      (#"{\#(fetch): "notes", "path": ".."}"#, #""path" cannot be used in push.url of notes"#),
    ] {
      let push = try await bgfetch("push", "-", input: payload, status: 2, errors: cure)
      #expect(push.errors.hasPrefix("bgfetch: "), "\(payload)")
      #expect(push.errors.split(separator: "\n").count == 1, "\(payload)")
    }

    #expect(try await bgfetch("push", "--json", input: silent).json.first?["replaced"] as? Bool == false)
    #expect(bgfetch.text(of: "taken.log").split(separator: "\n").count == 1)
  }

  @Test func `a payload has 4096 bytes at most`() async throws {
    let bgfetch = try program()
    func payload(_ bytes: Int) -> String {
      let start = #"{"aps":{"content-available":1},"feed":"planet","x":""#
      return start + String(repeating: "a", count: bytes - start.utf8.count - 2) + "\"}"
    }
    let large = try bgfetch.home.write(payload(3_000_000), to: "large.json")

    let words = "larger than 4096 bytes"
    try await bgfetch("push", input: payload(4096), status: 0)
    try await bgfetch("push", input: payload(4097), status: 2, errors: words)
    try await bgfetch("push", large, status: 2, errors: words)
    try await bgfetch.shell("\"$BGFETCH\" push - < /dev/zero", status: 2, errors: words)
  }

  @Test func `a payload may come from a file, a pipe or a socket`() async throws {
    let bgfetch = try program()
    let file = try bgfetch.home.write(silent, to: "push.json")

    try await bgfetch("push", file, status: 0)
    try await bgfetch.shell("echo '\(silent)' | \"$BGFETCH\" push", status: 0)
    try await bgfetch("push", bgfetch.home.file("none.json"), status: 74)
    #expect(bgfetch.text(of: "taken.log").split(separator: "\n").count == 2)
  }

  @Test func `without anything to fetch the alert is delivered at once, and the badge stays`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(
      feeds: "feeds: {planet: {url: \"\(server.url("/planet"))\"}}")
    try await bgfetch("run")
    server.feed("/planet", ["b", "a"])
    try await bgfetch("run", "--force", "--no-hooks")
    let payload = #"{"aps": {"alert": {"title": "Bell", "body": "It rings"}, "badge": 7}, "feed": "planet"}"#

    let push = try await bgfetch("push", "--json", input: payload, status: 0)

    #expect(push.json.first?["waits"] as? Bool == false)
    #expect(bgfetch.text(of: "told.log").hasSuffix("Bell: It rings\n"))
    #expect(bgfetch.badge == "1\n")
    #expect(server.requests.count == 2)
  }

  @Test func `a push waits for other pushes only for a limited time`() async throws {
    let bgfetch = try program()
    try await bgfetch("push", "--feed", "planet")
    // The lock only orders pushes: SQLite separates writers.
    let lock = open(bgfetch.state + "/push.lock", O_RDWR | O_CLOEXEC)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)

    let push = try await bgfetch("push", "--json", "--feed", "planet", status: 0)

    #expect(push.json.first?["replaced"] as? Bool == true)
  }

  @Test func `a paused feed ignores pushes, and push says so`() async throws {
    let bgfetch = try program()
    try await bgfetch("pause", "planet")

    let push = try await bgfetch("push", "--feed", "planet", status: 0)
    let json = try await bgfetch("push", "--feed", "planet", "--json")

    #expect(push.errors == "planet: paused; the push is ignored\n")
    #expect(json.json.first?["taken"] as? Bool == false)
    #expect(bgfetch.text(of: "taken.log") == "")
  }

  @Test func `--feed pushes a feed by name, with values for its template`() async throws {
    let bgfetch = try program()

    try await bgfetch("push", "--feed", "daily", "--set", "content-id=42", "--set", "x=a=b", status: 0)

    #expect(
      bgfetch.text(of: "taken.log")
        == #"daily {"aps":{"content-available":1},"feed":"daily","content-id":"42","x":"a=b"}"# + "\n")
  }

  @Test func `a wrong command line pushes nothing`() async throws {
    let bgfetch = try program()
    for arguments in [
      ["--feed", "plant"], ["--feed", "*"], ["--feed", "daily"], ["--set", "a=b"],
      ["--feed", "planet", "--set", "a"],
      ["--feed", "daily", "--set", "content-id=1", "--set", "content-id=2"],
      ["--feed", "planet", "--set", "=a"], ["--feed", "planet", "--set", "aps=1"],
      ["--feed", "planet", "file"], ["--feed", "planet", "--set", "a=" + String(repeating: "a", count: 257)],
    ] {
      let push = try await bgfetch(["push"] + arguments, status: 2)
      #expect(
        !arguments.contains("aps=1")
          || push.errors
            == "bgfetch: --set aps=…: --feed sets \"aps\" itself; leave it out, or send a payload of your own to standard input\n"
      )
    }
    #expect(bgfetch.text(of: "taken.log") == "")
  }
}

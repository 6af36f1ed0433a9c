// One link in several feeds: which message names it.

import Foundation
import TestKit
import Testing

@Suite struct RepeatedLinkTests {
  /// A program with two feeds, and a hook that appends each message to `said` and fails while there is a file `broken`.
  private func program(_ server: ScriptedServer, besides feed: String) throws -> BuiltProgram {
    try BuiltProgram(
      scripts: [
        "say": """
        test -e "$HOME/broken" && exit 1
        printf '%s|%s\\n' "$BGFETCH_FEED" "$BGFETCH_BODY" >> "$HOME/said"
        """
      ],
      configuration: """
        defaults: {first-run: all}
        feeds:
          planet: "\(server.url("/planet"))"
          \(feed)
        hooks: {say: {events: [notification], run: ["HOME/say"], retries: 0}}
        """)
  }

  @Test func `one link in two feeds is one message, as soon as one was delivered`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/copy": ["a"]])
    let bgfetch = try program(server, besides: "copy: {url: \"\(server.url("/copy"))\"}")
    func said() -> [String] { bgfetch.said.split(separator: "\n").map(String.init) }

    try await bgfetch("run")
    #expect(said().count == 1, "\(said())")

    // A message that was not delivered has named nothing.
    let broken = try bgfetch.home.write("", to: "broken")
    server.feed("/planet", ["b", "a"])
    try await bgfetch("run", "planet", "--force")
    try FileManager.default.removeItem(atPath: broken)
    server.feed("/copy", ["b", "a"])
    try await bgfetch("run", "copy", "--force")
    #expect(said().dropFirst() == ["copy|Title of b"], "\(said())")

    // Both in one summary: the link is listed once.
    server.feed("/planet", ["c", "b", "a"])
    server.feed("/copy", ["c", "b", "a"])
    try await bgfetch("run", "--force")
    #expect(said().count == 3, "\(said())")
    #expect(said().last?.hasSuffix("|Title of c") == true, "\(said())")
    #expect(try await bgfetch("items", "--unseen").output.split(separator: "\n").count == 3)
    try await bgfetch("badge", prints: "3\n")
    try await bgfetch("seen", "copy")
    try await bgfetch("badge", prints: "0\n")
  }

  @Test func `every number of unseen items is the same one`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a", "b"], "/copy": ["a", "c"]])
    let bgfetch = try program(server, besides: "copy: {url: \"\(server.url("/copy"))\"}")
    let outputs = "outputs: {\(bgfetch.home.file("page.json")): {unseen: true}}\n"
    try bgfetch.edit("defaults:", to: outputs + "defaults:")

    let run = try await bgfetch("run", "--json", status: 0)

    #expect(run.json.last?["badge"] as? Int == 3)
    try await bgfetch("badge", prints: "3\n")
    #expect(bgfetch.badge == "3\n")
    let counts = try await bgfetch("status", "--json").json.compactMap { $0["unseen"] as? Int }
    #expect(counts.reduce(0, +) == 3)
    #expect(try await bgfetch("metrics").output.contains("bgfetch_items_unseen 3\n"))
    #expect(try await bgfetch("items", "--unseen", "--json").json.count == 3)
    #expect(bgfetch.text(of: "page.json").components(separatedBy: "urn:bgfetch:").count == 4)
  }

  @Test func `a critical message repeats what other feeds have named`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/alerts": ["a"]])
    let bgfetch = try program(
      server, besides: "alerts: {url: \"\(server.url("/alerts"))\", notify: {urgency: critical}}")

    try await bgfetch("run", "planet")
    try await bgfetch("run", "alerts")

    #expect(bgfetch.said.split(separator: "\n").count == 2)
  }
}

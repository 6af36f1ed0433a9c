// `bgfetch hooks test`.

import Foundation
import TestKit
import Testing

@Suite struct HooksCommandTests {
  /// A program with one hook, which appends its input to `said`.
  private func program(events: String) throws -> BuiltProgram {
    try BuiltProgram(
      scripts: ["say": "cat >> \"$HOME/said\""],
      configuration: """
        feeds: {planet: "https://planet.example/atom"}
        hooks:
          say: {events: [\(events)], run: ["HOME/say"]}
        """)
  }

  @Test func `hooks test gives the payload of a push`() async throws {
    let bgfetch = try program(events: "push-received")

    try await bgfetch("hooks", "test", "say", status: 0)

    #expect(
      bgfetch.json(of: "said").map { $0["payload"] as? String } == [#"{"alert":"This is only a test."}"#])
  }

  @Test(
    .enabled(
      if: !FileManager.default.fileExists(atPath: "/run/user/\(getuid())/bus"), "the user is logged in"))
  func `hooks test reports that a run would wait for a session bus`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: "feeds: {planet: \"https://planet.example/atom\"}\nhooks: {say: {popup: true}}\n")

    try await bgfetch("hooks", "test", "say", status: 1, errors: "say: there is no session bus here")
  }
}

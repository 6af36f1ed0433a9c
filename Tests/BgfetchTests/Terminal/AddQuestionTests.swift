// The question of `bgfetch add`, on a real terminal.

import Foundation
import TestKit
import Testing

@Suite struct AddQuestionTests {
  private func server() throws -> ScriptedServer {
    let server = try ScriptedServer(["/": page([("/news", "News"), ("/radio", "Radio")])])
    server.feed("/news", ["a"], title: "News")
    server.feed("/radio", ["b"], title: "Radio")
    return server
  }

  /// Starts `add` on a terminal, and waits for its question.
  private func asked(_ bgfetch: BuiltProgram, _ server: ScriptedServer, _ window: Window) async throws
    -> ChildProgram
  {
    let program = try ChildProgram(
      BuiltProgram.path, ["add", server.origin],
      environment: [
        "HOME": bgfetch.home.path, "BGFETCH_CONFIG": bgfetch.configurationPath, "TZ": "UTC", "TERM": "xterm",
        "PATH": "/usr/bin:/bin",
      ],
      directory: bgfetch.home.path, input: .descriptor(window.programsEnd),
      errors: .descriptor(window.programsEnd))
    #expect(await eventually { window.text().contains("Which one? 1 to 2, or q for none [1]: ") })
    return program
  }

  @Test(arguments: [("2", "radio"), ("", "news"), ("9\n2", "radio")])
  func `the answer is the feed that is added`(answer: String, name: String) async throws {
    let (server, bgfetch) = (try server(), try BuiltProgram(configuration: "feeds: {}\n"))
    let window = try #require(Window())
    let program = try await asked(bgfetch, server, window)

    window.type(answer)

    #expect(await program.ended() == 0)
    #expect(window.text().contains("  2  Radio: 1 item\r\n"))
    #expect(bgfetch.text(of: "bgfetch.yaml").hasSuffix("feeds:\n  \(name): \(server.url("/" + name))\n"))
  }

  @Test func `q adds no feed`() async throws {
    let (server, bgfetch) = (try server(), try BuiltProgram(configuration: "feeds: {}\n"))
    let window = try #require(Window())
    let program = try await asked(bgfetch, server, window)

    window.type("q")

    #expect(await program.ended() == 2)
    #expect(bgfetch.text(of: "bgfetch.yaml").hasSuffix("feeds: {}\n"))
  }
}

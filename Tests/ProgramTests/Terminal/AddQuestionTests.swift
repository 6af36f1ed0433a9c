// The question of `bgfetch add`, on a real terminal.

import Foundation
import TestKit
import Testing

@Suite struct AddQuestionTests {
  /// A program that asks which of two feeds to add, and its terminal.
  private func asking() async throws -> (bgfetch: BuiltProgram, add: ChildProgram, window: Window) {
    let server = try ScriptedServer(["/": page([("/news", "News"), ("/radio", "Radio")])])
    server.feed("/news", ["a"], title: "News")
    server.feed("/radio", ["b"], title: "Radio")
    let bgfetch = try BuiltProgram(configuration: "feeds: {}\n").keeping(server)
    let window = try #require(Window())
    let add = try bgfetch.start(["add", server.origin], on: window)
    #expect(await eventually { window.text().contains("Which one? 1 to 2, or q for none [1]: ") })
    return (bgfetch, add, window)
  }

  @Test(arguments: [("2", "radio"), ("", "news"), ("9\n2", "radio"), ("q", nil)] as [(String, String?)])
  func `the answer is the feed that is added, and q adds none`(answer: String, name: String?) async throws {
    let (bgfetch, add, window) = try await asking()

    window.type(answer)

    #expect(await add.ended() == (name == nil ? 2 : 0))
    #expect(window.text().contains("  2  Radio: 1 item\r\n"))
    let feeds = name.map { ":\n  \($0): http://127.0.0.1:" } ?? ": {}\n"
    #expect(bgfetch.text(of: "bgfetch.yaml").contains("\nfeeds" + feeds))
  }
}

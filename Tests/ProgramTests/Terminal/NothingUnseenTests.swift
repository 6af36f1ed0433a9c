// Reading when everything is seen, as after the first run: on a terminal the newest items, elsewhere nothing.

import Foundation
import TestKit
import Testing

@Suite struct NothingUnseenTests {
  private let bgfetch: BuiltProgram
  private let server: ScriptedServer

  init() async throws {
    server = try ScriptedServer(planet: ["a", "b"])
    bgfetch = try BuiltProgram(server)
    try await bgfetch("run")
  }

  /// The output of a command on a terminal.
  private func shown(_ arguments: [String]) async throws -> String {
    let window = try #require(Window())
    let browser = try bgfetch.script("browser", "exit 0")
    let program = try bgfetch.start(arguments, on: window, browser: browser)
    #expect(await program.ended() == 0)
    return window.text()
  }

  @Test(arguments: [["read", "planet"], ["read"], ["open", "planet"]])
  func `on a terminal the newest item is shown instead of nothing`(arguments: [String]) async throws {
    let text = try await shown(arguments)

    #expect(text.contains("nothing is unseen, so this is the newest; bgfetch items lists more"))
    #expect(text.components(separatedBy: "Title of ").count == 2, "\(text)")
  }

  @Test func `on a terminal, a list of unseen items has the newest seen ones`() async throws {
    let text = try await shown(["items", "--unseen"])

    #expect(text.contains("nothing is unseen; the newest items:"))
    #expect(text.components(separatedBy: "Title of ").count == 3, "\(text)")
  }

  @Test(arguments: [["read", "planet"], ["open", "planet"], ["items", "--unseen"]])
  func `a script still gets nothing`(arguments: [String]) async throws {
    try await bgfetch(arguments, status: 0, prints: "")
  }

  @Test(arguments: [["read", "--unseen"], ["open", "planet", "--unseen"], ["open", "--unseen", "1-9"]])
  func `who asks for unseen items to read gets no seen one`(arguments: [String]) async throws {
    #expect(try await !shown(arguments).contains("nothing is unseen, so this is the newest"))
  }

  @Test func `a narrower choice is not widened`() async throws {
    let text = try await shown(["read", "planet", "--search", "nosuch"])

    #expect(text.contains("nothing to read: there are no such items"))
  }
}

// `bgfetch open` with a browser for terminals, on a real terminal.

import TestKit
import Testing

@Suite struct TerminalBrowserTests {
  @Test(arguments: [(0, 0, "0"), (3, 1, "1")])
  func `an item that the browser did not open stays unseen`(
    browser: Int, status: Int32, badge: String
  ) async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")
    let script = try bgfetch.script("browser", "printf '%s\\n' \"$1\" >> \"$HOME/opened\"; exit \(browser)")
    try await bgfetch("run")
    let window = try #require(Window())

    let program = try bgfetch.start(["open", "1"], on: window, browser: script)

    #expect(await program.ended() == status)
    #expect(bgfetch.text(of: "opened").contains("http"))
    #expect(try await bgfetch("badge").output == badge + "\n")
    if browser != 0 { #expect(window.text().contains(/exited\s+with\s+status\s+3;\s+set\s+BROWSER/)) }
  }
}

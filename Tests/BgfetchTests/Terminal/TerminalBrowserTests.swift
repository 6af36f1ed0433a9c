// `bgfetch open` with a browser for terminals, on a real terminal.

import TestKit
import Testing

@Suite struct TerminalBrowserTests {
  @Test(arguments: [(0, 0, "0"), (3, 1, "1")])
  func `an item that the browser did not open stays unseen`(
    browser: Int, status: Int32, badge: String
  ) async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram(
      configuration: "feeds: {planet: {url: \"\(server.url("/planet"))\", first-run: all}}\n")
    let script = try bgfetch.script("browser", "printf '%s\\n' \"$1\" >> \"$HOME/opened\"; exit \(browser)")
    _ = try await bgfetch("run")
    let window = try #require(Window())

    let program = try ChildProgram(
      BuiltProgram.path, ["open", "1"],
      environment: [
        "HOME": bgfetch.home.path, "BGFETCH_CONFIG": bgfetch.configurationPath, "TZ": "UTC",
        "TERM": "xterm", "PATH": "/usr/bin:/bin", "BROWSER": script,
      ],
      directory: bgfetch.home.path, input: .descriptor(window.programsEnd),
      output: .descriptor(window.programsEnd), errors: .descriptor(window.programsEnd))

    #expect(await program.ended() == status)
    #expect(bgfetch.text(of: "opened").contains("http"))
    #expect(try await bgfetch("badge").output == badge + "\n")
    if browser != 0 { #expect(window.text().contains("exited with status 3; set BROWSER")) }
  }
}

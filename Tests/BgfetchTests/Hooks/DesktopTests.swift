// The documented notify-send hook with a real notification daemon.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: Desktop.isInstalled)) struct DesktopTests {
  /// The hook of the manual and the examples.
  static let hook = """
    desktop:
      events: [notification]
      run:
        - notify-send
        - --app-name=bgfetch
        - --urgency={urgency}
        - ["--hint=string:sound-name:{sound}"]
        - --print-id
        - [--replace-id, "{replaces}"]
        - --
        - "{title}"
        - "{body.markup}"
      needs: session-bus
    """

  /// A program with feeds of these names.
  private func program(
    _ server: ScriptedServer, _ feeds: [String] = ["planet"], notify: String = "{}"
  ) throws -> BuiltProgram {
    var text = "defaults: {first-run: all, minimum-interval: 1m, notify: \(notify)}\nfeeds:\n"
    for feed in feeds { text += "  \(feed): \"\(server.url("/" + feed))\"\n" }
    text += "hooks:\n"
    for line in Self.hook.split(separator: "\n") { text += "  \(line)\n" }
    return try BuiltProgram(configuration: text)
  }

  private func run(_ bgfetch: BuiltProgram, at time: String = "10:00:00", on desktop: Desktop?) async throws {
    var environment = ["BGFETCH_NOW": "2026-11-21T\(time)Z"]
    environment.merge(desktop?.environment ?? [:]) { $1 }
    #expect(try await bgfetch("run", environment: environment, status: 0).errors == "")
  }

  @Test func `a notification is a popup with title, body, urgency and sound`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.feed("/planet", ["a", "b"])
    let bgfetch = try program(server, notify: "{urgency: critical, sound: message-new-instant}")

    try await run(bgfetch, on: desktop)

    #expect(try await desktop.closePopups().map(\.drawn) == ["critical|Planet: 2 new|Title of a\nTitle of b"])
    let messages = try await desktop.messages()
    #expect(messages.contains("string \"sound-name\""))
    #expect(messages.contains("string \"message-new-instant\""))
    #expect(messages.contains("string \"bgfetch\""))
  }

  @Test func `a feed's next notification replaces the popup of that feed only`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.feed("/planet", ["a"])
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try program(server, ["planet", "moon"])

    try await run(bgfetch, on: desktop)
    server.feed("/planet", ["b", "a"])
    try await run(bgfetch, at: "11:00:00", on: desktop)

    #expect(
      try await Set(desktop.closePopups().map(\.drawn)) == [
        "normal|Planet: 1 new|Title of b", "normal|Moon: 1 new|Title of m",
      ])
  }

  @Test(.enabled(if: !FileManager.default.fileExists(atPath: "/run/user/\(geteuid())/bus")))
  func `without a session bus notifications wait for the login`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)

    try await run(bgfetch, on: nil)
    server.feed("/planet", ["b", "a"])
    try await run(bgfetch, at: "11:00:00", on: nil)
    let desktop = try await Desktop()
    try await run(bgfetch, at: "12:00:00", on: desktop)

    #expect(try await desktop.closePopups().map(\.drawn) == ["normal|Planet: 2 new|Title of b\nTitle of a"])
  }

  @Test(arguments: [
    ("--help", "--help"), ("-u", "-u"), ("&lt;b&gt;bold&lt;/b&gt; &amp;amp; Q&amp;A", "bold & Q&A"),
    ("1 &amp;lt; 2 &amp;amp;&amp;amp; 3 &amp;gt; 2", "1 < 2 && 3 > 2"),
    ("one\ntwo &#x202E;three&#x2066; &#7;four", "one two three four"),
    ("C:\\new\\table %s %n {badge} $HOME `id`", "C:\\new\\table %s %n {badge} $HOME `id`"),
    ("🏳️‍🌈 é «»", "🏳️‍🌈 é «»"),
  ])
  func `markup in a feed is shown as text`(written: String, shown: String) async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.on("/planet", .document(rss([("a", written)])))
    let bgfetch = try program(server, notify: "{title: \"{titles}\", body: \"{titles}\"}")

    try await run(bgfetch, on: desktop)

    let drawn = shown.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    #expect(try await desktop.closePopups().map(\.drawn) == ["normal|\(drawn)|\(drawn)"])
  }

  /// A program whose popups open pages on a click; `xdg-open` appends the address to `opened`.
  private func openingProgram(_ server: ScriptedServer, _ feeds: [String] = ["planet"]) throws -> BuiltProgram
  {
    let bgfetch = try BuiltProgram()
    let script = URL(filePath: #filePath).appending(path: "../../../../examples/desktop/notify-open")
      .standardized
    let path = try bgfetch.home.write(try String(contentsOf: script, encoding: .utf8), to: "notify-open")
    chmod(path, 0o700)
    try bgfetch.makeDirectory("bin")
    _ = try bgfetch.script("bin/xdg-open", "printf '%s\\n' \"$@\" >> \"$HOME/opened\"")
    var text = "defaults: {first-run: all, minimum-interval: 1m}\nfeeds:\n"
    for feed in feeds { text += "  \(feed): \"\(server.url("/" + feed))\"\n" }
    try bgfetch.configure(
      text + "hooks: {desktop: {events: [notification], run: [\"\(path)\"], needs: session-bus}}\n")
    return bgfetch
  }

  private func runOpening(
    _ bgfetch: BuiltProgram, at time: String = "10:00:00", on desktop: Desktop
  ) async throws {
    let environment = [
      "BGFETCH_NOW": "2026-11-21T\(time)Z", "PATH": bgfetch.home.file("bin") + ":/usr/bin:/bin",
      "XDG_RUNTIME_DIR": bgfetch.home.file("runtime"), "INVOCATION_ID": "",
    ].merging(desktop.environment) { $1 }
    #expect(try await bgfetch("run", environment: environment, status: 0).errors == "")
  }

  @Test func `a click on the popup opens the item's page and marks the item as seen`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.feed("/planet", ["a"])
    let bgfetch = try openingProgram(server)

    try await runOpening(bgfetch, on: desktop)
    #expect(bgfetch.badge == "1\n")
    try await desktop.click()

    #expect(await eventually { bgfetch.text(of: "opened") == "https://planet.example/a\n" })
    #expect(await eventually { bgfetch.badge == "0\n" })
  }

  @Test func `popups that wait for a click hold up no other message`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.feed("/planet", ["a", "b"])
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try openingProgram(server, ["planet", "moon"])

    try await runOpening(bgfetch, on: desktop)

    #expect(
      try await Set(desktop.closePopups().map(\.drawn)) == [
        "normal|Planet: 2 new|Title of a\nTitle of b", "normal|Moon: 1 new|Title of m",
      ])
    #expect(bgfetch.text(of: "opened") == "")
    #expect(bgfetch.badge == "3\n")
  }

  @Test func `the hook that init writes shows popups`() async throws {
    let desktop = try await Desktop()
    let bgfetch = try BuiltProgram()

    try await bgfetch("init", status: 0)
    let told = try await bgfetch("hooks", "test", "desktop", environment: desktop.environment, status: 0)

    #expect(told.errors == "")
    #expect(try await desktop.closePopups().count == 1)
  }
}

// Popups with a real notification daemon: by `popup: true`, and by the documented hook of notify-send(1).

import Foundation
import TestKit
import Testing

/// How a hook shows popups.
enum PopupHook: String, CaseIterable {
  /// The program of the manual and the examples.
  case program = """
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
    """
  case key = "desktop: {popup: true}"
}

@Suite(.enabled(if: Desktop.isInstalled)) struct DesktopTests {
  /// A program with feeds of these names, whose `xdg-open` appends the address to `opened`.
  private func program(
    _ server: ScriptedServer, _ feeds: [String] = ["planet"], notify: String = "{}", _ hook: PopupHook = .key
  ) throws -> BuiltProgram {
    var text = "defaults: {first-run: all, minimum-interval: 1m, notify: \(notify)}\nfeeds:\n"
    for feed in feeds { text += "  \(feed): \"\(server.url("/" + feed))\"\n" }
    text += "hooks:\n"
    for line in hook.rawValue.split(separator: "\n") { text += "  \(line)\n" }
    let bgfetch = try BuiltProgram(configuration: text)
    try bgfetch.makeDirectory("bin")
    _ = try bgfetch.script("bin/xdg-open", "printf '%s\\n' \"$@\" >> \"$HOME/opened\"")
    return bgfetch
  }

  private func run(_ bgfetch: BuiltProgram, at time: String = "10:00:00", on desktop: Desktop?) async throws {
    var environment = desktop?.environment ?? [:]
    environment["PATH"] = bgfetch.home.file("bin") + ":/usr/bin:/bin"
    let run = try await bgfetch("run", at: "2026-11-21T\(time)Z", environment: environment, status: 0)
    #expect(run.errors == "")
  }

  @Test(arguments: PopupHook.allCases)
  func `a notification is a popup with title, body, urgency and sound`(hook: PopupHook) async throws {
    let (server, desktop) = (try ScriptedServer(planet: ["a", "b"]), try await Desktop())
    let bgfetch = try program(server, notify: "{urgency: critical, sound: message-new-instant}", hook)

    try await run(bgfetch, on: desktop)

    #expect(try await desktop.closePopups().map(\.drawn) == ["critical|Planet: 2 new|Title of a\nTitle of b"])
    let messages = try await desktop.messages()
    for text in ["sound-name", "message-new-instant", "bgfetch"] {
      #expect(messages.contains("string \"\(text)\""))
    }
  }

  @Test(arguments: PopupHook.allCases)
  func `a feed's next notification replaces the popup of that feed only, and has its items`(hook: PopupHook)
    async throws
  {
    let (server, desktop) = (try ScriptedServer(planet: ["a"]), try await Desktop())
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try program(server, ["planet", "moon"], hook)

    try await run(bgfetch, on: desktop)
    server.feed("/planet", ["b", "a"])
    try await run(bgfetch, at: "11:00:00", on: desktop)

    #expect(
      try await Set(desktop.closePopups().map(\.drawn)) == [
        "normal|Planet: 2 new|Title of b\nTitle of a", "normal|Moon: 1 new|Title of m",
      ])
  }

  @Test func `a daemon that has started since shows a popup of its own, and no other program's is replaced`()
    async throws
  {
    let (server, desktop) = (try ScriptedServer(planet: ["a"]), try await Desktop())
    let bgfetch = try program(server)

    try await run(bgfetch, on: desktop)
    try await desktop.endDaemon()
    // It gets the number that the popup had: each daemon counts from the same one.
    try await desktop.showStranger()
    for (hour, item) in [(11, "b"), (12, "c")] {
      server.feed("/planet", [item, "a"])
      try await run(bgfetch, at: "\(hour):00:00", on: desktop)
    }

    #expect(
      try await Set(desktop.closePopups().map(\.drawn)) == [
        "normal|Stranger|", "normal|Planet: 3 new|Title of c\nTitle of b\nTitle of a",
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
    ("🏳️‍🌈 é «»", "🏳️‍🌈 é «»"), ("a&#xFDD0;b&#x1FFFE;c", "abc"),
  ])
  func `markup in a feed is shown as text`(written: String, shown: String) async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.on("/planet", .document(rss([("a", written)])))
    let bgfetch = try program(server, notify: "{title: \"{titles}\", body: \"{titles}\"}")

    try await run(bgfetch, on: desktop)

    let drawn = shown.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    #expect(try await desktop.closePopups().map(\.drawn) == ["normal|\(drawn)|\(drawn)"])
  }

  @Test func `a daemon that reads no markup gets the text as it is`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop(markup: "no"))
    server.on("/planet", .document(rss([("a", "Q&amp;amp;A \\ 1 &amp;lt; 2")])))
    let bgfetch = try program(server)

    try await run(bgfetch, on: desktop)

    let messages = try await desktop.messages()
    #expect(messages.contains(#"string "Q&A \ 1 < 2""#), "\(messages)")
  }

  @Test func `a click on a popup opens its items and marks them as seen, and no others`() async throws {
    let (server, desktop) = (try ScriptedServer(planet: ["a", "b"]), try await Desktop())
    let bgfetch = try program(server)

    try await run(bgfetch, on: desktop)
    let items = try await bgfetch("items", "--format", "{item.number} {item.link}").lines
    let first = try #require(items.first { $0.hasSuffix("/a") })
    try await bgfetch("seen", String(first.prefix { $0 != " " }), status: 0)
    server.feed("/planet", ["c", "a", "b"])
    try await run(bgfetch, at: "11:00:00", on: desktop)
    try await desktop.click()

    let opened: Set = ["https://planet.example/b", "https://planet.example/c"]
    #expect(
      await eventually { Set(bgfetch.text(of: "opened").split(separator: "\n").map(String.init)) == opened })
    #expect(await eventually { bgfetch.badge == "0\n" })
  }

  @Test func `a popup that is closed opens nothing, and nothing waits for it any more`() async throws {
    let (server, desktop) = (try ScriptedServer(planet: ["a", "b"]), try await Desktop())
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try program(server, ["planet", "moon"])
    let waiting = """
      for process in /proc/[0-9]*; do
        tr '\\0' '\\n' <$process/environ | grep -qx "HOME=$HOME" && tr '\\0' ' ' <$process/cmdline |
          grep -q 'bgfetch popup $' && basename $process
      done 2>/dev/null
      true
      """

    try await run(bgfetch, on: desktop)
    let processes = try await bgfetch.shell(waiting).lines
    #expect(processes.count == 2)
    _ = try await desktop.closePopups()

    for process in processes {
      try await bgfetch.shell("exec timeout 60 tail --pid=\(process) -f /dev/null", status: 0)
    }
    #expect(bgfetch.text(of: "opened") == "")
    #expect(bgfetch.badge == "3\n")
  }

  @Test(arguments: ["unix:path=/nowhere/bus", "unix:abstract=bgfetch-no-bus", "nonsense"])
  func `without a bus that answers, a popup fails at once with the reason`(address: String) async throws {
    let bgfetch = try BuiltProgram(
      configuration: "feeds: {planet: https://planet.example/}\nhooks: {desktop: {popup: true}}\n")

    let told = try await bgfetch(
      "hooks", "test", "desktop", environment: ["DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": "/"])

    #expect(told.output.hasPrefix("desktop: exit status 1: the session bus does not answer: "))
  }

  @Test func `the hook of a first configuration shows popups`() async throws {
    let desktop = try await Desktop()
    let bgfetch = try BuiltProgram()
    let server = try ScriptedServer(planet: ["a"])

    try await bgfetch("add", server.url("/planet"), environment: desktop.environment, status: 0)
    let told = try await bgfetch("hooks", "test", "desktop", environment: desktop.environment, status: 0)

    #expect(told.errors == "")
    #expect(try await desktop.closePopups().count == 1)
  }
}

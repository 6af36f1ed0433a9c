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
    let run = try await bgfetch("run", environment: environment)
    #expect(run.status == 0)
    #expect(run.errors == "")
  }

  @Test func `a notification is a popup with title, body, urgency and sound`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.feed("/planet", ["a", "b"])
    let bgfetch = try program(server, notify: "{urgency: critical, sound: message-new-instant}")

    try await run(bgfetch, on: desktop)

    let popups = try await desktop.closePopups()
    #expect(popups.map(\.drawn) == ["critical|Planet: 2 new|Title of a\nTitle of b"])
    let messages = try await desktop.messages()
    #expect(messages.contains("string \"sound-name\""))
    #expect(messages.contains("string \"message-new-instant\""))
    #expect(messages.contains("string \"bgfetch\""))
  }

  @Test func `a notification without a sound is silent`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.feed("/planet", ["a"])
    let bgfetch = try program(server, notify: "{urgency: low}")

    try await run(bgfetch, on: desktop)

    #expect(try await desktop.closePopups().map(\.drawn) == ["low|Planet: 1 new|Title of a"])
    #expect(try await !desktop.messages().contains("sound-name"))
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

  @Test func `a notification whose popup was closed opens a new one`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.feed("/planet", ["a"])
    let bgfetch = try program(server)

    try await run(bgfetch, on: desktop)
    let first = try await desktop.closePopups()
    server.feed("/planet", ["b", "a"])
    try await run(bgfetch, at: "11:00:00", on: desktop)

    let both = try await desktop.closePopups()
    #expect(first.map(\.drawn) == ["normal|Planet: 1 new|Title of a"])
    #expect(both.map(\.drawn) == ["normal|Planet: 1 new|Title of b", "normal|Planet: 1 new|Title of a"])
  }

  @Test func `notifications still appear after the daemon was restarted`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.feed("/planet", ["a"])
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try program(server, ["planet", "moon"])

    try await run(bgfetch, on: desktop)
    try await desktop.endDaemon()
    server.feed("/planet", ["b", "a"])
    try await run(bgfetch, at: "11:00:00", on: desktop)
    server.feed("/planet", ["c", "b", "a"])
    server.feed("/moon", ["n", "m"], title: "Moon")
    try await run(bgfetch, at: "12:00:00", on: desktop)

    #expect(
      try await Set(desktop.closePopups().map(\.drawn)) == [
        "normal|Planet: 1 new|Title of c", "normal|Moon: 1 new|Title of n",
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

  @Test func `a new login does not replace popups of the login before`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)

    try await run(bgfetch, on: Desktop())
    let desktop = try await Desktop()
    server.feed("/planet", ["b", "a"])
    try await run(bgfetch, at: "11:00:00", on: desktop)

    // The number of the popup to replace comes after the program's name.
    #expect(try await desktop.messages().contains("string \"bgfetch\"\n   uint32 0\n"))
    #expect(try await desktop.closePopups().map(\.drawn) == ["normal|Planet: 1 new|Title of b"])
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

  @Test func `a notification without title or body is still shown`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.feed("/planet", ["a"])
    let bgfetch = try program(
      server, notify: "{group: item, title: \"{item.author}\", body: \"{item.author}\"}")

    try await run(bgfetch, on: desktop)

    #expect(try await desktop.closePopups().map(\.drawn) == ["normal|Planet|"])
  }

  @Test func `a very long text is shown cut`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.on("/planet", .document(rss([("a", String(repeating: "&amp;", count: 6000))])))
    let bgfetch = try program(server, notify: "{body: \"{titles}\"}")

    try await run(bgfetch, on: desktop)

    let drawn = try await desktop.closePopups().map(\.drawn)
    #expect(drawn.count == 1)
    #expect(drawn.first?.hasPrefix("normal|Planet: 1 new|&amp;&amp;&amp;") == true)
    #expect(drawn.first?.hasSuffix("&am") == false)
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
    let run = try await bgfetch("run", environment: environment)
    #expect(run.status == 0)
    #expect(run.errors == "")
  }

  /// Waits until something is true, at most a minute.
  private func eventually(_ what: String, _ isTrue: () throws -> Bool) async throws {
    for _ in 0..<6000 where try !isTrue() { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try isTrue(), "\(what)")
  }

  @Test func `a click on the popup opens the item's page and marks the item as seen`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.feed("/planet", ["a"])
    let bgfetch = try openingProgram(server)

    try await runOpening(bgfetch, on: desktop)
    #expect(bgfetch.badge == "1\n")
    try await desktop.click()

    try await eventually("opened") { bgfetch.text(of: "opened") == "https://planet.example/a\n" }
    try await eventually("seen") { bgfetch.badge == "0\n" }
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

  @Test func `a click on a popup that replaced another opens the last page only`() async throws {
    let (server, desktop) = (try ScriptedServer(), try await Desktop())
    server.feed("/planet", ["a"])
    let bgfetch = try openingProgram(server)

    try await runOpening(bgfetch, on: desktop)
    server.feed("/planet", ["b", "a"])
    try await runOpening(bgfetch, at: "11:00:00", on: desktop)
    try await desktop.click()

    try await eventually("seen") { bgfetch.badge == "1\n" }
    #expect(bgfetch.text(of: "opened") == "https://planet.example/b\n")
    #expect(try await desktop.closePopups().map(\.drawn) == ["normal|Planet: 1 new|Title of b"])
  }

  @Test func `the hook that init writes shows popups`() async throws {
    let desktop = try await Desktop()
    let bgfetch = try BuiltProgram()

    let initialised = try await bgfetch("init")
    let told = try await bgfetch("hooks", "test", "desktop", environment: desktop.environment)

    #expect(initialised.status == 0)
    #expect(told.status == 0)
    #expect(told.errors == "")
    #expect(try await desktop.closePopups().count == 1)
  }
}

// A desktop without a screen: a session bus and the notification daemon dunst, which draws on Xvfb.

/// A login session that shows notifications.
///
/// The bus starts the daemon for the first notification, as at a real login. Everything ends with this object or its
/// process.
final class Desktop: Sendable {
  private let session: ChildProgram
  private let life: Pipe
  private let place: TemporaryDirectory

  /// Whether all programs of a desktop are installed.
  static let isInstalled = ["Xvfb", "dbus-daemon", "dbus-send", "dbus-monitor", "dunst", "notify-send"]
    .allSatisfy {
      FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
    }

  /// A popup as the daemon lists it.
  struct Popup: Equatable {
    var number: Int
    /// Urgency, title and body with markup, as drawn.
    var drawn: String
  }

  /// Starts the session and returns when the bus is ready.
  init() async throws {
    place = try TemporaryDirectory()
    try place.write(Self.daemonConfiguration, to: "dunstrc")
    try place.write(
      "[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=/usr/bin/dunst -conf \(place.file("dunstrc"))\n",
      to: "notifications.service")
    try place.write(
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>unix:path=\(place.file("bus"))</listen>
        <auth>EXTERNAL</auth>
        <servicedir>\(place.path)</servicedir>
        <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
      </busconfig>
      """, to: "bus.conf")
    life = Pipe()
    let ready = Pipe()
    _ = fcntl(life.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    session = try ChildProgram(
      "/bin/sh", ["-c", Self.script, "sh", place.path],
      environment: ["PATH": "/usr/bin:/bin", "HOME": place.path],
      directory: place.path, input: .descriptor(life.fileHandleForReading.fileDescriptor),
      output: .descriptor(ready.fileHandleForWriting.fileDescriptor), errors: .file(place.file("errors")))
    try ready.fileHandleForWriting.close()
    // One line when the bus is ready; nothing if it failed.
    let said = await withCheckedContinuation { (continuation: CheckedContinuation<Data, Never>) in
      Thread.detachNewThread {
        let output = ready.fileHandleForReading
        continuation.resume(returning: isReadable(output.fileDescriptor) ? output.availableData : Data())
      }
    }
    guard !said.isEmpty else { throw NoDesktop(reason: text("errors") + text("screen.log")) }
  }

  /// The error of a desktop that did not start.
  struct NoDesktop: Error { var reason: String }

  deinit {
    try? life.fileHandleForWriting.close()
    _ = session.wait()
  }

  /// The environment variables by which programs find the session.
  var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": "unix:path=" + place.file("bus")] }

  /// All calls to the daemon, as dbus-monitor(1) prints them.
  func messages() async throws -> String {
    // dbus-monitor may lag behind: it has printed everything once it has printed this.
    let mark = UUID().uuidString
    return try await shell(
      """
      dbus-send --bus=unix:path="$0/bus" --type=method_call --dest=org.freedesktop.DBus \
        / bgfetch.test.Notify string:\(mark)
      tries=0
      until grep -q \(mark) "$0/messages" || test $((tries += 1)) -gt 6000; do sleep 0.01; done
      cat "$0/messages"
      """)
  }

  /// Closes all popups and returns them, the last one first, without those that were replaced.
  func closePopups() async throws -> [Popup] {
    _ = try await send("org.dunstproject.cmd0.NotificationCloseAll")
    let history = try await send("org.dunstproject.cmd0.NotificationListHistory")
    return history.components(separatedBy: "array [").dropFirst(2).map { popup in
      Popup(
        number: Int(value("id", in: popup)) ?? 0,
        drawn: value("message", in: popup))
    }
  }

  /// Clicks on the first popup, which does its default action.
  func click() async throws {
    _ = try await send("org.dunstproject.cmd0.NotificationAction uint32:0")
  }

  /// Ends the daemon; the next notification starts another one.
  func endDaemon() async throws {
    _ = try await shell(
      """
      pid=$(dbus-send --bus=unix:path="$0/bus" --print-reply=literal --dest=org.freedesktop.DBus / \
        org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.Notifications)
      kill ${pid##* }
      tries=0
      while test $((tries += 1)) -lt 6000 && dbus-send --bus=unix:path="$0/bus" --print-reply --dest=org.freedesktop.DBus / \
        org.freedesktop.DBus.NameHasOwner string:org.freedesktop.Notifications | grep -q true; do sleep 0.01; done
      """)
  }

  private func send(_ method: String) async throws -> String {
    try await shell(
      "dbus-send --bus=unix:path=\"$0/bus\" --print-reply --dest=org.freedesktop.Notifications "
        + "/org/freedesktop/Notifications \(method)")
  }

  private func shell(_ command: String) async throws -> String {
    try await RunningProgram(
      "/bin/sh", ["-c", command, place.path], environment: ["PATH": "/usr/bin:/bin"], input: nil, in: place
    ).ended().output
  }

  private func text(_ name: String) -> String {
    (try? String(contentsOfFile: place.file(name), encoding: .utf8)) ?? ""
  }

  /// A value of a dictionary in dbus-send(1)'s form, which escapes nothing: `string "id"`, then `variant int32 5`.
  private func value(_ key: String, in popup: String) -> String {
    guard let start = popup.range(of: "string \"\(key)\"\n"),
      let end = popup.range(of: "\n         )", range: start.upperBound..<popup.endIndex)
    else { return "" }
    let value = popup[start.upperBound..<end.lowerBound].drop { $0 == " " }.dropFirst("variant".count)
      .drop { $0 == " " }
    let content = value.drop { $0 != " " }.dropFirst()
    return value.hasPrefix("string") ? String(content.dropFirst().dropLast()) : String(content)
  }

  /// Starts the screen, the bus and dbus-monitor, reports when they are ready, and ends them when its input ends.
  private static let script = """
    cd "$1" || exit 1
    trap 'kill $bus $screen 2>/dev/null; wait' EXIT
    mkfifo display hearing
    # Without its OpenGL it begins in half the time.
    Xvfb -displayfd 3 -screen 0 320x240x24 -nolisten tcp -extension GLX 3>display >screen.log 2>&1 &
    screen=$!
    read number <display || exit 1
    DISPLAY=:$number dbus-daemon --config-file=bus.conf --nofork --nopidfile --print-address=3 3>hearing >&2 &
    bus=$!
    read address <hearing || exit 1
    # It hears all from when it has given its own name back.
    dbus-monitor --address "unix:path=$1/bus" "type='method_call',member='Notify'" | {
      until case $line in *NameLost*) true ;; *) false ;; esac; do read line || exit; done
      echo ready
      exec cat >messages
    } &
    read never
    """

  /// The settings of dunst: popups stay until they are closed.
  private static let daemonConfiguration = """
    [global]
    markup = full
    history_length = 1000
    notification_limit = 0
    [urgency_low]
    timeout = 0
    format = "low|%s|%b"
    [urgency_normal]
    timeout = 0
    format = "normal|%s|%b"
    [urgency_critical]
    timeout = 0
    format = "critical|%s|%b"

    """
}

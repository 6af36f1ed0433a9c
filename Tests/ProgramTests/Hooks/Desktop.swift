// A desktop without a screen: a session bus and the notification daemon dunst, which draws on Xvfb.

import Foundation
import TestKit
import Testing

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
  ///
  /// - Parameter markup: `full`, or `no` for a daemon that shows bodies as they are.
  init(markup: String = "full") async throws {
    place = try TemporaryDirectory()
    try place.write(Self.daemonConfiguration.replacing("full", with: markup), to: "dunstrc")
    try place.write(
      "[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=/usr/bin/dunst -conf \(place.file("dunstrc"))\n",
      to: "notifications.service")
    try place.write(
      busConfiguration("session", in: place, with: "<servicedir>\(place.path)</servicedir>"), to: "bus.conf")
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

  /// Closes all popups and returns them, the last one first, without replaced ones.
  func closePopups() async throws -> [Popup] {
    _ = try await send("org.dunstproject.cmd0.NotificationCloseAll")
    let history = try await send("org.dunstproject.cmd0.NotificationListHistory")
    return history.components(separatedBy: "array [").dropFirst(2).map { popup in
      Popup(number: Int(value("id", in: popup)) ?? 0, drawn: value("message", in: popup))
    }
  }

  /// Clicks on the first popup, which does its default action.
  func click() async throws {
    _ = try await send("org.dunstproject.cmd0.NotificationAction uint32:0")
  }

  /// Ends the daemon, and returns when it has left the bus.
  ///
  /// The next popup starts another one.
  func endDaemon() async throws {
    let ended = try await shell(
      """
      ask() { dbus-send --bus=unix:path="$0/bus" --print-reply=literal --dest=org.freedesktop.DBus / \
        org.freedesktop.DBus.$1 string:org.freedesktop.Notifications; }
      set -- $(ask GetConnectionUnixProcessID)
      kill $2
      tries=0
      until ask NameHasOwner | grep -q false || test $((tries += 1)) -gt 6000; do sleep 0.01; done
      """)
    try #require(ended == "")
  }

  /// Shows a popup as another program does.
  func showStranger() async throws {
    let shown = try await shell(
      "DBUS_SESSION_BUS_ADDRESS=unix:path=\"$0/bus\" notify-send --print-id Stranger")
    try #require(Int(shown.dropLast()) != nil, "\(shown)")
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

/// The configuration of a D-Bus daemon that listens at `bus` in a directory, of type `session` or `system`.
func busConfiguration(_ type: String, in place: TemporaryDirectory, with more: String = "") -> String {
  """
  <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
    "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
  <busconfig>
    <type>\(type)</type>
    <listen>unix:path=\(place.file("bus"))</listen>
    <auth>EXTERNAL</auth>
    \(more)
    <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
  </busconfig>
  """
}

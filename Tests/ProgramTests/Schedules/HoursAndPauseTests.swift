// Hours and pauses: feeds are not fetched outside their hours, and notifications of the night become one in
// the morning.

import Foundation
import TestKit
import Testing

@Suite final class HoursAndPauseTests: ServerSuite {
  /// A program with two feeds and a hook that appends each notification to `said`, and its first run at night.
  private func program() async throws -> BuiltProgram {
    server.feed("/planet", ["a"])
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try BuiltProgram(
      server, ["planet", "moon"], keys: "first-run: all, minimum-interval: 1h, notify: {hours: 07:00-22:00}",
      more: "hooks: {say: {events: [notification], run: [HOME/say, --, \"{title}\"]}}",
      scripts: ["say": "printf '%s|%s\\n' \"$BGFETCH_TITLE\" \"$BGFETCH_BODY\" >> \"$HOME/said\""])
    try await bgfetch("run", at: "2026-11-21T23:00:00Z")
    return bgfetch
  }

  /// The summary of a night in which Planet had three new items and Moon two.
  private static let summary =
    "Planet, Moon: 5 new|Planet: Title of c; Title of b; Title of a\nMoon: Title of n; Title of m\n"

  @Test func `notifications of the night become one summary in the morning`() async throws {
    let bgfetch = try await program()
    server.feed("/planet", ["b", "a"])
    try await bgfetch("run", at: "2026-11-22T01:00:00Z")
    server.feed("/planet", ["c", "b", "a"])
    server.feed("/moon", ["n", "m"], title: "Moon")
    let early = "2026-11-22T06:59:59Z"
    try await bgfetch("run", at: early)
    #expect(bgfetch.said == "")
    #expect(bgfetch.badge == "5\n")
    let listed = try await bgfetch("hooks", at: early)
    #expect(listed.lines.filter { $0.contains("postponed until 2026-11-22 07:00:00") }.count == 5)
    let elsewhere = ["BGFETCH_NOW": early, "TZ": "Asia/Kathmandu"]
    try await bgfetch("hooks", environment: elsewhere, output: "2026-11-22 04:45:00")

    // The run delivers even though no feed is due.
    for time in ["07:00", "07:10"] {
      let run = try await bgfetch("run", "--json", at: "2026-11-22T\(time):00Z")
      #expect(run.json.last?["due"] as? Int == 0, "\(time)")
      #expect(bgfetch.said == Self.summary, "\(time)")
    }
  }

  @Test func `at night mail comes, and popups wait`() async throws {
    let bgfetch = try await program()
    try bgfetch.edit(
      "hooks: {", to: "hooks: {mail: {to: me@mail.example, run: [\"\(bgfetch.home.file("send"))\"]}, ")
    _ = try bgfetch.script("send", "grep ^Subject: >> \"$HOME/mails\"")
    server.feed("/planet", ["b", "a"])

    try await bgfetch("run", at: "2026-11-22T01:00:00Z")

    #expect(bgfetch.said == "")
    #expect(bgfetch.text(of: "mails") == "Subject: Title of b\n")
    try await bgfetch("run", at: "2026-11-22T07:00:00Z")
    #expect(bgfetch.said.contains("Title of b"))
    #expect(bgfetch.text(of: "mails") == "Subject: Title of b\n")
  }

  @Test func `edited hours apply to postponed notifications`() async throws {
    let bgfetch = try await program()

    try bgfetch.edit("07:00-22:00", to: "always")
    try await bgfetch("run", at: "2026-11-21T23:10:00Z")

    #expect(bgfetch.said.contains(": 2 new|"))
  }
}

@Suite final class PauseTests: ServerSuite {
  private static let noon = "2026-11-21T12:00:00Z"

  private let bgfetch: BuiltProgram

  override init() throws {
    bgfetch = try BuiltProgram()
    try super.init()
    for name in ["planet", "moon"] { server.feed("/" + name, [name]) }
    try bgfetch.configure(
      """
      defaults: {first-run: all, minimum-interval: every-run}
      network: {timeout: 1h}
      budget: none
      timezone: UTC
      feeds: {planet: "\(server.url("/planet"))", moon: "\(server.url("/moon"))"}
      """)
  }

  private func due(_ arguments: String...) async throws -> Int? {
    try await bgfetch(["run", "--json"] + arguments, at: Self.noon).json.last?["due"] as? Int
  }

  @Test func `a paused feed is not fetched until it is resumed`() async throws {
    try await bgfetch("pause", "planet", at: Self.noon, prints: "planet  paused\n")
    #expect(try await due() == 1)
    #expect(try await due("--force") == 1)
    #expect(server.requests.map(\.path) == ["/moon", "/moon"])
    #expect(try await due("planet") == 1)
    #expect(bgfetch.badge == "2\n")

    try await bgfetch("resume", "planet", at: Self.noon, prints: "planet  resumed\n")
    #expect(try await due() == 2)
  }

  @Test(arguments: [["--until", "2d"], []])
  func `after a pause a feed that adapts is due as if there had been none`(end: [String]) async throws {
    try bgfetch.edit("every-run", to: "1h, adapt: publisher")
    try await bgfetch(["pause", "--all"] + end, at: Self.noon)
    try await bgfetch("run", "planet", "moon", at: Self.noon)
    try await bgfetch("resume", "--all", at: Self.noon)

    let json = try await bgfetch("status", "--json", at: Self.noon).json
    #expect(json.map { $0["next"] as? String } == ["2026-11-21T12:58:00Z", "2026-11-21T12:58:00Z"])
  }

  @Test func `status, why and run show that a feed is paused`() async throws {
    try await bgfetch("pause", "planet", "--until", "2026-12-24 08:00", at: Self.noon)
    try await bgfetch("pause", "moon", at: Self.noon)

    let lines = try await bgfetch("status", at: Self.noon).lines
    #expect(lines[1].contains("paused until 2026-12-24 08:00:00"))
    #expect(lines[2].contains("paused"))
    let json = try await bgfetch("status", "--json", at: Self.noon).json
    #expect(json.map { $0["paused"] as? Bool } == [true, true])
    #expect(json.map { $0["paused-until"] as? String } == ["2026-12-24T08:00:00Z", nil])
    for (feed, reason) in [
      ("planet", "not before 2026-12-24 08:00:00 (in 32 d): pause"),
      ("moon", "paused; name it to fetch it anyway"),
    ] { #expect(try await bgfetch("why", feed, at: Self.noon).lines.last == "  " + reason) }
    #expect(try await bgfetch("run", "-v", "moon", at: Self.noon).errors.hasPrefix("1 due"))
    try await bgfetch("resume", "moon", at: Self.noon)
    #expect(try await bgfetch("run", "-v", at: Self.noon).errors.hasPrefix("1 due, 1 paused\n"))
  }

  @Test func `pausing or resuming twice changes nothing and says so`() async throws {
    let never = try await bgfetch("resume", "--all", at: Self.noon, status: 0, prints: "")
    try await bgfetch("pause", "m*", at: Self.noon)
    let again = try await bgfetch("pause", "moon", at: Self.noon, status: 0, prints: "")
    try await bgfetch("pause", "planet", "moon", at: Self.noon, prints: "planet  paused\n")

    #expect(never.errors == "nothing to change: none of them is paused\n")
    #expect(again.errors == "nothing to change: already paused\n")
  }

  @Test func `a wrong pause is refused`() async throws {
    for (arguments, message) in [
      (["pause"], "name the feeds, or write --all"), (["resume"], "name the feeds, or write --all"),
      (["pause", "--all", "moon"], "write feeds or --all, not both"),
      (["pause", "mon"], "no feed is named \"mon\"; did you mean \"moon\"?"),
      (["pause", "moon", "1h"], "no feed is named \"1h\"; write --until 1h for the end of the pause"),
    ] { try await bgfetch(arguments, at: Self.noon, status: 2, errors: message) }
    let passed = "has passed; write a time in the future, or resume"
    for (time, message) in [
      ("soon", "--until \"soon\" is not a time; write 2d"), ("2026-11-21 11:00", passed), ("0s", passed),
      ("999999d", "is too long; write 3650d or less"),
    ] { try await bgfetch("pause", "moon", "--until", time, at: Self.noon, status: 2, errors: message) }
  }
}

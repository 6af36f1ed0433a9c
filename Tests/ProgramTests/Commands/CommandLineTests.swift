// Mistakes in the command line and in the configuration, help, and the lines of a run for a person.

import TestKit
import Testing

@Suite struct CommandLineTests {
  @Test func `without proc the program knows its arguments`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: \"http://127.0.0.1:1/\"}")
    // A mount needs rights that containers may withhold; then there is nothing to test.
    let hidden = "unshare -rm sh -c 'mount -t tmpfs none /proc && test ! -e /proc/self && exec \"$@\"' sh"
    guard try await bgfetch.shell("\(hidden) true").status == 0 else { return }

    let checked = try await bgfetch.shell("\(hidden) \"$BGFETCH\" --json status planet")
    let wrong = try await bgfetch.shell("\(hidden) \"$BGFETCH\" stauts")

    #expect(checked.status == 0, "\(checked)")
    #expect(checked.output.contains("planet"), "\(checked)")
    #expect(wrong.status == 2, "\(wrong)")
    #expect(wrong.errors.contains("status"), "\(wrong)")
  }

  @Test(arguments: [
    (["stauts"], "there is no command \"stauts\"; did you mean \"status\"?"),
    (["tran", "list"], "did you mean \"transfers\"?"), (["xyzzy"], "bgfetch --help lists the commands"),
    (["--json", "itmes"], "did you mean \"items\"?"),
    (["help", "itmes"], "there is no command \"itmes\"; did you mean \"items\"?"),
    (["items", "--jsn"], "bgfetch: unknown option '--jsn'; did you mean '--json'?"),
    (["unread"], "use bgfetch items --unseen"), (["rm", "planet"], "use bgfetch remove"),
    (["list"], "use bgfetch status for feeds, items for items"), (["show", "12"], "use bgfetch read"),
    (["mark-read", "planet"], "use bgfetch seen"), (["fetch"], "use bgfetch run"),
    (["edit"], "use bgfetch check, which names the file to edit"), (["init"], "use bgfetch add URL"),
    (["help", "start"], "use bgfetch resume"),
  ])
  func `a mistyped command is answered with the nearest`(arguments: [String], expected: String) async throws {
    try await BuiltProgram()(arguments, status: 2, errors: expected)
  }

  @Test func `a mistyped feed is answered with the nearest, also if it is only its beginning`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: "feeds: {lwn-weekly: \"http://127.0.0.1:1/\", planet: \"http://127.0.0.1:1/x\"}")

    for (typed, nearest) in [("lwn", "lwn-weekly"), ("plamet", "planet")] {
      try await bgfetch("status", typed, errors: "did you mean \"\(nearest)\"?")
    }
  }

  @Test func `help has every command, in groups`() async throws {
    let help = try await BuiltProgram()("--help", status: 0)

    for command in ["run", "items", "add", "status", "hooks", "import", "install-timer", "push", "fleet"] {
      #expect(help.output.contains("\n  \(command) "), "\(command)")
    }
    let groups = help.lines.filter { $0.hasSuffix(" SUBCOMMANDS:") }
    #expect(groups.first == "FEEDS SUBCOMMANDS:")
    #expect(groups.last == "SEVERAL MACHINES SUBCOMMANDS:")
    for command in ["popup", "opened", "parse", "unseen", "unstar"] {
      #expect(!help.output.contains("\n  \(command) "), "\(command)")
    }
    let words = help.output.split(whereSeparator: \.isWhitespace)
    for command in ["parse", "unseen", "unstar"] { #expect(words.contains { $0 == command }, "\(command)") }
  }

  @Test(arguments: ["waybar", "tmux"])
  func `a bar shows that the configuration is broken`(format: String) async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: \"http://127.0.0.1:1/\"}\na<b: 1")

    let badge = try await bgfetch("badge", "--format", format, status: 0)

    if format == "tmux" {
      #expect(badge.output == "!\n")
    } else {
      #expect(badge.json.first?["class"] as? String == "error")
      let tooltip = try #require(badge.json.first?["tooltip"] as? String)
      #expect(tooltip.contains("bgfetch.yaml:3:"))
      #expect(tooltip.contains("a&lt;b"))
    }
    try await bgfetch("badge", status: 78)
  }

  @Test func `cron gets a mistake in the configuration once a day`() async throws {
    let server = try ScriptedServer(planet: [])
    let good = "feeds: {planet: \"\(server.url("/planet"))\"}\n"
    let bgfetch = try BuiltProgram(configuration: good + "mistake: 1\n")
    func run(_ time: String, _ arguments: String...) async throws -> (status: Int32, isSilent: Bool) {
      let ended = try await bgfetch(["run"] + arguments, at: "2026-11-\(time):00Z")
      return (ended.status, ended.errors.isEmpty)
    }

    #expect(try await run("21T10:00", "-q") == (78, false))
    #expect(try await run("21T10:05", "-q") == (78, true))
    #expect(try await run("21T10:06") == (78, false), "a run without -q always says what is wrong")
    #expect(try await run("22T09:55", "-q") == (78, true))
    #expect(try await run("22T10:00", "-q") == (78, false), "a day later")

    try bgfetch.configure(good + "other: 1\n")
    #expect(try await run("22T10:05", "-q") == (78, false), "another mistake")
    try bgfetch.configure(good)
    #expect(try await run("22T10:10", "-q") == (0, true))
    try bgfetch.configure(good + "other: 1\n")
    #expect(try await run("22T10:15", "-q") == (78, false), "the same mistake again, after it was mended")
  }
}

@Suite struct RunOutlookTests {
  @Test func `a person sees which messages wait for a desktop`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let hooks = "hooks: {desk: {popup: true}}"
    let keys = "first-run: all, minimum-interval: every-run"
    let bgfetch = try BuiltProgram(server, keys: keys, more: hooks)

    let waits = "1 delivery waits until you log in to a desktop, at most 12h (there is no session bus)\n"
    let run = try await bgfetch("run", "-v", errors: "\nhook desk: " + waits)

    #expect(run.errors.hasSuffix("\nnext: planet with the next run\n"))
    #expect(try await bgfetch("run", "-q").errors == "")
  }

  @Test func `a feed whose first items are all new has none stored as seen`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a", "b"])
    server.feed("/loud", ["c"])
    let bgfetch = try BuiltProgram(
      configuration: """
        feeds:
          planet: "\(server.url("/planet"))"
          loud: {url: "\(server.url("/loud"))", first-run: all}
        """)

    try await bgfetch("run", "-v", errors: "1 feed added with 2 items, stored as seen")
  }

  @Test func `a person sees what was added, what is new and what comes next`() async throws {
    let server = try ScriptedServer()
    func feed(_ titles: [String]) -> ScriptedAnswer { .document(rss(titles.map { ($0, $0) })) }
    server.on("/feed", inTurn: feed(["a"]), feed(["f", "e", "d", "c", "b", "a"]))
    let bgfetch = try BuiltProgram(
      configuration: """
        feeds: {planet: {url: "\(server.url("/feed"))", minimum-interval: 1h}}
        hooks: {broken: {events: [notification], run: [/bin/sh, /nowhere/script]}}
        """)

    try await bgfetch(
      ["run", "-v"], at: "2026-11-21T12:00:00Z",
      errors: "1 feed added with 1 item, stored as seen: bgfetch items lists them")
    let second = try await bgfetch(["run", "-v"], at: "2026-11-21T13:00:00Z")

    for part in [
      "planet  5 new\n  f\n  e\n  d\n  and 2 more\n", "hook broken: notification: exit status",
      "next attempt from 13:01 on",
    ] { #expect(second.errors.contains(part)) }
    #expect(second.errors.contains("next: planet in 5") || second.errors.contains("next: planet at 1"))
  }
}

// Habits: which commands record openings, how `why` and `history --habits` show them, and fetches before a peak.

import Foundation
import Machine
import Store
import TestKit
import Testing

@testable import Core
@testable import bgfetch

@Suite final class HabitProgramTests: ServerSuite {
  /// A program with openings at noon on the three days before 2026-11-19, a Thursday.
  private func program(_ server: ScriptedServer, adapt: String = "habits") async throws -> BuiltProgram {
    server.feed("/planet", ["a"])
    let bgfetch = try BuiltProgram(
      configuration: """
        feeds:
          planet: {url: "\(server.url("/planet"))", minimum-interval: 1h, adapt: \(adapt)}
        """)
    for day in 16...18 {
      try await bgfetch("opened", "planet", at: "2026-11-\(day)T12:00:00Z")
    }
    return bgfetch
  }

  private func due(_ bgfetch: BuiltProgram, at time: String) async throws -> Int? {
    let run = try await bgfetch("run", "--json", at: time)
    return run.json.last?["due"] as? Int
  }

  @Test func `a feed is due ten minutes before the person is likely to look`() async throws {
    let bgfetch = try await program(server)

    #expect(try await due(bgfetch, at: "2026-11-19T08:00:00Z") == 1)
    #expect(try await due(bgfetch, at: "2026-11-19T09:30:00Z") == 0)
    #expect(try await due(bgfetch, at: "2026-11-19T09:55:00Z") == 0)
    #expect(try await due(bgfetch, at: "2026-11-19T11:49:00Z") == 0)
    #expect(try await due(bgfetch, at: "2026-11-19T11:50:00Z") == 1)
    let history = try await bgfetch("history", "planet", "--json")
    #expect(
      history.json.compactMap { $0["started"] as? String } == [
        "2026-11-19T08:00:00Z", "2026-11-19T11:50:00Z",
      ])
  }

  @Test func `history --habits draws the day, even for a feed that does not adapt`() async throws {
    let bgfetch = try await program(server, adapt: "none")
    _ = try await due(bgfetch, at: "2026-11-19T08:00:00Z")
    let at = ["BGFETCH_NOW": "2026-11-19T08:30:00Z", "LC_ALL": "C.UTF-8"]

    let drawn = try await bgfetch("history", "--habits", "planet", environment: at)
    #expect(drawn.lines.first == "planet: openings on 3 days; not used, because adapt is none")
    #expect(drawn.lines.contains("  working days: looks 12:00"))
    #expect(drawn.lines.contains { $0.hasPrefix("looks ") && $0.contains("█") })

    let rows = try await bgfetch("history", "--habits", "planet", "--json", environment: at).json
    #expect(rows.compactMap { $0["days"] as? String } == ["working", "weekend"])
    let peaks = try #require(rows.first?["peaks"] as? [[String: String]])
    #expect(peaks == [["begins": "12:00", "ends": "12:01"]])
    // With a run each minute the slack of the interval applies: a fetch every 58 minutes.
    #expect((rows.first?["fetches"] as? [String])?.count == 25)
  }
}

// Openings, and the commands that record them.

@Suite struct OpenedTests {
  /// Thursday, ten past seven.
  private let morning = "2026-11-19T07:10:00Z"

  private func program() throws -> BuiltProgram {
    try BuiltProgram(
      configuration: """
        feeds:
          planet: {url: "http://127.0.0.1:1/planet", tags: [code]}
          daily: {url: "http://127.0.0.1:1/daily"}
        """)
  }

  /// The minutes of the openings of each feed.
  private func minutes(_ bgfetch: BuiltProgram) async throws -> [String: [Int]] {
    let store = try Store.open(bgfetch.state, mode: .reading, on: ActorThread())
    let habits = try await store.habits(of: ["planet", "daily"].compactMap { FeedName($0) })
    return Dictionary(uniqueKeysWithValues: habits.map { ($0.key.text, $0.value.bins.map(\.minute)) })
  }

  @Test(
    arguments: [
      (["opened", "planet"], ["planet": [430]]), (["opened", "@code"], ["planet": [430]]),
      (["opened", "d*", "planet"], ["planet": [430], "daily": [430]]),
      (["opened", "--all"], ["planet": [430], "daily": [430]]),
      (["badge", "clear"], ["planet": [430], "daily": [430]]), (["badge", "set", "0"], [:]), (["badge"], [:]),
      (["items"], [:]), (["seen", "--all"], [:]), (["status"], [:]),
    ] as [([String], [String: [Int]])])
  func `some commands record openings, in local time`(
    command: [String], expected: [String: [Int]]
  ) async throws {
    let bgfetch = try program()

    try await bgfetch(command, at: morning, status: 0)

    #expect(try await minutes(bgfetch) == expected)
  }

  @Test(
    arguments: [
      ("items", ["planet": [430], "daily": [430]]), ("items planet", ["planet": [430]]),
      ("items --unseen @code", ["planet": [430]]), ("items --json", [:]),
    ] as [(String, [String: [Int]])])
  func `items on a terminal record an opening`(command: String, expected: [String: [Int]]) async throws {
    let bgfetch = try program()

    try await bgfetch.shell(
      "BGFETCH_NOW=2026-11-19T07:10:00Z script -qec '\"$BGFETCH\" \(command)' /dev/null", status: 0)

    #expect(try await minutes(bgfetch) == expected)
  }

  @Test func `items are listed even if no opening can be recorded`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")
    try await bgfetch("run")
    let other = try bgfetch.home.write(
      try String(contentsOfFile: bgfetch.configurationPath, encoding: .utf8), to: "other.yaml")

    // The state belongs to another configuration, so not even root can write it.
    let items = try await bgfetch.shell(
      "script -qec '\"$BGFETCH\" items --config \(other)' /dev/null", status: 0, output: "Title of a")

    // The exit status of listing, not of recording.
    #expect(items.output.components(separatedBy: "belongs to").count == 2)
  }

  @Test func `opened prints nothing, and takes feeds or --all`() async throws {
    let bgfetch = try program()

    let opened = try await bgfetch("opened", "planet")
    let json = try await bgfetch("opened", "--all", "--json")

    #expect(opened.output + opened.errors == "")
    #expect(json.json.first?["feeds"] as? [String] == ["planet", "daily"])
    #expect(try await bgfetch("opened").status == 2)
    #expect(try await bgfetch("opened", "plant").status == 2)
  }
}

// The drawing of a day by `bgfetch history --habits`.

@Suite struct HabitTextTests {
  private func day(_ peaks: [HabitPeak], _ fetches: [Int], _ looks: [Int: Double]) -> HabitDay {
    HabitDay(
      kind: .working, looks: (0..<1440).map { looks[$0] ?? 0 },
      forecast: DayForecast(peaks: peaks, stretch: 4),
      fetches: fetches)
  }

  private func lines(
    _ drawing: DayDrawing, _ days: [HabitDay], daysWithOpenings: Int = 12
  ) throws -> [String] {
    var feed = FeedSpec(name: try #require(FeedName("planet")), url: .plain("https://planet.example/"))
    feed.adapt = .habits
    var habit = Habit()
    habit.days = daysWithOpenings
    return habitLines(feed, habit, days, drawing)
  }

  @Test func `a day is a row of bars above rows of peaks and fetches`() throws {
    let day = day(
      [HabitPeak(begins: 435, length: 30), HabitPeak(begins: 720)], [230, 425, 710],
      [437: 6, 445: 1, 463: 4, 720: 8, 1200: 0.5])

    let drawn = try lines(DayDrawing(columns: 80, showsUnicode: true), [day])

    #expect(
      drawn == [
        "planet: openings on 12 days", "  working days: looks 07:15-07:45, 12:00",
        "        00       03       06       09       12       15       18       21",
        "looks                        ▆▁▄            █                       ▁",
        "peaks                        ===            =",
        "fetches            ^         ^             ^",
      ])
  }

  @Test(arguments: [
    (0, "nothing is known yet"), (2, "nothing is known yet"), (3, "looks at no particular time"),
  ])
  func `without enough openings there is no prediction`(days: Int, text: String) throws {
    let drawn = try lines(
      DayDrawing(columns: 80, showsUnicode: true), [day([], [], [:])], daysWithOpenings: days)

    #expect(drawn[1] == "  working days: \(text)")
  }

  @Test func `without UTF-8 bars are ASCII`() throws {
    let drawn = try lines(
      DayDrawing(columns: 80, showsUnicode: false), [day([], [], [720: 8, 721: 8, 780: 4])])

    #expect(drawn.last == "looks                                       @  :")
  }

  @Test(arguments: [(20, 1), (60, 2), (80, 3), (103, 3), (104, 4), (nil, 3)] as [(Int?, Int)])
  func `the drawing fits the terminal`(columns: Int?, hour: Int) throws {
    let drawing = DayDrawing(columns: columns, showsUnicode: true)
    #expect(drawing.columnsOfHour == hour)
    for line in try lines(drawing, [day([HabitPeak(begins: 1430, length: 20)], [1439], [0: 1, 1439: 1])])
      .dropFirst(2)
    {
      #expect(displayWidth(line) <= max(columns ?? 80, 32))
    }
  }
}

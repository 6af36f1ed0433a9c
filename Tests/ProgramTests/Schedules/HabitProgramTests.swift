// Habits: which commands record openings, how `why` shows them, and fetches before a peak.

import Core
import Foundation
import Machine
import Store
import TestKit
import Testing

@Suite final class HabitProgramTests: ServerSuite {
  @Test func `a weekly comic is fetched soon after its hour, and why draws the week`() async throws {
    // Mondays at nine; the next one is 2026-11-23.
    let comics = [
      ("28", "Sep"), ("05", "Oct"), ("12", "Oct"), ("19", "Oct"), ("26", "Oct"), ("02", "Nov"), ("16", "Nov"),
    ]
    .map { "<item><guid>\($0)\($1)</guid><pubDate>Mon, \($0) \($1) 2026 09:00:\($0) GMT</pubDate></item>" }
    let text = "<rss version=\"2.0\"><channel><title>Comic</title>\(comics.joined())</channel></rss>"
    server.on("/comic", .document(text).with("ETag", "\"1\""))
    let bgfetch = try BuiltProgram(server, ["comic"], keys: "minimum-interval: 1h, adapt: publisher")

    for (time, due) in [
      ("22T22:30", 1), ("23T00:00", 0), ("23T02:30", 1), ("23T06:00", 0), ("23T06:30", 1),
      // A fetch between costs less than stretching the interval up to the hour.
      ("23T07:55", 1), ("23T09:00", 0), ("23T09:15", 1),
    ] {
      let run = try await bgfetch("run", "--json", at: "2026-11-\(time):00Z")
      #expect(run.json.last?["due"] as? Int == due, "\(time)")
    }
    let why = try await bgfetch("why", "comic", at: "2026-11-23T09:20:00Z")
    #expect(why.output.contains("publisher's rhythm  publishes Mon 08:55-09:10"))
    #expect(why.lines.contains { $0.hasPrefix("Mon ") })
  }
}

// Openings, and the commands that record them.

@Suite struct OpenedTests {
  /// Thursday, ten past seven.
  private let morning = "2026-11-19T07:10:00Z"

  private let bgfetch: BuiltProgram

  init() throws {
    bgfetch = try BuiltProgram(
      configuration: """
        feeds:
          planet: {url: "http://127.0.0.1:1/planet", tags: [code]}
          daily: {url: "http://127.0.0.1:1/daily"}
        """)
  }

  /// The minutes of the openings of each feed.
  private func minutes() async throws -> [String: [Int]] {
    let store = try Store.open(bgfetch.state, mode: .reading, on: ActorThread())
    let habits = try await store.habits(of: ["planet", "daily"].compactMap { FeedName($0) })
    return Dictionary(uniqueKeysWithValues: habits.map { ($0.key.text, $0.value.bins.map(\.minute)) })
  }

  @Test(
    arguments: [
      (["opened", "planet"], ["planet": [430]]), (["opened", "@code"], ["planet": [430]]),
      (["opened", "d*", "planet"], ["planet": [430], "daily": [430]]),
      (["opened", "--all"], ["planet": [430], "daily": [430]]),
      (["badge"], [:]), (["items"], [:]), (["seen", "--all"], [:]), (["status"], [:]),
    ] as [([String], [String: [Int]])])
  func `some commands record openings, in local time`(
    command: [String], expected: [String: [Int]]
  ) async throws {
    try await bgfetch(command, at: morning, status: 0)

    #expect(try await minutes() == expected)
  }

  @Test(
    arguments: [
      ("items", ["planet": [430], "daily": [430]]), ("items planet", ["planet": [430]]),
      ("items --unseen @code", ["planet": [430]]), ("items --json", [:]),
    ] as [(String, [String: [Int]])])
  func `items on a terminal record an opening`(command: String, expected: [String: [Int]]) async throws {
    try await bgfetch.shell(
      "BGFETCH_NOW=2026-11-19T07:10:00Z script -qec '\"$BGFETCH\" \(command)' /dev/null", status: 0)

    #expect(try await minutes() == expected)
  }

  @Test func `items are listed even if no opening can be recorded`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")
    try await bgfetch("run")
    let other = try bgfetch.home.write(bgfetch.text(of: "bgfetch.yaml"), to: "other.yaml")

    // The state belongs to another configuration, so not even root can write it.
    let items = try await bgfetch.shell(
      "script -qec '\"$BGFETCH\" items --config \(other)' /dev/null", status: 0, output: "Title of a")

    // The exit status of listing, not of recording.
    #expect(items.output.components(separatedBy: "belongs to").count == 2)
  }

  @Test func `opened prints nothing, and takes feeds or --all`() async throws {
    for word in ["--all", "planet"] {
      #expect(try await bgfetch("opened", word, status: 0, prints: "").errors == "")
    }
    for words in [["opened"], ["opened", "plant"]] { try await bgfetch(words, status: 2) }
  }
}

// Openings: which commands record that the person looks, and which do not.

import Core
import Foundation
import StateStore
import TestKit
import Testing

@Suite struct OpenedTests {
  /// Thursday, ten past seven.
  private let morning = ["BGFETCH_NOW": "2026-11-19T07:10:00Z"]

  private func program() throws -> BuiltProgram {
    try BuiltProgram(
      configuration: """
        feeds:
          planet: {url: "http://127.0.0.1:1/planet", tags: [code]}
          daily: {url: "http://127.0.0.1:1/daily"}
        """)
  }

  /// The minutes at which each feed was looked at.
  private func minutes(_ bgfetch: BuiltProgram) async throws -> [String: [Int]] {
    let store = try Store.open(bgfetch.state, mode: .reading)
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
  func `some commands are openings, by the clock of the person`(
    command: [String], expected: [String: [Int]]
  ) async throws {
    let bgfetch = try program()

    let opened = await (try bgfetch.started(command, environment: morning)).ended()

    #expect(opened.status == 0)
    #expect(try await minutes(bgfetch) == expected)
  }

  @Test(
    arguments: [
      ("items", ["planet": [430], "daily": [430]]), ("items planet", ["planet": [430]]),
      ("items --unseen @code", ["planet": [430]]), ("items --json", [:]),
    ] as [(String, [String: [Int]])])
  func `items on a terminal are an opening`(command: String, expected: [String: [Int]]) async throws {
    let bgfetch = try program()

    let items = try await bgfetch.shell(
      "BGFETCH_NOW=2026-11-19T07:10:00Z script -qec '\"$BGFETCH\" \(command)' /dev/null")

    #expect(items.status == 0)
    #expect(try await minutes(bgfetch) == expected)
  }

  @Test func `items are listed, too, where nothing can be recorded`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    let bgfetch = try BuiltProgram(
      configuration: "feeds: {planet: {url: \"\(server.url("/planet"))\", first-run: all}}\n")
    _ = try await bgfetch("run")
    let other = try bgfetch.home.write(
      try String(contentsOfFile: bgfetch.configurationPath, encoding: .utf8), to: "other.yaml")

    // The state belongs to another configuration, so that it cannot be written, not even by root.
    let items = try await bgfetch.shell("script -qec '\"$BGFETCH\" items --config \(other)' /dev/null")

    #expect(items.status == 0)
    #expect(items.output.contains("Title of a"))
    // Of showing them, not of recording it.
    #expect(items.output.components(separatedBy: "belongs to").count == 2)
  }

  @Test func `opened says nothing, and takes feeds or all of them`() async throws {
    let bgfetch = try program()

    let opened = try await bgfetch("opened", "planet")
    let json = try await bgfetch("opened", "--all", "--json")

    #expect(opened.output + opened.errors == "")
    #expect(json.json.first?["feeds"] as? [String] == ["planet", "daily"])
    #expect(try await bgfetch("opened").status == 2)
    #expect(try await bgfetch("opened", "plant").status == 2)
  }
}

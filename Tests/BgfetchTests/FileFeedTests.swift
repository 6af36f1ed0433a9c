// Feeds that are files of this machine.

import Foundation
import TestKit
import Testing

@Suite struct FileFeedTests {
  /// Writes a file that changed so many seconds ago.
  private func write(_ text: String, _ bgfetch: BuiltProgram, ago seconds: Double = 60) throws {
    let path = try bgfetch.home.write(text, to: "planet.xml")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: path)
  }

  private func program(_ keys: String = "") throws -> BuiltProgram {
    try BuiltProgram(
      configuration: "feeds: {planet: {url: \"file:planet.xml\", first-run: all\(keys)}}\n")
  }

  @Test func `a file is a feed, read anew when it changed`() async throws {
    let bgfetch = try program()
    try write(rss([("a", "A")]), bgfetch)

    let first = try await bgfetch("run", "--json")
    let second = try await bgfetch("run", "--force", "--json")
    try write(rss([("b", "B"), ("a", "A")]), bgfetch, ago: 50)
    let third = try await bgfetch("run", "--force", "--json")

    #expect(first.json.first?["count"] as? Int == 1)
    #expect(second.json.first?["reason"] as? String == "not modified")
    #expect(third.json.first?["count"] as? Int == 1)
    #expect(bgfetch.badge == "2\n")
  }

  @Test func `a file of kind json is read by its mapping`() async throws {
    let bgfetch = try program(", kind: json, json: {items: /list, id: /id, title: /t}")
    try write("{\"list\": [{\"id\": 7, \"t\": \"Seven\"}]}", bgfetch)

    _ = try await bgfetch("run")
    let items = try await bgfetch("items", "--json")

    #expect(items.json.first?["title"] as? String == "Seven")
  }

  @Test func `a file that cannot be read is a failure with its path, and its items stay`() async throws {
    let bgfetch = try program()
    try write(rss([("a", "A")]), bgfetch)
    _ = try await bgfetch("run")
    let path = bgfetch.home.file("planet.xml")

    try FileManager.default.removeItem(atPath: path)
    let missing = try await bgfetch("run", "--force", "--json")
    #expect(mkfifo(path, 0o600) == 0)
    let pipe = try await bgfetch("run", "--force", "--json")
    try FileManager.default.removeItem(atPath: path)
    try write(rss([("a", "A")]), bgfetch)
    let after = try await bgfetch("run", "--force", "--json")

    #expect(missing.status == 4)
    #expect(missing.json.first?["reason"] as? String == "\(path): there is no such file or directory")
    #expect(pipe.json.first?["reason"] as? String == "\(path): is neither a file nor a directory")
    #expect(after.json.first?["result"] as? String == "no-data")
    #expect(bgfetch.badge == "1\n")
  }

  @Test func `a file is as large as max-feed-size lets it be`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: "network: {max-feed-size: 1KiB}\nfeeds: {planet: \"file:planet.xml\"}\n")
    try write(rss([("a", String(repeating: "A", count: 2000))]), bgfetch)

    let run = try await bgfetch("run", "--json")

    #expect(
      (run.json.first?["reason"] as? String)?.contains("larger than 1.0 kB; see network.max-feed-size")
        == true)
  }

  @Test func `a redirect and a secret never lead to a file`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try BuiltProgram()
    try write(rss([("a", "A")]), bgfetch)
    let path = bgfetch.home.file("planet.xml")
    server.on("/moved", .redirect(301, to: "file://\(path)"))
    try bgfetch.configure(
      "feeds: {moved: \"\(server.url("/moved"))\", secret: {url: {env: PLANET}}}\n")

    let run = try await bgfetch("run", "--json", environment: ["PLANET": "file://\(path)"])

    #expect(run.status == 4)
    let reasons = run.json.compactMap { $0["reason"] as? String }
    #expect(reasons.contains { $0.contains("redirected to something that is no http address") })
    #expect(reasons.contains { $0.contains("no http or https address") })
  }

  @Test func `an offline machine has its files all the same`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: """
        feeds:
          one: "http://one.invalid/"
          two: "http://two.invalid/"
          planet: {url: "file:planet.xml", first-run: all}
        """ + "\n")
    try write(rss([("a", "A")]), bgfetch)

    let run = try await bgfetch("run", "--json")

    let results = run.json.filter { $0["feed"] != nil }.map { "\($0["feed"] ?? "") \($0["result"] ?? "")" }
    #expect(results.contains("planet new-data"))
    #expect(run.json.contains { $0["reason"] as? String == "offline" })
  }
}

// Kinds of feeds: JSON documents that are read by a mapping, and local files.

import Foundation
import TestKit
import Testing

@Suite final class MappedFeedTests: ServerSuite {
  private static let mapping =
    "{items: \"\", id: /id, title: [/name, /tag_name], link: /html_url, published: /published_at, "
    + "summary: /body, assets: /assets/*/browser_download_url}"

  /// A program with one feed of kind json and one hook that appends each notification to `said`.
  private func program() throws -> BuiltProgram {
    try BuiltProgram(
      scripts: ["say": "printf '%s|%s\\n' \"$BGFETCH_TITLE\" \"$BGFETCH_BODY\" >> \"$HOME/said\""],
      configuration: """
        feeds:
          app: {url: "\(server.url("/releases"))", kind: json, json: \(Self.mapping), updated: notify}
        hooks:
          say: {events: [notification], run: ["HOME/say"]}
        """)
  }

  /// A list of releases with a download count that changes daily.
  private func releases(_ ids: [Int], downloads: Int = 0) -> ScriptedAnswer {
    let entries = ids.map { id in
      """
      {"id": \(id), "name": null, "tag_name": "v\(id)", "html_url": "https://code.example/v\(id)", "draft": false,
       "published_at": "2026-11-\(id)T08:00:00Z", "body": "Text of \(id)",
       "assets": [{"browser_download_url": "https://code.example/v\(id).tar.gz", "download_count": \(downloads)}]}
      """
    }
    return .document(
      "[" + entries.joined(separator: ",") + "]", type: "application/json", etag: "\"\(ids)-\(downloads)\"",
      lastModified: nil)
  }

  @Test func `a new release is new data and a notification with the feed's name`() async throws {
    server.on("/releases", releases([11, 10]))
    let bgfetch = try program()
    try await bgfetch("run")

    server.on("/releases", releases([12, 11, 10]))
    let run = try await bgfetch("run", "--force", "--json")
    let items = try await bgfetch("items", "--json")

    #expect(server.requests.first?["Accept"] == "application/json, */*;q=0.5")
    #expect(run.json.first?["result"] as? String == "new-data")
    #expect(bgfetch.said.hasSuffix("app: 1 new|v12\n"))
    expect(
      items.json.first,
      ["title": "v12", "link": "https://code.example/v12", "published": "2026-11-12T08:00:00Z"])
    #expect(bgfetch.badge == "1\n")
  }

  @Test func `204 is a list without items, an empty body is a failure`() async throws {
    let bgfetch = try program()
    for (answer, result) in [
      (ScriptedAnswer.status(204), "no-data"), (releases([11]), "new-data"),
      (ScriptedAnswer.status(204), "no-data"), (ScriptedAnswer.status(200), "failed"),
    ] {
      server.on("/releases", answer)
      #expect(try await bgfetch("run", "--force", "--json").results == ["app": result])
    }
  }

  @Test func `parse --feed reads a document by the feed's mapping`() async throws {
    let bgfetch = try program()
    let input = "[{\"id\": 1.10, \"tag_name\": \"v1\", \"html_url\": \"/v1\", \"body\": \"<b>Text</b>\"}]"

    let parsed = try await bgfetch("parse", "--feed", "app", "-", "-v", input: input)
    let json = try await bgfetch(
      "parse", "--feed", "app", "-", "--json", "--base", "https://b.example/", input: input)
    try await bgfetch("parse", "--feed", "ap", "-", input: input, status: 2, errors: "did you mean \"app\"?")
    try await bgfetch(
      "parse", "--feed", "app", "-", input: "[{}, {}]", status: 4,
      errors: "in none of 2 items; the first is an empty object")

    #expect(parsed.lines[0] == "app  json, 1 item")
    #expect(parsed.lines.contains("  id: 1.10"))
    #expect(parsed.lines.contains("  summary: Text"))
    let item = (json.json.first?["items"] as? [[String: Any]])?.first
    #expect(json.json.first?["format"] as? String == "json")
    #expect(item?["link"] as? String == "https://b.example/v1")
  }
}

// Feeds that are local files (file: URLs).

@Suite struct FileFeedTests {
  private let bgfetch: BuiltProgram

  init() throws {
    bgfetch = try BuiltProgram(
      configuration: "feeds: {planet: {url: \"file:planet.xml\", first-run: all}}\n")
  }

  /// Writes a file with a modification time this many seconds ago.
  private func write(_ text: String, ago seconds: Double = 60) throws {
    let path = try bgfetch.home.write(text, to: "planet.xml")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: path)
  }

  @Test func `a local file is read again when it has changed`() async throws {
    try write(rss([("a", "A")]))

    #expect(try await bgfetch("run", "--json").json.first?["count"] as? Int == 1)
    #expect(try await bgfetch("run", "--force", "--json").json.first?["reason"] as? String == "not modified")
    try write(rss([("b", "B"), ("a", "A")]), ago: 50)
    #expect(try await bgfetch("run", "--force", "--json").json.first?["count"] as? Int == 1)
    #expect(bgfetch.badge == "2\n")
  }

  @Test func `an unreadable file is a failure with its path, and its items stay`() async throws {
    try write(rss([("a", "A")]))
    try await bgfetch("run")
    let path = bgfetch.home.file("planet.xml")

    unlink(path)
    let missing = try await bgfetch("run", "--force", "--json", status: 4)
    #expect(mkfifo(path, 0o600) == 0)
    let pipe = try await bgfetch("run", "--force", "--json")
    unlink(path)
    try write(rss([("a", "A")]))

    #expect(missing.json.first?["reason"] as? String == "\(path): there is no such file or directory")
    #expect(pipe.json.first?["reason"] as? String == "\(path): is neither a file nor a directory")
    #expect(try await bgfetch("run", "--force", "--json").results == ["planet": "no-data"])
    #expect(bgfetch.badge == "1\n")
  }

  @Test func `neither a redirect nor a secret address can name a local file`() async throws {
    let server = try ScriptedServer()
    try write(rss([("a", "A")]))
    let path = bgfetch.home.file("planet.xml")
    server.on("/moved", .redirect(301, to: "file://\(path)"))
    try bgfetch.configure("feeds: {moved: \"\(server.url("/moved"))\", secret: {url: {env: PLANET}}}\n")

    let run = try await bgfetch("run", "--json", environment: ["PLANET": "file://\(path)"], status: 4)

    let reasons = run.json.compactMap { $0["reason"] as? String }
    #expect(reasons.contains { $0.contains("redirected to an address that begins with file:") })
    #expect(reasons.contains { $0.contains("not an http or https address") })
  }

  @Test func `local files are read on an offline machine`() async throws {
    try bgfetch.edit("feeds: {", to: "feeds: {one: \"http://one.invalid/\", two: \"http://two.invalid/\", ")
    try write(rss([("a", "A")]))

    let run = try await bgfetch("run", "--json")

    #expect(run.results["planet"] == "new-data")
    #expect(run.json.contains { $0["reason"] as? String == "offline" })
  }
}

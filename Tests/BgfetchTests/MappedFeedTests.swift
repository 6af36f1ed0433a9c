// Feeds of kind json on a real server: what is new, what is no edit, what is a failure.

import Foundation
import TestKit
import Testing

@Suite struct MappedFeedTests {
  private static let mapping =
    "{items: \"\", id: /id, title: [/name, /tag_name], link: /html_url, published: /published_at, "
    + "summary: /body, assets: /assets/*/browser_download_url}"

  /// A program with one feed of kind json and one hook that appends each message to `said`.
  private func program(
    _ server: ScriptedServer, mapping: String = mapping, keys: String = "updated: notify"
  ) throws -> BuiltProgram {
    let bgfetch = try BuiltProgram()
    let path = try bgfetch.script(
      "say", "printf '%s|%s\\n' \"$BGFETCH_TITLE\" \"$BGFETCH_BODY\" >> \"$HOME/said\"")
    try bgfetch.configure(
      """
      feeds:
        app: {url: "\(server.url("/releases"))", kind: json, json: \(mapping), \(keys)}
      hooks:
        say: {events: [notification], run: ["\(path)"]}
      """)
    return bgfetch
  }

  /// A list of releases by their numbers, with a number of downloads that changes from day to day.
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

  @Test func `a new release is new data and a message under the feed's name`() async throws {
    let server = try ScriptedServer(["/releases": releases([11, 10])])
    let bgfetch = try program(server)
    _ = try await bgfetch("run")

    server.on("/releases", releases([12, 11, 10]))
    let run = try await bgfetch("run", "--force", "--json")
    let items = try await bgfetch("items", "--json")

    #expect(server.requests.first?["Accept"] == "application/json, */*;q=0.5")
    #expect(run.json.first?["result"] as? String == "new-data")
    #expect(bgfetch.text(of: "said").hasSuffix("app|1 new: v12\n"))
    #expect(items.json.first?["title"] as? String == "v12")
    #expect(items.json.first?["link"] as? String == "https://code.example/v12")
    #expect(items.json.first?["published"] as? String == "2026-11-12T08:00:00Z")
    #expect(bgfetch.badge == "1\n")
  }

  @Test func `a change beside the mapped parts is no edit`() async throws {
    let server = try ScriptedServer(["/releases": releases([11, 10])])
    let bgfetch = try program(server)
    _ = try await bgfetch("run")

    server.on("/releases", releases([11, 10], downloads: 5))
    let run = try await bgfetch("run", "--force", "--json")

    #expect(run.json.first?["result"] as? String == "no-data")
    #expect(run.json.first?["reason"] as? String == "nothing new")
    #expect(bgfetch.badge == "0\n")
  }

  @Test func `an unchanged document is asked for with its validators`() async throws {
    let server = try ScriptedServer(["/releases": releases([11, 10])])
    let bgfetch = try program(server)
    _ = try await bgfetch("run")

    let run = try await bgfetch("run", "--force", "--json")

    #expect(run.json.first?["reason"] as? String == "not modified")
  }

  @Test func `another mapping has the document come again, validators or not`() async throws {
    let server = try ScriptedServer(["/releases": releases([11])])
    let bgfetch = try program(server, mapping: "{items: \"\", id: /id}")
    _ = try await bgfetch("run")

    let other = try program(server, mapping: "{items: \"\", id: /id, title: /tag_name}", keys: "title: App")
    try bgfetch.configure(
      try String(contentsOfFile: other.configurationPath, encoding: .utf8)
        .split(separator: "\n").dropFirst().joined(separator: "\n") + "\n")
    let run = try await bgfetch("run", "--json")
    let items = try await bgfetch("items", "--json")

    #expect(server.requests.last?["If-None-Match"] == nil)
    #expect(run.json.first?["reason"] as? String == "nothing new")
    #expect(items.json.first?["title"] as? String == "v11")
  }

  @Test func `items that leave a page of a longer list do not come back as new`() async throws {
    let server = try ScriptedServer()
    func page(_ ids: [Int]) -> ScriptedAnswer {
      .document(
        "{\"next\": \"\(server.url("/page/2"))\", \"results\": ["
          + ids.map { "{\"id\": \($0), \"name\": \"n\($0)\"}" }.joined(separator: ",") + "]}")
    }
    server.on("/releases", page([11, 10]))
    let bgfetch = try program(server, mapping: "{items: /results, id: /id, title: /name}")
    _ = try await bgfetch("run")
    server.on("/releases", page([12, 11]))
    _ = try await bgfetch("run", "--force")

    server.on("/releases", page([11, 10]))
    let run = try await bgfetch("run", "--force", "--json")

    #expect(run.json.first?["result"] as? String == "no-data")
    #expect(server.requests.allSatisfy { $0.path == "/releases" })
    #expect(bgfetch.badge == "1\n")
  }

  @Test func `an error object in place of the list is a failure, and items and validators stay`() async throws
  {
    let server = try ScriptedServer(["/releases": releases([11])])
    let bgfetch = try program(server, keys: "first-run: all")
    _ = try await bgfetch("run")

    server.on(
      "/releases",
      .document("{\"message\": \"Not Found\", \"status\": \"404\"}", etag: "\"error\"", lastModified: nil))
    let failed = try await bgfetch("run", "--force", "--json")
    server.on("/releases", releases([11]))
    let after = try await bgfetch("run", "--force", "--json")

    #expect(failed.status == 4)
    #expect(
      failed.json.first?["reason"] as? String
        == "json finds /id, /name, /tag_name, /html_url, /body in none of 1 item; "
        + "the first is an object with message, status")
    #expect(after.json.first?["reason"] as? String == "not modified")
    #expect(bgfetch.badge == "1\n")
  }

  @Test func `parse reads a document as a configured feed would`() async throws {
    let bgfetch = try program(try ScriptedServer())
    let input = "[{\"id\": 1.10, \"tag_name\": \"v1\", \"html_url\": \"/v1\", \"body\": \"<b>Text</b>\"}]"

    let parsed = try await bgfetch("parse", "--feed", "app", "-", "-v", input: input)
    let json = try await bgfetch(
      "parse", "--feed", "app", "-", "--json", "--base", "https://b.example/", input: input)
    let unknown = try await bgfetch("parse", "--feed", "ap", "-", input: input)
    let misfit = try await bgfetch("parse", "--feed", "app", "-", input: "[{}, {}]")

    #expect(parsed.lines[0] == "app  json, 1 item")
    #expect(parsed.lines.contains("  id: 1.10") && parsed.lines.contains("  summary: Text"))
    let item = (json.json.first?["items"] as? [[String: Any]])?.first
    #expect(json.json.first?["format"] as? String == "json")
    #expect(item?["link"] as? String == "https://b.example/v1")
    #expect(unknown.status == 2 && unknown.errors.contains("did you mean \"app\"?"))
    #expect(misfit.status == 4 && misfit.errors.contains("in none of 2 items; the first is an empty object"))
  }
}

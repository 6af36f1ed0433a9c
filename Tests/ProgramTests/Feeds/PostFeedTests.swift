// Feeds that are requested by POST, and redirects of such requests.

import Foundation
import TestKit
import Testing

@Suite final class PostFeedTests: ServerSuite {
  /// Answers a POST with an item whose id is the body, and a GET with the item `get`.
  private static let echo: Route = { request in
    let id = request.method == "POST" ? String(decoding: request.body, as: UTF8.self) : "get"
    let body = (try? JSONSerialization.data(withJSONObject: [["id": id]])) ?? Data()
    return .document(Array(body), type: "application/json", etag: "\"1\"")
  }

  private func program(_ feeds: KeyValuePairs<String, String>) throws -> BuiltProgram {
    let lines = feeds.map { "  \($0): {kind: json, json: {items: \"\", id: /id}, first-run: all, \($1)}" }
    return try BuiltProgram(configuration: "feeds:\n" + lines.joined(separator: "\n"))
  }

  private func ids(_ bgfetch: BuiltProgram, _ feed: String) async throws -> [String] {
    try await bgfetch("items", "--json", feed).json.compactMap { $0["id"] as? String }
  }

  @Test func `a body is sent as it is written, and never with validators`() async throws {
    server.on("/api", Self.echo)
    let bgfetch = try program([
      "query": "url: \"\(server.url("/api"))\", body: {query: \"{ a }\", limit: 5}",
      "form": "url: \"\(server.url("/api"))\", body: \"a=b&ü=1\"",
      "typed": "url: \"\(server.url("/api"))\", body: x, headers: {Content-Type: text/plain}",
      "get": "url: \"\(server.url("/api"))\"",
    ])

    try await bgfetch("run")
    let again = try await bgfetch("run", "--force", "--json")

    let posts = server.requests.filter { $0.method == "POST" }
    #expect(posts.count == 6)
    #expect(posts.allSatisfy { $0["If-None-Match"] == nil && $0["Expect"] == nil })
    for (feed, id) in [
      ("query", #"{"query":"{ a }","limit":5}"#), ("form", "a=b&ü=1"), ("typed", "x"), ("get", "get"),
    ] { #expect(try await ids(bgfetch, feed) == [id]) }
    let types = Set(posts.map { $0["Content-Type"] ?? "" })
    #expect(types == ["application/json", "application/x-www-form-urlencoded", "text/plain"])
    #expect(again.json.compactMap { $0["reason"] as? String }.filter { $0 == "not modified" }.count == 1)
  }

  @Test func `hooks do not get the secrets of a body`() async throws {
    server.on("/api", Self.echo)
    let bgfetch = try program([
      "a": "url: \"\(server.url("/api"))\", body: {key: {env: TOKEN}}",
      "b": "url: \"\(server.url("/api"))\", body: {env: WORD}",
    ])
    let log = try bgfetch.script("log", "echo \"[$TOKEN$WORD$OTHER]\" >> \"$HOME/said\"")
    try bgfetch.edit("\nfeeds:", to: "\nhooks: {log: {events: [run-finished], run: [\"\(log)\"]}}\nfeeds:")

    try await bgfetch("run", environment: ["TOKEN": "1", "WORD": "2", "OTHER": "3"])

    #expect(try await ids(bgfetch, "a") == [#"{"key":"1"}"#])
    #expect(bgfetch.said == "[3]\n")
  }

  @Test func `a secret in a body is sent, and masked wherever the server repeats it`() async throws {
    server.on("/api", Self.echo)
    let bgfetch = try program(["a": "url: \"\(server.url("/api"))\", body: {key: {env: API_KEY}, q: x}"])

    let run = try await bgfetch("run", "-v", environment: ["API_KEY": "wort-geheim"])

    #expect(server.requests.first?.body == Array("{\"key\":\"wort-geheim\",\"q\":\"x\"}".utf8))
    #expect(try await ids(bgfetch, "a") == ["{\"key\":\"***\",\"q\":\"x\"}"])
    #expect(!(run.output + run.errors).contains("geheim"))
  }
}

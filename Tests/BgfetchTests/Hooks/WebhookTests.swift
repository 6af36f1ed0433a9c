// Webhooks: events that are posted to a server instead of being given to a program.

import Foundation
import TestKit
import Testing

@Suite final class WebhookTests: ServerSuite {
  /// A program with a feed of one item that is announced by a webhook.
  private func program(_ server: ScriptedServer, webhook: String, keys: String = "") throws -> BuiltProgram {
    server.feed("/feed", ["a"])
    return try BuiltProgram(
      configuration: """
        feeds: {planet: {url: "\(server.url("/feed"))", first-run: all, minimum-interval: 1h}}
        hooks:
          home: {events: [notification], webhook: \(webhook)\(keys)}

        """)
  }

  private func posts(_ server: ScriptedServer) -> [ReceivedRequest] {
    server.requests.filter { $0.method == "POST" }
  }

  @Test func `an event is posted as the JSON that programs get`() async throws {
    server.on("/hook", .status(204))
    let bgfetch = try program(
      server,
      webhook: "{url: \"\(server.url("/hook"))\", headers: {Authorization: {env: TOKEN}}, secret: {env: KEY}}"
    )

    try await bgfetch("run", environment: ["TOKEN": "Bearer geheim", "KEY": "shared key"])

    let news = try #require(
      posts(server).first { String(decoding: $0.body, as: UTF8.self).contains("Title of a") })
    let event = try #require(try JSONSerialization.jsonObject(with: Data(news.body)) as? [String: Any])
    #expect(event["event"] as? String == "notification")
    #expect((event["feed"] as? [String: Any])?["name"] as? String == "planet")
    #expect(news["Content-Type"] == "application/json")
    #expect(news["Authorization"] == "Bearer geheim")
    #expect(news["Idempotency-Key"] == "\"\(event["event-id"] as? String ?? "")\"")
    #expect(try await bgfetch("hooks").output == "")

    // Another implementation finds the same signature.
    let path = try bgfetch.home.write(String(decoding: news.body, as: UTF8.self), to: "body")
    let signed = try await bgfetch.shell("openssl dgst -sha256 -hmac 'shared key' -r < '\(path)'")
    #expect(news["X-Hub-Signature-256"] == "sha256=" + signed.output.prefix(64))
  }

  @Test(
    arguments: [
      (ScriptedAnswer.status(500), "the server answered 500"), (.status(410), "the server answered 410"),
      (
        .status(302, [("Location", "http://elsewhere.example/x")]), "redirected to http://elsewhere.example/x"
      ),
    ])
  func `a refused event is tried again with the same key`(answer: ScriptedAnswer, reason: String) async throws
  {
    server.on("/hook", answer)
    let bgfetch = try program(server, webhook: server.url("/hook"))

    let run = try await bgfetch("run", "-v", at: "2026-11-21T10:00:00Z", status: 0)
    #expect(run.errors.contains(reason), "\(run.errors)")
    server.on("/hook", .status(200))
    try await bgfetch("run", at: "2026-11-21T10:02:00Z")

    let keys = posts(server).map { $0["Idempotency-Key"] ?? "" }
    #expect(keys.count == 2 && Set(keys).count == 1, "\(keys)")
    #expect(try await bgfetch("hooks").output == "")
  }

  @Test func `a server that does not answer fails the delivery after its timeout`() async throws {
    let gate = Gate()
    server.on("/hook", ScriptedAnswer.document("late").held(by: gate))
    let bgfetch = try program(server, webhook: server.url("/hook"), keys: ", timeout: 1s, retries: 0")

    try await bgfetch("run", "-v", errors: "took longer than 1s")
    gate.open()

    #expect(try await bgfetch("status", "--problems").status == 3)
  }

  @Test func `no part of a secret address is in the reason of a refusal`() async throws {
    server.on("/services/T0SECRETPART", .redirect(301, to: "https://127.0.0.1/services/T0SECRETPART/"))
    let bgfetch = try program(server, webhook: "x")
    let file = try bgfetch.home.write(server.url("/services/T0SECRETPART") + "\n", to: "url")
    chmod(file, 0o600)
    try bgfetch.configure(
      """
      feeds: {planet: {url: "\(server.url("/feed"))", first-run: all}}
      hooks: {web: {events: [notification], webhook: {url: {file: "\(file)"}}}}
      """)

    let run = try await bgfetch("run", "-v", errors: "redirects are not followed")
    let stored = try await bgfetch.shell("cat \"$HOME\"/state/bgfetch.db*")

    for text in [run.output, run.errors, stored.output] { #expect(!text.contains("T0SECRETPART")) }
  }

  @Test func `the answer may be of any length`() async throws {
    server.on("/hook", .document(String(repeating: "x", count: 1 << 20), type: "text/plain"))
    let bgfetch = try program(server, webhook: server.url("/hook"))

    try await bgfetch("run")

    #expect(posts(server).count == 1)
    #expect(try await bgfetch("hooks").output == "")
  }

  @Test func `a webhook is tested with a sample`() async throws {
    server.on("/hook", .status(200))
    let bgfetch = try program(server, webhook: server.url("/hook"))

    try await bgfetch("hooks", "test", "home", prints: "home: delivered\n")
    server.on("/hook", .status(403))
    let refused = try await bgfetch("hooks", "test", "home")

    #expect(refused.output == "home: the server answered 403\n" && refused.status == 1)
  }
}

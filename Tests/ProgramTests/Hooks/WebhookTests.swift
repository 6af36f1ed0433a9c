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

    try await bgfetch("run", "-v", at: "2026-11-21T10:00:00Z", status: 0, errors: reason)
    server.on("/hook", .status(200))
    try await bgfetch("run", at: "2026-11-21T10:02:00Z")

    let keys = posts(server).map { $0["Idempotency-Key"] ?? "" }
    #expect(keys.count == 2, "\(keys)")
    #expect(Set(keys).count == 1, "\(keys)")
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

  @Test func `a webhook is tested with a sample`() async throws {
    server.on("/hook", .status(200))
    let bgfetch = try program(server, webhook: server.url("/hook"))

    try await bgfetch("hooks", "test", "home", prints: "home: delivered\n")
    server.on("/hook", .status(403))
    try await bgfetch("hooks", "test", "home", status: 1, prints: "home: the server answered 403\n")

    let reason = "<p>chat not\u{1B}[31m found</p>" + String(repeating: "x", count: 1 << 20)
    server.on("/hook", .status(400, body: reason))
    try await bgfetch("hooks", "test", "home", output: "the server answered 400: chat not found xxxx")
  }

  @Test func `a body has the secrets of the configuration, and none of them is shown`() async throws {
    server.on("/hook", .redirect(301, to: "https://127.0.0.1/GEHEIM\\"))
    let bgfetch = try program(
      server,
      webhook: """
        {url: "\(server.url("/hook"))", method: PUT, body: {token: {env: TOKEN}, empty: "{sound}", n: [1, "{count}"]}}
        """)

    let run = try await bgfetch("run", "-v", environment: ["TOKEN": "GEHEIM\\"], status: 0)

    let sent = server.requests.filter { $0.method == "PUT" }.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(sent == [#"{"token":"GEHEIM\\","n":[1,"1"]}"#])
    #expect(run.errors.contains("redirects are not followed"), "\(run.errors)")
    #expect(!run.errors.contains("GEHEIM"), "\(run.errors)")
  }

  @Test func `the recipes for chats send what their servers accept, whatever a feed says`() async throws {
    let server = try ScriptedServer { request in
      if request.path == "/atom.xml" { return .document(ChatServer.feed) }
      return .status(ChatServer.accepts(request) ? 200 : 400)
    }
    let file = URL(filePath: #filePath).appending(path: "../../../../examples/chats.yaml").standardized
    let bgfetch = try BuiltProgram()
    try await bgfetch.shell("mkdir -p \"$HOME/.config/bgfetch\"")
    for (name, secret) in [
      ("ntfy", "Bearer tk"), ("gotify", "token"), ("matrix", "Bearer syt"),
      ("slack", server.url("/services/T/B/X")),
      ("discord", server.url("/api/webhooks/1/TOKEN")), ("telegram", server.url("/bot1:TOKEN/sendMessage")),
    ] {
      chmod(try bgfetch.home.write(secret + "\n", to: ".config/bgfetch/" + name), 0o600)
    }
    try bgfetch.configure(
      "defaults: {first-run: all, notify: {title: \"{item.title}\", body: \"{item.summary}\"}}\n"
        + String(contentsOf: file, encoding: .utf8).replacing(
          /https:\/\/(planet|ntfy|gotify|matrix)\.example/, with: server.origin
        ).replacing("events: [notification]", with: "events: [notification]\n    group: item"))

    let run = try await bgfetch("run", "-v", status: 0)

    #expect(!run.errors.contains("hook "), "\(run.errors)")
    #expect(server.requests.count == 1 + 6 * 3)
    // The feed, five addresses, and one for each event, which has a transaction at Matrix.
    let targets = Set(server.requests.map(\.target))
    #expect(targets.count == 9)
    #expect(try await bgfetch("hooks").output == "")
  }
}

/// Judges requests as the interfaces of chats do.
private enum ChatServer {
  /// Items with long texts and with none, with a link and without.
  static let feed = """
    <rss version="2.0"><channel><title>P</title>
    <item><guid>a</guid><title>\(long(300))</title><link>https://planet.example/a</link>
    <description>\(long(9000))</description></item>
    <item><guid>b</guid><title>@everyone &lt;!channel> \\"},{"</title><description>b</description></item>
    <item><guid>c</guid><title>c</title></item></channel></rss>
    """

  private static func long(_ length: Int) -> String {
    String(repeating: "\"👩‍👩‍👧‍👦\\ é\u{7}", count: length / 10)
  }

  static func accepts(_ request: ReceivedRequest) -> Bool {
    guard request["Content-Type"] == "application/json",
      let body = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
    else { return false }
    let parts = request.target.split(separator: "/").map(String.init)
    switch (request.method, parts.first) {
    case ("POST", nil):
      return request["Authorization"] == "Bearer tk" && body["topic"] as? String == "news"
        && isText(body["title"], 1...250) && (body["message"] == nil || isText(body["message"], 1...4096))
        && isAddressOrNone(body["click"]) && body["tags"] is [String]
    case ("POST", "message"):
      return request["X-Gotify-Key"] == "token" && isText(body["message"], 1...100_000)
        && body["priority"] is Int
    case ("POST", "api"):
      let embed = (body["embeds"] as? [[String: Any]])?.first ?? [:]
      let mentions = body["allowed_mentions"] as? [String: [String]]
      return isText(embed["title"], 1...256)
        && (embed["description"] == nil || isText(embed["description"], 1...4096))
        && isAddressOrNone(embed["url"]) && mentions == ["parse": []]
    case ("POST", "services"):
      return (body["blocks"] as? [[String: Any]] ?? []).allSatisfy { block in
        let text = block["text"] as? [String: String] ?? [:]
        return text["type"] == "plain_text" && isText(text["text"], 1...3000)
          && isAddressOrNone((block["accessory"] as? [String: Any])?["url"])
      }
    case ("PUT", "_matrix"):
      return parts.count == 8 && parts[6] == "m.room.message" && request["Authorization"] == "Bearer syt"
        && body["msgtype"] as? String == "m.notice" && isText(body["body"], 1...60_000)
    case ("POST", "bot1:TOKEN"): return body["chat_id"] is Int && isText(body["text"], 1...4096)
    default: return false
    }
  }

  private static func isText(_ value: Any?, _ length: ClosedRange<Int>) -> Bool {
    (value as? String).map { length.contains($0.utf16.count) } ?? false
  }

  private static func isAddressOrNone(_ value: Any?) -> Bool {
    value == nil || (value as? String)?.hasPrefix("https://") == true
  }
}

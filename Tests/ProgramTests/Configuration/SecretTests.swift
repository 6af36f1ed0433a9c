// A server that repeats every secret it receives: none of them is stored or shown.

import Foundation
import TestKit
import Testing

@Suite struct RepeatedSecretRunTests {
  private static let secrets = ["token-geheim1", "kopf-geheim2", "wort-geheim3", "stueck-geheim4"]

  /// The secrets in a request.
  private static func sent(_ request: ReceivedRequest) -> [String] {
    request.path.contains(secrets[3]) ? [secrets[0], secrets[3]] : Array(secrets[..<3])
  }

  private func program(_ server: ScriptedServer, keys: String = "") throws -> BuiltProgram {
    let bgfetch = try BuiltProgram(
      scripts: ["say": "{ env; printf '%s\\n' \"$@\"; cat; } >> \"$HOME/said\""],
      configuration: """
        documents: HOME/docs
        defaults:
          first-run: all
          notify: {title: "{item.title}", body: "{item.summary} {item.link} {item.id}", failures: 1}
          \(keys)
        feeds:
          planet:
            url: "\(server.url("/planet"))?token=token-geheim1"
            headers: {X-Mine: {file: HOME/header}}
            auth: {username: me, password: {file: HOME/password}}
          hidden: {url: {file: HOME/address}}
        hooks:
          say:
            events: [notification, new-item, new-data, failed, failing, asset-placed, transfer-failed]
            group: item
            run: [HOME/say, --, "{event}"]
        """)
    for (name, secret) in zip(["header", "password"], Self.secrets[1...2]) {
      try bgfetch.home.write(secret + "\n", to: name)
    }
    try bgfetch.home.write(server.url("/hidden/stueck-geheim4/feed?key=token-geheim1\n"), to: "address")
    return bgfetch
  }

  /// Everything that is stored or shown.
  private func traces(_ bgfetch: BuiltProgram) async throws -> String {
    var text = ""
    var commands = [
      ["run", "-v", "--force"], ["run", "-v", "--force"], ["status", "planet"], ["status", "hidden"],
      ["why", "planet"], ["history", "--requests"],
    ]
    for command in ["status", "items", "history", "transfers", "hooks", "export", "check"] {
      commands += [[command], [command, "--json"]]
    }
    for words in commands {
      let shown = try await bgfetch(words)
      text += shown.output + shown.errors
    }
    text += bgfetch.said
    for file in try FileManager.default.subpathsOfDirectory(atPath: bgfetch.state) {
      text += file + String(decoding: (try? readFile(bgfetch.state + "/" + file)) ?? [], as: UTF8.self)
    }
    return text
  }

  /// The secrets in a text, except for the plain address of the configuration, which an export has.
  private func leaks(_ text: String, _ server: ScriptedServer) -> [String] {
    let text = text.replacingOccurrences(of: "\(server.url("/planet"))?token=token-geheim1", with: "")
    return Self.secrets.filter(text.contains) + (text.contains("bWU6d29ydC1nZWhlaW0z") ? ["basic"] : [])
  }

  @Test func `secrets in documents and header fields are masked before they are stored`() async throws {
    let server = try ScriptedServer { request in
      let sent = Self.sent(request)
      let path = sent.joined(separator: "/")
      let echo = (sent + ["bWU6d29ydC1nZWhlaW0z"].prefix(sent.count - 2)).joined(separator: " ")
      let document = """
        <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>\(echo)</title>
        <link>https://planet.example/\(path)</link><atom:link rel="hub" href="https://hub.example/?x=\(path)"/>
        <atom:link rel="self" href="https://planet.example/\(path)"/>
        <item><guid isPermaLink="false">\(echo)</guid><title>hello \(echo)</title>
        <link>https://planet.example/\(path)?key=\(path)</link><description>&lt;p&gt;\(echo)</description>
        <author>\(echo)</author><category>\(echo)</category></item></channel></rss>
        """
      return .document(document, etag: "\"\(echo)\"", lastModified: echo).with("X-Echo", echo)
        .with("Link", "<https://hub.example/\(path)>; rel=hub")
    }
    let bgfetch = try program(server)

    let text = try await traces(bgfetch)

    #expect(leaks(text, server) == [])
    #expect(bgfetch.said.contains("hello *** *** *** ***"))
  }

  @Test(arguments: ["Basic", "Digest"])
  func `name and password are sent in the way that the server asks for`(scheme: String) async throws {
    let server = try ScriptedServer { request in
      guard let sent = request["Authorization"] else {
        let challenge = scheme + " realm=\"r\", nonce=\"n\", qop=\"auth\""
        return .status(401, [("WWW-Authenticate", challenge)])
      }
      return sent.hasPrefix(scheme) ? .document(rss([("a", "Title")])) : .status(403)
    }
    let bgfetch = try BuiltProgram(
      server, keys: "first-run: all, auth: {username: me, password: {file: HOME/password}}")
    try bgfetch.home.write("geheim\n", to: "password")

    #expect(try await bgfetch("run", "--json", status: 0).results == ["planet": "new-data"])
    #expect(server.requests.map { $0["Authorization"]?.prefix(5) } == [nil, scheme.prefix(5)])
  }

  @Test func `secrets in errors and redirects are masked`() async throws {
    let answers: [@Sendable (String) -> ScriptedAnswer] = [
      { .redirect(301, to: "/moved/\($0)?x=\($0)") }, { .redirect(302, to: "\($0):x") },
      { .redirect(302, to: "http://127.0.0.2:1/\($0)") },
      { .document("{\"\($0)\": 1}", type: "application/json; \($0)") },
      { .document("<\($0.replacingOccurrences(of: "/", with: "-"))/>") },
      { .status(429, [("Retry-After", $0)], body: $0) },
      { .status(401, [("WWW-Authenticate", $0)], body: $0) },
      { .document("x").with("Content-Encoding", $0) },
    ]
    for answer in answers {
      let server = try ScriptedServer { request in
        request.path.hasPrefix("/moved")
          ? .document(rss([("a", "Title")])) : answer(Self.sent(request).joined(separator: "/"))
      }
      let bgfetch = try program(server)

      #expect(leaks(try await traces(bgfetch), server) == [], "\(answer)")
    }
  }

  @Test func `a secret in the name of a file is masked, and the file is placed`() async throws {
    let server = try ScriptedServer { request in
      let sent = Self.sent(request).joined(separator: " ")
      guard request.path.hasPrefix("/files") else {
        return .document(
          "<rss version='2.0'><channel><title>x</title><item><guid isPermaLink='false'>a</guid>"
            + "<enclosure url='\(request.origin)/files/\(Self.sent(request)[1]).mp3' type='audio/mpeg'/></item></channel></rss>"
        )
      }
      return .status(200, [("Content-Disposition", "attachment; filename=\"\(sent).mp3\"")], body: "ID3")
    }
    let bgfetch = try program(server, keys: "download: {name: \"{feed}/{name}{ext}\"}")

    _ = try await traces(bgfetch)

    let files = try FileManager.default.subpathsOfDirectory(atPath: bgfetch.home.file("docs"))
    #expect(files.filter { $0.hasSuffix(".mp3") }.count == 2)
    #expect(leaks(files.joined(separator: "\n"), server) == [])
    #expect(bgfetch.said.contains("asset-placed"))
    #expect(leaks(bgfetch.said, server) == [])
  }
}

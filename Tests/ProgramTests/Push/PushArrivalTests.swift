// How pushes arrive: in bursts, over a socket, from hooks, and from a WebSub hub. A confirmed push is never lost.

import Foundation
import TestKit
import Testing

@Suite struct PushBurstTests {
  @Test func `pushes from fifty processes at once are all stored, and more than a hundred drop the oldest`()
    async throws
  {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: \"http://127.0.0.1:1/\"}\n")
    func push(_ numbers: String) async throws -> Invoked {
      try await bgfetch.shell(
        """
        seq \(numbers) | xargs -P 50 -I N sh -c \
          '"$BGFETCH" push --json --feed planet --set content-id=N || echo failed'
        """)
    }
    let burst = try await push("100")
    let again = try await push("7 29 100")
    let more = try await bgfetch("push", "--feed", "planet", "--set", "content-id=101", status: 0)

    #expect(burst.errors == "")
    #expect(burst.json.count == 100)
    #expect(burst.json.allSatisfy { $0["taken"] as? Bool == true && $0["replaced"] as? Bool == false })
    #expect(again.json.count == 4)
    #expect(again.json.allSatisfy { $0["replaced"] as? Bool == true })
    #expect(more.errors.contains("planet: 1 older push dropped"))
  }
}

// Payloads over a socket, as with bgfetch-push.socket.

@Suite struct PushSocketTests {
  /// Pushes a payload through a socket that is standard input and output, and returns the reply.
  private func push(_ payload: String, _ bgfetch: BuiltProgram) throws -> (answer: String, status: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    let ours = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    let program = try ChildProgram(
      BuiltProgram.path, ["push", "--json", "-"],
      environment: ["HOME": bgfetch.home.path, "BGFETCH_CONFIG": bgfetch.configurationPath, "TZ": "UTC"],
      directory: bgfetch.home.path, input: .descriptor(ends[1]), output: .descriptor(ends[1]))
    close(ends[1])
    try ours.write(contentsOf: Data(payload.utf8))
    shutdown(ends[0], Int32(SHUT_WR))
    let answer = String(decoding: try ours.readToEnd() ?? Data(), as: UTF8.self)
    return (answer, program.wait())
  }

  @Test func `a push over a socket is confirmed once it is stored; a refused one is not`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: \"http://127.0.0.1:1/\"}\n")

    let taken = try push(#"{"aps": {"content-available": 1}, "feed": "planet"}"#, bgfetch)
    let again = try push(#"{"aps": {"content-available": 1}, "feed": "planet"}"#, bgfetch)
    let refused = try push(#"{"aps": {"content-available": 1}, "feed": "plant"}"#, bgfetch)

    #expect(taken.status == 0)
    #expect(taken.answer.contains("\"taken\":true"))
    #expect(taken.answer.contains("\"replaced\":false"))
    #expect(again.answer.contains("\"replaced\":true"))
    #expect(refused.status == 2)
    #expect(refused.answer == "")
  }
}

// Pushes from hooks.

@Suite struct PushHookTests {
  @Test func `a hook may push, and the same run delivers it, but a hook may not run`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/other": ["b"]])
    let bgfetch = try BuiltProgram(
      server, ["planet", "other"], keys: "first-run: all",
      more: """
        hooks:
          push: {events: [new-item], feeds: [planet], run: [HOME/push]}
          taken: {events: [push-received], run: [HOME/taken]}
        """,
      scripts: [
        "push": """
        echo '{"aps": {"content-available": 1}, "feed": "other"}' > "$HOME/payload"
        "\(BuiltProgram.path)" push "$HOME/payload"; echo $? >> "$HOME/said"
        "\(BuiltProgram.path)" push "$HOME/payload" --run 2>> "$HOME/said"; echo $? >> "$HOME/said"
        """,
        "taken": "echo $BGFETCH_FEED >> \"$HOME/taken.log\"",
      ])

    // With a fixed clock no run waits for late data.
    try await bgfetch("run", at: "2026-11-21T08:00:00Z", status: 0)
    try await bgfetch("run", at: "2026-11-21T08:00:00Z")

    #expect(
      bgfetch.said
        == "0\nbgfetch: the push is stored, and the run of this hook or the next run handles it; leave out --run\n75\n"
    )
    #expect(bgfetch.text(of: "taken.log") == "other\nother\n")
  }
}

// The WebSub subscriber of the examples, with a hub of the test.

@Suite struct WebSubTests {
  private static let python = "/usr/bin/python3"

  private static let script = URL(fileURLWithPath: #filePath)
    .appending(path: "../../../../examples/push/websub").standardized.path

  /// A hub: it verifies subscriptions and distributes content, with good and bad signatures (WebSub §5.3, §8).
  private static let hub = """
    import hashlib, hmac, sys, urllib.error, urllib.parse, urllib.request
    port, form, what = sys.argv[1], dict(urllib.parse.parse_qsl(sys.argv[2])), sys.argv[3]
    callback = "http://127.0.0.1:" + port + urllib.parse.urlsplit(form["hub.callback"]).path
    def ask(body=None, signature=None, **query):
        fields = {"Content-Type": "application/rss+xml"} | ({"X-Hub-Signature": signature} if signature else {})
        query = {"hub." + name: value for name, value in query.items()}
        address = callback + ("?" + urllib.parse.urlencode(query) if query else "")
        try:
            with urllib.request.urlopen(urllib.request.Request(address, body, fields), timeout=60) as answer:
                print(answer.status, answer.read().decode())
        except urllib.error.HTTPError as error:
            print(error.code)
    def signed(method, body):
        return method + "=" + hmac.new(form["hub.secret"].encode(), body, getattr(hashlib, method)).hexdigest()
    mode, topic = form["hub.mode"], form["hub.topic"]
    if what == "confirm":
        ask(mode=mode, topic="https://evil.example/", challenge="x", lease_seconds=60)
        ask(mode="unsubscribe" if mode == "subscribe" else "subscribe", topic=topic, challenge="x")
        ask(mode=mode, topic=topic, challenge="it's me", lease_seconds=86400)
    else:
        ask(b"<rss/>")
        ask(b"<rss/>", signed("sha256", b"<rss></rss>"))
        ask(b"<rss/>", "sha256=\\u00e9\\u00ff")
        ask(b"<rss/>", "md5=" + hashlib.md5(b"<rss/>").hexdigest())
        ask(b"<rss/>", signed(what, b"<rss/>"))
    """

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: python)), arguments: ["sha1", "sha512"])
  func `the subscriber confirms only its requests, and pushes only signed content`(method: String)
    async throws
  {
    let server = try ScriptedServer(["/hub": .status(202)])
    // The second fetch has news, so the push needs no further fetch.
    server.on("/feed", inTurn: document(server, ["a"]), document(server, ["b", "a"]))
    let bgfetch = try BuiltProgram(
      configuration: "feeds: {planet: \"\(server.url("/feed"))\", none: \"\(server.url("/none"))\"}\n")
    try await bgfetch("run")
    let hub = try bgfetch.home.write(Self.hub, to: "hub.py")
    let log = bgfetch.home.file("websub.log")
    let websub = try RunningProgram(
      "/bin/sh",
      [
        "-c",
        "exec \(Self.python) '\(Self.script)' --callback https://home.example/websub --port 0 --hub '\(server.url("/hub"))' --bgfetch '\(BuiltProgram.path)' 2> '\(log)'",
      ],
      environment: ["HOME": bgfetch.home.path, "BGFETCH_CONFIG": bgfetch.configurationPath, "TZ": "UTC"],
      input: nil,
      in: bgfetch.home)

    await server.received(3)
    let asked = try form(server, 0)
    let port = try #require(bgfetch.text(of: "websub.log").firstMatch(of: /listens on 127\.0\.0\.1:(\d+)/))
      .output.1
    let confirmed = try await bgfetch.shell("\(Self.python) '\(hub)' \(port) '\(asked)' confirm")
    let told = try await bgfetch.shell("\(Self.python) '\(hub)' \(port) '\(asked)' \(method)")
    await server.received(4)
    websub.signal(SIGTERM)
    await server.received(5)
    let ending = try form(server, 1)
    let left = try await bgfetch.shell("\(Self.python) '\(hub)' \(port) '\(ending)' confirm")
    let ended = await websub.ended()
    // The run started by the push may not have ended.
    try await bgfetch("run", "--wait")

    #expect(asked.contains("hub.mode=subscribe"))
    #expect(asked.contains("hub.secret="))
    #expect(asked.contains("hub.topic=http%3A%2F%2F127.0.0.1%3A\(server.port)%2Ffeed"))
    #expect(confirmed.output == "404\n404\n200 it's me\n")
    #expect(told.output == "202 \n202 \n202 \n202 \n202 \n")
    #expect(server.requests("/feed").count == 2)
    #expect(ending.contains("hub.mode=unsubscribe"))
    #expect(left.output == "404\n404\n200 it's me\n")
    #expect(ended.status == 0)
    #expect(bgfetch.text(of: "websub.log").components(separatedBy: "ignored").count == 5)
    #expect(!bgfetch.text(of: "websub.log").contains("Traceback"))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: python)))
  func `a local hub is used only if allowed, and its redirects are not followed`() async throws {
    let server = try ScriptedServer()
    server.on("/hub", .redirect(307, to: "/inside"))
    let ask = """
      import runpy, sys
      module = runpy.run_path('\(Self.script)')
      for hub, allowed in [(sys.argv[1], False), (sys.argv[1], True), ('http://[::ffff:127.0.0.1]:' + sys.argv[2] + '/hub', False),
                           ('http://localhost:' + sys.argv[2] + '/hub', False), ('http://x:99999/', False)]:
          module['Subscription']('planet', hub, 'https://planet.example/', allowed).ask('https://home.example/w', 'subscribe')
      print(*map(module['is_public'], ['1.1.1.1', '2606:4700::1111', '10.0.0.1', '127.0.0.1', '169.254.169.254', '::1', 'fe80::1%lo',
                                       'fd00::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:a00:1::', '0.0.0.0', '224.0.0.1', '100.64.0.1']))
      """
    let bgfetch = try BuiltProgram()
    let script = try bgfetch.home.write(ask, to: "ask.py")

    let asked = try await bgfetch.shell(
      "\(Self.python) -B '\(script)' '\(server.url("/hub"))' \(server.port)")

    #expect(asked.output == "True True" + String(repeating: " False", count: 12) + "\n")
    #expect(asked.errors.components(separatedBy: "--hub allows it").count == 4)
    #expect(asked.errors.contains("answered 307 to subscribe"))
    #expect(server.requests("/hub").count == 1)
    #expect(server.requests("/inside").count == 0)
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: python)))
  func `a subscription is renewed before its lease ends`() async throws {
    let ask =
      "import runpy; print(*map(runpy.run_path('\(Self.script)')['renewal'], (0, 25, 60, 300, 864000)))"

    let renewals = try await BuiltProgram().shell("\(Self.python) -B -c \"\(ask)\"")

    #expect(renewals.output == "10 10 40 270.0 777600.0\n")
  }

  private func document(_ server: ScriptedServer, _ ids: [String]) -> ScriptedAnswer {
    let items = ids.map { "<item><guid>\($0)</guid><title>\($0)</title></item>" }.joined()
    return .document(
      """
      <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Planet</title>
      <atom:link rel="hub" href="\(server.url("/hub"))"/><atom:link rel="self" href="\(server.url("/feed"))"/>
      \(items)</channel></rss>
      """)
  }

  /// The requests to the hub.
  private func form(_ server: ScriptedServer, _ number: Int) throws -> String {
    let requests = server.requests("/hub")
    try #require(requests.indices.contains(number))
    return String(decoding: requests[number].body, as: UTF8.self)
  }
}

// Pushes in runs: which rules they override, what is delivered, and when they are settled.

import Foundation
import TestKit
import Testing

@Suite struct PushRunTests {
  /// A program that logs notifications as `cause|title|body|badge` in the file `said`.
  private func program(
    _ server: ScriptedServer, feed: String = "", interval: String = "1d"
  ) throws -> BuiltProgram {
    let values = ["CAUSE", "TITLE", "BODY", "BADGE"].map { "\"$BGFETCH_\($0)\"" }.joined(separator: " ")
    return try BuiltProgram(
      scripts: ["say": "printf '%s|%s|%s|%s\\n' \(values) >> \"$HOME/said\""],
      configuration: """
        documents: HOME/documents
        badge: HOME/state/badge
        network: {private-addresses: allow}
        feeds:
          planet:
            url: "\(server.url("/planet"))"
            minimum-interval: \(interval)
        \(feed)
        hooks: {say: {events: [notification], run: [HOME/say]}}
        """)
  }

  private func push(_ bgfetch: BuiltProgram, _ payload: String, at now: String, _ arguments: String...)
    async throws -> Invoked
  {
    try await bgfetch(["push", "-"] + arguments, at: now, input: payload)
  }

  private func run(_ bgfetch: BuiltProgram, at now: String) async throws -> Invoked {
    try await bgfetch("run", "--cause", "timer", at: now)
  }

  private let silent = #"{"aps": {"content-available": 1}, "feed": "planet"}"#
  private let news = #"{"aps": {"content-available": 1, "alert": "news"}, "feed": "planet"}"#

  @Test(arguments: [
    (#""alert": {"title": "Hello", "body": "b is out"}"#, "Hello|b is out"),
    (#""x": 1"#, "Planet: 1 new|Title of b"),
  ])
  func `a push makes its feed due, and its alert, if it has one, replaces the notification`(
    part: String, told: String
  ) async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")
    server.feed("/planet", ["b", "a"])

    let before = bgfetch.said
    let taken = try await push(
      bgfetch, "{\"aps\": {\"content-available\": 1, \(part)}, \"feed\": \"planet\"}",
      at: "2026-11-21T08:01:00Z")
    let untold = bgfetch.said == before
    let ended = try await run(bgfetch, at: "2026-11-21T08:02:00Z")

    #expect(taken.status == 0, "\(taken.errors)\(ended.errors)")
    #expect(ended.status == 0, "\(taken.errors)\(ended.errors)")
    #expect(untold)
    #expect(server.requests("/planet").count == 2)
    #expect(bgfetch.said == before + "push|\(told)|1\n")
  }

  @Test func `push --run waits for its own feed, not for the second try of another`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try program(server, feed: "  moon: {url: \"\(server.url("/moon"))\", minimum-interval: 1d}")
    try await bgfetch("run")
    server.feed("/planet", ["b", "a"])

    try await bgfetch("push", "--feed", "moon")
    try await bgfetch("push", "--feed", "planet", "--run", status: 0)

    #expect(server.requests("/moon").count == 2)
    #expect(server.requests("/planet").count == 2)
  }

  @Test func `a second try beyond the budget is left to the next run`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)
    try await bgfetch("run")
    try await bgfetch("push", "--feed", "planet")

    let began = ContinuousClock.now
    let ended = try await bgfetch("run", "-v", "--budget", "30s", status: 0)
    let took = ContinuousClock.now - began
    let requests = server.requests("/planet").count
    _ = try await run(bgfetch, at: (Date.now + 61).formatted(.iso8601))

    #expect(!ended.errors.contains("once more"))
    #expect(took < .seconds(30))
    #expect(requests == 2)
    #expect(server.requests("/planet").count == 3)
  }

  @Test(arguments: [false, true])
  func `a push does not wait for what another run waits for`(isMessage: Bool) async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/moon": ["m"]])
    let delay = isMessage ? ", notify: {delay: 25s}" : ""
    let bgfetch = try program(
      server, feed: "  moon: {url: \"\(server.url("/moon"))\", minimum-interval: 1d\(delay)}")
    try await bgfetch("run")
    if isMessage { server.feed("/moon", ["n", "m"]) }
    try await bgfetch("push", "--feed", "moon")

    let running = try bgfetch.started(["run", "-v"])
    await server.received(3)
    server.feed("/planet", ["b", "a"])
    try await bgfetch("push", "--feed", "planet")
    await server.received(4)
    running.signal(SIGTERM)

    #expect(await running.ended().status == 143)
    #expect(server.requests.map(\.path).suffix(2) == ["/moon", "/planet"])
  }

  @Test func `a push does not wait for a slow feed of another host`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let gate = server.gatedFeed("/slow")
    let slow = server.url("/slow").replacing("127.0.0.1", with: "localhost")
    let bgfetch = try program(server, feed: "  slow: \"\(slow)\"")
    try await bgfetch("run", "planet", at: "2026-11-21T08:00:00Z")
    server.feed("/planet", ["b", "a"])

    let running = try bgfetch.started(["run", "--cause", "timer", "--json"], at: "2026-11-21T08:01:00Z")
    await server.received(2)
    let taken = try await push(bgfetch, news, at: "2026-11-21T08:01:00Z", "--run")
    await server.received(3)
    gate.open()
    let ended = await running.ended()

    #expect(taken.status == 0, "\(taken.errors)\(ended.errors)")
    #expect(ended.status == 0, "\(taken.errors)\(ended.errors)")
    expect(ended.json.last, ["new-data": 1, "due": 2])
    #expect(bgfetch.said.contains("push|Planet|news|"))
    let runs = try await bgfetch("history", "--json").json
    #expect(runs.filter { $0["cause"] as? String == "push" }.count == 1)
    #expect(runs.count == 3)
  }

  @Test func `a push for a host in use is handled when the host is free`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/free": ["a"]])
    let (near, far) = (server.gatedFeed("/near"), server.gatedFeed("/far"))
    let bgfetch = try program(
      server,
      feed: "  near: \"\(server.url("/near"))\"\n  far: \"\(server.url("/far", host: "far.localhost"))\"\n"
        + "  free: \"\(server.url("/free", host: "free.localhost"))\"")
    try await bgfetch("run", "planet", "free", at: "2026-11-21T08:00:00Z")

    let running = try bgfetch.started(["run"], at: "2026-11-21T08:01:00Z")
    await server.received(4)
    // When the run asks for the second feed, it has left the first one, whose host it uses.
    for feed in ["planet", "free"] { try await bgfetch("push", "--feed", feed, at: "2026-11-21T08:01:00Z") }
    await server.received(5)
    near.open()
    await server.received(6)
    far.open()

    #expect(await running.ended().status == 0)
    #expect(server.requests.map(\.path).suffix(2) == ["/free", "/planet"])
  }

  @Test func `a push of a file downloads only that file, and its alert waits for it`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    server.on("/downloads/42.mp3", .document("forty-two", etag: "\"42\"", lastModified: nil))
    let bgfetch = try program(
      server,
      feed: """
            push: {url: "\(server.url("/downloads"))/{content-id}.mp3", description: "Podcast Episode {content-id}"}
        """)
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")

    let ended = try await push(
      bgfetch, #"{"aps": {"content-available": 1, "alert": "episode"}, "feed": "planet", "content-id": 42}"#,
      at: "2026-11-21T08:01:00Z", "--run")

    let files = FileManager.default.enumerator(atPath: bgfetch.home.file("documents"))?
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".mp3") }
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(files?.count == 1)
    #expect(server.requests("/planet").count == 1)
    #expect(server.requests("/downloads/42.mp3").count == 1)
    #expect(bgfetch.said.hasSuffix("push|Planet|episode|1\n"))
    #expect(try await bgfetch("items").output.contains("Podcast Episode 42"))
  }

  @Test func `a run of some feeds handles the pushes of all feeds at its end`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/moon": ["m"]])
    let bgfetch = try program(server, feed: "  moon: \"\(server.url("/moon"))\"")
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")
    _ = try await push(bgfetch, silent, at: "2026-11-21T08:01:00Z")

    try await bgfetch("run", "moon", at: "2026-11-21T08:02:00Z")

    #expect(server.requests("/moon").count == 2)
    #expect(server.requests("/planet").count == 2)
  }

  @Test func `all events of a pushed feed of kind asset have the cause push`() async throws {
    let server = try ScriptedServer()
    server.on("/image", .document("image", etag: "\"1\"", lastModified: nil))
    let bgfetch = try BuiltProgram(
      configuration: """
        documents: HOME/documents
        network: {private-addresses: allow}
        feeds: {image: {url: "\(server.url("/image"))", kind: asset, minimum-interval: 1d}}
        hooks: {say: {events: [new-data, asset-placed, session-finished], run: [sh, HOME/say, --, "{event}"]}}
        """)
    _ = try bgfetch.script("say", "echo \"$2 $BGFETCH_CAUSE\" >> \"$HOME/said\"")
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")
    server.on("/image", .document("another image", etag: "\"2\"", lastModified: nil))
    let before = bgfetch.said

    _ = try await push(
      bgfetch, #"{"aps": {"content-available": 1}, "feed": "image"}"#, at: "2026-11-21T08:01:00Z")
    _ = try await run(bgfetch, at: "2026-11-21T08:02:00Z")

    #expect(before == "asset-placed timer\nsession-finished timer\n")
    #expect(
      bgfetch.said.dropFirst(before.count).split(separator: "\n").sorted()
        == ["asset-placed push", "new-data push", "session-finished push"])
  }
}

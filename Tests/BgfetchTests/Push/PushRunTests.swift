// Pushes in runs: which rules they override, what is delivered, and when they are settled.

import Foundation
import TestKit
import Testing

@Suite struct PushRunTests {
  /// Logs notifications as `cause|title|body|badge` in the file `said`.
  private static let hook = """
    hooks:
      say:
        events: [notification]
        run: [sh, HOME/say]
    """

  private func program(
    _ server: ScriptedServer, feed: String = "", interval: String = "1d"
  ) throws -> BuiltProgram {
    let bgfetch = try BuiltProgram(
      configuration: """
        documents: HOME/documents
        badge: HOME/state/badge
        network: {private-addresses: allow}
        feeds:
          planet:
            url: "\(server.url("/planet"))"
            minimum-interval: \(interval)
        \(feed)
        \(Self.hook)
        """)
    _ = try bgfetch.script(
      "say",
      "printf '%s|%s|%s|%s\\n' \"$BGFETCH_CAUSE\" \"$BGFETCH_TITLE\" \"$BGFETCH_BODY\" \"$BGFETCH_BADGE\" >> \"$HOME/said\""
    )
    return bgfetch
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

  @Test func `a push makes its feed due, and its alert replaces the notification`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")
    server.feed("/planet", ["b", "a"])

    let taken = try await push(
      bgfetch,
      #"{"aps": {"content-available": 1, "alert": {"title": "Hello", "body": "b is out"}}, "feed": "planet"}"#,
      at: "2026-11-21T08:01:00Z")
    let untold = bgfetch.text(of: "said").contains("Hello")
    let ended = try await run(bgfetch, at: "2026-11-21T08:02:00Z")

    #expect(taken.status == 0, "\(taken.errors)")
    #expect(!untold)
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(server.requests("/planet").count == 2)
    #expect(bgfetch.text(of: "said").hasSuffix("push|Hello|b is out|1\n"))
    #expect(!bgfetch.text(of: "said").contains("1 new"))
  }

  @Test func `a silent push leads to the ordinary notification`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")
    server.feed("/planet", ["b", "a"])

    _ = try await push(bgfetch, silent, at: "2026-11-21T08:01:00Z", "--run")

    #expect(bgfetch.text(of: "said").hasSuffix("push|Planet: 1 new|Title of b|1\n"))
  }

  @Test func `if nothing is new the feed is fetched once more before the alert is shown`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")
    let before = bgfetch.text(of: "said")

    _ = try await push(bgfetch, news, at: "2026-11-21T08:01:00Z", "--run")
    let asked = server.requests("/planet").count
    _ = try await run(bgfetch, at: "2026-11-21T08:01:30Z")
    let early = (server.requests("/planet").count, bgfetch.text(of: "said"))
    _ = try await run(bgfetch, at: "2026-11-21T08:02:01Z")
    let late = server.requests("/planet").count
    _ = try await run(bgfetch, at: "2026-11-21T08:05:00Z")

    #expect(asked == 2)
    #expect(early.0 == 2)
    #expect(early.1 == before)
    #expect(late == 3)
    #expect(bgfetch.text(of: "said") == before + "push|Planet|news|0\n")
    #expect(server.requests("/planet").count == 3)
  }

  @Test func `pushes beyond the limit wait for the next fetch of the feed`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server, feed: "    push: {limit: 1/1h}")
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")
    server.feed("/planet", ["b", "a"])

    _ = try await push(bgfetch, news, at: "2026-11-21T08:01:00Z", "--run")
    server.feed("/planet", ["c", "b", "a"])
    _ = try await push(bgfetch, news, at: "2026-11-21T08:10:00Z", "--run")
    let held = server.requests("/planet").count
    _ = try await bgfetch("run", "planet", at: "2026-11-21T08:11:00Z")
    _ = try await run(bgfetch, at: "2026-11-21T09:30:00Z")

    #expect(held == 2)
    #expect(server.requests("/planet").count == 3)
    #expect(bgfetch.text(of: "said").split(separator: "\n").filter { $0.contains("news") }.count == 2)
  }

  @Test func `push --run waits for its own feed, not for the second try of another`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try program(server, feed: "  moon: {url: \"\(server.url("/moon"))\", minimum-interval: 1d}")
    _ = try await bgfetch("run")
    server.feed("/planet", ["b", "a"])

    _ = try await bgfetch("push", "--feed", "moon")
    let pushed = try await bgfetch("push", "--feed", "planet", "--run", "-v")

    #expect(pushed.status == 0, "\(pushed.errors)")
    #expect(!pushed.errors.contains("once more"), "\(pushed.errors)")
    #expect(server.requests("/moon").count == 2)
    #expect(server.requests("/planet").count == 2)
  }

  @Test func `the limit of pushes counts second tries, of files too`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    server.on("/1.mp3", .status(404))
    server.on("/2.mp3", .status(404))
    let bgfetch = try program(
      server,
      feed: """
            push: {limit: 2/1h}
          files: {url: "\(server.url("/none"))", minimum-interval: 365d, push: {url: "\(server.url("/{content-id}.mp3"))", limit: 2/1h}}
        """)
    server.feed("/none", [])
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")

    for (minute, id) in [("01", "1"), ("10", "2")] {
      _ = try await bgfetch(
        "push", "--feed", "planet", "--set", "content-id=\(id)", at: "2026-11-21T08:\(minute):00Z")
      _ = try await bgfetch(
        "push", "--feed", "files", "--set", "content-id=\(id)", at: "2026-11-21T08:\(minute):00Z")
      _ = try await run(bgfetch, at: "2026-11-21T08:\(minute):30Z")
      _ = try await run(bgfetch, at: "2026-11-21T08:\(minute == "01" ? "02" : "12"):40Z")
    }

    #expect(server.requests("/planet").count == 3)
    #expect(server.requests("/1.mp3").count + server.requests("/2.mp3").count == 2)
    _ = try await run(bgfetch, at: "2026-11-21T09:30:00Z")
    #expect(server.requests("/2.mp3").count >= 1)
  }

  @Test func `a push during a run is handled by that run`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let gate = server.gatedFeed("/slow")
    let bgfetch = try program(server, feed: "  slow: \"\(server.url("/slow"))\"")
    _ = try await bgfetch("run", "planet", at: "2026-11-21T08:00:00Z")
    server.feed("/planet", ["b", "a"])

    let running = try bgfetch.started(["run", "--cause", "timer"], at: "2026-11-21T08:01:00Z")
    await server.received(2)
    let taken = try await push(bgfetch, news, at: "2026-11-21T08:01:00Z", "--run")
    gate.open()
    let ended = await running.ended()

    #expect(taken.status == 0, "\(taken.errors)")
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(server.requests("/planet").count == 2)
    #expect(bgfetch.text(of: "said").contains("push|Planet|news|"))
  }

  @Test func `a push does not wait for a slow feed of another host`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let gate = server.gatedFeed("/slow")
    let slow = server.url("/slow").replacing("127.0.0.1", with: "localhost")
    let bgfetch = try program(server, feed: "  slow: \"\(slow)\"")
    _ = try await bgfetch("run", "planet", at: "2026-11-21T08:00:00Z")
    server.feed("/planet", ["b", "a"])

    let running = try bgfetch.started(["run", "--cause", "timer", "--json"], at: "2026-11-21T08:01:00Z")
    await server.received(2)
    let taken = try await push(bgfetch, news, at: "2026-11-21T08:01:00Z", "--run")
    await server.received(3)
    gate.open()
    let ended = await running.ended()

    #expect(taken.status == 0, "\(taken.errors)")
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.json.last?["new-data"] as? Int == 1)
    #expect(ended.json.last?["due"] as? Int == 2)
    #expect(bgfetch.text(of: "said").contains("push|Planet|news|"))
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
    _ = try await bgfetch("run", "planet", "free", at: "2026-11-21T08:00:00Z")

    let running = try bgfetch.started(["run"], at: "2026-11-21T08:01:00Z")
    await server.received(4)
    // When the run asks for the second feed, it has left the first one, whose host it uses.
    for feed in ["planet", "free"] {
      _ = try await bgfetch("push", "--feed", feed, at: "2026-11-21T08:01:00Z")
    }
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
            push: {url: "\(server.url("/downloads/"))/{content-id}.mp3", description: "Podcast Episode {content-id}"}
        """.replacingOccurrences(of: "downloads//", with: "downloads/"))
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
    #expect(bgfetch.text(of: "said").hasSuffix("push|Planet|episode|1\n"))
    #expect(try await bgfetch("items").output.contains("Podcast Episode 42"))
  }

  /// A feed with push.url below `/downloads/`.
  private func bringing(_ server: ScriptedServer, limit: String = "6/1h", interval: String = "1d") throws
    -> BuiltProgram
  {
    try program(
      server,
      feed: "    push: {url: \"\(server.url("/downloads"))/{content-id}.mp3\", limit: \(limit)}",
      interval: interval)
  }

  private func episode(_ number: Int) -> String {
    #"{"aps": {"content-available": 1, "alert": "episode \#(number)"}, "feed": "planet", "content-id": \#(number)}"#
  }

  @Test func `a fetch of the feed does not settle pushes of files`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    for number in 1...3 {
      server.on("/downloads/\(number).mp3", .document("\(number)", etag: "\"\(number)\"", lastModified: nil))
    }
    let bgfetch = try bringing(server, limit: "1/1h", interval: "every-run")
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")
    for number in 1...3 { _ = try await push(bgfetch, episode(number), at: "2026-11-21T08:01:00Z") }
    server.feed("/planet", ["b", "a"])

    let plan = try await bgfetch("run", "--dry-run", at: "2026-11-21T08:02:00Z")
    for time in ["08:02:00", "08:04:00", "09:03:00", "09:05:00", "10:04:00", "10:06:00"] {
      _ = try await run(bgfetch, at: "2026-11-21T\(time)Z")
    }

    let said = bgfetch.text(of: "said").split(separator: "\n")
    #expect(plan.output.contains("planet  a push announces a file\n"))
    for number in 1...3 {
      #expect(server.requests("/downloads/\(number).mp3").count == 1)
      #expect(said.filter { $0.contains("|episode \(number)|") }.count == 1)
    }
    #expect(said.filter { $0.contains(": 1 new|Title of b|") }.count == 1)
  }

  @Test(arguments: ["", "\n    download: {}"])
  func `the file of a push is downloaded even beside an item with its content-id`(
    download: String
  ) async throws {
    let server = try ScriptedServer(planet: ["42"])
    server.on("/items/42", .document("<html>the page</html>", etag: nil, lastModified: nil))
    server.on("/downloads/42.mp3", .document("forty-two", etag: "\"42\"", lastModified: nil))
    let bgfetch = try program(
      server, feed: "    push: {url: \"\(server.url("/downloads"))/{content-id}.mp3\"}" + download)
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")

    for minute in 1...2 {
      _ = try await push(bgfetch, episode(42), at: "2026-11-21T08:0\(minute):00Z", "--run")
    }

    let documents = bgfetch.home.file("documents")
    let files = FileManager.default.enumerator(atPath: documents)?.compactMap { $0 as? String } ?? []
    #expect(files.filter { $0.hasSuffix(".mp3") }.count == 1)
    #expect(!files.contains { $0.hasSuffix(".html") })
    #expect(server.requests("/downloads/42.mp3").count == 1)
    #expect(try await bgfetch("items", "--json").output.split(separator: "\n").count == 1)
    #expect(bgfetch.text(of: "said").contains("|episode 42|"))
  }

  @Test func `a late file is requested once more, and its alert waits for it`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    server.on("/downloads/1.mp3", .status(404))
    let bgfetch = try bringing(server)
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")

    _ = try await push(bgfetch, episode(1), at: "2026-11-21T08:01:00Z", "--run")
    let early = bgfetch.text(of: "said")
    server.on("/downloads/1.mp3", .document("one", etag: "\"1\"", lastModified: nil))
    _ = try await run(bgfetch, at: "2026-11-21T08:03:00Z")

    #expect(!early.contains("episode 1"))
    #expect(server.requests("/downloads/1.mp3").map(\.path).count == 2)
    #expect(bgfetch.text(of: "said").hasSuffix("|Planet|episode 1|1\n"))
  }

  @Test func `a run of some feeds handles the pushes of all feeds at its end`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/moon": ["m"]])
    let bgfetch = try program(server, feed: "  moon: \"\(server.url("/moon"))\"")
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")
    _ = try await push(bgfetch, silent, at: "2026-11-21T08:01:00Z")

    _ = try await bgfetch("run", "moon", at: "2026-11-21T08:02:00Z")

    #expect(server.requests("/moon").count == 2)
    #expect(server.requests("/planet").count == 2)
  }

  @Test func `a feed of kind asset is fetched again a minute later too`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    server.on("/image", .document("image", etag: "\"1\"", lastModified: nil))
    let bgfetch = try program(
      server, feed: "  image: {url: \"\(server.url("/image"))\", kind: asset, minimum-interval: 1d}")
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")
    let alert = #"{"aps": {"content-available": 1, "alert": "a new image"}, "feed": "image"}"#

    _ = try await push(bgfetch, alert, at: "2026-11-21T08:01:00Z", "--run")
    _ = try await bgfetch("run", "image", at: "2026-11-21T08:01:10Z")
    let early = bgfetch.text(of: "said")
    _ = try await run(bgfetch, at: "2026-11-21T08:02:30Z")

    #expect(!early.contains("a new image"))
    #expect(bgfetch.text(of: "said").contains("|a new image|"))
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
    let before = bgfetch.text(of: "said")

    _ = try await push(
      bgfetch, #"{"aps": {"content-available": 1}, "feed": "image"}"#, at: "2026-11-21T08:01:00Z")
    _ = try await run(bgfetch, at: "2026-11-21T08:02:00Z")

    #expect(before == "asset-placed timer\nsession-finished timer\n")
    #expect(
      bgfetch.text(of: "said").dropFirst(before.count).split(separator: "\n").sorted()
        == ["asset-placed push", "new-data push", "session-finished push"])
  }

  @Test(arguments: [("", "3\n"), (#", "badge": 0"#, "0\n"), (#", "badge": 7"#, "7\n")])
  func `the badge of a push is set with its data`(badge: String, shown: String) async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")
    server.feed("/planet", ["d", "c", "b", "a"])

    _ = try await push(
      bgfetch, "{\"aps\": {\"content-available\": 1\(badge)}, \"feed\": \"planet\"}",
      at: "2026-11-21T08:01:00Z",
      "--run")

    #expect(bgfetch.badge == shown)
  }

  @Test func `a rate limit stops pushes too`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")
    server.feed("/planet", ["b", "a"])
    server.on("/planet", .status(429, [("Retry-After", "3600")]))
    _ = try await bgfetch("run", "planet", at: "2026-11-21T08:01:00Z")
    server.feed("/planet", ["b", "a"])

    _ = try await push(bgfetch, news, at: "2026-11-21T08:02:00Z", "--run")
    let limited = server.requests("/planet").count
    _ = try await run(bgfetch, at: "2026-11-21T09:30:00Z")

    #expect(limited == 2)
    #expect(server.requests("/planet").count == 3)
    #expect(bgfetch.text(of: "said").contains("push|Planet|news|"))
  }

  @Test func `a push of a paused feed is ignored`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)
    _ = try await run(bgfetch, at: "2026-11-21T08:00:00Z")

    _ = try await push(bgfetch, news, at: "2026-11-21T08:01:00Z")
    _ = try await bgfetch("pause", "planet")
    _ = try await push(bgfetch, news, at: "2026-11-21T08:01:00Z", "--run")
    _ = try await bgfetch("unpause", "planet")
    _ = try await run(bgfetch, at: "2026-11-21T08:02:00Z")

    #expect(server.requests("/planet").count == 1)
    #expect(!bgfetch.text(of: "said").contains("news"))
  }
}

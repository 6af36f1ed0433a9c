// The built program that stays, as a service manager starts it.

import Foundation
import TestKit
import Testing

/// The program with some feeds on a server of its own, at a time that stands still unless told otherwise: then nothing but
/// a wake-up makes it look again.
struct WatchProgram {
  let server: ScriptedServer
  let bgfetch: BuiltProgram
  let environment: [String: String]

  /// Feeds that are due once and then not for an hour; `settings` are lines of YAML.
  init(_ feeds: [String], settings: String = "", environment: [String: String] = noon) throws {
    server = try ScriptedServer()
    bgfetch = try BuiltProgram()
    self.environment = environment
    for feed in feeds { server.feed("/" + feed, ["a"]) }
    try configure(feeds, settings: settings)
  }

  static let noon = ["BGFETCH_NOW": "2026-11-21T12:00:00Z"]

  /// `planet`, a podcast with one episode, which is answered so and downloaded.
  static func downloading(_ answer: ScriptedAnswer, beside feeds: [String] = []) throws -> WatchProgram {
    let program = try WatchProgram(feeds)
    let episode = Episode(id: "a", url: program.server.url("/a.mp3"))
    program.server.on("/planet", .document(podcast([episode]), etag: "\"1\"", lastModified: nil))
    program.server.on("/a.mp3", answer)
    try program.configureDownload(beside: feeds)
    return program
  }

  /// Writes the configuration anew with downloads, whatever room is free.
  func configureDownload(
    _ download: String = "{}", interval: String = "1h", firstRun: String = "all", beside feeds: [String] = []
  ) throws {
    try configure(
      ["planet"] + feeds, settings: "free-space: 0B",
      defaults: "first-run: \(firstRun), minimum-interval: \(interval), download: \(download)")
  }

  /// Writes the configuration; no limit of time plays a part in it.
  func configure(
    _ feeds: [String], settings: String = "", defaults: String = "first-run: all, minimum-interval: 1h"
  ) throws {
    try bgfetch.configure(
      """
      network: {timeout: 1h, stall: {for: 1h}, connections-per-host: 9}
      budget: none
      defaults: {\(defaults)}
      \(settings)
      feeds:

      """ + feeds.map { "  \($0): \"\(server.url("/" + $0))\"\n" }.joined())
  }

  /// Runs another command beside it.
  func callAsFunction(_ arguments: String...) async throws -> Invoked {
    try await bgfetch.started(arguments, environment: environment).ended()
  }

  /// Starts it; returns when it says that it is ready.
  func started(_ arguments: String...) async throws -> Watching {
    let manager = NotifySocket(bgfetch.home.file("notify-\(UUID().uuidString.prefix(8))"))
    let named = ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "20000000"]
    let program = try bgfetch.started(
      ["run", "--watch"] + arguments, environment: environment.merging(named) { $1 })
    let watching = Watching(watched: self, program: program, manager: manager)
    await watching.heard("READY=1")
    return watching
  }
}

/// The program while it stays.
struct Watching {
  /// Its directory and its server are there as long as it is.
  let watched: WatchProgram
  let program: RunningProgram
  let manager: NotifySocket

  /// Returns when the service manager has been told something so many times.
  func heard(_ line: String, times: Int = 1) async {
    let isHeard = await eventually { manager.heard.count { $0.hasPrefix(line) } >= times }
    #expect(isHeard, "never heard \(line), but \(manager.heard)")
  }

  /// Returns when it has said something on standard error.
  func said(_ text: String) async {
    #expect(await eventually { program.errors.contains(text) }, "it said: \(program.errors)")
  }

  /// Ends it, and expects that it ends as a clean suspend does.
  @discardableResult
  func stopped() async -> Invoked {
    program.signal(SIGTERM)
    let ended = await program.ended()
    #expect(ended.status == 143)
    return ended
  }
}

// The program with `run --watch`, started as by a service manager.

import Foundation
import TestKit
import Testing

/// The program with feeds on one server and a fixed clock by default, so that only events wake it.
struct WatchProgram {
  let server: ScriptedServer
  let bgfetch: BuiltProgram
  let environment: [String: String]

  /// Configures feeds that are due once and then not for an hour; `settings` are lines of YAML.
  init(_ feeds: [String], settings: String = "", environment: [String: String] = noon) throws {
    server = try ScriptedServer()
    bgfetch = try BuiltProgram()
    self.environment = environment
    // One link in two feeds would count once.
    for feed in feeds { server.feed("/" + feed, [feed == feeds.first ? "a" : feed]) }
    try configure(feeds, settings: settings)
  }

  static let noon = ["BGFETCH_NOW": "2026-11-21T12:00:00Z"]

  /// A program with the podcast `planet`, whose one episode is downloaded with this response.
  static func downloading(_ answer: ScriptedAnswer, beside feeds: [String] = []) throws -> WatchProgram {
    let program = try WatchProgram(feeds)
    let episode = Episode(id: "a", url: program.server.url("/a.mp3"))
    program.server.on("/planet", .document(podcast([episode]), etag: "\"1\"", lastModified: nil))
    program.server.on("/a.mp3", answer)
    try program.configureDownload(beside: feeds)
    return program
  }

  /// Replaces the configuration by one with downloads, whatever space is free.
  func configureDownload(
    _ download: String = "{}", interval: String = "1h", firstRun: String = "all", beside feeds: [String] = []
  ) throws {
    try configure(
      ["planet"] + feeds, settings: "free-space: 0B",
      defaults: "first-run: \(firstRun), minimum-interval: \(interval), download: \(download)")
  }

  /// Replaces the configuration, with long timeouts for busy machines.
  func configure(
    _ feeds: [String], settings: String = "", defaults: String = "first-run: all, minimum-interval: 1h"
  ) throws {
    try bgfetch.configure(
      """
      network: {timeout: 1h}
      budget: none
      defaults: {\(defaults)}
      \(settings)
      feeds:

      """ + feeds.map { "  \($0): \"\(server.url("/" + $0, host: $0 + ".localhost"))\"\n" }.joined())
  }

  /// Runs another command.
  func callAsFunction(_ arguments: String...) async throws -> Invoked {
    try await bgfetch(arguments, environment: environment)
  }

  /// Starts the program and waits until it is ready, and the server has so many requests.
  func started(_ arguments: String..., fetched count: Int = 0) async throws -> Watching {
    let manager = NotifySocket(bgfetch.home.file("notify-\(UUID().uuidString.prefix(8))"))
    let named = ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "20000000"]
    let program = try bgfetch.started(
      ["run", "--watch"] + arguments, environment: environment.merging(named) { $1 })
    let watching = Watching(watched: self, program: program, manager: manager)
    await watching.heard("READY=1")
    await server.received(count)
    return watching
  }
}

extension RunningProgram {
  /// Sends it a signal, and waits until it ends.
  @discardableResult
  func ended(after number: Int32) async -> Invoked {
    self.signal(number)
    return await ended()
  }
}

/// A watching program.
struct Watching {
  /// Keeps its home and its server alive.
  let watched: WatchProgram
  let program: RunningProgram
  let manager: NotifySocket

  /// Waits until the service manager has received a line this many times.
  func heard(_ line: String, times: Int = 1) async {
    let isHeard = await eventually { manager.heard.count { $0.hasPrefix(line) } >= times }
    #expect(isHeard, "never heard \(line), but \(manager.heard)")
  }

  /// Makes the program read its configuration again, and waits until it has.
  func reload() async {
    program.signal(SIGHUP)
    await heard("READY=1", times: 2)
  }

  /// Waits for a text on standard error.
  func said(_ text: String) async {
    #expect(await eventually { program.errors.contains(text) }, "it said: \(program.errors)")
  }

  /// Ends the program and expects the exit status of a signal.
  @discardableResult
  func stopped() async -> Invoked {
    let ended = await program.ended(after: SIGTERM)
    #expect(ended.status == 143)
    return ended
  }
}

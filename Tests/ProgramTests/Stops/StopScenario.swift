// The scenarios of stopped runs, and their outcome, which must not depend on the stop.

import Core
import Foundation
import Glibc
import Machine
import TestKit
import Testing

/// A run that is stopped, and the runs before it.
struct StopScenario: Sendable, CustomTestStringConvertible {
  /// The served documents.
  struct Generation: Sendable {
    /// The items of the feed `planet`, newest first, each with a file.
    var planet: [String]
    /// The items of the feed `other`.
    var other = ["x"]
    /// A suffix of the titles.
    var edit = ""
    /// Whether `planet` redirects permanently.
    var isMoved = false
  }

  var testDescription: String
  /// More keys of the feed `planet`.
  var keys = ""
  /// The generations fetched before.
  var before: [Generation] = []
  /// The hours between two runs.
  var step = 2
  /// The generation that the stopped run fetches.
  var last: Generation
  /// A push before the stopped run.
  var push: String?

  static let all = [
    StopScenario(testDescription: "first run", last: Generation(planet: ["b", "a"])),
    StopScenario(
      testDescription: "new items", before: [Generation(planet: ["a"])],
      last: Generation(planet: ["c", "b", "a"], other: ["y", "x"])),
    StopScenario(
      testDescription: "updates", keys: ", updated: notify", before: [Generation(planet: ["b", "a"])],
      last: Generation(planet: ["b", "a"], edit: " edited")),
    StopScenario(testDescription: "assets", keys: ", download: {}", last: Generation(planet: ["b", "a"])),
    StopScenario(
      testDescription: "a push", before: [Generation(planet: ["a"])], last: Generation(planet: ["b", "a"]),
      push:
        #"{"feed": "planet", "aps": {"content-available": 1, "badge": 7, "alert": {"title": "T", "body": "B"}}}"#
    ),
    StopScenario(
      testDescription: "delayed messages", keys: ", notify: {delay: 20m}",
      last: Generation(planet: ["b", "a"])),
    StopScenario(
      testDescription: "retention", keys: ", download: {keep: 2}",
      before: [Generation(planet: ["b", "a"])], last: Generation(planet: ["d", "c", "b", "a"])),
    StopScenario(
      testDescription: "a moved feed",
      before: [Generation(planet: ["a"], isMoved: true), Generation(planet: ["a"], isMoved: true)], step: 12,
      last: Generation(planet: ["b", "a"], isMoved: true)),
  ]
}

/// The program and the server of one scenario.
struct StopWorld {
  let bgfetch: BuiltProgram
  private let scenario: StopScenario
  private let server: ScriptedServer
  private let stopper: Stopper
  /// The bucket in place of a documents directory.
  private let bucket: TestBucket?

  init(
    _ scenario: StopScenario, _ server: ScriptedServer, _ stopper: Stopper, bucket: TestBucket? = nil
  ) throws {
    (self.scenario, self.server, self.stopper, self.bucket) = (scenario, server, stopper, bucket)
    bgfetch = try BuiltProgram()
    let hook = try bgfetch.eventLog()
    let secret = try bgfetch.home.write(TestBucket.secret + "\n", to: "secret")
    try bgfetch.configure(
      """
      documents: \(bucket?.yaml(secretFile: secret) ?? "HOME/documents")
      free-space: 1KiB
      budget: none
      network: {timeout: 1h}
      defaults: {first-run: all, minimum-interval: 15m}
      hooks:
        log:
          events: [new-item, push-received, asset-placed, transfer-failed, session-finished, notification]
          run: ["\(hook)"]
      feeds:
        planet: {url: "\(server.url("/planet"))"\(scenario.keys)}
        other: {url: "\(server.url("/other"))"}
      """)
  }

  /// Serves a generation.
  func serve(_ generation: StopScenario.Generation) {
    func document(_ items: [String]) -> ScriptedAnswer {
      let text = podcast(
        items.enumerated().map { place, id in
          Episode(
            id: id, title: "Title of \(id)\(generation.edit)", url: server.url("/\(id).mp3"), day: 28 - place)
        })
      return .document(text, etag: "\"\(text.hashValue)\"")
    }
    for (place, id) in generation.planet.enumerated() {
      server.serve(
        AssetFile(FileContent(40_000 + place * 5_000, seed: UInt64(id.utf8.first ?? 0))), at: "/\(id).mp3")
    }
    server.on("/other", document(generation.other))
    server.on("/planet", document(generation.planet))
    guard generation.isMoved else { return }
    server.on("/elsewhere", document(generation.planet))
    server.on("/planet", .status(301, [("Location", server.url("/elsewhere"))]))
  }

  /// Runs the program, which counts its effects.
  func run(
    _ arguments: String..., at minutes: Int, _ stop: Stop? = nil, after number: Int? = nil,
    input: String? = nil
  ) async throws -> Invoked {
    unlink(bgfetch.home.file("effects"))
    let stops = stopper.environment(bgfetch, stop, at: number)
    return try await bgfetch(arguments, at: moment(minutes: minutes), environment: stops, input: input)
  }

  /// The effects of the last run.
  var effects: [String] {
    bgfetch.text(of: "effects").split(separator: "\n").map {
      $0.replacing(bgfetch.home.path, with: "").description
    }
  }

  /// Performs the runs before the stopped one, and returns the minute of the stopped run.
  func begin() async throws -> Int {
    var minutes = 0
    for generation in scenario.before {
      serve(generation)
      let run = try await run("run", at: minutes)
      #expect(run.status == 0, "\(run.errors)")
      minutes += scenario.step * 60
    }
    serve(scenario.last)
    if let push = scenario.push {
      let taken = try await run("push", "-", at: minutes, input: push)
      #expect(taken.status == 0, "\(taken.errors)")
    }
    return minutes
  }

  /// The outcome.
  func end(at minutes: Int) async throws -> StopEnd {
    func listed(_ arguments: String..., only keys: [String]) async throws -> [String] {
      let listed = try await bgfetch(arguments + ["--json"], at: moment(minutes: minutes), status: 0)
      return try listed.json.map { try text(of: $0, keys) }.sorted()
    }
    var end = StopEnd()
    end.parts["items"] = try await listed(
      "items", only: ["feed", "id", "title", "link", "published", "seen"])
    end.parts["transfers"] = try await listed("transfers", only: ["feed", "url", "status", "reason"])
    end.parts["feeds"] = try await listed(
      "status",
      only: ["feed", "address", "result", "items", "unseen", "moved-to", "transfers", "failed-transfers"])
    end.parts["waiting"] = try await listed("hooks", only: ["event", "status", "reason"])
    end.parts["badge"] = [bgfetch.badge]
    end.parts["documents"] = try DownloadProgram.files(below: bgfetch.home.file("documents")).map {
      "\($0) \(try readFile(bgfetch.home.file("documents/" + $0)).hashValue)"
    }
    if let bucket {
      for name in try await bucket.names() {
        end.parts["documents", default: []].append("\(name) \(try await bucket.object(name).hashValue)")
      }
      end.parts["spool"] = DownloadProgram.files(below: bgfetch.state + "/spool")
    }
    end.parts["strays"] = DownloadProgram.files(below: bgfetch.state).filter { $0.hasPrefix(".") }

    // A kill may cut the input of a hook, whose event is then delivered again.
    let events = bgfetch.json(of: "events")
    let byID = Dictionary(grouping: events) { $0["event-id"] as? String ?? "" }
    end.repeats = events.count - byID.count
    end.parts["events"] = try byID.values.compactMap(\.first).map {
      try text(of: $0, ["event", "feed", "title", "body", "count", "item", "asset", "finished", "failed"])
    }.sorted()
    return end
  }

  private func text(of object: [String: Any], _ keys: [String]) throws -> String {
    let kept = object.filter { keys.contains($0.key) }
    let data = try JSONSerialization.data(
      withJSONObject: kept, options: [.sortedKeys, .withoutEscapingSlashes])
    let text = String(decoding: data, as: UTF8.self).replacing(bgfetch.home.path, with: "")
    return bucket.map { text.replacing($0.address, with: "") } ?? text
  }
}

/// The outcome of a scenario.
struct StopEnd: Sendable {
  /// Items, badge, documents and so on, by name.
  var parts: [String: [String]] = [:]
  /// The number of events delivered more than once.
  var repeats = 0

  /// The differences, one line each.
  func difference(from other: StopEnd) -> [String] {
    parts.keys.sorted().flatMap { part in
      let (here, there) = (parts[part] ?? [], other.parts[part] ?? [])
      return here.difference(from: there).map { change in
        switch change {
        case .insert(_, let element, _): "\(part): only here: \(element)"
        case .remove(_, let element, _): "\(part): missing: \(element)"
        }
      }
    }
  }
}

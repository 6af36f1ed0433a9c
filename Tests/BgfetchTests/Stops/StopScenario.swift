// What is done to the program in one scenario, and the end that it must come to however it was stopped.

import Foundation
import StateStore
import TestKit
import Testing

/// One run that is stopped, and what came before it.
struct StopScenario: Sendable, CustomTestStringConvertible {
  /// What is served at a time.
  struct Generation: Sendable {
    /// The items of the feed `planet`, the newest first; each has a file.
    var planet: [String]
    /// The items of the feed `other`.
    var other = ["x"]
    /// Added to the titles.
    var edit = ""
    /// Whether `planet` is elsewhere for good.
    var isMoved = false
  }

  var testDescription: String
  /// More keys of the feed `planet`.
  var keys = ""
  /// What was fetched before.
  var before: [Generation] = []
  /// How many hours lie between two runs.
  var step = 2
  /// What the run that is stopped finds.
  var last: Generation
  /// The payload that was taken before the run that is stopped.
  var push: String?
  /// Whether the store is that of an older program.
  var isOld = false

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
      testDescription: "a push", before: [Generation(planet: ["a"])],
      last: Generation(planet: ["b", "a"]),
      push:
        #"{"feed": "planet", "aps": {"content-available": 1, "badge": 7, "alert": {"title": "T", "body": "B"}}}"#
    ),
    StopScenario(
      testDescription: "delayed messages", keys: ", notify: {delay: 20m}",
      last: Generation(planet: ["b", "a"])),
    StopScenario(
      testDescription: "retention", keys: ", download: {keep: {count: 2}}",
      before: [Generation(planet: ["b", "a"])], last: Generation(planet: ["d", "c", "b", "a"])),
    StopScenario(
      testDescription: "a moved feed",
      before: [Generation(planet: ["a"], isMoved: true), Generation(planet: ["a"], isMoved: true)], step: 12,
      last: Generation(planet: ["b", "a"], isMoved: true)),
    StopScenario(testDescription: "migration", last: Generation(planet: ["b", "a"]), isOld: true),
  ]
}

/// One home in which a scenario happens.
struct StopWorld {
  let bgfetch: BuiltProgram
  private let scenario: StopScenario
  private let server: ScriptedServer
  private let stopper: Stopper

  init(_ scenario: StopScenario, _ server: ScriptedServer, _ stopper: Stopper) throws {
    self.scenario = scenario
    self.server = server
    self.stopper = stopper
    bgfetch = try BuiltProgram()
    // What a hook hears is one line of JSON each.
    let hook = try bgfetch.script(
      "log", "line=$(tr -d '\\n'); printf '%s\\n' \"$line\" >> \"$HOME/events\"")
    try bgfetch.configure(
      """
      documents: HOME/documents
      free-space: 1KiB
      budget: none
      network: {timeout: 1h, stall: {for: 1h}}
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

  /// Serves what a generation has from now on.
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

  /// The time of so many minutes after the first run.
  private func moment(_ minutes: Int) -> String {
    Date(timeIntervalSince1970: 1_793_613_600 + Double(minutes) * 60).formatted(.iso8601)
  }

  /// Runs the program; it counts its effects.
  func run(
    _ arguments: String..., at minutes: Int, _ stop: Stop? = nil, after number: Int? = nil,
    input: String? = nil
  ) async throws -> Invoked {
    unlink(bgfetch.home.file("effects"))
    let stops = stopper.environment(bgfetch, stop, at: number)
    return try await bgfetch.started(
      arguments, environment: stops.merging(["BGFETCH_NOW": moment(minutes)]) { $1 }, input: input
    ).ended()
  }

  /// The effects of the last run.
  var effects: [String] {
    bgfetch.text(of: "effects").split(separator: "\n").map {
      $0.replacing(bgfetch.home.path, with: "").description
    }
  }

  /// Does what comes before the run that is stopped; gives the minute of that run.
  func begin() async throws -> Int {
    if scenario.isOld { try await makeOldStore(in: bgfetch) }
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

  /// What is there at the end.
  func end(at minutes: Int) async throws -> StopEnd {
    func listed(_ arguments: String..., only keys: [String]) async throws -> [String] {
      let listed = try await bgfetch.started(
        arguments + ["--json"], environment: ["BGFETCH_NOW": moment(minutes)]
      )
      .ended()
      #expect(listed.status == 0, "\(listed.errors)")
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
    end.parts["strays"] = DownloadProgram.files(below: bgfetch.state).filter { $0.hasPrefix(".") }

    // Whoever kills the program may cut what a hook reads: that hook is told again.
    let events = bgfetch.text(of: "events").split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
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
    return String(decoding: data, as: UTF8.self).replacing(bgfetch.home.path, with: "")
  }
}

/// What is there at the end of a scenario.
struct StopEnd: Sendable {
  /// Items, badge, documents and so on, by name.
  var parts: [String: [String]] = [:]
  /// How many events hooks heard more than once.
  var repeats = 0

  /// What is only here, and what is only there.
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

// The program stopped after each of its effects, by a kill or a signal: the outcome is as if the run had not been stopped.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: Stopper.compiler != nil, "there is no C compiler")) struct StopTests {
  /// The outcome without a stop, and the effects of the last run.
  fileprivate func uninterrupted(
    _ scenario: StopScenario, _ server: ScriptedServer, _ stopper: Stopper, bucket: TestBucket? = nil
  ) async throws -> (end: StopEnd, effects: [String]) {
    let world = try StopWorld(scenario, server, stopper, bucket: bucket)
    let minutes = try await world.begin()
    let run = try await world.run("run", at: minutes)
    let effects = world.effects
    #expect(run.status == 0, "\(run.errors)")
    _ = try await world.run("run", at: minutes + 60)
    let end = try await world.end(at: minutes + 60)
    #expect(end.repeats == 0)
    #expect(end.parts["events"]?.isEmpty == false)
    #expect(!effects.isEmpty)
    return (end, effects)
  }

  /// Runs until the outcome is that without a stop, within the time in which deliveries are retried.
  fileprivate func settle(_ world: StopWorld, from minutes: Int, to expected: StopEnd) async throws -> StopEnd
  {
    var end = StopEnd()
    for later in [60, 180, 360, 540] {
      let run = try await world.run("run", at: minutes + later)
      #expect(run.status == 0, "\(run.errors)")
      end = try await world.end(at: minutes + later)
      if end.difference(from: expected).isEmpty { break }
    }
    return end
  }

  /// Stops the last run of a scenario at some of its effects, and expects the outcome without a stop, which it returns.
  @discardableResult
  private func stop(
    _ scenario: StopScenario, atMost limit: Int, bucket: () throws -> TestBucket? = { nil }
  ) async throws -> StopEnd {
    let (server, stopper) = (try ScriptedServer(), try await Stopper())
    let (expected, effects) = try await uninterrupted(scenario, server, stopper, bucket: try bucket())

    let all = [Stop.kill, .tear, .signal]
    for (place, number) in stops(at: effects, atMost: limit).enumerated() {
      for stop in stopsEverywhere ? all : [all[place % all.count]] {
        let world = try StopWorld(scenario, server, stopper, bucket: try bucket())
        let minutes = try await world.begin()
        let ended = try await world.run("run", at: minutes, stop, after: number)
        let name: Comment = "\(stop) \(number) of \(effects.count), \(world.effects.last ?? "")"
        // The number of effects varies with the order of the feeds, so the last ones may not happen.
        #expect(stop.statuses.contains(ended.status) || number > world.effects.count, name)
        let reading = try await world.run("badge", at: minutes)
        #expect(reading.status == 0, "\(name): \(reading.errors)")

        let end = try await settle(world, from: minutes, to: expected)

        #expect(end.difference(from: expected) == [], name)
        #expect(end.repeats <= 1, name)
      }
    }
    return expected
  }

  @Test(arguments: StopScenario.all)
  func `a kill or a signal at any effect changes nothing but the running hook`(scenario: StopScenario)
    async throws
  {
    try await stop(scenario, atMost: 6)
  }

  @Test(.enabled(if: TestBucket.isThere, "beside an S3 server"))
  func `a kill or a signal at any effect of a run with a bucket changes nothing`() async throws {
    let scenario = StopScenario(
      testDescription: "a bucket", keys: ", download: {keep: 1}", before: [.init(planet: ["a"])],
      last: .init(planet: ["c", "b", "a"]))

    let end = try await stop(scenario, atMost: 24) { try TestBucket() }

    #expect(end.parts["documents"]?.count == 1)
    #expect(end.parts["spool"] == [])
  }

  @Test func `after many kills through two generations the outcome is the same`() async throws {
    let (server, stopper) = (try ScriptedServer(), try await Stopper())
    let scenario = StopScenario(
      testDescription: "two generations", keys: ", download: {}", before: [.init(planet: ["b", "a"])],
      last: .init(planet: ["d", "c", "b", "a"], other: ["y", "x"]))
    let (expected, effects) = try await uninterrupted(scenario, server, stopper)
    let world = try StopWorld(scenario, server, stopper)
    let kills = stopsEverywhere ? 100 : 12

    for (part, generation) in (scenario.before + [scenario.last]).enumerated() {
      world.serve(generation)
      for kill in 1...kills {
        let minutes = part * 240 + kill * 200 / kills
        _ = try await world.run(
          "run", at: minutes, kill % 3 == 0 ? .tear : .kill, after: kill * effects.count / kills)
      }
      if part == 0 { _ = try await world.run("run", at: 220) }
    }
    let end = try await settle(world, from: 480, to: expected)

    #expect(end.difference(from: expected) == [])
    #expect(end.repeats <= 2 * kills)
  }

  @Test func `a killed push is stored whole or not at all`() async throws {
    let (server, stopper) = (try ScriptedServer(), try await Stopper())
    var scenario = try #require(StopScenario.all.first { $0.push != nil })
    let payload = scenario.push
    let taken = try await uninterrupted(scenario, server, stopper)
    scenario.push = nil
    let (without, _) = try await uninterrupted(scenario, server, stopper)
    let counting = try StopWorld(scenario, server, stopper)
    _ = try await counting.run("push", "-", at: try await counting.begin(), input: payload)

    for number in stops(at: counting.effects, atMost: 4) {
      let world = try StopWorld(scenario, server, stopper)
      let minutes = try await world.begin()
      let pushed = try await world.run("push", "-", at: minutes, .kill, after: number, input: payload)
      _ = try await world.run("run", at: minutes)
      _ = try await world.run("run", at: minutes + 60)
      let end = try await world.end(at: minutes + 60)

      let isTaken = end.difference(from: taken.end).isEmpty
      #expect(
        isTaken || end.difference(from: without).isEmpty, "\(number): \(end.difference(from: taken.end))")
      #expect(pushed.status == 137 || isTaken, "\(number)")
    }
  }

  private static let writes: [Int32] = [ENOSPC, EIO, EMFILE, EROFS]

  /// Errors of the system for each scenario: those of writes, and in one also those of threads, processes and descriptors.
  private static let refusals: [(code: Int32, scenario: StopScenario)] = StopScenario.all.filter {
    stopsEverywhere || ["assets", "retention"].contains($0.testDescription)
  }.flatMap { scenario -> [(code: Int32, scenario: StopScenario)] in
    let codes = scenario.testDescription == "assets" ? writes + [EAGAIN, ENFILE] : writes
    return codes.map { (code: $0, scenario: scenario) }
  }

  @Test(arguments: refusals)
  func `what the system refuses is reported, and changes nothing once it is granted again`(
    code: Int32, scenario: StopScenario
  ) async throws {
    let (server, stopper) = (try ScriptedServer(), try await Stopper())
    let (expected, _) = try await uninterrupted(scenario, server, stopper)
    let counting = try StopWorld(scenario, server, stopper)
    _ = try await counting.run("run", at: try await counting.begin(), .failure(code), after: .max)
    let effects = counting.effects
    let isWrite = Self.writes.contains(code)
    let (once, always) = (Stop.failure(code), Stop.failures(code))
    var cases = stops(at: effects, atMost: isWrite ? 4 : 8).enumerated().flatMap { place, number in
      (stopsEverywhere ? [once, always] : [place % 2 == 0 ? always : once]).map { (number, $0) }
    }
    #expect(cases.count > 3)
    // A file has its final name already when its directory cannot be written to the disk.
    cases += effects.indices.filter {
      effects[$0].hasPrefix("fsync ") && effects[$0].hasSuffix("/documents/planet")
    }.prefix(2).map { ($0 + 1, once) }
    cases += effects.indices.filter { effects[$0].hasSuffix("/bgfetch.yaml") }.prefix(1).map {
      ($0 + 1, once)
    }
    for (number, stop) in cases {
      let world = try StopWorld(scenario, server, stopper)
      let minutes = try await world.begin()
      let failed = try await world.run("run", at: minutes, stop, after: number)
      let name: Comment =
        "\(stop) \(number) of \(effects.count), \(world.effects.last ?? ""): \(failed.errors)"
      #expect((isWrite ? [0, 74] : [0, 3, 4, 74, 75]).contains(failed.status), name)
      // A failed fetch is reported from the third on.
      #expect([0, 3, 4].contains(failed.status) || !failed.errors.isEmpty, name)
      #expect(!failed.errors.contains("internal"), name)
      let end = try await settle(world, from: minutes, to: expected)
      #expect(end.difference(from: expected) == [], name)
      #expect(end.repeats <= 1 || !isWrite, name)
    }
  }
}

// Stops the program at its effects on files, or makes them fail, with the preloaded Fixtures/stop.c.

/// A way to stop the program at one of its effects.
enum Stop: Sendable, CustomStringConvertible {
  /// A kill after the effect.
  case kill
  /// A kill in the middle of the effect, if that writes.
  case tear
  /// SIGTERM after the effect.
  case signal
  /// Only this effect fails, with an errno.
  case failure(Int32)
  /// The effect and all later ones fail with an errno.
  case failures(Int32)

  var description: String {
    switch self {
    case .kill: "killed after"
    case .tear: "killed in"
    case .signal: "asked to end after"
    case .failure(let code): "\(String(cString: strerror(code))) at"
    case .failures(let code): "\(String(cString: strerror(code))) from"
    }
  }

  /// The exit statuses of a run that was stopped; a signal may come when the run has nothing left to do.
  fileprivate var statuses: [Int32] {
    switch self {
    case .kill, .tear: [137]
    case .signal: [143, 0]
    case .failure, .failures: [74, 0]
    }
  }

  fileprivate var environment: [String: String] {
    switch self {
    case .kill: ["STOP_HOW": "kill"]
    case .tear: ["STOP_HOW": "tear"]
    case .signal: ["STOP_HOW": "term"]
    case .failure(let code): ["STOP_HOW": "\(code)"]
    case .failures(let code): ["STOP_HOW": "\(code)", "STOP_REST": "yes"]
    }
  }
}

/// The built shared object.
final class Stopper: Sendable {
  private let directory: TemporaryDirectory

  /// The C compiler; the Swift toolchain has one.
  static let compiler: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let places = path.split(separator: ":").flatMap { ["\($0)/clang", "\($0)/cc"] }
    return places.first { access($0, X_OK) == 0 }
  }()

  /// The output of the compiler.
  struct NotBuilt: Error {
    let errors: String
  }

  init() async throws {
    directory = try TemporaryDirectory()
    let source = try directory.write(fixture(named: "stop.c"), to: "stop.c")
    let errors = directory.file("errors")
    let compiled = try await ChildProgram(
      Self.compiler ?? "", ["-shared", "-fPIC", "-o", directory.file("stop.so"), source],
      environment: ProcessInfo.processInfo.environment, directory: directory.path, errors: .file(errors)
    ).ended()
    guard compiled == 0 else { throw NotBuilt(errors: String(decoding: try readFile(errors), as: UTF8.self)) }
  }

  /// The environment variables that count the program's effects below its home and stop it at one of them.
  func environment(_ bgfetch: BuiltProgram, _ stop: Stop?, at number: Int?) -> [String: String] {
    var variables = [
      "LD_PRELOAD": directory.file("stop.so"), "STOP_BELOW": bgfetch.home.path + "/",
      "STOP_COUNT": bgfetch.home.file("effects"),
    ]
    if let number { variables["STOP_AT"] = "\(number)" }
    return variables.merging(stop?.environment ?? [:]) { $1 }
  }
}

/// Whether to stop at every effect instead of some of each scenario.
let stopsEverywhere = ProcessInfo.processInfo.environment["BGFETCH_TEST_ALL_STOPS"] == "1"

/// The numbers of the effects to stop at, from 1: where the kind of effect changes, spread evenly.
func stops(at effects: [String], atMost limit: Int) -> [Int] {
  if stopsEverywhere { return Array(1...max(1, effects.count)) }
  // The page writes of one transaction are alike until it is committed.
  let changes = effects.indices.filter { $0 == 0 || effects[$0] != effects[$0 - 1] }.flatMap { [$0, $0 + 1] }
  let candidates = Set(changes).filter { 1...effects.count ~= $0 }.sorted()
  guard candidates.count > limit else { return candidates }
  return (0..<limit).map { candidates[($0 * 2 + 1) * candidates.count / (limit * 2)] }
}

// A run in this process that is ended after each of its effects, by death or by a signal: the outcome stays the same.

import ArgumentParser
import Core
import Foundation
import Machine
import Store
import Synchronization
import TestKit
import Testing

@testable import bgfetch

@Suite(.enabled(if: Stopper.compiler != nil, "there is no C compiler"))
struct EffectStopTests {
  @Test(.enabled(if: TestBucket.isThere, "beside an S3 server"))
  func `an end at any effect of a run with a bucket changes nothing`() async throws {
    let scenario = StopScenario(
      testDescription: "a bucket", keys: ", download: {keep: {count: 1}}",
      before: [StopScenario.Generation(planet: ["a"])],
      last: StopScenario.Generation(planet: ["c", "b", "a"]))
    let (server, stopper) = (try ScriptedServer(), try await Stopper())
    let whole = try StopWorld(scenario, server, stopper, bucket: try TestBucket())
    let first = try await whole.begin()
    let counting = EffectStop()
    try await run(whole, at: first, counting)
    try await run(whole, at: first + 60, EffectStop())
    let expected = try await whole.end(at: first + 60)
    #expect(expected.parts["documents"]?.count == 1 && expected.parts["spool"] == [])

    // Transfers begin after a third of the effects.
    for number in (counting.count / 3)...counting.count {
      for way in stopsEverywhere ? [EffectStop.Way.death, .signal] : [number % 8 == 0 ? .signal : .death] {
        let world = try StopWorld(scenario, server, stopper, bucket: try TestBucket())
        let minutes = try await world.begin()
        try await run(world, at: minutes, EffectStop(way, after: number))
        var end = StopEnd()
        for later in [60, 180, 360] {
          try await run(world, at: minutes + later, EffectStop())
          end = try await world.end(at: minutes + later)
          if end.difference(from: expected).isEmpty { break }
        }

        #expect(end.difference(from: expected) == [], "\(way) after \(number) of \(counting.count)")
      }
    }
  }

  /// Runs in this process, with the real store, files and network; hooks only log their events.
  private func run(_ world: StopWorld, at minutes: Int, _ stop: EffectStop) async throws {
    let invocation = try Invocation(try CommonOptions.parse(["--config", world.bgfetch.configurationPath]))
    let settings = try invocation.configuration().settings
    try invocation.makeStateDirectory(settings)
    let store = try await invocation.openStore(settings, for: .writing)
    let live = LiveWorld(
      invocation: invocation, settings: settings, store: store, zone: try invocation.zone(settings))
    var real = live.effects { _ in }
    let moment = Instant(secondsSince1970: 1_793_613_600 + Int64(minutes) * 60)
    real.machine.now = { moment }
    let heard = world.bgfetch.home.file("events")
    real.hooks.run = { call in
      let line = (call.input ?? "").replacing("\n", with: "") + "\n"
      let file = open(heard, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      _ = Array(line.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      close(file)
      return .exited(0, printed: "", errors: "")
    }
    let (effects, path) = (stop.effects(real), settings.runLock)
    let free = try await invocation.acquire(path, waits: true)
    let lock = HeldLock { free.release() }
    let work = Task { try await bgfetch.run(settings, RunOptions(), effects, lock: lock) }
    stop.onSignal { work.cancel() }
    let outcome = await work.result
    lock.release()
    live.shutDown()
    await store.close()
    if case .failure(let error) = outcome, !(error is EffectStop.Died) { throw error }
  }

  @Test(arguments: StopScenario.all)
  func `an end at any effect changes nothing but the running hook`(scenario: StopScenario) async throws {
    let (server, stopper) = (try ScriptedServer(), try await Stopper())
    let whole = try StopWorld(scenario, server, stopper)
    let first = try await whole.begin()
    let counting = EffectStop()
    try await run(whole, at: first, counting)
    try await run(whole, at: first + 60, EffectStop())
    let expected = try await whole.end(at: first + 60)
    #expect(expected.parts["events"]?.isEmpty == false && expected.repeats == 0 && counting.count > 5)

    let all = 1...counting.count
    let some =
      stopsEverywhere
      ? Array(all) : stride(from: 1, through: all.upperBound, by: max(1, all.count / 4)).map { $0 }
    for (place, number) in some.enumerated() {
      for way in stopsEverywhere ? [EffectStop.Way.death, .signal] : [place % 2 == 0 ? .death : .signal] {
        let world = try StopWorld(scenario, server, stopper)
        let minutes = try await world.begin()
        try await run(world, at: minutes, EffectStop(way, after: number))
        var end = StopEnd()
        for later in [60, 180, 360] {
          try await run(world, at: minutes + later, EffectStop())
          end = try await world.end(at: minutes + later)
          if end.difference(from: expected).isEmpty { break }
        }

        #expect(end.difference(from: expected) == [], "\(way) after \(number) of \(counting.count)")
        #expect(end.repeats <= 1, "\(way) after \(number) of \(counting.count)")
      }
    }
  }
}

// EffectStop ends a run in this process at one of its effects.

/// Counts the effects of a run, and ends the run after one of them.
final class EffectStop: Sendable {
  /// How the run ends.
  enum Way: Sendable {
    /// No further effect happens, as if the process had died.
    case death
    /// The run is cancelled, as by a signal, and ends by itself.
    case signal
  }

  /// No further effect happens.
  struct Died: Error {}

  private struct State: Sendable {
    var count = 0
    var cancel: (@Sendable () -> Void)?
  }

  private let way: Way
  private let limit: Int?
  private let state = Mutex(State())

  /// Ends the run after this many effects; nil only counts them.
  init(_ way: Way = .death, after limit: Int? = nil) {
    self.way = way
    self.limit = limit
  }

  /// The number of effects so far.
  var count: Int { state.withLock { $0.count } }

  /// The cancellation in place of a signal.
  func onSignal(_ cancel: @escaping @Sendable () -> Void) {
    state.withLock { $0.cancel = cancel }
  }

  private var isDead: Bool {
    guard way == .death, let limit else { return false }
    return count >= limit
  }

  /// Counts an effect that has happened.
  private func countOne() {
    let cancel = state.withLock { state in
      state.count += 1
      return way == .signal && state.count == limit ? state.cancel : nil
    }
    cancel?()
  }

  private func effect<each Argument, Value>(
    _ body: @escaping @Sendable (repeat each Argument) async throws -> Value
  ) -> @Sendable (repeat each Argument) async throws -> Value {
    { (arguments: repeat each Argument) in
      if self.isDead { throw Died() }
      let value = try await body(repeat each arguments)
      self.countOne()
      if self.isDead { throw Died() }
      return value
    }
  }

  private func effect<each Argument, Value>(
    or dead: Value, _ body: @escaping @Sendable (repeat each Argument) async -> Value
  ) -> @Sendable (repeat each Argument) async -> Value where Value: Sendable {
    { (arguments: repeat each Argument) in
      if self.isDead { return dead }
      let value = await body(repeat each arguments)
      self.countOne()
      return value
    }
  }

  /// The effects of such a run; reading is not counted.
  func effects(_ real: Effects) -> Effects {
    var all = real
    all.store = StoppingStore(store: real.store, stop: self)
    all.hooks.updateBadge = { number in try await self.effect { try await real.hooks.updateBadge(number) } }
    all.hooks.run = effect(or: .suspended, real.hooks.run)
    all.tryLock = effect(real.tryLock)
    all.network.fetch = effect(or: .failure(.suspended), real.network.fetch)
    all.network.download = effect(or: .failure(.suspended), real.network.download)
    all.documents = { StoppingDocuments(real: real.documents($0), stop: self) }
    return all
  }

  /// Performs an effect, or throws if the run has ended.
  func effect<Value>(_ body: () async throws -> Value) async throws -> Value {
    if isDead { throw Died() }
    let value = try await body()
    countOne()
    if isDead { throw Died() }
    return value
  }

  /// Performs an effect, or returns a value if the run has ended.
  func effect<Value>(or dead: Value, _ body: () async -> Value) async -> Value {
    if isDead { return dead }
    let value = await body()
    countOne()
    return value
  }
}

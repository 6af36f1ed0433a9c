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
    await store.stop(with: stop)
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
    // Also an undone change ends the run.
    if case .failure(let error) = outcome, !stop.isDead { throw error }
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

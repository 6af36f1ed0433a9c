// Ended after any effect in process, by death or by a signal: the end is that of a run that was left alone.

import ArgumentParser
import Core
import Foundation
import Host
import StateStore
import Sync
import TestKit
import Testing

@testable import bgfetch

@Suite(.enabled(if: Stopper.compiler != nil, "there is no C compiler"))
struct EffectStopTests {
  /// Runs in this process, with the real store, files and network; hooks only write down what they hear.
  private func run(_ world: StopWorld, at minutes: Int, _ stop: EffectStop) async throws {
    let invocation = try Invocation(try CommonOptions.parse(["--config", world.bgfetch.configurationPath]))
    let settings = try invocation.configuration().settings
    try invocation.makeStateDirectory(settings)
    let store = try await invocation.openStore(settings, for: .migrating)
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
    let work = Task { try await Sync.run(settings, RunOptions(), effects, lock: lock) }
    stop.onSignal { work.cancel() }
    let outcome = await work.result
    lock.release()
    live.shutDown()
    await store.close()
    if case .failure(let error) = outcome, !(error is EffectStop.Died) { throw error }
  }

  @Test(arguments: StopScenario.all)
  func `ended after any effect, the end is the same but for the hook that was running`(scenario: StopScenario)
    async throws
  {
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

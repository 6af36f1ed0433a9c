// Killed after any effect, and after many in turn: the end is that of a run that was left alone.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: Stopper.compiler != nil, "there is no C compiler"))
struct StopTests {
  /// What a scenario comes to when it is left alone, and the effects of its last run.
  private func uninterrupted(
    _ scenario: StopScenario, _ server: ScriptedServer, _ stopper: Stopper
  ) async throws -> (end: StopEnd, effects: [String]) {
    let world = try StopWorld(scenario, server, stopper)
    let minutes = try await world.begin()
    let run = try await world.run("run", at: minutes)
    let effects = world.effects
    #expect(run.status == 0, "\(run.errors)")
    _ = try await world.run("run", at: minutes + 60)
    let end = try await world.end(at: minutes + 60)
    #expect(end.repeats == 0 && end.parts["events"]?.isEmpty == false && !effects.isEmpty)
    return (end, effects)
  }

  /// Runs until all is as it would be without a stop, for as long as hooks hear of what was committed before it.
  private func settle(_ world: StopWorld, from minutes: Int, to expected: StopEnd) async throws -> StopEnd {
    var end = StopEnd()
    for later in [60, 180, 360, 540] {
      let run = try await world.run("run", at: minutes + later)
      #expect(run.status == 0, "\(run.errors)")
      end = try await world.end(at: minutes + later)
      if end.difference(from: expected).isEmpty { break }
    }
    return end
  }

  @Test(arguments: StopScenario.all)
  func `killed at any effect, the end is the same but for the hook that was running`(scenario: StopScenario)
    async throws
  {
    let (server, stopper) = (try ScriptedServer(), try await Stopper())
    let (expected, effects) = try await uninterrupted(scenario, server, stopper)

    for (place, number) in stops(at: effects, atMost: 6).enumerated() {
      for stop in stopsEverywhere ? [Stop.kill, .tear] : [place % 2 == 0 ? .kill : .tear] {
        let world = try StopWorld(scenario, server, stopper)
        let minutes = try await world.begin()
        let killed = try await world.run("run", at: minutes, stop, after: number)
        let name: Comment = "\(stop) \(number) of \(effects.count), \(world.effects.last ?? "")"
        // Which effect is which varies a little with the feeds' order, so the last ones may not come.
        #expect(killed.status == 137 || number > world.effects.count, name)
        let reading = try await world.run("badge", at: minutes)
        if !scenario.isOld { #expect(reading.status == 0, "\(name): \(reading.errors)") }

        let end = try await settle(world, from: minutes, to: expected)

        #expect(end.difference(from: expected) == [], name)
        #expect(end.repeats <= 1, name)
      }
    }
  }

  @Test func `killed again and again through two generations, the end is the same`() async throws {
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

  @Test func `a push that is killed is taken whole or not at all`() async throws {
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
      #expect(pushed.status == 137 || isTaken)
    }
  }

  private static let failures: [Int32] = [ENOSPC, EIO, EMFILE, EROFS]

  @Test(
    arguments: failures,
    StopScenario.all.filter { stopsEverywhere || ["assets", "retention"].contains($0.testDescription) })
  func `when writing fails, the run says so, and the end is the same when it works again`(
    code: Int32, scenario: StopScenario
  ) async throws {
    let (server, stopper) = (try ScriptedServer(), try await Stopper())
    let (expected, _) = try await uninterrupted(scenario, server, stopper)
    let counting = try StopWorld(scenario, server, stopper)
    _ = try await counting.run("run", at: try await counting.begin(), .failure(code), after: .max)
    let effects = counting.effects

    for (place, number) in stops(at: effects, atMost: 4).enumerated() {
      let once = Stop.failure(code)
      let forGood = Stop.failures(code)
      for stop in stopsEverywhere ? [once, forGood] : [place % 2 == 0 ? forGood : once] {
        let world = try StopWorld(scenario, server, stopper)
        let minutes = try await world.begin()
        let failed = try await world.run("run", at: minutes, stop, after: number)
        let name: Comment =
          "\(stop) \(number) of \(effects.count), \(world.effects.last ?? ""): \(failed.errors)"
        #expect(failed.status == 74 && !failed.errors.isEmpty || failed.status == 0, name)
        #expect(!failed.errors.contains("internal"), name)

        let end = try await settle(world, from: minutes, to: expected)

        #expect(end.difference(from: expected) == [], name)
        #expect(end.repeats <= 1, name)
      }
    }
  }
}

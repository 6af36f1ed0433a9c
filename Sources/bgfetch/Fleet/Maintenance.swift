// `bgfetch fleet pause`, `resume` and `forget`, and how a run sees that all machines are paused.

import ArgumentParser
import Core
import Machine
import Store
import Synchronization

struct FleetPauseCommand: ProgramCommand {
  static let heading = ("pause", "Let no machine begin a fetch, a download or a hook")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("Why, for those who look at the status.", valueName: "reason"))
  var reason: [String] = []

  @Option(
    name: [.customLong("until"), .customLong("for")],
    help: ArgumentHelp(
      "When the pause ends by itself: 30m, 2d, 2026-12-24, \"2026-12-24 08:00\" or 2026-12-24T08:00:00Z.",
      valueName: "when"))
  var until: String?

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    try await invocation.changePause { now, zone in
      FleetPause(
        reason: reason.joined(separator: " "), since: now,
        until: try until.map { try comingMoment($0, now: now, in: zone) }, machine: Machine.name)
    }
  }
}

struct FleetResumeCommand: ProgramCommand {
  static let heading = ("resume", "End a pause of all machines")

  @OptionGroup var common: CommonOptions

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    try await invocation.changePause { _, _ in nil }
  }
}

struct FleetForgetCommand: ProgramCommand {
  static let heading = ("forget", "Forget a machine that was taken away")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("Its name, or its state directory.", valueName: "machine"))
  var machine: String

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let store = try await invocation.openFleet().store
    let count = try await store.forgetMachines(machine)
    await store.close()
    guard count > 0 else {
      throw ProgramFailure.usage("there is no machine \(machine); bgfetch status lists them")
    }
    invocation.console.print(
      json: [JSONValue(["type": "fleet", "forgotten": count])],
      text: ["\(machine) is forgotten; it is listed again when it gives a sign of life."])
    return .success
  }
}

extension Invocation {
  /// Opens the store that several machines share; fails if the state is in a directory.
  fileprivate func openFleet() async throws -> OpenedState {
    let settings = try configuration().settings
    _ = try server(of: settings)
    return OpenedState(self, settings, try await openStore(settings, for: .writing))
  }

  fileprivate func changePause(
    to made: (_ now: Instant, _ zone: Zone) throws -> FleetPause?
  ) async throws -> ExitStatus {
    let state = try await openFleet()
    let zone = try state.zone()
    let pause = try made(try await clock(of: state.store).now(), zone)
    let before = try await state.store.fleetPause()
    try await state.store.setFleetPause(pause)
    await state.store.close()
    WakeFile.touch(state.settings.wakeFile)
    let text = pause.map { pauseText($0, in: zone) } ?? (before == nil ? "nothing to resume" : "resumed")
    console.print(json: [pauseJSON(pause)], text: [text + "."])
    return .success
  }
}

/// A pause of all machines in words, for example `all machines are paused since 2026-11-21 12:00:00 by alpha until 2026-11-21
/// 14:00:00: new disks; bgfetch fleet resume ends it`.
func pauseText(_ pause: FleetPause, in zone: Zone) -> String {
  "all machines are paused since \(pause.since.local(in: zone)) by \(cleanText(pause.machine, limit: 100))"
    + (pause.until.map { " until " + $0.local(in: zone) } ?? "")
    + (pause.reason.isEmpty ? "" : ": " + cleanText(pause.reason, limit: 300))
    + "; bgfetch fleet resume ends it"
}

func pauseJSON(_ pause: FleetPause?) -> JSONValue {
  JSONValue([
    "type": "fleet", "paused": pause != nil, "since": pause?.since, "until": pause?.until,
    "reason": pause?.reason, "machine": pause?.machine,
  ])
}

/// Whether all machines are paused, as a process sees it that works meanwhile.
final class PauseWatch: Sendable {
  private let state: Atomic<Bool>

  init(_ store: Store) async throws { state = Atomic(try await store.fleetPause() != nil) }

  var isPaused: Bool { state.load(ordering: .relaxed) }

  /// Looks every second, until the task is cancelled; keeps what it knows while the store cannot say.
  func look(in store: Store) async {
    while (try? await WallClock.sleep(for: .seconds(1))) != nil {
      do { state.store(try await store.fleetPause() != nil, ordering: .relaxed) } catch {}
    }
  }
}

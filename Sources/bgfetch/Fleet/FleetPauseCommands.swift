// `bgfetch fleet pause` and `resume`: pauses of all machines, and what runs do about them.

import ArgumentParser
import Core
import Fleet
import Store

struct FleetPauseCommand: ProgramCommand {
  static let heading = ("pause", "Let no machine begin a fetch, a download or a hook")

  @OptionGroup var common: CommonOptions

  @Argument(help: "Why, for those who look at the status.")
  var reason: [String] = []

  @Option(
    help: ArgumentHelp(
      "When it ends by itself: 30m, 2d, tomorrow, \"2026-12-24 08:00\" or 2026-12-24T08:00:00Z.",
      valueName: "when"))
  var until: String?

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    try await invocation.pauseFleet { now, zone in
      (reason.joined(separator: " "), try until.map { try comingMoment($0, now: now, in: zone) })
    }
  }
}

struct FleetResumeCommand: ProgramCommand {
  static let heading = ("resume", "End a pause of all machines")

  @OptionGroup var common: CommonOptions

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    try await invocation.pauseFleet { _, _ in nil }
  }
}

extension Invocation {
  /// Pauses all machines, or ends their pause.
  fileprivate func pauseFleet(
    _ made: (_ now: Instant, _ zone: Zone) throws -> FleetPause?
  ) async throws -> ExitStatus {
    let state = try await openStateOfFiles(for: .writing)
    _ = try server(of: state.settings)
    let zone = try state.zone()
    let pause = try made(try await state.storeTime(), zone)
    try await state.store.setFleetPause(pause)
    state.wakeWatch()
    console.print(json: [pauseJSON(pause)], text: [pause.map { pauseText($0, in: zone) } ?? "resumed"])
    return .success
  }
}

extension OpenedState {
  /// Says that all machines are paused; false if they are not.
  func sayPause() async throws -> Bool {
    guard let pause = try await store.fleetPause() else { return false }
    let zone = try zone()
    if !invocation.reportsToWatch {
      console.print(json: [pauseJSON(pause)], text: [pauseText(pause, in: zone)])
    }
    return true
  }
}

extension Store {
  /// The pause of all machines in words; nil if they are not paused.
  func pauseOfAll(in zone: Zone) throws -> String? {
    try fleetPause().map { pauseText($0, in: zone) }
  }

  /// The end of a pause of all machines as the next thing to do; nil if they are not paused.
  func lookAfterPause() throws -> DueOutlook? {
    try fleetPause().map { DueOutlook(later: $0.until) }
  }
}

/// A pause of all machines in words, for example `all machines are paused until 2026-11-21 14:00:00: new disks; bgfetch fleet
/// resume ends it`.
func pauseText(_ pause: FleetPause, in zone: Zone) -> String {
  "all machines are paused" + (pause.until.map { " until " + $0.local(in: zone) } ?? "")
    + (pause.reason.isEmpty ? "" : ": " + cleanText(pause.reason, limit: 300))
    + "; bgfetch fleet resume ends it"
}

func pauseJSON(_ pause: FleetPause?) -> JSONValue {
  JSONValue(["type": "fleet", "paused": pause != nil, "until": pause?.until, "reason": pause?.reason])
}

// `bgfetch fleet`: its commands, the configuration that machines with one state agree on, pauses of all machines, and machines that were
// taken away. A run with another configuration would fetch other feeds, or at other times, against the runs of the others.

import ArgumentParser
import Config
import Core
import Machine
import Store

struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Look after machines that share a state, and feeds by the thousand",
    groupedSubcommands: [
      CommandGroup(
        name: "Machines",
        subcommands: [
          FleetPrepareCommand.self, FleetCopyCommand.self, FleetAdoptCommand.self, FleetPauseCommand.self,
          FleetResumeCommand.self, FleetForgetCommand.self,
        ]),
      CommandGroup(
        name: "Feeds in the database",
        subcommands: [
          FleetAddCommand.self, FleetSetCommand.self, FleetRemoveCommand.self, FleetListCommand.self,
          FleetImportCommand.self,
        ]),
    ])
}

struct FleetAdoptCommand: ProgramCommand {
  static let heading = ("adopt", "Make this machine's configuration that of all machines")

  @OptionGroup var common: CommonOptions

  @Option(
    help: ArgumentHelp(
      "How long runs may use the former configuration; default: 15m.", valueName: "duration"),
    transform: readDuration)
  var overlap: Interval?

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let began = ContinuousClock.now
    let settings = try invocation.configuration().settings
    _ = try invocation.server(of: settings)
    let zone = try invocation.zone(settings)
    let store = try await invocation.openStore(settings, for: .writing)
    let change = try await invocation.adopt(
      settings, store, overlap: overlap ?? .minutes(15), since: began)
    await store.close()
    invocation.console.print(
      json: [
        JSONValue(["type": "fleet", "changed": (change?.sections ?? []), "former-until": change?.formerEnd])
      ],
      text: [
        change.map {
          "\(list($0.sections, "and")) changed; runs may use the former configuration until \($0.formerEnd.local(in: zone))."
        } ?? "This is the configuration of all machines already."
      ])
    return .success
  }
}

extension Invocation {
  /// Fails unless this configuration is the agreed one; the first run of all makes it so.
  ///
  /// The caller holds the run lock of all machines.
  func requireAgreement(_ settings: Settings, _ store: Store) async throws {
    let differences = try await differences(settings, store)
    guard differences.isEmpty else { throw ProgramFailure.otherConfiguration(differences) }
    if try await store.configuration() == nil {
      try await store.bind(toConfiguration: AgreedConfiguration(settings.sharedSections).text, insteadOf: nil)
    }
  }

  /// The sections in which this configuration differs from the other machines'; none if there is no agreed one yet.
  func differences(_ settings: Settings, _ store: Store) async throws -> [String] {
    guard let text = try await store.configuration() else { return [] }
    return AgreedConfiguration(text: text).differences(
      from: settings.sharedSections, at: try await clock(of: store).now())
  }

  /// Makes this the configuration of all machines.
  ///
  /// - Parameters:
  ///   - overlap: how long runs may use the former one.
  ///   - began: when this command began; it gives way to another machine that adopts a configuration meanwhile.
  /// - Returns: the sections that have changed, and when the former configuration ends; nil if nothing has changed.
  func adopt(
    _ settings: Settings, _ store: Store, overlap: Interval, since began: ContinuousClock.Instant
  ) async throws -> (sections: [String], formerEnd: Instant)? {
    let own = settings.sharedSections
    let former = try await store.configuration()
    let agreed = former.map(AgreedConfiguration.init(text:))
    let sections = agreed?.sections.differences(from: own) ?? []
    guard former == nil || !sections.isEmpty else { return nil }
    let end = try await clock(of: store).now() + overlap
    let text = agreed?.followed(by: own, formerEnd: end).text ?? AgreedConfiguration(own).text
    guard
      try await store.adopt(
        text, insteadOf: former, unlessWithin: Int64((ContinuousClock.now - began) / .milliseconds(1)))
    else {
      let now = try await store.configuration().map(AgreedConfiguration.init(text:))
      let others = now?.sections.differences(from: own) ?? []
      if others.isEmpty { return nil }
      throw ProgramFailure.adoptedElsewhere(others)
    }
    return former.map { _ in (sections, end) }
  }
}

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

struct FleetForgetCommand: ProgramCommand {
  static let heading = ("forget", "Forget a machine that was taken away")

  @OptionGroup var common: CommonOptions

  @Argument(help: "Its name, or its state directory.")
  var machine: String

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    guard try await invocation.openState(for: .writing).store.forgetMachines(machine) > 0 else {
      throw ProgramFailure.usage("there is no machine \(machine); bgfetch status lists them")
    }
    return .success
  }
}

extension Invocation {
  /// Pauses all machines, or ends their pause.
  fileprivate func pauseFleet(
    _ made: (_ now: Instant, _ zone: Zone) throws -> FleetPause?
  ) async throws -> ExitStatus {
    let state = try await openFiles(for: .writing)
    _ = try server(of: state.settings)
    let zone = try state.zone()
    let pause = try made(try await clock(of: state.store).now(), zone)
    try await state.store.setFleetPause(pause)
    WakeFile.touch(state.settings.wakeFile)
    console.print(json: [pauseJSON(pause)], text: [pause.map { pauseText($0, in: zone) } ?? "resumed"])
    return .success
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

// The run, from plan to report. Read this file first: every other one in this module is a step of it.

public import Core

/// One run: plans what is due, fetches it, commits, and tells the person; then gets out of the way.
///
/// One feed's failure never ends the run. What ends it is a store or badge file that cannot be written: the error is
/// thrown, everything committed before stays. A cancelled task (a signal) suspends what is under way at once.
///
/// - Parameters:
///   - settings: the configuration.
///   - options: what this run is asked to do.
///   - effects: the world.
///   - lock: the run lock, which is held; it is given back when no further fetch begins or is committed, and taken again
///     for pushes that came meanwhile.
/// - Returns: what the run came to.
/// - Throws: what the store and the badge file throw.
public func run(
  _ settings: Settings, _ options: RunOptions, _ effects: Effects, lock: RunLock
) async throws -> RunReport {
  let started = effects.machine.milliseconds()
  let telling = Telling(
    settings: settings, effects: effects, isOn: options.tellsHooks,
    deadline: options.limit.map { started + $0.seconds * 1000 })
  var rounds = try await FetchRounds(settings, options, effects, telling: telling, started: started)
  try await telling.delivering(origin: rounds.origin, run: rounds.run) { poke in
    try await rounds.fetch(lock: lock, poke: poke)
    repeat {
      // What the end of the phase changed does not wait for transfers, which may take hours.
      try await telling.takeTransfers(into: &rounds.report, run: rounds.run, options, poke: poke)
    } while try await rounds.takeLatePushes(lock: lock, poke: poke)
  }
  if rounds.run != 0 {
    try await telling.record(
      .runFinished, runFields(rounds.report), origin: rounds.origin, run: rounds.run)
    if telling.mayGoOn { try await telling.deliver(origin: rounds.origin, run: rounds.run) }
  }
  try await telling.stay(options, origin: rounds.origin, run: rounds.run)
  return rounds.report
}

/// Everything planning needs to know besides feeds and their states.
public func planningContext(
  _ settings: Settings, _ options: RunOptions, _ machine: MachineEffects, hosts: [String: HostState],
  at now: Instant, pushes: [FeedName: PushDemand] = [:], habits: [FeedName: Habit] = [:]
) -> PlanningContext {
  var context = PlanningContext(
    now: now, zone: machine.zone, machine: machine.identity, hosts: hosts, named: options.named,
    isForced: options.isForced, pushes: pushes, habits: habits)
  context.isPunctual = options.isPunctual
  return context
}

/// The fields of the events of a run itself.
func runFields(_ report: RunReport) -> [EventField] {
  [
    EventField("due", report.due), EventField("new-data", report.newData),
    EventField("no-data", report.noData),
    EventField("failed", report.failed), EventField("badge", report.badge),
    EventField("exit-status", Int(report.exitStatus)), EventField("summary", report.summary),
  ]
}

/// What is remembered of each feed, less what its edited configuration made void.
public func statesToday(_ settings: Settings, _ stored: [FeedName: FeedState]) -> [FeedName: FeedState] {
  var states = stored
  for feed in settings.feeds {
    guard let state = stored[feed.name] else { continue }
    states[feed.name] = stateUnderConfiguration(
      state, configuration: feed.fingerprint, request: feed.requestFingerprint)
  }
  return states
}

// The run, from plan to report. Read this file first: every other one in this module is a step of it.

public import Model
public import Planning
public import Timing

/// One run: plans what is due, fetches it, commits, and tells the person; then gets out of the way.
///
/// One feed's failure never ends the run. What ends it is a store or badge file that cannot be written: the error is
/// thrown, everything committed before stays. A cancelled task (a signal) suspends what is under way at once.
///
/// - Parameters:
///   - settings: the configuration.
///   - options: what this run is asked to do.
///   - effects: the world.
///   - fetchPhaseEnded: called once, when no further fetch begins or is committed: the run lock may go.
/// - Returns: what the run came to.
/// - Throws: what the store and the badge file throw.
public func run(
  _ settings: Settings, _ options: RunOptions, _ effects: Effects,
  fetchPhaseEnded: @escaping @Sendable () -> Void
) async throws -> RunReport {
  let now = effects.machine.now()
  try await effects.store.settleInterrupted(now)
  let states = statesToday(settings, try await effects.store.states())
  let hosts = try await effects.store.hosts()
  let plan = duePlan(
    settings.feeds, states, planningContext(settings, options, effects.machine, hosts: hosts, at: now))
  let started = effects.machine.milliseconds()
  let telling = Telling(
    settings: settings, effects: effects, isOn: options.tellsHooks,
    deadline: options.limit.map { started + $0.seconds * 1000 })

  guard !plan.due.isEmpty else {
    var report = RunReport()
    report.badge = try await telling.updateBadge(run: nil, cause: options.cause)
    fetchPhaseEnded()
    let origin = EventOrigin(run: 0, time: now, cause: options.cause)
    try await telling.delivering(origin: origin, run: 0) { poke in
      poke()
      try await telling.takeTransfers(into: &report, run: 0, options, poke: poke)
    }
    return report
  }

  let number = try await effects.store.begin(options, now)
  let origin = EventOrigin(run: number, time: now, cause: options.cause)
  effects.report(.started(due: plan.due.count, paused: plan.skipped.count(where: \.isPaused)))
  try await telling.record(.runStarted, [EventField("due", plan.due.count)], origin: origin, run: number)
  let phase = FetchPhase(
    feedRun: FeedRun(
      settings: settings, effects: effects, run: number, origin: origin, tellsHooks: options.tellsHooks,
      hosts: HostLedger(hosts)),
    telling: telling, options: options, started: started)
  var progress = PhaseProgress(due: plan.due.count, clock: PhaseClock(options, started: started))

  // What was in flight in two crashes may crash this run as well: all else is committed and handed over before.
  if !plan.lastDue.isEmpty {
    try await telling.delivering(origin: origin, run: number) { poke in
      try await phase.run(plan.firstDue, states: states, hosts: hosts, progress: &progress, poke: poke)
      _ = try await telling.updateBadge(run: number, cause: options.cause)
      poke()
    }
  }
  var report = RunReport()
  try await telling.delivering(origin: origin, run: number) { poke in
    let due = plan.lastDue.isEmpty ? plan.due : plan.lastDue
    try await phase.run(due, states: states, hosts: hosts, progress: &progress, poke: poke)
    report = progress.report
    report.badge = try await telling.updateBadge(run: number, cause: options.cause)
    report.isStopped = Task.isCancelled
    try await effects.store.end(number, effects.machine.now(), report.totals)
    fetchPhaseEnded()
    // What the end of the phase changed does not wait for transfers, which may take hours.
    poke()
    try await telling.takeTransfers(into: &report, run: number, options, poke: poke)
  }
  try await telling.record(.runFinished, runFields(report), origin: origin, run: number)
  if telling.mayGoOn { try await telling.deliver(origin: origin, run: number) }
  return report
}

/// Everything planning needs to know besides feeds and their states.
public func planningContext(
  _ settings: Settings, _ options: RunOptions, _ machine: MachineEffects, hosts: [String: HostState],
  at now: Instant
) -> PlanningContext {
  var context = PlanningContext(
    now: now, zone: machine.zone, machine: machine.identity, hosts: hosts, named: options.named,
    isForced: options.isForced)
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

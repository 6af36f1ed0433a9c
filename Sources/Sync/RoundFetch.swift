// One round of a fetch phase, carried out.

import Core

/// A round that was planned and recorded, with all that it takes to fetch it.
struct RoundFetch: Sendable {
  /// What is fetched.
  let round: Round
  /// Its number.
  let run: Int64
  /// What its events have in common.
  let origin: EventOrigin
  /// The configuration.
  let settings: Settings
  /// What the run is asked to do.
  let options: RunOptions
  /// The world.
  let effects: Effects
  /// How the person is told.
  let telling: Telling
  /// What rounds beside it have to know of it.
  let underWay: RoundsUnderWay
  /// When the run began, in the machine's milliseconds.
  let started: Int64

  /// Fetches all of it, and ends it.
  ///
  /// - Parameter poke: called when there may be something to tell.
  /// - Returns: what it came to.
  /// - Throws: what the store and the badge file throw.
  func fetch(poke: @escaping @Sendable () -> Void) async throws -> RunReport {
    let clock = PhaseClock(options, started: started)
    let feedRun = FeedRun(
      settings: settings, effects: effects, run: run, origin: origin, tellsHooks: options.tellsHooks,
      hosts: HostLedger(round.hosts), pushes: round.pushes, habits: round.habits, budgetEnd: clock.end)
    let phase = FetchPhase(
      feedRun: feedRun, telling: telling, options: options, underWay: underWay, started: started)
    var progress = PhaseProgress(due: round.dueCount, clock: clock)
    for (push, feed) in round.files {
      progress.report.add(try await feedRun.take(push, bringingFileOf: feed))
    }
    // What was in flight in two crashes may crash this run as well: all else is committed and handed over before.
    if !round.plan.lastDue.isEmpty {
      try await telling.delivering(origin: origin, run: run) { poke in
        try await phase.run(
          round.plan.firstDue, states: round.states, hosts: round.hosts, progress: &progress, poke: poke)
        _ = try await telling.updateBadge(run: run, cause: options.cause)
        poke()
      }
    }
    let due = round.plan.lastDue.isEmpty ? round.plan.due : round.plan.lastDue
    try await phase.run(due, states: round.states, hosts: round.hosts, progress: &progress, poke: poke)
    progress.report.badge = try await telling.updateBadge(run: run, cause: options.cause)
    progress.report.isStopped = Task.isCancelled
    try await effects.store.end(run, effects.machine.now(), progress.report.totals)
    return progress.report
  }
}

// The run, from plan to report. Read this file first.
//
// `run` plans what is due and fetches it (Fetching), downloads assets (Downloads), and keeps the badge and the hooks up to
// date (Hooks). Core makes the decisions, and only `Effects` reaches the world. Commands, messages, SQL, HTTP and
// files never belong here.

package import Core
import Synchronization

/// One run: plans what is due, fetches and commits it, downloads, and runs hooks.
///
/// The failure of one feed never ends the run. An error of the store, a lock or the badge file does: it is thrown, and everything
/// committed before is kept. A cancelled task (a signal) suspends what is under way.
///
/// - Throws: what the store, the locks and the badge file throw.
package func run(
  _ settings: Settings, _ options: RunOptions, _ effects: Effects, _ locks: RunLocks
) async throws -> RunReport {
  let started = effects.machine.milliseconds()
  let deadline = options.timeLimit.map { started + $0.seconds * 1000 }
  let notifier = Notifier(settings, effects, runsHooks: options.runsHooks, deadline: deadline)
  var rounds = try await Rounds(
    settings, options, effects, notifier: notifier, started: started, planning: locks.planning)
  try await notifier.delivering(for: rounds.origin) {
    try await rounds.fetch(lock: locks.fetching)
    effects.report(.fetchingEnded)
    let downloads = Downloads(notifier, options)
    /// The last round whose end is an event; a run without a round has none.
    var finished: Int64?
    repeat {
      repeat {
        // The badge and hooks do not wait for transfers, which may take hours.
        try await downloads.run(into: &rounds.report, of: rounds.origin)
      } while try await rounds.takeLateData(downloads.budget)
      effects.report(.downloadingEnded)
      let origin = rounds.origin
      if origin.round != finished {
        try await notifier.record(origin.event(.runFinished, runFields(rounds.report)), of: origin)
      }
      finished = origin.round
    } while try await notifier.deliverRest(
      options, for: rounds.origin, unless: { try await rounds.fetchPushed() })
  }
  // Deliveries may have marked items as seen.
  rounds.report.badge = notifier.badge.withLock { $0 } ?? rounds.report.badge
  return rounds.report
}

/// The locks with which a run begins.
package struct RunLocks: Sendable {
  /// The lock `run`, or with neighbours the lock `fetching`, released when the fetch ends; for pushes that arrive later, the run takes
  /// the right to fetch again (`Coordination.fetchLock`).
  package var fetching: HeldLock
  /// With neighbours the lock `run`, released when the first round is planned.
  package var planning: HeldLock

  package init(fetching: HeldLock, planning: HeldLock = HeldLock {}) {
    (self.fetching, self.planning) = (fetching, planning)
  }
}

/// Everything that planning depends on besides the feeds and their states.
package func planningContext(
  _ options: RunOptions, _ machine: MachineEffects, hosts: [String: HostState], at now: Instant,
  pushes: [FeedName: PushDemand] = [:], learned: Learned = Learned()
) -> PlanningContext {
  var context = PlanningContext(
    now: now, zone: machine.zone, machine: machine.identity, hosts: hosts, named: options.named,
    isForced: options.isForced, pushes: pushes, learned: learned)
  context.isPunctual = options.isWatch
  context.surroundings = machine.surroundings
  return context
}

/// The fields of the events about a run.
func runFields(_ report: RunReport) -> JSONValue {
  JSONValue([
    "due": report.totals.due, "new-data": report.totals.newData, "no-data": report.totals.noData,
    "failed": report.totals.failed, "badge": report.badge, "exit-status": report.status.code,
    "summary": report.summary(),
  ])
}

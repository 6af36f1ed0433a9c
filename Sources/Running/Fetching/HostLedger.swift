// The hosts as the fetches under way find them: each fetch sees at once what the others have learned.

import Core
import Synchronization

/// The hosts as the fetches of a round, or the transfers of a run, have found them.
///
/// Several fetches of one host may be under way; a rate limit that one of them gets counts for all.
final class HostLedger: Sendable {
  private let states: Mutex<[String: HostState]>

  init(_ states: [String: HostState]) { self.states = Mutex(states) }

  func state(of host: String) -> HostState { states.withLock { $0[host] ?? HostState() } }

  /// The decision about a feed's next fetch; its pause does not count, because a person may end it at any time.
  func nextDecision(
    _ feed: FeedSpec, after state: FeedState, at now: Instant, _ machine: MachineEffects,
    learned: Learned = Learned()
  ) -> DueDecision {
    // Only the feed's own host matters; passing all hosts for each feed would cost too much.
    var known: [String: HostState] = [:]
    if let own = feed.addressToAsk(state)?.host { known[own] = self.state(of: own) }
    var state = state
    state.pause = nil
    return dueDecision(
      feed, state,
      PlanningContext(now: now, zone: machine.zone, machine: machine.identity, hosts: known, learned: learned)
    )
  }

  /// Records that a feed's request to a public host begins.
  func begin(_ host: String, now: Instant) {
    states.withLock { $0[host, default: HostState()].lastRequest = now }
  }

  /// Decides what a fetch changes, given what is known about its host now, and remembers the result.
  func change(_ host: String?, _ decide: (HostState) -> StateChange) -> StateChange {
    states.withLock { states in
      guard let host else { return decide(HostState()) }
      let change = decide(states[host] ?? HostState())
      if let new = change.host { states[host] = new }
      return change
    }
  }
}

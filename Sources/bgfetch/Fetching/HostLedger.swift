// The hosts of a run as its fetches find them; each fetch sees at once what the others have learned.

import Core
import Synchronization

/// The hosts as the fetches of a run have found them.
///
/// Several fetches of one host may be under way; a rate limit that one of them gets counts for all.
final class HostLedger: Sendable {
  private struct Facts {
    var states: [String: HostState]
    /// When the last request to a host begins or began, in the machine's milliseconds.
    var requests: [String: Int64] = [:]
    /// Requests that the queue does not know of, since the last call of `takeHops`.
    var hops: [Hop] = []

    mutating func note(_ hop: Hop) {
      requests[hop.host] = hop.moment
      hops.append(hop)
    }
  }

  /// A request that a redirect sent to another host, or that waits for other machines.
  struct Hop: Sendable {
    let host: String
    /// When the request begins, in the machine's milliseconds.
    let moment: Int64
  }

  private let facts: Mutex<Facts>

  init(_ states: [String: HostState]) {
    facts = Mutex(Facts(states: states))
  }

  func state(of host: String) -> HostState { facts.withLock { $0.states[host] ?? HostState() } }

  /// The decision about a feed's next fetch.
  func nextDecision(
    _ feed: FeedSpec, after state: FeedState, at now: Instant, _ machine: MachineEffects,
    habits: [FeedName: Habit] = [:]
  ) -> DueDecision {
    // Only the feed's own host matters; passing all hosts for each feed would cost too much.
    var known: [String: HostState] = [:]
    if let own = feed.addressToAsk(state)?.host { known[own] = self.state(of: own) }
    return dueDecision(
      feed, state,
      PlanningContext(now: now, zone: machine.zone, machine: machine.identity, hosts: known, habits: habits))
  }

  /// When the last requests to public hosts of this run began, in the machine's milliseconds.
  var requests: [String: Int64] { facts.withLock { $0.requests } }

  /// Records that a feed's request to a public host begins, and returns the host's state.
  func begin(_ host: String, at moment: Int64, now: Instant) -> HostState {
    facts.withLock { facts in
      facts.requests[host] = moment
      facts.states[host, default: HostState()].lastRequest = now
      return facts.states[host] ?? HostState()
    }
  }

  /// Reserves the request to a public host that a redirect leads to, and returns when it may begin: a delay after the last
  /// request to it.
  func reserveHop(to host: String, delay: Interval, at now: Int64) -> Int64 {
    facts.withLock { facts in
      let moment = facts.requests[host].map { max(now, $0 + delay.seconds * 1000) } ?? now
      facts.note(Hop(host: host, moment: moment))
      return moment
    }
  }

  /// Records a request that was reserved elsewhere.
  func noteHop(to host: String, at moment: Int64) {
    facts.withLock { $0.note(Hop(host: host, moment: moment)) }
  }

  /// The requests that the queue does not know of, since the last call.
  func takeHops() -> [Hop] {
    facts.withLock { facts in
      defer { facts.hops = [] }
      return facts.hops
    }
  }

  /// Decides what a fetch changes, given what is known about its host now, and remembers the result.
  func change(_ host: String?, _ decide: (HostState) -> StateChange) -> StateChange {
    facts.withLock { facts in
      guard let host else { return decide(HostState()) }
      let change = decide(facts.states[host] ?? HostState())
      if change.isHostChanged { facts.states[host] = change.host }
      return change
    }
  }
}

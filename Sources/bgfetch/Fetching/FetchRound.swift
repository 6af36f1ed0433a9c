// The progress of a round of fetches.

import Core
import Store

/// A round that is being fetched.
struct FetchRound: Sendable {
  /// Fetches one of its feeds.
  let fetch: FeedFetch
  let options: RunOptions
  /// Which feeds wait, and how many are under way.
  var work: FetchWork
  var progress: PhaseProgress
  /// The feeds that were being fetched in two crashes, to be started when all others have ended.
  private(set) var last: [QueuedFeed]
  /// The states of its feeds; nil if each is read when its turn comes.
  let states: [FeedName: FeedState]?
  /// Whether all feeds were looked at.
  let isOfAll: Bool
  /// Whether the end of the round is recorded.
  var hasEnded = false
  /// The hosts that it has claimed and not released.
  private var claimed: Set<String>

  private let queues: FetchQueues

  init(
    _ planned: PlannedRound, _ fetch: FeedFetch, _ options: RunOptions, clock: PhaseClock
  ) {
    self.fetch = fetch
    self.options = options
    (states, isOfAll) = (planned.states, planned.isOfAll)
    claimed = planned.hostsToClaim
    let due = planned.plan.due
    last = due.filter(\.comesLast)
    progress = PhaseProgress(due: planned.dueCount, clock: clock)
    // Nothing starts after the budget's warning.
    queues = FetchQueues(
      network: fetch.settings.network, hosts: planned.hosts, runStart: planned.now, start: planned.moment,
      deadline: clock.warning)
    work = FetchWork(last.isEmpty ? due : due.filter { !$0.comesLast }, queues: queues)
  }

  var run: Int64 { fetch.run }
  var origin: EventOrigin { fetch.origin }

  /// The next moment at which the round must act although no feed has ended.
  func nextWake(after now: Int64) -> Int64? { progress.nextWake(after: now, queue: work.nextStart) }

  /// The hosts of its feeds that have not ended.
  var unfinishedHosts: [String] {
    work.unfinishedHosts + last.map(\.host) + progress.unreached.compactMap { $0.trace.address?.host }
  }

  /// The claimed hosts whose feeds have all ended; each is returned once.
  mutating func takeFinishedHosts() -> Set<String> {
    let finished = claimed.subtracting(unfinishedHosts)
    claimed.subtract(finished)
    return finished
  }

  /// Records the requests that the queue does not know of: requests after redirects, and requests that wait for other machines.
  mutating func noteHops() {
    for hop in fetch.hosts.takeHops() { work.noteRequest(to: hop.host, at: hop.moment) }
  }

  /// Prunes rows that are no longer needed, a bounded number in each round; none while the clock may be wrong.
  func removeOldRows(at now: Instant) async throws {
    let (settings, store) = (fetch.settings, fetch.effects.store)
    guard try await fetch.effects.clockTrust().isConfirmed else { return }
    if isOfAll {
      try await store.forgetDormant(configured: settings.feedNames, before: now - Retention.dormantFeeds)
    }
    let fetched = progress.report.totals.due
    try await store.prune(before: now - Retention.history, limit: Retention.pruned(after: fetched))
    // Deliveries to a hook that was removed from the configuration expire too.
    let hooks = Set(settings.hooks.map(\.name))
    for hook in try await store.hooksWithWork(at: now) where !hooks.contains(hook) {
      try await store.expireDeliveries(hook, before: now - Retention.deliveriesOfNoHook)
    }
  }

  /// Queues the feeds that were left for last.
  mutating func startLast() {
    work = FetchWork(last, queues: queues)
    last = []
    for (host, moment) in fetch.hosts.requests { work.noteRequest(to: host, at: moment) }
  }
}

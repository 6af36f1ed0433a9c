// The progress of a round of fetches, and its failures for which the network may be at fault, not the feeds.

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

  init(_ planned: PlannedRound, _ fetch: FeedFetch, _ options: RunOptions, clock: PhaseClock) {
    (self.fetch, self.options) = (fetch, options)
    (states, isOfAll) = (planned.states, planned.isOfAll)
    claimed = planned.hostsToClaim
    let due = planned.plan.due
    last = due.filter(\.comesLast)
    progress = PhaseProgress(due: planned.dueCount, clock: clock, isShared: fetch.settings.isFleet)
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
  mutating func removeFinishedHosts() -> Set<String> {
    let finished = claimed.subtracting(unfinishedHosts)
    claimed.subtract(finished)
    return finished
  }

  /// Records when requests of any round begin, also after redirects, and while they wait for other machines.
  mutating func record(_ requests: [HostTurns.Moment]) {
    for request in requests { work.recordRequest(to: request.host, at: request.moment) }
  }

  /// Prunes rows that are no longer needed, a bounded number in each round; none while the clock may be wrong.
  func removeOldRows(at now: Instant) async throws {
    let (settings, store) = (fetch.settings, fetch.effects.store)
    guard try await fetch.effects.clockTrust().isConfirmed else { return }
    if isOfAll {
      try await store.forgetDormant(configured: settings.feedNames, before: now - Retention.dormantFeeds)
    }
    let fetched = progress.report.totals.due
    try await store.prune(
      before: now - Retention.history, history: now - settings.history, events: now - settings.events,
      limit: Retention.pruned(after: fetched))
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
    record(fetch.turns.moments(of: work.unfinishedHosts))
  }
}

extension FetchRound {
  /// Commits the fetches that reached nothing: as offline if no host could be reached, and as the feeds' failures otherwise.
  mutating func settleUnreached(_ effects: Effects) async throws {
    guard !progress.unreached.isEmpty else { return }
    let unreached = progress.removeUnreached()
    var verdict = verdict(on: unreached, hasRoute: effects.machine.hasUsableRoute)
    let others = verdict == .unknown ? try await otherHosts(than: unreached, effects.store) : .unknown
    if others == .unreached { verdict = .offline }
    for (failure, var trace) in unreached {
      let counted =
        switch verdict {
        case .offline: FetchFailure.offline
        case .captivePortal(let host): FetchFailure.captivePortal(host)
        case .online, .unknown: failure
        }
      if case .reached(let moment) = others, let before = trace.state.lastAsked {
        trace.mayBeOffline = moment < before
      }
      if case .committed(let report, _) = try await fetch.commitFailure(counted, trace) {
        progress.count(report, trace, at: effects.machine.milliseconds())
      }
    }
    switch verdict {
    case .online, .unknown: return
    case .offline: effects.report(.offline(feeds: unreached.count, portal: nil))
    case .captivePortal(let host): effects.report(.offline(feeds: unreached.count, portal: host))
    }
    progress.report.isOffline = true
  }

  /// How other hosts answered in earlier runs, if a run of feeds that are due one by one leaves the question open.
  private func otherHosts(
    than unreached: [(failure: FetchFailure, trace: FetchTrace)], _ store: Store
  ) async throws -> OtherHosts {
    // The history of a shared state has the fetches of other machines.
    guard !fetch.settings.isFleet, let host = unreached.first?.trace.route?.start.host, !isLoopback(host)
    else {
      return .unknown
    }
    let latest = HistoryPart(limit: 50)
    let history = try await store.fetches(latest, after: try await store.beginning(of: latest), atMost: 50)
    return OtherHosts(than: host, in: history.map(\.record))
  }

  private func verdict(
    on unreached: [(failure: FetchFailure, trace: FetchTrace)], hasRoute: () -> Bool
  ) -> NetworkVerdict {
    guard !progress.hasReachedAnything else { return .online }
    let attempts = unreached.compactMap { $0.trace.attempt(failed: $0.failure) }
    let verdict = networkVerdict(attempts, hasRoute: hasRoute())
    if case .captivePortal(let host) = verdict, !unreached.contains(where: { $0.trace.mayName(host) }) {
      return .captivePortal("***")
    }
    let isLocal = attempts.contains { attempt in
      if case .proxyUnreachable = attempt.failure { false } else { isLoopback(attempt.host) }
    }
    return verdict == .offline && isLocal ? .unknown : verdict
  }
}

extension FetchTrace {
  /// Whether a host may be named: this fetch sent it a request, and its address is not a secret.
  fileprivate func mayName(_ host: String) -> Bool {
    !feed.hasSecretAddress && route?.addresses.contains { $0.host == host } ?? false
  }
}

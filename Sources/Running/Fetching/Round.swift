// A round: its queue of feeds, of which some wait for the response of another one; its progress, and when the badge is written and
// hooks are run; and its failures for which the network may be at fault, not the feeds. Rounds carries it out.

import Core
import Store

/// A round that is being fetched.
struct Round: Sendable {
  /// Fetches one of its feeds.
  let fetcher: FeedFetcher
  let options: RunOptions
  /// The feeds that wait, and those under way.
  var queue: RoundQueue
  var progress: RoundProgress
  /// The feeds that were being fetched in two crashes, to be started when all others have ended.
  private(set) var crashed: [QueuedFeed]
  /// The states of its feeds; nil if each is read when it starts.
  let states: [FeedName: FeedState]?
  /// Whether all feeds were looked at.
  private let isOfAll: Bool
  /// Whether other runs fetch from the same state, too.
  private let hasNeighbours: Bool
  /// Whether the end of the round is recorded.
  var hasEnded = false
  /// The hosts that it has claimed and not released.
  private var claimed: Set<String>

  private let emptyQueue: HostQueue

  init(_ plan: Plan, _ fetcher: FeedFetcher, _ options: RunOptions, budget: Budget) {
    (self.fetcher, self.options) = (fetcher, options)
    (states, isOfAll, hasNeighbours) = (plan.states, plan.isOfAll, plan.hasNeighbours)
    claimed = plan.hostsToClaim
    let due = plan.feeds.due
    crashed = due.filter(\.comesLast)
    progress = RoundProgress(due: plan.dueCount, budget: budget)
    // Nothing starts after the budget's warning.
    emptyQueue = HostQueue(
      network: fetcher.settings.network, hosts: plan.hosts, roundStart: plan.now, start: plan.milliseconds,
      warning: budget.warning)
    queue = RoundQueue(crashed.isEmpty ? due : due.filter { !$0.comesLast }, emptyQueue)
    record(fetcher.turns.moments(of: unfinishedHosts))
  }

  var number: Int64 { fetcher.round }
  var origin: EventOrigin { fetcher.origin }

  /// The next moment at which the round must act although no feed has ended.
  func nextWake(after now: Int64) -> Int64? { progress.nextWake(after: now, queue: queue.nextStart) }

  /// The hosts of its feeds that have not ended.
  var unfinishedHosts: [String] {
    queue.unfinishedHosts + crashed.map(\.host) + progress.unreached.compactMap { $0.trace.address?.host }
  }

  /// The claimed hosts whose feeds have all ended; each is returned once.
  mutating func removeFinishedHosts() -> Set<String> {
    guard !claimed.isEmpty else { return [] }
    let finished = claimed.subtracting(unfinishedHosts)
    claimed.subtract(finished)
    return finished
  }

  /// Records when requests of any round begin, also after redirects, and while they wait for neighbours.
  mutating func record(_ requests: [HostTurns.Moment]) {
    for request in requests { queue.recordRequest(to: request.host, at: request.moment) }
  }

  /// Prunes rows that are no longer needed, a bounded number in each round; none while the clock may be wrong.
  func removeOldRows(at now: Instant) async throws {
    let (settings, store) = (fetcher.settings, fetcher.effects.store)
    guard try await fetcher.effects.clockTrust().isConfirmed else { return }
    if isOfAll {
      try await store.forgetDormant(configured: settings.feedNames, before: now - Retention.dormantFeeds)
    }
    let fetched = progress.report.totals.due
    try await store.prune(
      before: now - Retention.history, history: now - settings.history, events: now - settings.events,
      limit: Retention.pruned(after: fetched))
    // Deliveries to a hook that was removed from the configuration expire too, also one that a dead process was running.
    let hooks = Set(settings.hooks.map(\.name))
    for hook in try await store.hooksWithWork(at: now) where !hooks.contains(hook) {
      guard let lock = try await fetcher.effects.tryLock(.hook(hook)) else { continue }
      defer { lock.release() }
      try await store.prepareDeliveries(hook, expiringAt: Retention.deliveriesOfNoHook, at: now)
    }
  }

  /// Queues the feeds that were left for last.
  mutating func startCrashed() {
    var oneByOne = emptyQueue
    oneByOne.isOneByOne = true
    queue = RoundQueue(crashed, oneByOne)
    crashed = []
    record(fetcher.turns.moments(of: queue.unfinishedHosts))
  }
}

extension Round {
  /// Commits the fetches that reached nothing: as offline if no host could be reached, and as the feeds' failures otherwise.
  mutating func settleUnreached(_ effects: Effects) async throws {
    let unreached = progress.unreached
    guard !unreached.isEmpty else { return }
    progress.unreached = []
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
      if case .committed(let report, _) = try await fetcher.commitFailure(counted, trace) {
        progress.count(report, trace, at: effects.machine.milliseconds())
      }
    }
    switch verdict {
    case .online, .unknown: return
    case .offline: effects.report(.notice(.offline(feeds: unreached.count, portal: nil)))
    case .captivePortal(let host): effects.report(.notice(.offline(feeds: unreached.count, portal: host)))
    }
    progress.report.isOffline = true
  }

  /// How other hosts answered in earlier runs, if a run of feeds that are due one by one leaves the question open.
  private func otherHosts(
    than unreached: [(failure: FetchFailure, trace: FetchTrace)], _ store: Store
  ) async throws -> OtherHosts {
    // The history has the fetches of neighbours, too.
    guard !hasNeighbours, let host = unreached.first?.trace.route?.start.host, !isLoopback(host) else {
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

// MARK: Progress

/// The progress of a round: a plain value that says what to do and when.
struct RoundProgress: Sendable {
  var report = RunReport()
  /// Fetches that reached no host, until it is known whether the machine is offline.
  var unreached: [(failure: FetchFailure, trace: FetchTrace)] = []
  /// So many failures without any success say enough about the network.
  static let mostUnreached = 1000
  /// Whether any host answered, even by refusing.
  private(set) var hasReachedAnything = false
  /// Feeds that were fetched successfully for the first time, if there are messages about them.
  var added: [FeedName] = []
  /// The results of the fetches from each host.
  private(set) var resultsByHost: [String: [FetchResult: Int]] = [:]

  let budget: Budget
  private var lastEnding: Int64?
  private var firstUndelivered: Int64?

  /// Hooks run, and the badge is written, when no feed has ended for this long, in milliseconds.
  private static let idleTime: Int64 = 2000
  /// Hooks run at the latest this long after a feed has ended, in milliseconds.
  private static let longestWait: Int64 = 10_000

  init(due: Int, budget: Budget) {
    self.budget = budget
    report.totals.due = due
  }

  /// Counts feeds that are left for a later run.
  mutating func leave(_ count: Int) { report.totals.left += count }

  /// Counts a committed fetch.
  mutating func count(_ fetched: FeedReport, _ trace: FetchTrace, at now: Int64) {
    report.add(fetched)
    if trace.address != nil { hasReachedAnything = true }
    if let host = (trace.address ?? trace.route?.start)?.host {
      resultsByHost[host, default: [:]][fetched.result, default: 0] += 1
    }
    if fetched.result == .noData, !trace.state.hasBaseline, trace.feed.notify != nil {
      added.append(trace.feed.name)
    }
    lastEnding = now
    if firstUndelivered == nil { firstUndelivered = now }
  }

  /// The event that reports that the budget ended before the work was done, returned once.
  mutating func expire(at now: Int64, left: Int) -> RunEvent? {
    guard budget.shouldStop(at: now), !report.isExpired, left > 0 else { return nil }
    report.isExpired = true
    return .notice(.expired(left: left))
  }

  /// Whether to write the badge file and to run hooks now; then it begins with the fetches that have ended since.
  mutating func beginsDelivery(at now: Int64) -> Bool {
    guard let due = deliverAt, now >= due else { return false }
    firstUndelivered = nil
    return true
  }

  /// The next moment at which to act although no feed has ended.
  func nextWake(after now: Int64, queue: Int64?) -> Int64? {
    [queue, deliverAt, budget.next(after: now)].compactMap { $0 }.min().map { max($0, now + 1) }
  }

  private var deliverAt: Int64? {
    guard let firstUndelivered, let lastEnding else { return nil }
    return min(firstUndelivered + Self.longestWait, lastEnding + Self.idleTime)
  }
}

// MARK: The queue

/// A feed that starts, with its state; both are large, and shared by all steps of its fetch.
final class DueFeed: Sendable {
  let feed: FeedSpec
  let state: FeedState

  init(_ feed: FeedSpec, _ state: FeedState) { (self.feed, self.state) = (feed, state) }
}

/// The due feeds of a round, each in one of three places until its fetch has ended.
struct RoundQueue: Sendable {
  /// How many feeds are under way.
  private(set) var underWay = 0
  private var network: HostQueue
  /// Files and commands of this machine, which never wait for the network.
  private var local: HostQueue
  private var shared: SharedRequests
  /// The feeds under way that share a response, with their hosts.
  private var sharingHosts: [FeedName: String] = [:]

  /// The feeds of a plan, all of them waiting.
  ///
  /// - Parameter queue: an empty queue.
  init(_ due: [QueuedFeed], _ queue: HostQueue) {
    shared = SharedRequests(due)
    (network, local) = (queue, queue.ofThisMachine)
    for feed in due where !shared.isWaiting(feed.name) { add(feed) }
  }

  private mutating func add(_ feed: QueuedFeed) {
    if feed.isLocal { local.add(feed) } else { network.add(feed) }
  }

  /// Whether nothing waits and nothing is under way.
  var isFinished: Bool { network.isFinished && local.isFinished && underWay == 0 }

  /// The next moment at which `dequeue` returns a feed; nil if another fetch must end first, or nothing waits.
  var nextStart: Int64? { [local.nextStart, network.nextStart].compactMap(\.self).min() }

  /// The hosts of feeds that have not ended, by the first address that each requests.
  var unfinishedHosts: [String] {
    local.unfinishedHosts + network.unfinishedHosts + shared.waitingFeeds.map(\.host) + sharingHosts.values
  }

  /// Records a request to a host, so that the next request keeps the delay.
  mutating func recordRequest(to host: String, at moment: Int64) {
    network.recordRequest(to: host, at: moment)
  }

  /// The connections in use.
  var connections: Int { network.connections }

  /// Removes the feeds that start now from the queue, while other rounds use some of the connections; from now on they are
  /// under way.
  mutating func dequeue(at now: Int64, beside others: Int = 0) -> [FeedName] {
    let starting = local.dequeue(at: now) + network.dequeue(at: now, beside: others)
    underWay += starting.count
    return starting
  }

  /// Records that a feed's fetch has ended, whether it is committed or not.
  mutating func end(_ feed: FeedName, at now: Int64) {
    local.finished(feed, at: now)
    network.finished(feed, at: now)
    sharingHosts[feed] = nil
    underWay -= 1
  }

  /// Removes and returns the feeds that waited for the response of a feed; `share` takes them.
  mutating func release(after feed: FeedName) -> [QueuedFeed] { shared.release(after: feed) }

  /// Decides which released feeds share a response; from now on those are under way.
  ///
  /// The others must send requests of their own, and are queued.
  ///
  /// - Parameters:
  ///   - trace: the facts of the fetch with the response; nil if the run ended first.
  ///   - feeds: the released feeds that could be read.
  ///   - released: all of them.
  ///   - machine: this machine's identity.
  ///   - now: the start of the round.
  /// - Returns: the feeds that share the response.
  mutating func share(
    _ trace: FetchTrace?, with feeds: [DueFeed], of released: [QueuedFeed], machine: String, at now: Instant
  ) -> [DueFeed] {
    var feeds = Dictionary(uniqueKeysWithValues: feeds.map { ($0.feed.name, $0) })
    var sharing: [DueFeed] = []
    for feed in released {
      guard let due = feeds.removeValue(forKey: feed.name) else { continue }
      if let trace, trace.mayBeShared(with: due.feed, due.state, machine: machine, at: now) {
        sharing.append(due)
        sharingHosts[feed.name] = feed.host
      } else {
        add(feed)
      }
    }
    underWay += sharing.count
    return sharing
  }

  /// Removes all feeds that wait, and returns their number; fetches under way continue.
  mutating func leaveAll() -> Int { leave(local.cancelAll() + network.cancelAll()) }

  /// Removes the feeds that wait for a host, and returns their number; fetches under way continue.
  mutating func leave(host: String) -> Int { leave(network.cancel(host: host)) }

  /// Removes a feed that was to start and cannot, and returns how many feeds are left for that reason.
  mutating func leave(_ feed: FeedName, at now: Int64) -> Int {
    end(feed, at: now)
    return leave([feed])
  }

  /// Feeds that wait for the response of a removed feed are removed too.
  private mutating func leave(_ names: [FeedName]) -> Int {
    names.reduce(names.count) { $0 + shared.release(after: $1).count }
  }
}

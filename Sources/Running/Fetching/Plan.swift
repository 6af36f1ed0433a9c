// Planning a round from the store: which feeds are due, and which pushes their fetches settle. The feeds are read in parts, so that
// memory holds only what is due.

package import Core
package import Store

/// A round as it was planned from the store.
struct Plan: Sendable {
  /// When it was planned; intervals count from here.
  let now: Instant
  /// The same moment in the machine's milliseconds.
  let milliseconds: Int64
  let hosts: [String: HostState]
  /// Whether all feeds were looked at.
  let isOfAll: Bool
  private(set) var feeds = PlannedFeeds()
  /// The states of the due feeds; nil if there are so many of them that each state is read when its fetch starts.
  private(set) var states: [FeedName: FeedState]? = [:]
  /// The waiting pushes for feeds whose hosts are free.
  let waiting: [StoredPush]
  /// The pushes that a fetch of their feed settles.
  private(set) var pushes = RoundPushes()
  /// The earliest moment at which a skipped feed becomes due.
  private(set) var nextDue: Instant?
  /// Whether another plan may find other feeds that are due, because a round takes only so many.
  private(set) var leavesDue = false
  /// How many named feeds are left to neighbours, which have claimed their hosts.
  private(set) var leftToNeighbours = 0
  /// Whether other runs fetch from the same state, too.
  let hasNeighbours: Bool

  var isEmpty: Bool { dueCount == 0 }

  /// Whether only pushes caused it.
  var isOfPushes: Bool { feeds.byPush.count == feeds.due.count }

  var dueCount: Int { feeds.due.count + feeds.files.count }

  /// The due feeds that a plan takes.
  enum Scope {
    /// The feeds that pushes ask for.
    case pushed
    /// All feeds but the ones that an earlier round of the run has taken.
    case due(except: Set<FeedName> = [])
  }

  /// The hosts to claim for the round.
  var hostsToClaim: Set<String> { hasNeighbours ? Set(feeds.due.map(\.host)) : [] }

  /// Reads the store, plans, and records when feeds that are not due become due.
  ///
  /// - Parameters:
  ///   - claims: what was read before everything else.
  ///   - busyHosts: the hosts that other rounds of the run use; their feeds are left for a later round.
  init(
    _ settings: Settings, _ options: RunOptions, _ effects: Effects, after claims: Claims,
    beside busyHosts: Set<String> = [], taking scope: Scope = .due()
  ) async throws {
    let store = effects.store
    let roundLimit = options.isForUsualRound ? effects.coordination.roundLimit : nil
    let fingerprint = options.isForUsualRound ? options.dueFingerprint : nil
    (now, milliseconds) = (effects.machine.now(), effects.machine.milliseconds())
    hasNeighbours = claims.hosts != nil
    try await store.settleInterrupted(at: now)
    if fingerprint != nil { try await store.beginScan() }
    hosts = try await store.hostStates()
    let busy = busyHosts.union(claims.hosts ?? [])
    let pushed = try await PushedFeeds(try await store.waitingPushes(), settings, store, busy: busy)
    let demands = try await pushed.takeDemands(store, at: now)
    waiting = pushed.waiting
    let candidates = try await feedsThatMayBeDue(options, pushed.names, store, at: now, within: roundLimit)
    isOfAll = candidates == nil
    let context = planningContext(options, effects.machine, hosts: hosts, at: now, pushes: demands)
    let rules = Rules(
      effects: effects, timeLimit: options.timeLimit, context: context, busy: busy, scope: scope,
      recordsMoments: fingerprint != nil, roundLimit: roundLimit)
    var unknown = Set(candidates ?? [])
    for part in settings.feeds.parts(of: candidates) {
      unknown.subtract(part.lazy.map(\.name))
      try await add(part, rules)
      // A million feeds may be due when all are looked at.
      if let roundLimit, feeds.due.count > 10 * roundLimit.feeds { feeds.sort(keeping: roundLimit) }
    }
    feeds.sort(keeping: roundLimit)
    // More feeds of its hosts may be due.
    if roundLimit != nil, !feeds.due.isEmpty { leavesDue = true }
    // A push that announces a file of its own does not fetch the feed.
    pushes = RoundPushes(
      demands: demands.filter { !pushed.announcing.contains($0.key) }, caused: feeds.byPush)
    nextDue = feeds.nextDue
    guard let fingerprint else { return }
    if isOfAll { try await store.recordAllDue(fingerprint, configured: settings.feedNames, at: now) }
    if !unknown.isEmpty { try await store.recordUnknown(Array(unknown)) }
    nextDue = [nextDue, try await store.nextDue(after: now)?.at].compactMap(\.self).min()
  }
}

extension Plan {
  /// The rules by which all feeds are looked at.
  private struct Rules {
    let effects: Effects
    /// The time that commands of conditions have; nil for no limit.
    let timeLimit: Interval?
    let context: PlanningContext
    /// The hosts whose feeds are left to other rounds.
    let busy: Set<String>
    let scope: Scope
    /// Whether it is recorded when feeds are due next.
    let recordsMoments: Bool
    let roundLimit: RoundLimit?
  }

  /// Plans further feeds, and records when those of them become due that are not.
  private mutating func add(_ part: [FeedSpec], _ rules: Rules) async throws {
    let store = rules.effects.store
    let stored = try await store.states(of: part)
    let context = rules.context.adapting(to: try await store.habits(for: part))
    await rules.effects.machine.ask(commandsToAsk(part, stored, context), rules.timeLimit)
    let planned = feeds.due.count
    var left = 0
    var dueAgain: [FeedScan] = []
    let skipped = feeds.add(part, stored, context) { feed, isByPush in
      if rules.busy.contains(feed.host) {
        if context.named.contains(feed.name) { left += 1 }
        return false
      }
      guard !isByPush else { return true }
      guard case .due(let taken) = rules.scope else { return false }
      guard taken.contains(feed.name) else { return true }
      let lastAsked = stored[feed.name]?.lastAsked ?? now
      dueAgain.append(FeedScan(feed.name, dueAt: min(lastAsked, now), host: feed.host))
      return false
    }
    leftToNeighbours += left
    for feed in feeds.due[planned...] { states?[feed.name] = stored[feed.name] }
    // Five thousand states take six megabytes, and twenty limited rounds may be under way; to read one again takes a twelfth of the
    // work of an unchanged feed.
    if feeds.due.count > (rules.roundLimit == nil ? 5000 : 1000) { states = nil }
    let waiting = skipped.filter { $0.decision.beginsToWait(stored[$0.name] ?? FeedState(), at: now) }
    try await store.recordWaiting(waiting.map(\.name), since: now)
    guard rules.recordsMoments else { return }
    try await record(skipped, of: part, stored, rules)
    // Feeds that are due in every run would otherwise stay before feeds that no run has taken yet.
    if !isOfAll, !dueAgain.isEmpty, try await store.recordDue(dueAgain, at: now) > 0 {
      leavesDue = true
    }
  }

  /// Records when skipped feeds become due.
  ///
  /// In a limited round, which must not be full of feeds that are not due, every one gets a moment, in five minutes at the latest if it
  /// may become due for other reasons.
  private func moments(
    of skipped: [SkippedFeed], except others: Set<FeedName>, isLimited: Bool
  ) -> [FeedName: Instant] {
    var moments: [FeedName: Instant] = [:]
    for feed in skipped {
      let lasting = others.contains(feed.name) ? nil : feed.decision.lastingMoment
      let soon = now + .minutes(5)
      moments[feed.name] = lasting ?? (isLimited ? min(feed.decision.dueAt ?? soon, soon) : nil)
    }
    return moments
  }

  private mutating func record(
    _ skipped: [SkippedFeed], of part: [FeedSpec], _ stored: [FeedName: FeedState], _ rules: Rules
  ) async throws {
    let isLimited = rules.roundLimit != nil
    let others = Set(part.filter { $0.adapt == .habits }.map(\.name)).union(rules.context.pushes.keys)
    let moments = moments(of: skipped, except: others, isLimited: isLimited)
    // The next plan finds other feeds only if some have left its time.
    if isLimited, moments.values.contains(where: { $0 > now + DueDecision.longestWait }) { leavesDue = true }
    let scans = part.map { feed in
      FeedScan(
        feed.name, dueAt: moments[feed.name],
        host: isLimited ? feed.hostToAsk(stored[feed.name] ?? FeedState()) : nil)
    }
    if isOfAll {
      try await rules.effects.store.recordDue(ofPart: scans, at: now)
    } else {
      try await rules.effects.store.recordDue(scans.filter { $0.dueAt != nil }, at: now)
    }
  }
}

/// The feeds that may be due, or that the person or a push asks for, each once; nil if all feeds have to be looked at.
package func feedsThatMayBeDue(
  _ options: RunOptions, _ pushed: Set<FeedName>, _ store: Store, at now: Instant, within limit: RoundLimit?
) async throws -> [FeedName]? {
  guard let fingerprint = options.dueFingerprint else { return nil }
  if !options.named.isEmpty {
    let named = options.named.union(pushed)
    // If there are several parts, only the parts of all feeds are in the order of the configuration.
    return named.count <= 1000 ? Array(named) : nil
  }
  guard options.isForUsualRound, let due = try await store.mayBeDue(fingerprint, at: now, within: limit)
  else { return nil }
  return due + pushed.subtracting(due)
}

extension RunOptions {
  /// Whether the rules alone decide, so that a decision about a feed holds for later rounds too.
  var isForUsualRound: Bool { named.isEmpty && !isForced }
}

/// The pushes that a round settles.
struct RoundPushes: Sendable {
  /// The fetches that pushes request, by feed.
  var demands: [FeedName: PushDemand] = [:]
  /// The feeds that are due because of a push.
  var caused: Set<FeedName> = []

  /// The pushes of a feed that are ready; any fetch of the feed settles them.
  func ready(_ feed: FeedName, at now: Instant) -> [StoredPush] { demands[feed]?.ready(at: now) ?? [] }
}

/// The feeds for which pushes wait.
struct PushedFeeds {
  /// The names of all, also of feeds that are not configured.
  let names: Set<FeedName>
  /// The pushes for feeds whose hosts are free.
  let waiting: [StoredPush]
  private let feeds: [FeedSpec]
  private let states: [FeedName: FeedState]

  /// - Parameter hosts: the hosts that other rounds use.
  init(_ pushes: [StoredPush], _ settings: Settings, _ store: Store, busy hosts: Set<String>) async throws {
    names = Set(pushes.map(\.feed))
    guard !names.isEmpty else {
      (waiting, feeds, states) = ([], [], [:])
      return
    }
    let configured = settings.feeds.named(Array(names))
    let known = try await store.states(of: configured)
    let busy = Set(
      configured.lazy.filter { hosts.contains($0.hostToAsk(known[$0.name] ?? FeedState())) }.map(\.name))
    let pushed = names
    // Again, after the states: a transfer that ended meanwhile has settled the pushes of its feed.
    waiting = try await store.waitingPushes().filter { pushed.contains($0.feed) && !busy.contains($0.feed) }
    feeds = configured.filter { !busy.contains($0.name) }
    states = known
  }

  /// The feeds whose pushes announce a file of their own.
  var announcing: Set<FeedName> { Set(feeds.lazy.filter { $0.push.url != nil }.map(\.name)) }

  /// The demands of the pushes, by feed whose document is not being transferred, which settles its pushes; pushes of paused feeds
  /// are dropped.
  func takeDemands(_ store: Store, at now: Instant) async throws -> [FeedName: PushDemand] {
    guard !waiting.isEmpty else { return [:] }
    let paused = Set(feeds.map(\.name).filter { states[$0]?.pause?.isActive(at: now) ?? false })
    let ignored = waiting.filter { paused.contains($0.feed) }
    if !ignored.isEmpty { try await store.dropPushes(ignored.map(\.number)) }
    let configured = Set(feeds.lazy.map(\.name)).subtracting(paused)
    let underWay = Set(
      feeds.lazy.filter { [states] in
        $0.push.url == nil && states[$0.name]?.hasTransferUnderWay ?? false
      }.map(\.name))
    return try await store.demands(of: waiting.filter { configured.contains($0.feed) }, for: feeds, at: now)
      .filter { !underWay.contains($0.key) }
  }
}

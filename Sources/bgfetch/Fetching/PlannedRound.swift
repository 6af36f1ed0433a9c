// Planning a round from the store. The feeds are looked at in parts, so that memory holds only what is due.

import Core
import Store

/// A round as it was planned from the store, under the run lock.
struct PlannedRound: Sendable {
  /// When it was planned; intervals count from here.
  let now: Instant
  /// The same moment in the machine's milliseconds.
  let moment: Int64
  let hosts: [String: HostState]
  /// Whether all feeds were looked at.
  let isOfAll: Bool
  private(set) var plan = RoundPlan()
  /// The states of the due feeds, so that a small round reads them once; nil if each is read when its turn comes.
  private(set) var states: [FeedName: FeedState]?
  /// All waiting pushes that were considered.
  let waiting: [StoredPush]
  private let demands: [FeedName: PushDemand]
  /// The pushes that a fetch of their feed settles.
  private(set) var pushes = RoundPushes()
  /// The earliest moment at which a skipped feed becomes due.
  private(set) var nextDue: Instant?
  /// Whether it found a due feed, or recorded when one is due: then another look may find other feeds.
  private(set) var hasMore = false
  /// How many named feeds are left because runs of other machines have claimed their hosts.
  private(set) var leftToOthers = 0

  var isEmpty: Bool { dueCount == 0 }

  /// Whether only pushes caused it.
  var isOfPushes: Bool { plan.byPush.count == plan.due.count }

  var dueCount: Int { plan.due.count + plan.files.count }

  /// The hosts that the round claims.
  var hostsToClaim: Set<String> { Set(plan.due.map(\.host)) }

  /// Reads the store, plans, and records when feeds that are not due become due.
  ///
  /// - Parameters:
  ///   - busyHosts: the hosts that other rounds use; their feeds are left for a later round.
  ///   - takesDue: whether the round fetches all that is due; otherwise only what pushes request.
  ///   - alreadyFetched: the feeds that earlier rounds of the run have taken, and that only pushes make due again.
  init(
    _ settings: Settings, _ options: RunOptions, _ effects: Effects, busy busyHosts: Set<String> = [],
    takesDue: Bool = true, without alreadyFetched: Set<FeedName> = []
  ) async throws {
    let store = effects.store
    (now, moment) = (effects.machine.now(), effects.machine.milliseconds())
    try await store.settleInterrupted(at: now)
    let note = options.isForUsualRound ? options.dueFingerprint : nil
    if note != nil { try await store.beginScan() }
    let pushed = Set(try await store.waitingPushes().map(\.feed))
    let share = settings.share
    let candidates = try await feedsThatMayBeDue(options, pushed, store, at: now, share: share)
    // Only this run can add claims now, because it has the run lock; other runs may release hosts. Read before the claims, no
    // candidate is of a claimed host. A host that was released before the claims are read has its last request in the states.
    let claimed = try await store.claimedHosts()
    hosts = try await store.hostStates()
    let busy = busyHosts.union(claimed)
    isOfAll = candidates == nil
    let pushedFeeds = try await PushedFeeds(pushed, settings, store, busy: busy)
    // Read again after the claims and the states: a run that released a host meanwhile has settled the pushes for it, and a
    // transfer that ended those of its feed.
    let allWaiting =
      pushed.isEmpty ? [] : try await store.waitingPushes().filter { pushed.contains($0.feed) }
    waiting = allWaiting.filter { !pushedFeeds.busy.contains($0.feed) }
    demands = try await pushedFeeds.demands(allWaiting, store, at: now)

    let context = planningContext(options, effects.machine, hosts: hosts, at: now, pushes: demands)
    let view = View(
      store: store, ask: { await effects.machine.ask($0, options.limit) }, context: context, busy: busy,
      alreadyFetched: alreadyFetched,
      takesDue: takesDue,
      isRecorded: note != nil, isShared: settings.isFleet)
    var known: Set<FeedName> = []
    for part in settings.feeds.parts(of: candidates) {
      if candidates != nil { known.formUnion(part.lazy.map(\.name)) }
      try await scan(part, view)
      // A million feeds may be due at the first scan.
      if let share, options.isForUsualRound, plan.due.count > 10 * share.feeds {
        plan.sort()
        plan.keep(share)
      }
    }
    if let unknown = candidates?.filter({ !known.contains($0) }), !unknown.isEmpty, note != nil {
      try await store.recordUnknown(unknown)
    }
    plan.sort()
    if let share, options.isForUsualRound {
      hasMore = hasMore || !plan.due.isEmpty
      plan.keep(share)
    }
    // A push that announces a file of its own does not fetch the feed.
    pushes = RoundPushes(
      demands: demands.filter { !pushedFeeds.announcing.contains($0.key) }, caused: plan.byPush)
    nextDue = plan.nextDue
    guard let note else { return }
    if isOfAll {
      try await store.recordAllDue(note, configured: settings.feedNames, at: now)
    }
    nextDue = [nextDue, try await store.nextDue(after: now)?.at].compactMap(\.self).min()
  }

  /// The values that all parts share.
  private struct View {
    let store: Store
    let ask: @Sendable (_ commands: Set<[String]>) async -> Void
    let context: PlanningContext
    /// The hosts whose feeds are left to other rounds, or other machines.
    let busy: Set<String>
    let alreadyFetched: Set<FeedName>
    let takesDue: Bool
    /// Whether it is recorded when feeds are due next.
    let isRecorded: Bool
    let isShared: Bool
  }

  /// Plans a part of the feeds, and records when the other feeds become due.
  private mutating func scan(_ feeds: [FeedSpec], _ view: View) async throws {
    let stored = try await view.store.states(of: feeds)
    let context = view.context.adapting(to: try await view.store.habits(for: feeds))
    await view.ask(commandsToAsk(feeds, stored, context))
    let isFirst = plan.due.isEmpty
    var leftToOthers = 0
    var dueAgain: [FeedScan] = []
    let skipped = plan.add(feeds, stored, context) { feed, isByPush in
      guard !view.busy.contains(feed.host) else {
        if context.named.contains(feed.name) { leftToOthers += 1 }
        return false
      }
      guard !isByPush else { return true }
      guard view.alreadyFetched.contains(feed.name) else { return view.takesDue }
      let lastAsked = stored[feed.name]?.lastAsked ?? now
      dueAgain.append(FeedScan(feed.name, dueAt: min(lastAsked, now), host: feed.host))
      return false
    }
    self.leftToOthers += leftToOthers
    let waiting = skipped.filter { $0.decision.beginsToWait(stored[$0.name] ?? FeedState(), at: now) }
    try await view.store.recordWaiting(waiting.map(\.name), since: now)
    states = isFirst ? stored : nil
    guard view.isRecorded else { return }
    let moments = recordedMoments(
      skipped, except: Set(feeds.filter { $0.adapt == .habits }.map(\.name)).union(demands.keys), at: now,
      always: view.isShared)
    // The feeds that the next scan finds are others only if some have left its time.
    hasMore = hasMore || view.isShared && moments.values.contains { $0 > now + DueDecision.longestWait }
    let scans = feeds.map { feed in
      FeedScan(
        feed.name, dueAt: moments[feed.name],
        host: view.isShared ? feed.hostToAsk(stored[feed.name] ?? FeedState()) : nil)
    }
    if isOfAll {
      try await view.store.recordDue(ofPart: scans, at: now)
    } else {
      try await view.store.recordDue(scans.filter { $0.dueAt != nil }, at: now)
      // Feeds that are due in every run would otherwise stay before feeds that no run has taken yet.
      if !dueAgain.isEmpty { hasMore = try await view.store.recordDue(dueAgain, at: now) > 0 || hasMore }
    }
  }
}

/// The feeds that may be due, or that the person or a push asks for, each once; nil if all feeds have to be looked at.
func feedsThatMayBeDue(
  _ options: RunOptions, _ pushed: Set<FeedName>, _ store: Store, at now: Instant,
  share: RoundShare?
) async throws -> [FeedName]? {
  guard let note = options.dueFingerprint else { return nil }
  if !options.named.isEmpty {
    let named = options.named.union(pushed)
    // If there are several parts, only the parts of all feeds are in the order of the configuration.
    return named.count <= 1000 ? Array(named) : nil
  }
  guard options.isForUsualRound, let due = try await store.mayBeDue(note, at: now, share: share)
  else { return nil }
  return due + pushed.subtracting(due)
}

/// The moments that the store may record for feeds that are not due.
///
/// - Parameter always: whether every feed gets one, in five minutes at the latest if it may become due for other reasons.
///   A share of the due feeds must not be full of feeds that are not due.
private func recordedMoments(
  _ skipped: [SkippedFeed], except others: Set<FeedName>, at now: Instant, always: Bool
) -> [FeedName: Instant] {
  var moments: [FeedName: Instant] = [:]
  for feed in skipped {
    let lasting = others.contains(feed.name) ? nil : feed.decision.lastingMoment
    let soon = now + .minutes(5)
    moments[feed.name] = lasting ?? (always ? min(feed.decision.dueAt ?? soon, soon) : nil)
  }
  return moments
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

/// The configured feeds for which pushes wait.
private struct PushedFeeds {
  private let feeds: [FeedSpec]
  private let states: [FeedName: FeedState]
  /// The feeds whose hosts other rounds use.
  let busy: Set<FeedName>

  init(_ names: Set<FeedName>, _ settings: Settings, _ store: Store, busy hosts: Set<String>) async throws {
    feeds = names.isEmpty ? [] : settings.feeds.named(Array(names))
    states = try await store.states(of: feeds)
    busy = Set(
      feeds.lazy.filter { [states] in hosts.contains($0.hostToAsk(states[$0.name] ?? FeedState())) }
        .map(\.name))
  }

  /// The feeds whose pushes announce a file of their own.
  var announcing: Set<FeedName> { Set(feeds.lazy.filter { $0.push.url != nil }.map(\.name)) }

  /// The feeds whose document is being transferred, which settles their pushes.
  private var underWay: Set<FeedName> {
    Set(feeds.map(\.name).filter { states[$0]?.hasTransferUnderWay ?? false }).subtracting(announcing)
  }

  /// The demands of the pushes, by feed whose host is not busy and whose document is not under way; pushes of paused feeds are
  /// dropped.
  func demands(
    _ waiting: [StoredPush], _ store: Store, at now: Instant
  ) async throws -> [FeedName: PushDemand] {
    guard !waiting.isEmpty else { return [:] }
    let paused = Set(feeds.map(\.name).filter { states[$0]?.pause?.isActive(at: now) ?? false })
    let ignored = waiting.filter { paused.contains($0.feed) }
    if !ignored.isEmpty { try await store.dropPushes(ignored.map(\.number)) }
    let configured = Set(feeds.map(\.name)).subtracting(paused)
    let others = busy.union(underWay)
    return try await store.demands(of: waiting.filter { configured.contains($0.feed) }, for: feeds, at: now)
      .filter { !others.contains($0.key) }
  }
}

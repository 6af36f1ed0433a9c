// A round of fetches: what is due according to the store, and the progress of its feeds.

import Core

/// A round as it was planned from the store, under the run lock.
struct PlannedRound: Sendable {
  /// When it was planned; intervals count from here.
  let now: Instant
  let states: [FeedName: FeedState]
  let hosts: [String: HostState]
  /// The feeds that are fetched, and the others.
  var plan: DuePlan
  /// The pushes that a fetch of their feed settles.
  let pushes: RoundPushes
  /// When the person looks at the feeds that adapt to habits.
  let habits: [FeedName: Habit]
  /// The pushes that announce a file of their own, with their feeds.
  let files: [(push: StoredPush, feed: FeedSpec)]
  /// Whether all feeds were looked at.
  let isOfAll: Bool
  /// All waiting pushes that were considered.
  let waiting: [StoredPush]

  var isEmpty: Bool { plan.due.isEmpty && files.isEmpty }

  /// The earliest moment at which a skipped feed becomes due.
  let nextDue: Instant?

  /// Whether only pushes caused it.
  var isOfPushes: Bool { plan.due.allSatisfy(\.decision.isByPush) }

  var dueCount: Int { plan.due.count + files.count }

  /// Reads the store, plans, and records when feeds that are not due become due.
  init(_ settings: Settings, _ options: RunOptions, _ effects: Effects, _ kind: RoundKind) async throws {
    let store = effects.store
    now = effects.machine.now()
    // Fetches of an active round must not be mistaken for remains of a crash.
    if kind.isAlone { try await store.settleInterrupted(at: now) }
    // Read before the states, so that a feed that changes meanwhile is not recorded with an outdated moment.
    let changes = try await store.changes()
    hosts = try await store.hostStates()
    let allWaiting = try await store.waitingPushes()
    let candidates = try await feedsThatMayBeDue(options, allWaiting, store, at: now)
    isOfAll = candidates == nil
    let feeds = candidates.map(settings.feeds.named) ?? settings.feeds.all
    states = statesToday(
      feeds,
      try await feeds.count > settings.feeds.count / 10
        ? store.feedStates() : store.feedStates(of: feeds.map(\.name)))
    let busy = kind.busyFeeds(among: feeds, states)
    waiting = allWaiting.filter { !busy.contains($0.feed) }
    let demands = try await pushDemands(allWaiting, settings, states, store, at: now).filter {
      !busy.contains($0.key)
    }
    let adapting = feeds.filter(\.adaptsToHabits).map(\.name)
    habits = adapting.isEmpty ? [:] : try await store.habits(of: adapting)

    let context = planningContext(
      options, effects.machine, hosts: hosts, at: now, pushes: demands, habits: habits)
    plan = duePlan(feeds, states, context)
    plan.due.removeAll { due in
      busy.contains(due.feed.name) || kind.isOnlyForPushes(options) && !due.decision.isByPush
    }
    // A push that announces a file of its own does not fetch the feed.
    let announcing =
      demands.isEmpty ? [] : Set(feeds.lazy.filter { $0.push.url != nil }.map(\.name))
    pushes = RoundPushes(
      demands: demands.filter { !announcing.contains($0.key) },
      caused: Set(plan.due.filter(\.decision.isByPush).map(\.feed.name)))
    files = filePushes(feeds, states, context)

    let moments = plan.skipped.compactMap(\.decision.dueAt).filter { [now] in $0 > now }
    if let note = options.dueNote, options.isForUsualRound {
      try await store.noteDue(
        recordedMoments(plan.skipped, except: Set(adapting + demands.keys)),
        all: isOfAll ? (note, settings.feedNames) : nil, changes: changes, at: now)
      nextDue = (moments + [try await store.nextDue(after: now)?.at].compactMap(\.self)).min()
    } else {
      nextDue = moments.min()
    }
  }
}

/// When a round is planned, which decides about what it fetches.
enum RoundKind: Sendable {
  /// The first round of a run, which fetches all that is due.
  case first
  /// A round after all others have ended, which fetches what pushes request.
  case further
  /// A round while others use these hosts, whose feeds are left for a later round.
  case beside(busy: Set<String>)

  /// Whether no other round is active.
  fileprivate var isAlone: Bool {
    if case .beside = self { false } else { true }
  }

  /// The feeds whose hosts other rounds use.
  fileprivate func busyFeeds(among feeds: [FeedSpec], _ states: [FeedName: FeedState]) -> Set<FeedName> {
    guard case .beside(let busy) = self else { return [] }
    return Set(feeds.lazy.filter { busy.contains($0.hostToAsk(states[$0.name])) }.map(\.name))
  }

  /// Whether feeds are due only because of pushes.
  fileprivate func isOnlyForPushes(_ options: RunOptions) -> Bool {
    switch self {
    case .first: false
    case .further: true
    // Only `run --watch` fetches feeds that become due meanwhile; other runs leave them to the next run.
    case .beside: !options.isPunctual
    }
  }
}

/// The feeds that may be due, or that the person or a push asks for; nil if all feeds have to be looked at.
private func feedsThatMayBeDue(
  _ options: RunOptions, _ waiting: [StoredPush], _ store: any RunStore, at now: Instant
) async throws -> [FeedName]? {
  guard let note = options.dueNote else { return nil }
  if !options.named.isEmpty { return Array(options.named) + waiting.map(\.feed) }
  guard options.isForUsualRound, let due = try await store.mayBeDue(note, at: now) else { return nil }
  return due + waiting.map(\.feed)
}

/// The moments that the store may record for feeds that are not due.
private func recordedMoments(
  _ skipped: [SkippedFeed], except others: Set<FeedName>
) -> [FeedName: Instant] {
  var moments: [FeedName: Instant] = [:]
  for feed in skipped where !others.contains(feed.name) { moments[feed.name] = feed.decision.lastingMoment }
  return moments
}

extension RunOptions {
  /// Whether the rules alone decide, so that a decision about a feed holds for later rounds too.
  fileprivate var isForUsualRound: Bool { named.isEmpty && !isForced }
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

/// The demands of the waiting pushes, by configured feed; pushes of paused feeds are dropped.
private func pushDemands(
  _ waiting: [StoredPush], _ settings: Settings, _ states: [FeedName: FeedState], _ store: any RunStore,
  at now: Instant
) async throws -> [FeedName: PushDemand] {
  guard !waiting.isEmpty else { return [:] }
  let feeds = settings.feeds.named(waiting.map(\.feed))
  let paused = Set(feeds.map(\.name).filter { states[$0]?.pause?.isActive(at: now) ?? false })
  let ignored = waiting.filter { paused.contains($0.feed) }
  if !ignored.isEmpty { try await store.dropPushes(ignored.map(\.number)) }
  let configured = Set(feeds.map(\.name)).subtracting(paused)
  let longest = feeds.map(\.push.limit.interval).max() ?? .zero
  return pushDemands(
    waiting.filter { configured.contains($0.feed) },
    fetches: try await store.pushFetches(since: now - longest))
}

/// A round that is being fetched.
struct FetchRound: Sendable {
  /// Fetches one of its feeds.
  let fetch: FeedFetch
  let options: RunOptions
  /// Which feeds wait, and how many are under way.
  var work: FetchWork
  var progress: PhaseProgress
  /// The feeds that were being fetched in two crashes, to be started when all others have ended.
  private(set) var last: [PlannedFeed]
  /// Whether the end of the round is recorded.
  var hasEnded = false

  private let planned: PlannedRound
  private let queues: FetchQueues

  init(
    _ planned: PlannedRound, _ fetch: FeedFetch, _ options: RunOptions, clock: PhaseClock, started: Int64
  ) {
    self.planned = planned
    self.fetch = fetch
    self.options = options
    last = planned.plan.lastDue
    progress = PhaseProgress(due: planned.dueCount, clock: clock)
    // Nothing starts after the budget's warning.
    queues = FetchQueues(
      network: fetch.settings.network, hosts: planned.hosts, runStart: fetch.origin.time, start: started,
      deadline: clock.warning)
    work = FetchWork(
      last.isEmpty ? planned.plan.due : planned.plan.firstDue, states: planned.states, queues: queues)
  }

  var run: Int64 { fetch.run }
  var isOfAll: Bool { planned.isOfAll }
  var origin: EventOrigin { fetch.origin }

  /// The next moment at which the round must act although no feed has ended.
  func nextWake(after now: Int64) -> Int64? { progress.nextWake(after: now, queue: work.nextStart) }

  /// The hosts of its feeds that have not ended.
  var unfinishedHosts: [String] {
    work.unfinishedHosts + last.map { $0.feed.hostToAsk(planned.states[$0.feed.name]) }
  }

  /// Records the requests that redirects sent to other hosts.
  mutating func noteHops() {
    for hop in fetch.hosts.takeHops() { work.noteRequest(to: hop.host, at: hop.moment) }
  }

  /// Queues the feeds that were left for last.
  mutating func startLast() {
    work = FetchWork(last, states: planned.states, queues: queues)
    last = []
    for (host, moment) in fetch.hosts.requests { work.noteRequest(to: host, at: moment) }
  }
}

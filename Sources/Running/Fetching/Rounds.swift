// The rounds of a run: one loop that starts the rounds and the feeds of each, and handles their results.

import Core
import Store
import Synchronization

/// The rounds of a run: a first one of what is due, and further ones for what arrives meanwhile.
///
/// Each round is planned, recorded and committed by itself; all share one budget. A push does not wait for the slowest feed of a
/// round: a further round starts beside it, with the feeds whose hosts no round uses. The same applies to feeds that become due in
/// `run --watch`, and to due feeds that a limited round has left.
struct Rounds: EventLoop, Sendable {
  /// The totals of all rounds that have ended, and of the transfers after them.
  var report = RunReport()
  /// The origin of the events of the last round that had something to do; it has no round if there was none.
  private(set) var origin: EventOrigin

  let settings: Settings
  let options: RunOptions
  let effects: Effects
  let notifier: Notifier
  let budget: Budget
  /// The requests of the rounds to each host.
  let turns: HostTurns
  /// The rounds that are being fetched, by number.
  var active: [Int64: Round] = [:]
  /// Whether the event of the run's start is recorded.
  private var hasStarted = false
  /// When to look for pushes and due feeds beside the rounds, in milliseconds.
  var nextPoll: Int64 = 0
  /// The earliest known moment at which a feed becomes due.
  var nextDue: Instant?
  /// Whether the last plan left feeds that may be due, because a round takes only so many.
  var leavesDue = false
  /// The due feeds that the run has left, and those of limited rounds: a run that `run --watch` has not started takes each once.
  var taken: Set<FeedName> = []
  /// The store's version when pushes were last looked for.
  var version: Int
  /// Whether pushes were left because their hosts were in use.
  var hasLeftPushes = false
  /// The pushes that a round has seen, with their tries at that time; each is handled once for each of its tries.
  var seenPushes: [Int64: Int] = [:]
  /// The transfers whose second try this run has waited for.
  var awaitedTransfers: Set<Int64> = []

  /// The end of the fetch of one feed.
  struct TaskEnd: Sendable {
    let feed: FeedName
    let round: Int64
    let fetch: FetchEnd
  }

  /// How often to look for pushes, in milliseconds.
  static let pollTime: Int64 = 1000
  /// The most limited rounds at a time, so that the feeds of slow hosts do not fill the memory.
  static let mostRounds = 20

  var machine: MachineEffects { effects.machine }
  var store: Store { effects.store }

  /// Plans the first round, and records that it begins.
  ///
  /// - Parameter planning: the planning lock, held; it is released when the round is planned.
  init(
    _ settings: Settings, _ options: RunOptions, _ effects: Effects, notifier: Notifier, started: Int64,
    planning: HeldLock
  ) async throws {
    (self.settings, self.options, self.effects, self.notifier) = (settings, options, effects, notifier)
    turns = HostTurns(delay: settings.network.delayPerHost)
    budget = Budget(from: started, lasting: options.budget)
    version = try await effects.store.dataVersion()
    let claims = try await effects.coordination.claims(holding: planning)
    defer { claims.unlock() }
    let plan = try await Plan(settings, options, effects, after: claims)
    (nextDue, leavesDue) = (plan.nextDue, plan.leavesDue)
    origin = EventOrigin(time: plan.now, cause: options.cause)
    for feed in plan.feeds.skippedNamed { effects.report(.skipped(feed)) }
    report.totals.left = plan.leftToNeighbours
    try await begin(plan, options.isWatch && plan.isOfPushes ? options.forPushes : options)
  }

  // MARK: Rounds

  /// Fetches what the first round planned, and then what pushes request; releases the lock in between.
  mutating func fetch(lock: HeldLock) async throws {
    try await fetchRounds()
    lock.release()
    notifier.wake()
    try await fetchPushed()
  }

  /// Records that a planned round begins, and makes it active; does nothing if it has nothing to do.
  mutating func begin(_ plan: Plan, _ options: RunOptions) async throws {
    // A run of named feeds leaves the pushes of other feeds to the round after it.
    let waiting = plan.waiting.filter { options.named.isEmpty || options.named.contains($0.feed) }
    for push in waiting where push.isReady(at: plan.now) { seenPushes[push.number] = push.tries }
    guard !plan.isEmpty else { return }
    try await store.recordConfigured(settings.feedNames, at: plan.now)
    let number = try await store.beginRound(
      options.cause, process: machine.process, named: !options.named.isEmpty, forced: options.isForced,
      hosts: plan.hostsToClaim, at: plan.now)
    origin = EventOrigin(round: number, time: plan.now, cause: options.cause)
    effects.report(.notice(.started(due: plan.dueCount, paused: plan.feeds.paused)))
    if !hasStarted {
      hasStarted = true
      try await notifier.record(origin.event(.runStarted, JSONValue(["due": plan.dueCount])), of: origin)
    }
    let fetcher = FeedFetcher(self, plan, round: number, origin: origin)
    var round = Round(plan, fetcher, options, budget: budget)
    for (push, feed) in plan.feeds.files {
      if let report = try await fetcher.handle(push, of: feed) { round.progress.report.add(report) }
    }
    active[number] = round
    if isLimited, !options.isWatch { taken.formUnion(plan.feeds.due.lazy.map(\.name)) }
  }

  /// Whether a round takes only so many of the due feeds.
  var isLimited: Bool { effects.coordination.roundLimit != nil }

  // MARK: The loop

  /// Fetches the rounds, and beside them further rounds for work that arrives meanwhile.
  mutating func fetchRounds() async throws {
    let former = origin.round
    let isIdle = active.isEmpty
    if !isIdle || leavesDue {
      notifier.isFetching.store(true, ordering: .relaxed)
      defer { notifier.isFetching.store(false, ordering: .relaxed) }
      // Events of earlier runs do not wait for the first feed of this one.
      notifier.wake()
      nextPoll = machine.milliseconds() + Self.pollTime
      try await runToEnd()
    }
    // A round ends with the badge and the outputs. Without one they are looked at, too: the configuration may have changed, or a
    // file may be gone.
    guard isIdle, origin.round == former else { return }
    report.badge = try await notifier.updateBadge(of: origin)
    try await notifier.writeOutputs(until: budget.end)
  }

  mutating func advance(at now: Int64, in tasks: inout LoopTasks<TaskEnd>) async throws -> Bool {
    repeat {
      let requests = turns.takeMoments(at: now)
      // A list of its own: a second reference to the rounds would make each change copy all waiting feeds.
      let numbers = active.keys.sorted()
      for number in numbers { active[number]?.record(requests) }
      for number in numbers { try await advanceRound(number, at: now, in: &tasks) }
    } while try await startFurther(at: now)
    return !active.isEmpty
  }

  func nextWake(after now: Int64) -> Int64? {
    (active.values.compactMap { $0.nextWake(after: now) } + [nextPoll]).min()
  }

  func isOver(at now: Int64) -> Bool { budget.isOver(at: now) }

  /// Starts what a round may start now, acts on its timers, and ends the round when all of its feeds have ended.
  private mutating func advanceRound(_ number: Int64, at now: Int64, in tasks: inout LoopTasks<TaskEnd>)
    async throws
  {
    // Taken out, not copied, for the same reason.
    guard var round = active.removeValue(forKey: number) else { return }
    defer { active[number] = round.hasEnded ? nil : round }
    repeat {
      if budget.shouldStop(at: now) || Task.isCancelled || effects.coordination.isPaused() {
        try await leaveWaiting(&round, at: now)
      }
      try await start(try await dequeue(from: &round, at: now), of: &round, in: &tasks)
      if round.queue.isFinished { try await finish(&round) }
    } while round.queue.isFinished && !round.hasEnded
    guard !round.hasEnded, round.progress.beginsDelivery(at: now) else { return }
    if effects.coordination.keepsBadge {
      _ = try await notifier.updateBadge(of: round.origin)
    }
    notifier.wake()
  }

  /// Leaves all waiting feeds for a later run, and reports that once.
  private func leaveWaiting(_ round: inout Round, at now: Int64) async throws {
    let left = round.queue.leaveAll()
    round.progress.leave(left)
    guard let event = round.progress.expire(at: now, left: left + round.queue.underWay) else { return }
    effects.report(event)
    try await notifier.record(
      round.origin.event(.runExpired, runFields(round.progress.report)), of: round.origin)
    notifier.wake()
  }

  /// The connections of all active rounds but one that was taken out.
  var usedConnections: Int { active.values.reduce(0) { $0 + $1.queue.connections } }

  /// The feeds that start now; feeds that cannot be read are left for a later run.
  private mutating func dequeue(from round: inout Round, at now: Int64) async throws -> [DueFeed] {
    let names = round.queue.dequeue(at: now, beside: usedConnections)
    let feeds = try await read(names, of: round)
    for name in Set(names).subtracting(feeds.map(\.feed.name)) { leave(name, of: &round, at: now) }
    return feeds
  }

  /// Leaves a feed that was to start for a later run, which reads the configuration again.
  private mutating func leave(_ feed: FeedName, of round: inout Round, at now: Int64) {
    round.progress.leave(round.queue.leave(feed, at: now))
    taken.insert(feed)
  }

  /// The feeds of these names and their states, in the same order; feeds that cannot be read are missing.
  private func read(_ names: [FeedName], of round: Round) async throws -> [DueFeed] {
    guard !names.isEmpty else { return [] }
    let feeds = names.compactMap { settings.feeds[$0] }
    var states = round.states
    if states == nil { states = try await store.states(of: feeds) }
    return try await current(feeds.map { DueFeed($0, states?[$0.name] ?? FeedState()) })
  }

  /// The feeds except the ones that have another address in the catalog by now: they may have the name of another feed.
  private func current(_ due: [DueFeed]) async throws -> [DueFeed] {
    let changed = due.filter(\.state.hasOtherRequest).map(\.feed.name)
    guard settings.feeds.haveCatalog, !changed.isEmpty else { return due }
    var listed = try await store.catalogFeeds(changed)
    // The files have precedence.
    for feed in settings.feeds.ofFiles { listed[feed.name] = nil }
    return due.filter { feed in listed[feed.feed.name].map { $0.address == feed.feed.address } ?? true }
  }

  /// Starts fetches after recording that they start; feeds that share a response need no host, and renamed ones are left.
  private mutating func start(
    _ feeds: [DueFeed], sharing response: FetchTrace? = nil, of round: inout Round,
    in tasks: inout LoopTasks<TaskEnd>
  ) async throws {
    guard !feeds.isEmpty else { return }
    let now = machine.now()
    // Later requests to a public host, also in other runs, are spaced from its last request.
    var requested: Set<String> = []
    for due in feeds where response == nil {
      guard let address = due.feed.addressToAsk(due.state), address.isPublicHost else { continue }
      round.fetcher.hosts.begin(address.host, now: now)
      requested.insert(address.host)
    }
    let started = try await store.recordAttempts(
      feeds.map { ($0.feed.name, $0.state.number) }, round: round.number, at: now, hosts: requested)
    for due in feeds {
      guard started.contains(due.feed.name) else {
        leave(due.feed.name, of: &round, at: machine.milliseconds())
        continue
      }
      tasks.addTask { [fetcher = round.fetcher] in
        let end = try await fetcher.fetch(due, sharing: response)
        return TaskEnd(feed: due.feed.name, round: fetcher.round, fetch: end)
      }
    }
  }

  /// Handles the end of a feed's fetch, and starts the feeds that share its response.
  mutating func handle(_ end: TaskEnd, in tasks: inout LoopTasks<TaskEnd>) async throws {
    guard var round = active.removeValue(forKey: end.round) else { return }
    defer { active[end.round] = round }
    let now = machine.milliseconds()
    round.queue.end(end.feed, at: now)
    /// The fetch whose response others may share.
    var shared: FetchTrace?
    switch end.fetch {
    case .suspended: round.progress.leave(1)
    case .queued: round.progress.report.queued += 1
    case .unreached(let failure, let trace):
      shared = trace
      round.progress.unreached.append((failure, trace))
    case .committed(let report, let trace):
      shared = trace
      nextDue = [nextDue, report.nextDue].compactMap(\.self).min()
      round.progress.count(report, trace, at: now)
      // The feeds of a private host may come from different servers; a limit there concerns one feed alone.
      if trace.response?.status == 429, let address = trace.address, address.isPublicHost {
        round.progress.leave(round.queue.leave(host: address.host))
      }
    }
    // One reached host proves that the network is not to blame for hosts that were not reached.
    if round.progress.hasReachedAnything || round.progress.unreached.count == RoundProgress.mostUnreached {
      try await round.settleUnreached(effects)
    }
    let released = round.queue.release(after: end.feed)
    guard !released.isEmpty else { return }
    let feeds = try await read(released.map(\.name), of: round)
    round.progress.leave(released.count - feeds.count)
    let sharing = round.queue.share(
      shared, with: feeds, of: released, machine: machine.identity, at: round.origin.time)
    try await start(sharing, sharing: shared, of: &round, in: &tasks)
  }

  /// Ends a round whose feeds have all ended, or queues the feeds that were left for last.
  private mutating func finish(_ round: inout Round) async throws {
    try await round.settleUnreached(effects)
    try await announceAdded(&round)
    round.progress.report.badge = try await notifier.updateBadge(of: round.origin)
    // Only here, because writing a page takes longer than writing a number.
    try await notifier.writeOutputs(until: budget.end)
    notifier.wake()
    guard round.crashed.isEmpty else {
      // These feeds were being fetched in two crashes and may crash this run, too: everything else is delivered first.
      try await notifier.deliverAll(for: round.origin)
      return round.startCrashed()
    }
    round.hasEnded = true
    round.progress.report.isStopped = Task.isCancelled
    report.add(round.progress.report)
    // More feeds of its hosts may be due. A machine that is offline leaves them to neighbours.
    leavesDue = isLimited && takesDue && !report.isOffline
    let now = machine.now()
    try await store.endRound(
      round.number, at: now, totals: round.progress.report.finalTotals, hosts: round.progress.resultsByHost)
    try await round.removeOldRows(at: now)
  }
}

extension Rounds {
  /// Records one message for each hook that says how many feeds were added.
  ///
  /// It comes at once, even outside the hours of the feeds: somebody has just added them.
  func announceAdded(_ round: inout Round) async throws {
    var added: [[String]] = settings.hooks.map { _ in [] }
    let names = round.progress.added
    round.progress.added = []
    for part in settings.feeds.parts(of: names) {
      let labels = try await store.labels(of: part)
      for feed in part {
        guard let label = labels[feed.name] else { continue }
        for (index, hook) in settings.hooks.enumerated()
        where hook.covers(feed) && feed.notify?.hooks?.contains(hook.name) ?? true {
          added[index].append(label.title)
        }
      }
    }
    for (hook, titles) in zip(settings.hooks, added) where !titles.isEmpty {
      let event = addedFeedsEvent(titles, origin: round.origin, hook: hook.name)
      try await notifier.record(event, of: round.origin, to: [hook])
    }
  }
}

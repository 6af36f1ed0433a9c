// The fetch phase of a run: one loop that starts the work of the rounds and handles its results.

import Core
import Store
import Synchronization

/// The fetch phase: a first round of what is due, and further rounds for pushes that arrive meanwhile.
///
/// Each round is planned, recorded and committed as a run of its own; all share one budget. A push does not wait for the
/// slowest feed of a round: a further round starts beside it, with the feeds whose hosts no active round uses. In
/// `run --watch` the same applies to feeds that become due.
///
/// Machines that share a store fetch at the same time. Each plans its rounds under the run lock, claims the hosts of a
/// part of the due feeds, and takes more while it has free connections.
struct FetchPhase: Phase, Sendable {
  /// The totals of all rounds that have ended, and of the transfers after them.
  var report = RunReport()
  /// The number of the last round that had something to do, or nil if there was none.
  private(set) var run: Int64?
  /// The origin of that round's events.
  private(set) var origin: EventOrigin

  let settings: Settings
  let options: RunOptions
  let effects: Effects
  let notifier: Notifier
  let clock: PhaseClock
  /// The requests of the rounds to each host.
  let turns = HostTurns()
  /// The rounds that are being fetched, by number.
  var rounds: [Int64: FetchRound] = [:]
  private var hasStarted = false
  /// When to look for pushes and due feeds beside the active rounds, in milliseconds.
  var nextPoll: Int64 = 0
  /// The earliest known moment at which a feed becomes due.
  var nextDue: Instant?
  /// Whether more feeds may be due than the rounds have taken, where machines share the store.
  var hasMore = false
  /// The feeds that rounds have taken, where machines share the store: a run takes each once.
  var alreadyFetched: Set<FeedName> = []
  /// The store's version when pushes were last looked for.
  var version: Int
  /// The hosts that were in use when pushes for some of them were left; nil if none were left.
  var hostsOfLeftPushes: Set<String>?
  /// The pushes that a round has seen; each is handled once for each of its tries.
  var seenPushes: Set<PushTry> = []
  /// The transfers whose second try this run has waited for.
  var awaitedTransfers: Set<Int64> = []

  struct PushTry: Hashable {
    let number: Int64
    let tries: Int

    init(_ push: StoredPush) { (number, tries) = (push.number, push.tries) }
  }

  /// A fetch has ended.
  struct Event: Sendable {
    let feed: FeedName
    let round: Int64
    let outcome: FeedFetch.Outcome
  }

  /// How often a phase looks for pushes, in milliseconds.
  static let pollTime: Int64 = 1000
  /// The most rounds at a time, so that the feeds of slow hosts do not fill the memory.
  static let mostRounds = 20

  var machine: MachineEffects { effects.machine }
  var store: Store { effects.store }

  /// Plans the first round and records that it begins; the run lock is held.
  init(
    _ settings: Settings, _ options: RunOptions, _ effects: Effects, notifier: Notifier, started: Int64
  ) async throws {
    (self.settings, self.options, self.effects, self.notifier) = (settings, options, effects, notifier)
    clock = PhaseClock(from: started, lasting: options.budget)
    version = try await effects.store.dataVersion()
    let planned = try await PlannedRound(settings, options, effects)
    (nextDue, hasMore) = (planned.nextDue, planned.hasMore)
    origin = EventOrigin(run: 0, time: planned.now, cause: options.cause)
    for feed in planned.plan.skippedNamed { effects.report(.skipped(feed)) }
    report.totals.left = planned.leftToOthers
    try await start(planned, options.isWatch && planned.isOfPushes ? options.forPushes : options)
  }

  // MARK: Rounds

  /// Fetches what the first round planned, and then what pushes request; releases the lock after each round.
  mutating func fetch(lock: HeldLock) async throws {
    try await fetchRounds(options.cause)
    while hasMore, canContinue, try await takeMore() {}
    lock.release()
    notifier.wake()
    try await acceptPushes()
  }

  /// Records that a planned round begins, and makes it active; does nothing if it has nothing to do.
  mutating func start(_ planned: PlannedRound, _ options: RunOptions) async throws {
    // A run of named feeds leaves the pushes of other feeds to the round after it.
    let waiting = planned.waiting.filter { options.named.isEmpty || options.named.contains($0.feed) }
    seenPushes.formUnion(waiting.filter { $0.isReady(at: planned.now) }.map(PushTry.init))
    guard !planned.isEmpty else { return }
    try await store.recordConfigured(settings.feedNames, at: planned.now)
    let run = try await store.beginRun(
      options.cause, process: machine.process, named: !options.named.isEmpty, forced: options.isForced,
      hosts: planned.hostsToClaim, at: planned.now)
    self.run = run
    origin = EventOrigin(run: run, time: planned.now, cause: options.cause)
    effects.report(.started(due: planned.dueCount, paused: planned.plan.paused))
    if !hasStarted {
      hasStarted = true
      try await notifier.record(.runStarted, [EventField("due", planned.dueCount)], origin: origin, run: run)
    }
    let fetch = FeedFetch(self, planned, run: run, origin: origin)
    var round = FetchRound(planned, fetch, options, clock: clock)
    round.record(turns.moments(of: round.unfinishedHosts))
    for (push, feed) in planned.plan.files {
      if let report = try await fetch.handle(push, of: feed) { round.progress.report.add(report) }
    }
    rounds[run] = round
    if settings.isFleet, !options.isWatch { alreadyFetched.formUnion(planned.plan.due.lazy.map(\.name)) }
  }

  // MARK: The loop

  /// Fetches the started round, and beside it further rounds for work that arrives meanwhile.
  mutating func fetchRounds(_ cause: RunCause) async throws {
    guard !rounds.isEmpty else {
      report.badge = try await notifier.updateBadge(run: nil, cause: cause)
      // The configuration may have changed, or a file may be gone.
      try await notifier.writeOutputs(until: clock.end)
      return
    }
    notifier.fetches.add(1, ordering: .relaxed)
    defer { notifier.fetches.subtract(1, ordering: .relaxed) }
    // Events of earlier runs do not wait for the first feed of this one.
    notifier.wake()
    nextPoll = machine.milliseconds() + Self.pollTime
    try await runToEnd()
  }

  mutating func advance(at now: Int64, in tasks: inout PhaseTasks<Event>) async throws -> Bool {
    repeat {
      let news = turns.takeNews(at: now)
      for run in rounds.keys { rounds[run]?.record(news) }
      for run in rounds.keys.sorted() { try await advance(run, at: now, in: &tasks) }
      if rounds.isEmpty { return false }
    } while try await startBeside(at: now)
    return true
  }

  func nextWake(after now: Int64) -> Int64? {
    (rounds.values.compactMap { $0.nextWake(after: now) } + [nextPoll]).min()
  }

  func isOver(at now: Int64) -> Bool { clock.isOver(at: now) }

  /// Starts what a round may start now, acts on its timers, and ends the round when all of its feeds have ended.
  private mutating func advance(_ run: Int64, at now: Int64, in tasks: inout PhaseTasks<Event>) async throws {
    // Taken out, not copied: a second reference would make each change copy all waiting feeds.
    guard var round = rounds.removeValue(forKey: run) else { return }
    defer { rounds[run] = round.hasEnded ? nil : round }
    repeat {
      if clock.shouldStop(at: now) || Task.isCancelled || effects.isPaused() {
        try await leaveWaiting(&round, at: now)
      }
      try await start(try await takeTurns(of: &round, at: now), of: round, in: &tasks)
      if round.work.isFinished { try await finish(&round) }
    } while round.work.isFinished && !round.hasEnded
    guard !round.hasEnded else { return }
    // On a server, where it is not kept, it is counted once for each round.
    if !settings.isFleet, round.progress.shouldUpdateBadge(at: now) {
      _ = try await notifier.updateBadge(run: run, cause: round.options.cause)
    }
    if round.progress.shouldDeliver(at: now) { notifier.wake() }
  }

  /// Leaves all waiting feeds for a later run, and reports that once.
  private func leaveWaiting(_ round: inout FetchRound, at now: Int64) async throws {
    let left = round.work.leaveAll()
    round.progress.leave(left)
    guard let event = round.progress.expire(at: now, left: left + round.work.underWay) else { return }
    effects.report(event)
    try await notifier.record(
      .runExpired, runFields(round.progress.report), origin: round.origin, run: round.run)
    notifier.wake()
  }

  /// The connections of all active rounds but one that was taken out.
  var usedConnections: Int { rounds.values.reduce(0) { $0 + $1.work.connections } }

  /// The feeds whose turn it is; feeds that cannot be read are left for a later run.
  private func takeTurns(of round: inout FetchRound, at now: Int64) async throws -> [FetchWork.Turn] {
    let names = round.work.dequeue(at: now, beside: usedConnections)
    let turns = try await read(names, of: round)
    for name in Set(names).subtracting(turns.map(\.feed.name)) {
      round.progress.leave(round.work.leave(name, at: now))
    }
    return turns
  }

  /// The feeds of these names and their states, in the same order; feeds that cannot be read are missing.
  private func read(_ names: [FeedName], of round: FetchRound) async throws -> [FetchWork.Turn] {
    guard !names.isEmpty else { return [] }
    let feeds = names.compactMap { settings.feeds[$0] }
    var states = round.states
    if states == nil { states = try await store.states(of: feeds) }
    return feeds.map { FetchWork.Turn($0, states?[$0.name] ?? FeedState()) }
  }

  /// Starts fetches after recording that they start; feeds that share a response need no host.
  private func start(
    _ turns: [FetchWork.Turn], sharing response: FetchTrace? = nil, of round: FetchRound,
    in tasks: inout PhaseTasks<Event>
  ) async throws {
    guard !turns.isEmpty else { return }
    let now = machine.now()
    // Later requests to a public host, also in other runs, are spaced from its last request.
    var requested: [String: HostState] = [:]
    for turn in turns where response == nil {
      guard let address = turn.feed.addressToAsk(turn.state), address.isPublicHost else { continue }
      requested[address.host] = round.fetch.hosts.begin(address.host, now: now)
    }
    try await store.recordAttempts(turns.map(\.feed.name), run: round.run, at: now, hosts: requested)
    for turn in turns {
      tasks.addTask { [fetch = round.fetch] in
        let outcome = try await fetch.fetch(turn, sharing: response)
        return Event(feed: turn.feed.name, round: fetch.run, outcome: outcome)
      }
    }
  }

  /// Handles the end of a feed's fetch, and starts the feeds that share its response.
  mutating func handle(_ event: Event, in tasks: inout PhaseTasks<Event>) async throws {
    guard var round = rounds.removeValue(forKey: event.round) else { return }
    defer { rounds[event.round] = round }
    let now = machine.milliseconds()
    round.work.end(event.feed, at: now)
    /// The fetch whose response others may share.
    var shared: FetchTrace?
    switch event.outcome {
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
        round.progress.leave(round.work.leave(host: address.host))
      }
    }
    // One reached host proves that the network is not to blame for hosts that were not reached.
    if round.progress.hasReachedAnything || round.progress.unreached.count == PhaseProgress.mostUnreached {
      try await round.settleUnreached(effects)
    }
    let released = round.work.release(after: event.feed)
    guard !released.isEmpty else { return }
    let turns = try await read(released.map(\.name), of: round)
    round.progress.leave(released.count - turns.count)
    let sharing = round.work.share(
      shared, with: turns, of: released, machine: machine.identity, at: round.origin.time)
    try await start(sharing, sharing: shared, of: round, in: &tasks)
  }

  /// Ends a round whose feeds have all ended, or queues the feeds that were left for last.
  private mutating func finish(_ round: inout FetchRound) async throws {
    try await round.settleUnreached(effects)
    try await announceAdded(&round)
    round.progress.report.badge = try await notifier.updateBadge(run: round.run, cause: round.options.cause)
    // Once for each round, not for each feed like the badge: writing a page takes longer than writing a number.
    try await notifier.writeOutputs(until: clock.end)
    notifier.wake()
    guard round.last.isEmpty else {
      // These feeds were being fetched in two crashes and may crash this run, too: everything else is delivered first.
      try await notifier.deliverAll(origin: round.origin, run: round.run)
      return round.startLast()
    }
    round.hasEnded = true
    round.progress.report.isStopped = Task.isCancelled
    report.add(round.progress.report)
    // More feeds of its hosts may be due. A machine that is offline leaves them to others.
    hasMore = settings.isFleet && takesDue && !report.isOffline
    let now = machine.now()
    try await store.endRun(
      round.run, at: now, totals: round.progress.report.finalTotals, hosts: round.progress.resultsByHost)
    try await round.removeOldRows(at: now)
  }
}

extension FetchPhase {
  /// Records one message for each hook that says how many feeds were added; feeds whose hours postpone messages have a
  /// message of their own.
  func announceAdded(_ round: inout FetchRound) async throws {
    let now = machine.now()
    var added: [[Instant?: AddedFeeds]] = settings.hooks.map { _ in [:] }
    let names = round.progress.added
    round.progress.added = []
    for part in settings.feeds.parts(of: names) {
      let labels = try await store.labels(of: part)
      for feed in part {
        let moment = postponedUntil(feed.notify, at: now, in: machine.zone)
        for (index, hook) in settings.hooks.enumerated()
        where hook.covers(feed) && feed.notify?.hooks?.contains(hook.name) ?? true {
          if let label = labels[feed.name] { added[index][moment, default: AddedFeeds()].add(label) }
        }
      }
    }
    for (hook, byMoment) in zip(settings.hooks, added) {
      for (moment, feeds) in byMoment {
        let event = addedFeedsEvent(
          feeds, origin: round.origin, hook: hook.name,
          mark: moment.map { ".\($0.secondsSince1970)" } ?? "")
        try await notifier.record(event, to: [hook], postponedUntil: moment, run: round.run)
      }
    }
  }
}

// The fetch phase as a whole: one round of what is due, and further ones for pushes that came meanwhile.

import Model
import Planning
import Timing

/// The rounds of a run's fetch phase, each planned, recorded and committed as a run of its own, under one budget.
struct FetchRounds: Sendable {
  /// What came of all rounds, and of the transfers after them.
  var report = RunReport()
  /// The number of the last round that had something to do; 0 if none had.
  private(set) var run: Int64 = 0
  /// What the events of that round have in common.
  private(set) var origin: EventOrigin

  private let settings: Settings
  private let options: RunOptions
  private let effects: Effects
  private let telling: Telling
  private let started: Int64
  private var round: Round
  /// The pushes that a round has seen: each is looked at once in a run for each of its tries.
  private var seen: Set<PushTry> = []

  /// A push and how often it was tried.
  private struct PushTry: Hashable {
    let number: Int64
    let tries: Int

    init(_ push: StoredPush) { (number, tries) = (push.number, push.tries) }
  }

  /// Plans the first round and, where something is due, records that it begins; the run lock is held.
  init(
    _ settings: Settings, _ options: RunOptions, _ effects: Effects, telling: Telling, started: Int64
  ) async throws {
    self.settings = settings
    self.options = options
    self.effects = effects
    self.telling = telling
    self.started = started
    round = try await Round(settings, options, effects, isFurther: false)
    origin = EventOrigin(run: 0, time: round.now, cause: options.cause)
    try await begin(options)
  }

  /// Fetches what the first round planned, and what pushes ask for by then; the lock is given back after each round.
  mutating func fetch(lock: RunLock, poke: @escaping @Sendable () -> Void) async throws {
    try await fetch(options, poke)
    lock.release()
    poke()
    try await takePushes(lock: lock, poke: poke)
  }

  /// Waits for pushes whose data was late, if that is a matter of moments, and takes them; false if there are none.
  mutating func takeLatePushes(lock: RunLock, poke: @escaping @Sendable () -> Void) async throws -> Bool {
    guard options.stays, mayGoOn else { return false }
    let now = effects.machine.now()
    let late = try await unseen(at: now + PushDemand.lateness).compactMap(\.notBefore)
    guard let moment = late.max() else { return false }
    await effects.machine.sleep(effects.machine.milliseconds() + moment.since(now).seconds * 1000)
    return try await takePushes(lock: lock, poke: poke)
  }

  /// Has further rounds as long as there are pushes that none has seen; says whether one had something to do.
  @discardableResult
  private mutating func takePushes(
    lock: RunLock, poke: @escaping @Sendable () -> Void
  ) async throws -> Bool {
    var options = options
    options.cause = .push
    var hasFetched = false
    while mayGoOn, try await !unseen(at: effects.machine.now()).isEmpty, try lock.takeAgain() {
      defer { lock.release() }
      round = try await Round(settings, options, effects, isFurther: true)
      hasFetched = hasFetched || !round.isEmpty
      try await begin(options)
      try await fetch(options, poke)
      lock.release()
      poke()
    }
    return hasFetched
  }

  /// Whether a signal, the budget or the end of the whole run allow a further round.
  private var mayGoOn: Bool {
    telling.mayGoOn
      && !PhaseClock(options, started: started).shouldStop(at: effects.machine.milliseconds())
  }

  /// The pushes whose time has come at a moment and that no round has seen.
  private func unseen(at moment: Instant) async throws -> [StoredPush] {
    try await effects.store.pushes().filter { $0.isReady(at: moment) && !seen.contains(PushTry($0)) }
  }

  /// Records that the round begins, where it has something to do.
  private mutating func begin(_ options: RunOptions) async throws {
    seen.formUnion(round.waiting.filter { $0.isReady(at: round.now) }.map(PushTry.init))
    guard !round.isEmpty else { return }
    run = try await effects.store.begin(options, round.now)
    origin = EventOrigin(run: run, time: round.now, cause: options.cause)
    effects.report(.started(due: round.dueCount, paused: round.plan.skipped.count(where: \.isPaused)))
    guard report.due == 0 else { return }
    try await telling.record(.runStarted, [EventField("due", round.dueCount)], origin: origin, run: run)
  }

  /// Fetches what the round planned, and ends it.
  private mutating func fetch(
    _ options: RunOptions, _ poke: @escaping @Sendable () -> Void
  ) async throws {
    guard !round.isEmpty else {
      report.badge = try await telling.updateBadge(run: nil, cause: options.cause)
      return
    }
    let feedRun = FeedRun(
      settings: settings, effects: effects, run: run, origin: origin, tellsHooks: options.tellsHooks,
      hosts: HostLedger(round.hosts), pushes: round.pushes, habits: round.habits)
    let phase = FetchPhase(feedRun: feedRun, telling: telling, options: options, started: started)
    var progress = PhaseProgress(due: round.dueCount, clock: PhaseClock(options, started: started))
    for (push, feed) in round.files {
      progress.report.add(try await feedRun.take(push, bringingFileOf: feed))
    }
    // What was in flight in two crashes may crash this run as well: all else is committed and handed over before.
    if !round.plan.lastDue.isEmpty {
      try await telling.delivering(origin: origin, run: run) { [round, run] poke in
        try await phase.run(
          round.plan.firstDue, states: round.states, hosts: round.hosts, progress: &progress, poke: poke)
        _ = try await telling.updateBadge(run: run, cause: options.cause)
        poke()
      }
    }
    let due = round.plan.lastDue.isEmpty ? round.plan.due : round.plan.lastDue
    try await phase.run(due, states: round.states, hosts: round.hosts, progress: &progress, poke: poke)
    progress.report.badge = try await telling.updateBadge(run: run, cause: options.cause)
    progress.report.isStopped = Task.isCancelled
    try await effects.store.end(run, effects.machine.now(), progress.report.totals)
    report.add(progress.report)
  }
}

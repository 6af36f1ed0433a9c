// The fetch phase as a whole: one round of what is due, and further ones for pushes that came meanwhile.

import Core

/// The rounds of a run's fetch phase, each planned, recorded and committed as a run of its own, under one budget.
///
/// A push does not wait for the slowest feed of a round: a further round begins beside it, of feeds whose hosts none that
/// is under way has to ask. In a run that stays the same goes for whatever becomes due. All other pushes are taken by a
/// round after it.
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
  /// The round that was planned last.
  private var round: Round
  private var hasStarted = false
  private let underWay = RoundsUnderWay()
  /// When a feed becomes due, as far as it is known.
  private var nextDue: Instant?
  /// What other processes had changed when it was last looked.
  private var version: Int
  /// The pushes that a round has seen: each is looked at once in a run for each of its tries.
  private var seen: Set<PushTry> = []
  /// The transfers whose second try was waited for.
  private var awaited: Set<Int64> = []

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
    version = try await effects.store.dataVersion()
    round = try await Round(settings, options, effects, isFurther: false)
    nextDue = round.nextDue
    origin = EventOrigin(run: 0, time: round.now, cause: options.cause)
    for feed in round.plan.skipped where options.named.contains(feed.name) { effects.report(.held(feed)) }
    try await begin(options)
  }

  /// Fetches what the first round planned, and what pushes ask for by then; the lock is given back after each round.
  mutating func fetch(lock: RunLock, poke: @escaping @Sendable () -> Void) async throws {
    try await fetch(options, poke)
    lock.release()
    poke()
    try await takePushes(lock: lock, poke: poke)
  }

  /// Takes pushes that came meanwhile, and waits for those whose data was late, files of theirs too, if that is a matter
  /// of moments; false if there was nothing to do.
  mutating func takeLatePushes(lock: RunLock, poke: @escaping @Sendable () -> Void) async throws -> Bool {
    guard mayGoOn else { return false }
    let now = effects.machine.now()
    let waiting = try await unseen(at: options.stays ? now + PushDemand.lateness : now)
    let files = options.stays ? try await lateFiles(at: now) : []
    guard let moment = (waiting.map { $0.notBefore ?? now } + files).max() else { return false }
    if moment > now {
      let wait = moment.since(now)
      effects.report(.staying(wait, for: .lateData))
      await effects.machine.sleep(effects.machine.milliseconds() + wait.seconds * 1000)
    }
    return try await takePushes(lock: lock, poke: poke) || !files.isEmpty
  }

  /// When files are asked for once more that pushes had announced before they were there; those of each feed's second
  /// try, once.
  private mutating func lateFiles(at now: Instant) async throws -> [Instant] {
    let announcing = Set(settings.feeds.lazy.filter { $0.push.url != nil }.map(\.name))
    guard !announcing.isEmpty else { return [] }
    return try await effects.transfers.store.unsettled().compactMap { transfer in
      guard announcing.contains(transfer.feed), transfer.failures == 1, let moment = transfer.notBefore,
        moment > now, moment <= now + PushDemand.lateness, awaited.insert(transfer.number).inserted
      else { return nil }
      return moment
    }
  }

  /// Has further rounds as long as there are pushes that none has seen; says whether one had something to do.
  @discardableResult
  private mutating func takePushes(
    lock: RunLock, poke: @escaping @Sendable () -> Void
  ) async throws -> Bool {
    let options = options.ofPush
    var hasFetched = false
    while mayGoOn, try await !unseen(at: effects.machine.now()).isEmpty, try lock.takeAgain() {
      defer { lock.release() }
      version = try await effects.store.dataVersion()
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
    // A round of named feeds has not looked at the pushes of others; the round after it does.
    let waiting = round.waiting.filter { options.named.isEmpty || options.named.contains($0.feed) }
    seen.formUnion(waiting.filter { $0.isReady(at: round.now) }.map(PushTry.init))
    guard !round.isEmpty else { return }
    run = try await effects.store.begin(options, round.now)
    underWay.begin(run, round.hostsToAsk)
    origin = EventOrigin(run: run, time: round.now, cause: options.cause)
    effects.report(.started(due: round.dueCount, paused: round.plan.skipped.count(where: \.isPaused)))
    guard !hasStarted else { return }
    hasStarted = true
    try await telling.record(.runStarted, [EventField("due", round.dueCount)], origin: origin, run: run)
  }

  /// What happens while rounds are under way.
  private enum Happening: Sendable {
    case ended(round: Int64, RunReport)
    /// It is time to look for what is to be done beside them.
    case look
  }

  /// How often it is looked for what is to be done beside a round, in milliseconds.
  private static let lookTime: Int64 = 1000

  /// Fetches what the round planned, and beside it what comes up meanwhile.
  private mutating func fetch(
    _ options: RunOptions, _ poke: @escaping @Sendable () -> Void
  ) async throws {
    guard !round.isEmpty else {
      report.badge = try await telling.updateBadge(run: nil, cause: options.cause)
      return
    }
    telling.fetches.begin()
    defer { telling.fetches.end() }
    try await withThrowingTaskGroup(of: Happening.self) { group in
      add(fetching(options), poke, to: &group)
      var count = 1
      addLook(to: &group)
      while count > 0, let happening = try await group.next() {
        switch happening {
        case .ended(let number, let part):
          report.add(part)
          underWay.end(number)
          count -= 1
        case .look:
          if let options = try await beginBeside() {
            add(fetching(options), poke, to: &group)
            count += 1
          }
          // A cancelled sleep would return at once.
          if !Task.isCancelled { addLook(to: &group) }
        }
      }
      group.cancelAll()
    }
  }

  private typealias Group = ThrowingTaskGroup<Happening, any Error>

  private func add(_ fetch: RoundFetch, _ poke: @escaping @Sendable () -> Void, to group: inout Group) {
    group.addTask { .ended(round: fetch.run, try await fetch.fetch(poke: poke)) }
  }

  private func addLook(to group: inout Group) {
    group.addTask { [machine = effects.machine] in
      await machine.sleep(machine.milliseconds() + Self.lookTime)
      return .look
    }
  }

  /// Begins a round of what came up since the last one and needs no host that is busy, and says what it is asked to do;
  /// nil if there is nothing.
  private mutating func beginBeside() async throws -> RunOptions? {
    let current = try await effects.store.dataVersion()
    let isChanged = current != version
    // Read before the round is planned, so that what comes between the two is seen by the next look.
    version = current
    guard mayGoOn else { return nil }
    let now = effects.machine.now()
    nextDue = [nextDue, underWay.takeNextDue()].compactMap { $0 }.min()
    let isDue = options.isPunctual && nextDue.map { $0 <= now } ?? false
    if !isDue {
      guard isChanged, try await !unseen(at: now).isEmpty else { return nil }
    }
    round = try await Round(settings, options.ofPush, effects, isFurther: true, besides: underWay.hosts)
    nextDue = round.nextDue
    guard !round.isEmpty else { return nil }
    let options = round.isOfPushes ? options.ofPush : options
    try await begin(options)
    return options
  }

  /// The round, ready to be fetched.
  private func fetching(_ options: RunOptions) -> RoundFetch {
    RoundFetch(
      round: round, run: run, origin: origin, settings: settings, options: options, effects: effects,
      telling: telling, underWay: underWay, started: started)
  }
}

extension RunOptions {
  /// The same, of a round that pushes brought about.
  fileprivate var ofPush: RunOptions {
    var options = self
    options.cause = .push
    (options.named, options.isForced) = ([], false)
    return options
  }
}

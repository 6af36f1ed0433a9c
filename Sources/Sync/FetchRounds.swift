// The fetch phase as a whole: one round of what is due, and further ones for pushes that came meanwhile.

import Model
import Planning
import Timing

/// The rounds of a run's fetch phase, each planned, recorded and committed as a run of its own, under one budget.
///
/// A push does not wait for the slowest feed of a round: a further round begins beside it, of feeds whose hosts the first
/// one does not ask. All other pushes are taken by a round after it.
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

  /// Takes pushes that came meanwhile, and waits for those whose data was late, if that is a matter of moments; false if
  /// there was nothing to do.
  mutating func takeLatePushes(lock: RunLock, poke: @escaping @Sendable () -> Void) async throws -> Bool {
    guard mayGoOn else { return false }
    let now = effects.machine.now()
    let waiting = try await unseen(at: options.stays ? now + PushDemand.lateness : now)
    guard let moment = waiting.map({ $0.notBefore ?? now }).max() else { return false }
    if moment > now {
      let wait = moment.since(now)
      effects.report(.staying(wait, for: .lateData))
      await effects.machine.sleep(effects.machine.milliseconds() + wait.seconds * 1000)
    }
    return try await takePushes(lock: lock, poke: poke)
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
    origin = EventOrigin(run: run, time: round.now, cause: options.cause)
    effects.report(.started(due: round.dueCount, paused: round.plan.skipped.count(where: \.isPaused)))
    guard !hasStarted else { return }
    hasStarted = true
    try await telling.record(.runStarted, [EventField("due", round.dueCount)], origin: origin, run: run)
  }

  /// What happens while rounds are under way.
  private enum Happening: Sendable {
    case ended(RunReport)
    /// It is time to look for what other processes changed.
    case look
  }

  /// How often it is looked for what other processes changed, in milliseconds.
  private static let lookTime: Int64 = 1000

  /// Fetches what the round planned, and beside it what pushes ask for that come meanwhile.
  private mutating func fetch(
    _ options: RunOptions, _ poke: @escaping @Sendable () -> Void
  ) async throws {
    guard !round.isEmpty else {
      report.badge = try await telling.updateBadge(run: nil, cause: options.cause)
      return
    }
    var hosts = round.hostsToAsk
    var version = try await effects.transfers.store.dataVersion()
    try await withThrowingTaskGroup(of: Happening.self) { group in
      let first = fetching(options)
      group.addTask { .ended(try await first.fetch(poke: poke)) }
      var underWay = 1
      addLook(to: &group)
      while underWay > 0, let happening = try await group.next() {
        switch happening {
        case .ended(let part):
          report.add(part)
          underWay -= 1
        case .look:
          let current = try await effects.transfers.store.dataVersion()
          defer { version = current }
          if current != version, try await beginBeside(hosts) {
            hosts.formUnion(round.hostsToAsk)
            let further = fetching(options.ofPush)
            group.addTask { .ended(try await further.fetch(poke: poke)) }
            underWay += 1
          }
          // A cancelled sleep would return at once.
          if !Task.isCancelled { addLook(to: &group) }
        }
      }
      group.cancelAll()
    }
  }

  private func addLook(to group: inout ThrowingTaskGroup<Happening, any Error>) {
    group.addTask { [machine = effects.machine] in
      await machine.sleep(machine.milliseconds() + Self.lookTime)
      return .look
    }
  }

  /// Begins a round of the pushes that none has seen and that need none of these hosts; false if there are none.
  private mutating func beginBeside(_ hosts: Set<String>) async throws -> Bool {
    guard mayGoOn, try await !unseen(at: effects.machine.now()).isEmpty else { return false }
    let further = try await Round(settings, options.ofPush, effects, isFurther: true, besides: hosts)
    guard !further.isEmpty else { return false }
    round = further
    try await begin(options.ofPush)
    return true
  }

  /// The round, ready to be fetched.
  private func fetching(_ options: RunOptions) -> RoundFetch {
    RoundFetch(
      round: round, run: run, origin: origin, settings: settings, options: options, effects: effects,
      telling: telling, started: started)
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

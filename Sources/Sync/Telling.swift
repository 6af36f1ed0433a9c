// Badge and hooks: projections of what is committed, brought up to date from the store alone.

public import Core
import Synchronization

/// Tells the person: keeps the badge file up to date and hands deliveries to hooks.
struct Telling: Sendable {
  /// The configuration.
  let settings: Settings
  /// The world.
  let effects: Effects
  /// Whether hooks are told in this run.
  let isOn: Bool
  /// When no further hook is begun, in the machine's milliseconds; nil is never.
  var deadline: Int64?
  /// How many messages each hook was given in this run.
  let messages = MessageCount()
  /// Whether more messages may come of the run's fetches.
  let fetches = FetchesUnderWay()
  /// Which hooks are being told.
  let rota = HookRota()

  /// Whether another hook may be begun.
  var mayGoOn: Bool {
    !Task.isCancelled && deadline.map { effects.machine.milliseconds() < $0 } ?? true
  }

  /// Writes the badge as the store has it.
  func updateBadge(run: Int64?, cause: RunCause) async throws -> Int {
    let change = try await effects.telling.updateBadge()
    let badge = change.badge
    if change.hasChanged, isOn {
      let now = effects.machine.now()
      let origin = EventOrigin(run: run ?? 0, time: now, cause: cause)
      let mark = "\(badge).\(effects.machine.milliseconds())"
      try await record(
        origin.event(.badgeChanged, mark: mark, [EventField("badge", badge)]), run: run ?? 0)
    }
    return badge
  }

  /// Records an event of the run itself.
  func record(_ kind: EventKind, _ fields: [EventField], origin: EventOrigin, run: Int64) async throws {
    try await record(origin.event(kind, fields), run: run)
  }

  /// Records an event for every hook that hears of its kind.
  func record(
    _ event: Event, to hooks: [HookSpec]? = nil, heldUntil: Instant? = nil, run: Int64
  ) async throws {
    let hearing = (hooks ?? settings.hooks).filter { $0.events.contains(event.kind) }.map(\.name)
    guard isOn, !hearing.isEmpty else { return }
    var record = EventRecord(event: event, hooks: hearing)
    record.heldUntil = heldUntil
    try await effects.store.record([record], run)
  }

  /// Does something, and hands over what waits at every poke that it gives; returns when that is handed over, too.
  func delivering(
    origin: EventOrigin, run: Int64,
    whileDoing work: (_ poke: @escaping @Sendable () -> Void) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      let (pokes, poke) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      group.addTask { try await deliver(at: pokes, origin: origin, run: run) }
      try await work { poke.yield() }
      poke.finish()
      try await group.waitForAll()
    }
  }

  /// Hands over what waits at every poke until there are no more, each hook by one task at a time, so that a slow hook
  /// holds up no other.
  func deliver(at pokes: AsyncStream<Void>, origin: EventOrigin, run: Int64) async throws {
    try await untilDeadline {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for await _ in pokes {
          for hook in try await hooksToTell() where await rota.begin(hook.name) {
            group.addTask {
              repeat {
                try await HookDeliveries(telling: self, hook: hook, origin: origin, run: run).handOver()
              } while await rota.mustGoOn(hook.name)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// Hands over every delivery whose time has come: several hooks at once, those of one hook in order.
  func deliver(
    origin: EventOrigin, run: Int64, to isWanted: @escaping @Sendable (HookSpec) -> Bool = { _ in true }
  ) async throws {
    try await untilDeadline {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for hook in try await hooksToTell() where isWanted(hook) {
          group.addTask {
            try await HookDeliveries(telling: self, hook: hook, origin: origin, run: run).handOver()
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// The hooks that have a delivery to try now and can be told.
  private func hooksToTell() async throws -> [HookSpec] {
    guard isOn else { return [] }
    try await reviewHeldMessages()
    let waiting = try await effects.telling.hooksWithWork(effects.machine.now())
    let hooks = settings.hooks.filter { waiting.contains($0.name) }
    let hasSessionBus = hooks.contains(where: \.needsSessionBus) && effects.telling.hasSessionBus()
    return hooks.filter { hasSessionBus || !$0.needsSessionBus }
  }

  /// Does something, but ends it when the deadline comes: hooks under way are ended and told again by a later run.
  private func untilDeadline(_ body: @escaping @Sendable () async throws -> Void) async throws {
    guard let deadline else { return try await body() }
    try await withThrowingTaskGroup(of: Void.self) { race in
      race.addTask { try await body() }
      race.addTask { await effects.machine.sleep(deadline) }
      try await race.next()
      race.cancelAll()
      try await race.waitForAll()
    }
  }
}

/// Brings the badge file up to date outside of a run, and tells the hooks that hear of it.
///
/// - Parameters:
///   - settings: the configuration.
///   - effects: the world.
/// - Returns: the badge.
/// - Throws: what the store and the badge file throw.
public func refreshBadge(_ settings: Settings, _ effects: Effects) async throws -> Int {
  let telling = Telling(settings: settings, effects: effects, isOn: true)
  let origin = EventOrigin(run: 0, time: effects.machine.now(), cause: .manual)
  let badge = try await telling.updateBadge(run: nil, cause: .manual)
  try await telling.deliver(origin: origin, run: 0) { $0.events.contains(.badgeChanged) }
  return badge
}

/// How many messages each hook was given in one run.
actor MessageCount {
  private var counts: [String: Int] = [:]

  /// The number for a hook.
  func of(_ hook: String) -> Int { counts[hook, default: 0] }

  /// Counts one more.
  func add(_ hook: String) { counts[hook, default: 0] += 1 }
}

/// Whether rounds of a run are under way.
final class FetchesUnderWay: Sendable {
  private let count = Mutex(0)

  var areUnderWay: Bool { count.withLock { $0 > 0 } }

  /// A round begins.
  func begin() { count.withLock { $0 += 1 } }

  /// A round has ended.
  func end() { count.withLock { $0 -= 1 } }
}

/// Which hooks are being told right now, so that each is told by one task at a time.
actor HookRota {
  /// The hooks that are taken, each with whether it was wanted since it was last looked after.
  private var busy: [String: Bool] = [:]

  /// Takes a hook; false if it is taken: then whoever has it looks once more before giving it back.
  func begin(_ hook: String) -> Bool { busy.updateValue(busy[hook] != nil, forKey: hook) == nil }

  /// Gives it back, and says no; or keeps it, where it was wanted meanwhile, and says yes.
  func mustGoOn(_ hook: String) -> Bool {
    guard busy[hook] == true else {
      busy[hook] = nil
      return false
    }
    busy[hook] = false
    return true
  }
}

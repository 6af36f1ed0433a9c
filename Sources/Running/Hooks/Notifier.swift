// The badge and the hooks, which depend only on what the store has committed, and the state that the deliveries of one run share.

package import Core
import Store
import Synchronization

/// Keeps the badge file up to date and delivers events to hooks.
final class Notifier: Sendable {
  let settings: Settings
  let effects: Effects
  /// Whether this run runs hooks.
  let runsHooks: Bool
  /// The end of the whole run, hooks included, in the machine's milliseconds; nil means never.
  let deadline: Int64?
  var machine: MachineEffects { effects.machine }
  /// How many messages each hook received in this run.
  let sentMessages = Mutex<[String: Int]>([:])
  /// The badge as it was written last; nil if this run has not written it.
  let badge = Mutex<Int?>(nil)
  /// The hooks that have marked items as seen since the badge was written.
  let marked = Mutex<Set<String>>([])
  /// Whether rounds are being fetched, which may cause more messages.
  let isFetching = Atomic(false)
  private let busy = BusyHooks()
  private let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation

  init(_ settings: Settings, _ effects: Effects, runsHooks: Bool = true, deadline: Int64? = nil) {
    (self.settings, self.effects, self.runsHooks, self.deadline) = (settings, effects, runsHooks, deadline)
    (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Whether the run may go on, with hooks or anything else: neither a signal, a pause nor the deadline ends it.
  var canContinue: Bool {
    !Task.isCancelled && !effects.coordination.isPaused()
      && deadline.map { machine.milliseconds() < $0 } ?? true
  }

  // MARK: Badge and events

  /// Writes the store's badge to the badge file, and returns it; nil if no badge is kept.
  func updateBadge(of origin: EventOrigin) async throws -> Int? {
    guard settings.badge != nil else { return nil }
    let change = try await effects.hooks.updateBadge { [effects, settings] in
      try await effects.store.badge(configured: settings.feedNames)
    }
    badge.withLock { $0 = change.badge }
    if change.hasChanged {
      let origin = EventOrigin(round: origin.round, time: machine.now(), cause: origin.cause)
      let mark = "\(change.badge).\(machine.milliseconds())"
      let event = origin.event(.badgeChanged, mark: mark, JSONValue(["badge": change.badge]))
      try await record(event, of: origin)
    }
    return change.badge
  }

  /// Writes the outputs; what is not written at `end` is left to the next run.
  func writeOutputs(until end: Int64?) async throws {
    try await untilDeadline(or: end) { await self.effects.hooks.writeOutputs() }
  }

  /// Records an event for the hooks that subscribe to its kind.
  func record(_ event: Event, of origin: EventOrigin, to hooks: [HookSpec]? = nil) async throws {
    let subscribed = (hooks ?? settings.hooks).filter { $0.events.contains(event.kind) }
    guard runsHooks, !subscribed.isEmpty else { return }
    let records = scheduled(
      [EventRecord(event: event, subscribers: subscribed)], by: nil, to: settings.hooks,
      at: machine.now(), in: machine.zone)
    try await effects.store.record(records, round: origin.round)
  }

  // MARK: Delivery

  /// Signals that events may be waiting for hooks; `delivering` starts their delivery.
  func wake() { waker.yield() }

  /// Delivers at every `wake`, and at the moment of each message, while `work` runs; returns when `work` has ended and
  /// everything is delivered.
  ///
  /// Called once for each notifier. Work that waits for hooks does that inside, so that no busy hook moves the moment of
  /// another.
  func delivering(for origin: EventOrigin, while work: () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.deliverAtWakes(for: origin) }
      do {
        // Cancelled at the end of this scope.
        async let _ = self.wakeAtMoments()
        try await work()
      }
      waker.finish()
      try await group.waitForAll()
    }
  }

  /// Wakes the deliveries when a message becomes due, whichever process recorded it, until the task is cancelled.
  private func wakeAtMoments() async throws {
    guard runsHooks, !settings.hooks.isEmpty, effects.hooks.timePasses else { return }
    let hooks = reachableHooks
    var last = machine.now()
    while true {
      await machine.sleep(machine.milliseconds() + 1000)
      guard !Task.isCancelled else { return }
      let now = machine.now()
      if let moment = try await effects.store.nextDeliveryMoment(after: last, hooks: hooks), moment <= now {
        wake()
      }
      last = now
    }
  }

  private func deliverAtWakes(for origin: EventOrigin) async throws {
    try await untilDeadline {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for await _ in self.wakes { try await self.startDeliveries(for: origin, in: &group) }
        try await group.waitForAll()
      }
    }
  }

  /// Delivers everything that is due, and waits for hooks that are being run already.
  func deliverAll(
    for origin: EventOrigin, to isWanted: @escaping @Sendable (HookSpec) -> Bool = { _ in true }
  ) async throws {
    try await untilDeadline {
      try await withThrowingTaskGroup(of: Void.self) { group in
        try await self.startDeliveries(for: origin, to: isWanted, in: &group)
        try await group.waitForAll()
      }
      await self.busy.waitUntilIdle()
    }
  }

  /// Starts one task for each hook with deliveries to try, so that a slow hook delays no other.
  ///
  /// A hook that already has a task is checked once more by that task.
  private func startDeliveries(
    for origin: EventOrigin, to isWanted: (HookSpec) -> Bool = { _ in true },
    in group: inout ThrowingTaskGroup<Void, any Error>
  ) async throws {
    for hook in try await hooksWithWork() where isWanted(hook) {
      guard await busy.begin(hook.name) else { continue }
      group.addTask {
        do {
          repeat {
            try await HookDeliveries(notifier: self, hook: hook, origin: origin).deliver()
          } while await self.busy.mustContinue(hook.name)
        } catch {
          await self.busy.end(hook.name)
          throw error
        }
      }
    }
  }

  /// The hooks with a delivery that can be tried now.
  private func hooksWithWork() async throws -> [HookSpec] {
    guard runsHooks, !settings.hooks.isEmpty else { return [] }
    try await reviewPostponed()
    let waiting = try await effects.store.hooksWithWork(at: machine.now())
    return settings.hooks.filter { waiting.contains($0.name) && isReachable($0) }
  }

  private func isReachable(_ hook: HookSpec) -> Bool { !hook.isPopup || effects.hooks.session != nil }

  private var reachableHooks: Set<String> { Set(settings.hooks.filter(isReachable).map(\.name)) }

  /// Runs `body` until a moment, at the latest the deadline; a later run repeats what this ends.
  private func untilDeadline(
    or end: Int64? = nil, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    guard let end = [end, deadline].compactMap(\.self).min() else { return try await body() }
    try await withThrowingTaskGroup(of: Void.self) { race in
      race.addTask { try await body() }
      race.addTask { await self.machine.sleep(end) }
      try await race.next()
      race.cancelAll()
      try await race.waitForAll()
    }
  }

  /// Postpones messages that are now outside their feed's hours, and releases messages that are no longer postponed.
  ///
  /// This happens at every delivery, because hours begin and end, the configuration is edited and clocks are set.
  private func reviewPostponed() async throws {
    let now = machine.now()
    for hook in settings.hooks where hook.isDigest {
      guard let moment = hook.digestMoment(after: now, in: machine.zone) else { continue }
      try await effects.store.collect(hook.name, until: moment)
    }
    let others = Set(settings.hooks.lazy.filter { !$0.keepsHours }.map(\.name))
    for messages in try await effects.store.waitingMessages(except: others) {
      let notify = settings.feeds[messages.feed]?.notify
      let moment = postponedUntil(notify, at: now, in: machine.zone)
      let isPostponed = messages.postponedUntil.map { $0 > now } ?? false
      guard isPostponed ? moment != messages.postponedUntil : moment != nil else { continue }
      try await effects.store.postpone(messages, until: moment ?? now, at: now, except: others)
    }
  }

  // MARK: The end of a run

  /// The longest time a run waits for messages that are due soon; the next run may be many minutes away.
  private static let longestWait = Interval.seconds(30)

  /// Delivers everything that is due or becomes due within half a minute, unless a signal or the budget ends the run.
  ///
  /// It holds no lock while it waits, and listens.
  ///
  /// - Parameter hasWork: asked once a second whether the run has other work meanwhile.
  /// - Returns: whether it has.
  func deliverRest(
    _ options: RunOptions, for origin: EventOrigin,
    unless hasWork: () async throws -> Bool = { false }
  ) async throws -> Bool {
    var end: Int64?
    while canContinue {
      // From before the delivery, so that a message that becomes due meanwhile is not left.
      let before = machine.now()
      try await deliverAll(for: origin)
      let latest = end ?? min(machine.moment(after: Self.longestWait), deadline ?? .max)
      end = latest
      guard options.waitsForDue, runsHooks, canContinue,
        let moment = try await effects.store.nextDeliveryMoment(after: before, hooks: reachableHooks),
        moment <= before + Self.longestWait
      else { return false }
      let wait = moment.since(machine.now())
      guard wait > .zero else { continue }
      let wake = machine.moment(after: wait)
      guard wake <= latest else { return false }
      effects.report(.notice(.waitingForMessage(wait)))
      repeat {
        await machine.sleep(min(wake, machine.milliseconds() + Rounds.pollTime))
        if try await hasWork() { return true }
      } while canContinue && machine.milliseconds() < wake
    }
    return false
  }
}

/// Writes the badge file and the outputs outside of a run, delivers `badge-changed`, and returns the number; nil if no badge
/// is kept.
///
/// - Throws: what the store and the badge file throw.
package func refreshBadge(_ settings: Settings, _ effects: Effects) async throws -> Int? {
  let notifier = Notifier(settings, effects)
  let origin = EventOrigin(time: effects.machine.now(), cause: .manual)
  let badge = try await notifier.updateBadge(of: origin)
  await effects.hooks.writeOutputs()
  try await notifier.deliverAll(for: origin) { $0.events.contains(.badgeChanged) }
  return badge
}

/// Writes the badge file and delivers everything that is due, after a command has changed something.
///
/// - Throws: what the store and the badge file throw.
package func deliverNow(_ settings: Settings, _ effects: Effects, cause: RunCause = .manual) async throws {
  let notifier = Notifier(settings, effects)
  let origin = EventOrigin(time: effects.machine.now(), cause: cause)
  _ = try await notifier.updateBadge(of: origin)
  try await notifier.delivering(for: origin) {
    try await notifier.deliverAll(for: origin)
  }
}

/// The hooks that have a task right now; no hook has two.
actor BusyHooks {
  /// The busy hooks, and whether each was requested again meanwhile.
  private var busy: [String: Bool] = [:]
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Takes a hook; false if it is busy, and then its task checks it once more.
  func begin(_ hook: String) -> Bool {
    let isFree = busy[hook] == nil
    busy[hook] = !isFree
    return isFree
  }

  /// Releases a hook and returns false, or keeps it and returns true if it was requested meanwhile.
  func mustContinue(_ hook: String) -> Bool {
    guard busy[hook] == true else {
      end(hook)
      return false
    }
    busy[hook] = false
    return true
  }

  /// Releases a hook.
  func end(_ hook: String) {
    busy[hook] = nil
    guard busy.isEmpty else { return }
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  /// Returns when no hook is busy.
  func waitUntilIdle() async {
    guard !busy.isEmpty else { return }
    await withCheckedContinuation { waiting.append($0) }
  }
}

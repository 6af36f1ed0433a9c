// Badge file, deliveries and hooks as a run sees them.

import Core
import Host
import StateStore
import Sync

extension LiveWorld {
  /// Badge file, deliveries and hooks as a run sees them.
  var tellingEffects: TellingEffects {
    let store = store
    let configured = configured
    let badge = BadgeFile(settings: settings, clock: invocation.clock)
    let bus = SessionBus.find(environment: invocation.environment)
    let clock = invocation.clock
    let reachable = Set(settings.hooks.filter { bus != nil || !$0.needsSessionBus }.map(\.name))
    let session = bus?.login ?? ""
    let runner = HookRunner(
      supervisor: supervisor, secrets: SecretReader(supervisor: supervisor),
      environment: invocation.environment,
      hidden: settings.secretVariables, additions: bus?.additions ?? [:], home: invocation.home)
    return TellingEffects(
      updateBadge: { try await badge.update { try await store.badge(configured: configured) } },
      waitingByFeed: { try await store.waitingMessages() },
      hold: { messages, until, now in try await store.hold(messages, until: until, at: now) },
      hooksWithWork: { try await store.hooksWithWork(at: $0) },
      nextMoment: { now in
        clock.isFrozen ? nil : try await store.nextDeliveryMoment(after: now, hooks: reachable)
      },
      lock: { try await lock(hook: $0) },
      next: { hook, now, kept in try await store.nextDelivery(hook, at: now, except: kept) },
      waitingMessages: { hook, now in try await store.pendingNotifications(hook, at: now) },
      unseenItems: { delivery in
        try await store.notificationItems(delivery).filter { !$0.record.isSeen }.sorted {
          ($0.date, $0.number) > ($1.date, $1.number)
        }
      },
      files: { delivery in
        let counts = try await store.readyCounts(delivery)
        return (counts.placed, counts.all)
      },
      freeze: { delivery, fields in try await store.freeze(delivery, fields: fields) },
      join: { hook, deliveries, event, run in
        try await store.merge(
          deliveries, of: hook, into: EventRecord(event: event, hooks: [hook]), run: run == 0 ? nil : run)
          != nil
      },
      finish: { delivery, verdict, printed, now in
        var end = DeliveryEnd(verdict.status, notBefore: verdict.notBefore, error: verdict.error)
        end.isCounted = verdict.isCounted
        end.printed = printed.map {
          PrintedIdentifier(identifier: $0.identifier, session: session, text: $0.number)
        }
        try await store.finishDelivery(delivery, end, at: now)
      },
      expire: { hook, before, now in
        try await store.countAgesAnew(hook, at: now)
        return try await store.expireDeliveries(hook, before: before)
      },
      printed: { hook, identifier in
        try await store.printedIdentifier(hook, identifier: identifier, session: session) ?? ""
      },
      newerTold: { try await store.deliveredNotifications(after: $0, identifier: $1) },
      runHook: { [shortage] in shortage.judged(await runner.run($0)) },
      hasSessionBus: { bus != nil })
  }

  /// Takes a hook's lock; what a dead process left running is then nobody's, and waits again.
  private func lock(hook: String) async throws -> HeldLock? {
    let path = settings.state + "/hook-\(hook).lock"
    switch try FileLock.tryAcquire(path, clock: invocation.clock) {
    case .held: return nil
    case .acquired(let lock):
      try await store.resetRunning(hook)
      return HeldLock { lock.release() }
    }
  }
}

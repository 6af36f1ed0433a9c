// The store as a run sees it.

import Host
import Model
import StateStore
import Sync
import Timing

extension LiveWorld {
  /// The store as a run sees it.
  var storeEffects: StoreEffects {
    let store = store
    let configured = configured
    let process = Machine.processIdentifier
    let hooks = Set(settings.hooks.map(\.name))
    return StoreEffects(
      states: { try await store.feedStates() },
      hosts: { try await store.hostStates() },
      settleInterrupted: { now in try await store.settleInterrupted(at: now) },
      begin: { cause, now in
        try await store.noteConfigured(configured, at: now)
        return try await store.beginRun(cause, process: process, at: now)
      },
      end: { run, now, totals in
        try await store.endRun(run, at: now, totals: totals)
        try await Self.tidy(store, configured: configured, hooks: hooks, at: now)
      },
      attempt: { feeds, run, now, hosts in
        try await store.recordAttempts(feeds, run: run, at: now, hosts: hosts)
      },
      abandon: { feed, run in try await store.clearAttempt(feed, run: run) },
      knownItems: { try await store.knownItems($0) },
      commit: { commit, run in try await store.commit(commit, run: run, nextDue: nil, configured: configured)
      },
      record: { events, run in try await store.record(events, run: run == 0 ? nil : run) },
      badge: { try await store.badge(configured: configured) })
  }

  /// Forgets what nobody asks for any more: feeds 90 days out of the configuration, history of that age.
  private static func tidy(
    _ store: Store, configured: Set<FeedName>, hooks: Set<String>, at now: Instant
  ) async throws {
    let before = now - .days(90)
    _ = try await store.forgetDormant(configured: configured, before: before)
    _ = try await store.prune(before: before, limit: 1000)
    // A hook that has left the configuration hands nothing over any more; what waits for it grows old all the same.
    for hook in try await store.hooksWithWork(at: now) where !hooks.contains(hook) {
      try await store.expireDeliveries(hook, before: now - .hours(12))
    }
  }
}

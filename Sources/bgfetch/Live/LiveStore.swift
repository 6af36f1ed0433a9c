// The store as a run sees it.

import Core
import Host
import StateStore
import Sync

extension LiveWorld {
  /// The store as a run sees it.
  var storeEffects: StoreEffects {
    let store = store
    let configured = configured
    let process = Machine.processIdentifier
    let hooks = Set(settings.hooks.map(\.name))
    return StoreEffects(
      dataVersion: { try await store.dataVersion() },
      states: { try await store.feedStates() },
      statesOf: { try await store.feedStates(of: $0) },
      hosts: { try await store.hostStates() },
      settleInterrupted: { now in try await store.settleInterrupted(at: now) },
      begin: { options, now in
        try await store.noteConfigured(configured, at: now)
        return try await store.beginRun(
          options.cause, process: process, named: !options.named.isEmpty, forced: options.isForced, at: now)
      },
      end: { run, now, totals in
        try await store.endRun(run, at: now, totals: totals)
        try await Self.tidy(store, configured: configured, hooks: hooks, fetched: totals.due, at: now)
      },
      beginTransfers: { run in try await store.beginTransfers(run) },
      endTransfers: { run, now, totals in try await store.endTransfers(run, at: now, totals: totals) },
      attempt: { feeds, run, now, hosts in
        try await store.recordAttempts(feeds, run: run, at: now, hosts: hosts)
      },
      suspend: { record, feed, run, nextDue in
        try await store.suspendAttempt(feed, run: run, record: record, nextDue: nextDue)
      },
      queueBody: { feed, description, run, now in
        try await store.queueFeedBody(feed, description: description, run: run, at: now)
      },
      knownAssets: { try await store.knownAssets($0) },
      knownItems: { try await store.knownItems($0) },
      pushes: { try await store.waitingPushes() },
      pushFetches: { try await store.pushFetches(since: $0) },
      dropPushes: { try await store.dropPushes($0) },
      addTransfers: { feed, file, now in
        try await store.addTransfers(feed, .numbers([file.item]), at: now) { $0.key == file.key }.count
      },
      habits: { try await store.habits(of: $0) },
      commit: { commit, run, nextDue in
        try await store.commit(commit, run: run, nextDue: nextDue, configured: configured)
      },
      record: { events, run in try await store.record(events, run: run == 0 ? nil : run) },
      badge: { try await store.badge(configured: configured) })
  }

  /// Forgets what nobody asks for any more.
  private static func tidy(
    _ store: Store, configured: Set<FeedName>, hooks: Set<String>, fetched: Int, at now: Instant
  ) async throws {
    _ = try await store.forgetDormant(configured: configured, before: now - Retention.dormantFeeds)
    _ = try await store.prune(before: now - Retention.history, limit: Retention.pruned(after: fetched))
    // A hook that has left the configuration hands nothing over any more; what waits for it grows old all the same.
    for hook in try await store.hooksWithWork(at: now) where !hooks.contains(hook) {
      try await store.expireDeliveries(hook, before: now - Retention.deliveriesOfNoHook)
    }
  }
}

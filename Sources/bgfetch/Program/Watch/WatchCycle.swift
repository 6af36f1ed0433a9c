// The work of `run --watch`: looking for what is due, one cycle of fetching, and transfers beside it.

import Core
import Machine

extension Invocation {
  /// The work that is due now, and the moments of later work.
  ///
  /// The store is opened for each look, because it may be replaced between two looks.
  ///
  /// - Parameter countsDeliveries: whether due deliveries count; not while a cycle delivers them.
  func outlook(
    _ settings: Settings, _ options: RunOptions, countsDeliveries: Bool
  ) async throws -> WatchOutlook {
    let store = try await openStore(settings, for: .reading)
    let settings = try await withCatalog(settings, store)
    let coming = try await ComingFeeds(settings, store, options.noting(settings), self)
    let now = coming.context.now
    var outlook = WatchOutlook(next: coming.next?.at)
    try await coming.forEachPart { feeds, states, context in
      let found = watchOutlook(feeds, states, next: outlook.next, context)
      outlook.due.formUnion(found.due)
      outlook.next = found.next
      return true
    }
    if options.runsHooks {
      let hooks = Set(settings.hooks.map(\.name))
      let waiting = try await store.hooksWithWork(at: now)
      if countsDeliveries { outlook.due.formUnion(hooks.intersection(waiting).map(WatchDemand.deliveries)) }
      outlook.deliveries = try await store.nextDeliveryMoment(after: now, hooks: hooks)
    }
    if options.transfers { outlook.transfers = try await store.nextTransferMoment(at: now) }
    await store.close()
    return outlook
  }

  /// One run without transfers; waits for the run lock.
  ///
  /// - Parameter fetchPhaseEnded: called when the run lock is released, though hooks may still be running.
  /// - Throws: the errors of a run; `CancellationError` if the task was cancelled while it waited.
  func cycle(
    _ settings: Settings, _ options: RunOptions, fetchPhaseEnded: @escaping @Sendable () -> Void
  ) async throws -> RunReport {
    var options = options
    options.transfers = false
    try makeStateDirectory(settings)
    let lock = try await acquire(settings.runLock, waits: true)
    defer { lock.release() }
    return try await working(settings, for: .migrating) { [options] settings, store, effects in
      var endless: Interval?
      let shared = try await acquireSharedRunLock(of: store, settings, within: &endless)
      let planning = HeldLock {
        shared.release()
        lock.release()
      }
      let isShared = settings.isShared
      let announced = HeldLock {
        planning.release()
        fetchPhaseEnded()
      }
      return try await bgfetch.run(
        settings, options.noting(settings), effects, lock: announced, planning: isShared ? planning : nil)
    }
  }

  /// One transfer phase; waits for the transfer lock.
  ///
  /// - Throws: the errors of a transfer phase; `CancellationError` if the task was cancelled while it waited.
  func transferCycle(_ settings: Settings, _ options: RunOptions) async throws -> RunReport {
    let lock = try await acquire(settings.transferLock, waits: true)
    // The phase takes the lock itself; if another process takes it first, that process downloads.
    lock.release()
    return try await working(settings, for: .writing) { settings, _, effects in
      try await bgfetch.runTransfers(settings, options, effects)
    }
  }

  /// Runs `work` with a store and effects of its own, and reports its progress.
  private func working(
    _ settings: Settings, for mode: StoreMode,
    _ work: (Settings, any CommandStore, Effects) async throws -> RunReport
  ) async throws -> RunReport {
    let store = try await openStore(settings, for: mode)
    let settings = try await withCatalog(settings, store)
    let zone = try zone(settings)
    let outcome = await Result(of: {
      try await withEffects(settings, store, report: progressReporter(in: zone)) {
        try await work(settings, store, $0)
      }
    })
    await store.close()
    return try outcome.get()
  }
}

extension RunOptions {
  /// The same options, without a note for few feeds.
  fileprivate func noting(_ settings: Settings) -> RunOptions {
    var options = self
    if !settings.hasManyFeeds { options.dueNote = nil }
    return options
  }
}

extension Result where Success == RunReport, Failure == any Error {
  /// The outcome of an asynchronous function.
  init(of body: () async throws -> RunReport) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}

extension Settings {
  /// Whether another configuration differs only in keys that say when feeds are fetched.
  ///
  /// Then transfers continue. New keys count, unless they are left out here.
  func hasSameTransfers(as other: Settings) -> Bool {
    var (one, two) = (self, other)
    (one.feeds, two.feeds) = ([], [])
    two.sharedSections = sharedSections
    (one.profiles, two.profiles) = (profiles.ofTransfers, other.profiles.ofTransfers)
    return one == two && feeds.elementsEqual(other.feeds) { $0.ofTransfers == $1.ofTransfers }
  }
}

extension FeedProfiles {
  fileprivate var ofTransfers: FeedProfiles {
    var profiles = self
    profiles.standard = standard?.ofTransfers
    profiles.named = named.mapValues(\.ofTransfers)
    return profiles
  }
}

extension FeedSpec {
  fileprivate var ofTransfers: FeedSpec {
    // The transfer of such a feed is its fetch, and decides when the next one is due.
    if case .asset = kind { return self }
    var feed = self
    feed.minimumInterval = nil
    feed.schedule = []
    feed.hours = .always
    feed.adaptsToHabits = false
    return feed
  }
}

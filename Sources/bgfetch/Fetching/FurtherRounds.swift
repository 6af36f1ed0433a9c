// The rounds after the first: of pushes that arrive meanwhile, of feeds that become due, and of further parts of the due feeds
// where machines share the store.

import Core
import Store

extension FetchPhase {
  /// Waits for data that is late and may still come within the budget, and handles it; false if there is none.
  ///
  /// It waits for the next of all moments, and listens meanwhile. The next run makes the second tries that are left.
  mutating func takeLateData(_ transfers: PhaseClock) async throws -> Bool {
    var takesPushes = true
    var announced: Instant?
    while canContinue {
      let current = try await store.dataVersion()
      guard let late = try await nextLateData(takesPushes, transfers) else { return false }
      let wait = late.moment.since(machine.now())
      guard wait > .zero else {
        awaitedTransfers.formUnion(late.transfers)
        if try await acceptPushes() || !late.transfers.isEmpty { return true }
        // The run that has the lock takes the pushes.
        takesPushes = false
        continue
      }
      if late.moment != announced { effects.report(.waiting(wait, for: .lateData)) }
      announced = late.moment
      let end = machine.milliseconds() + wait.seconds * 1000
      repeat {
        await machine.sleep(min(end, machine.milliseconds() + Self.pollTime))
        if try await store.dataVersion() != current { break }
      } while canContinue && machine.milliseconds() < end
    }
    return false
  }

  /// The next moment for which a run stays.
  private struct LateData {
    var moment: Instant
    /// The transfers whose moment it is, if any.
    var transfers: Set<Int64> = []
  }

  /// The next late data that the budget leaves time for; nil if there is none.
  private func nextLateData(_ takesPushes: Bool, _ transfers: PhaseClock) async throws -> LateData? {
    let now = machine.now()
    func isInTime(_ moment: Instant, _ clock: PhaseClock) -> Bool {
      !clock.shouldStop(at: machine.milliseconds() + max(.zero, moment.since(now)).seconds * 1000)
    }
    var late = takesPushes ? try await pushMoments(at: now).map { LateData(moment: $0) } : []
    late.removeAll { !isInTime($0.moment, clock) }
    if options.waitsForDue, options.transfers {
      let files = try await lateFiles(at: now)
      late += files.filter { isInTime($0.moment, transfers) }
    }
    return late.min { $0.moment < $1.moment }
  }

  /// The moment, for each feed with pushes that no round has seen, from which they may cause a fetch: now, or the one of a second
  /// try that this run waits for.
  private func pushMoments(at now: Instant) async throws -> [Instant] {
    let latest = options.waitsForDue ? now + PushDemand.secondTryDelay : now
    let waiting = try await unseenPushes(at: latest).filter { $0.isReady(at: now) || awaits($0.feed) }
    let feeds = settings.feeds.named(waiting.map(\.feed))
    let demands = try await store.demands(of: waiting, for: feeds, at: now)
    return feeds.compactMap { feed in
      demands[feed.name].map { max(now, $0.allowedFrom(feed.push.limit, at: now)) }
    }.filter { $0 <= latest }
  }

  /// Whether the run waits for second tries of a feed.
  private func awaits(_ feed: FeedName) -> Bool { options.pushed.map { $0 == feed } ?? true }

  /// The files that a push announced too early, each until its second try.
  private func lateFiles(at now: Instant) async throws -> [LateData] {
    try await store.unsettled().compactMap { transfer in
      guard transfer.failures == 1, let moment = transfer.notBefore,
        moment <= now + PushDemand.secondTryDelay,
        awaits(transfer.feed), settings.feeds[transfer.feed]?.push.url != nil,
        !awaitedTransfers.contains(transfer.number)
      else { return nil }
      return LateData(moment: max(now, moment), transfers: [transfer.number])
    }
  }

  /// Fetches what pushes ask for that another process has stored since the last look; false if there is nothing.
  mutating func takeNewPushes() async throws -> Bool {
    let current = try await store.dataVersion()
    guard current != version else { return false }
    version = current
    return try await acceptPushes()
  }

  /// Fetches rounds until a round has seen every push; returns whether any round had something to do.
  @discardableResult
  mutating func acceptPushes() async throws -> Bool {
    var hasFetched = false
    // Those for hosts that other machines have claimed.
    var left: Set<PushTry> = []
    while canContinue {
      let unseen = Set(try await unseenPushes(at: machine.now()).map(PushTry.init))
      guard !unseen.isSubset(of: left) else { break }
      // If another run has the lock, it takes them.
      guard let lock = try await planningLock() else { break }
      defer { lock.release() }
      version = try await store.dataVersion()
      let planned = try await PlannedRound(settings, options.forPushes, effects, takesDue: false)
      hasFetched = hasFetched || !planned.isEmpty
      try await start(planned, options.forPushes)
      if settings.isFleet { lock.release() }
      try await fetchRounds(.push)
      lock.release()
      notifier.wake()
      if planned.isEmpty { left = unseen }
    }
    return hasFetched
  }

  /// Whether the budget, signals and the run's deadline allow a further round.
  var canContinue: Bool { notifier.canContinue && !clock.shouldStop(at: machine.milliseconds()) }

  /// The pushes that are ready at a moment and that no round has seen.
  private func unseenPushes(at moment: Instant) async throws -> [StoredPush] {
    try await store.waitingPushes().filter { $0.isReady(at: moment) && !seenPushes.contains(PushTry($0)) }
  }

  /// Fetches another part of the due feeds of machines that share the store; false if the run is to end.
  mutating func takeMore() async throws -> Bool {
    guard let lock = try await planningLock() else { return false }
    defer { lock.release() }
    let planned = try await PlannedRound(
      settings, options, effects, takesDue: takesDue, without: alreadyFetched)
    nextDue = planned.nextDue
    hasMore = planned.hasMore && !report.isOffline
    try await start(planned, options)
    lock.release()
    if !planned.isEmpty { try await fetchRounds(options.cause) }
    return true
  }

  /// The run lock; nil if another run has it, but where machines share the store only if this run is to end.
  private func planningLock() async throws -> HeldLock? {
    while true {
      if let lock = try await effects.tryLock(.run) { return lock }
      guard settings.isFleet, canContinue, !Task.isCancelled else { return nil }
      await machine.sleep(machine.milliseconds() + 50)
    }
  }

  /// Starts a round of what is new since the last check and needs no busy host; false if there is nothing.
  mutating func startBeside(at now: Int64) async throws -> Bool {
    guard now >= nextPoll, canContinue else { return false }
    nextPoll = now + Self.pollTime
    if settings.isFleet { try await releaseHosts() }
    let current = try await store.dataVersion()
    let isChanged = current != version || hostsOfLeftPushes.map { $0 != busyHosts } ?? false
    let now = machine.now()
    let isDue = options.isWatch && nextDue.map { $0 <= now } ?? false
    // Feeds of slow hosts may wait while connections are free for others.
    let canTakeMore =
      usedConnections < settings.network.connections
      && (isDue || hasMore && rounds.count < Self.mostRounds)
    if !canTakeMore {
      guard isChanged, try await !unseenPushes(at: now).isEmpty else {
        version = current
        if isChanged { hostsOfLeftPushes = nil }
        return false
      }
    }
    // Where machines share the store, the others hold the lock only while they plan.
    let lock = settings.isFleet ? try await effects.tryLock(.run) : HeldLock {}
    guard let lock else { return false }
    defer { lock.release() }
    // The moment before the round is planned, so that the next check finds what arrives in between.
    version = current
    let planned = try await PlannedRound(
      settings, options.forPushes, effects, busy: busyHosts, takesDue: takesDue, without: alreadyFetched)
    nextDue = planned.nextDue
    hasMore = takesDue && planned.hasMore && !report.isOffline
    try await start(planned, planned.isOfPushes ? options.forPushes : options)
    hostsOfLeftPushes = try await unseenPushes(at: now).isEmpty ? nil : busyHosts
    return !planned.isEmpty
  }

  private var busyHosts: Set<String> { Set(rounds.values.flatMap(\.unfinishedHosts)) }

  /// Whether rounds beside others take what is due, not only what pushes request.
  ///
  /// Only a run of `run --watch` fetches feeds that become due meanwhile; other runs leave them to the next run. Where machines share
  /// the work, no round has all of it.
  var takesDue: Bool { options.isForUsualRound && (options.isWatch || settings.isFleet) }

  /// Gives back the hosts whose feeds have ended, so that any machine may take them when they are due again.
  private mutating func releaseHosts() async throws {
    for run in rounds.keys {
      guard let hosts = rounds[run]?.removeFinishedHosts(), !hosts.isEmpty else { continue }
      try await store.release(hosts, of: run)
    }
  }
}

extension RunOptions {
  /// The options of a round that pushes caused.
  var forPushes: RunOptions {
    var options = self
    options.cause = .push
    options.named = []
    options.isForced = false
    return options
  }
}

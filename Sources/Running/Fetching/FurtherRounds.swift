// The rounds after the first: for pushes that arrive meanwhile, for feeds that become due, and for due feeds that a limited round
// has left; and the waiting for data that is late.

import Core
import Store

extension Rounds {
  /// Whether the budget, signals and the run's deadline allow a further round.
  var canContinue: Bool { notifier.canContinue && !budget.shouldStop(at: machine.milliseconds()) }

  /// Whether further rounds take what is due, not only what pushes request.
  ///
  /// A run of a timer leaves feeds that become due meanwhile to the next run.
  var takesDue: Bool { options.isForUsualRound && (options.isWatch || isLimited) }

  /// The hosts that the rounds use.
  private var busyHosts: Set<String> { Set(active.values.flatMap(\.unfinishedHosts)) }

  /// Starts a round of what is new, once a second beside other rounds; returns whether there may be more to start at once.
  mutating func startFurther(at moment: Int64) async throws -> Bool {
    let isIdle = active.isEmpty
    guard canContinue, isIdle ? leavesDue : moment >= nextPoll else { return false }
    nextPoll = moment + Self.pollTime
    try await releaseHosts()
    // From before the plan, so that the next look finds what arrives in between.
    let current = try await store.dataVersion()
    let haveDied = try await effects.coordination.haveDied()
    guard try await findsMore(hasChanged: current != version) || haveDied else {
      version = current
      return false
    }
    guard let claims = try await claims(waits: isIdle) else { return false }
    defer { claims.unlock() }
    version = current
    // For the deliveries of the dead.
    if haveDied { notifier.wake() }
    let plan = try await Plan(
      settings, options.forPushes, effects, after: claims, beside: busyHosts,
      taking: takesDue ? .due(except: taken) : .pushed)
    nextDue = plan.nextDue
    leavesDue = takesDue && plan.leavesDue && !report.isOffline
    try await begin(plan, plan.isOfPushes ? options.forPushes : options)
    hasLeftPushes = try await !unseenPushes(at: machine.now()).isEmpty
    return !plan.isEmpty || isIdle && leavesDue
  }

  /// Looks whether a further round would find anything.
  private mutating func findsMore(hasChanged: Bool) async throws -> Bool {
    let now = machine.now()
    let isDue = options.isWatch && nextDue.map { $0 <= now } ?? false
    // Feeds of slow hosts may wait while connections are free for others.
    if takesDue, usedConnections < settings.network.connections,
      isDue || leavesDue && active.count < Self.mostRounds
    {
      return true
    }
    guard hasChanged || hasLeftPushes else { return false }
    return try await findsFreePushes(at: now)
  }

  /// Gives back the hosts whose feeds have ended, so that neighbours may take them when they are due again.
  private mutating func releaseHosts() async throws {
    for number in active.keys.sorted() {
      guard let hosts = active[number]?.removeFinishedHosts(), !hosts.isEmpty else { continue }
      try await effects.coordination.release(hosts, number)
    }
  }

  /// Takes the planning lock, and reads the claims; nil if another run has the lock, or this run is to end.
  private func claims(waits: Bool) async throws -> Claims? {
    while canContinue {
      if let lock = try await effects.coordination.planLock() {
        return try await effects.coordination.claims(holding: lock)
      }
      guard waits else { return nil }
      await machine.sleep(machine.milliseconds() + 50)
    }
    return nil
  }
}

// MARK: Pushes

extension Rounds {
  /// Fetches rounds until a round has seen every push for a free host; returns whether any round had something to do.
  @discardableResult
  mutating func fetchPushed() async throws -> Bool {
    var hasFetched = false
    while canContinue, try await findsFreePushes(at: machine.now()) {
      // If another run has the lock, it takes them.
      guard let lock = try await effects.coordination.fetchLock() else { break }
      defer { lock.release() }
      guard let claims = try await claims(waits: true) else { break }
      defer { claims.unlock() }
      version = try await store.dataVersion()
      let plan = try await Plan(settings, options.forPushes, effects, after: claims, taking: .pushed)
      hasFetched = hasFetched || !plan.isEmpty
      try await begin(plan, options.forPushes)
      claims.unlock()
      try await fetchRounds()
      lock.release()
      notifier.wake()
    }
    return hasFetched
  }

  /// Looks for pushes that no round has seen, for feeds whose hosts are free; remembers whether any are left.
  private mutating func findsFreePushes(at now: Instant) async throws -> Bool {
    let unseen = try await unseenPushes(at: now)
    hasLeftPushes = !unseen.isEmpty
    guard hasLeftPushes else { return false }
    let busy = busyHosts.union(try await effects.coordination.claimedHosts() ?? [])
    return try await PushedFeeds(unseen, settings, store, busy: busy).waiting.contains {
      isUnseen($0, at: now)
    }
  }

  /// The pushes that are ready at a moment and that no round has seen.
  private func unseenPushes(at moment: Instant) async throws -> [StoredPush] {
    try await store.waitingPushes().filter { isUnseen($0, at: moment) }
  }

  private func isUnseen(_ push: StoredPush, at moment: Instant) -> Bool {
    push.isReady(at: moment) && seenPushes[push.number] != push.tries
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

// MARK: Late data

extension Rounds {
  /// Waits for data that is late and may still come within the budget, and handles it; false if there is none.
  ///
  /// It waits for the next of all moments, and listens meanwhile. The next run makes the second tries that are left.
  mutating func takeLateData(_ transferBudget: Budget) async throws -> Bool {
    var takesPushes = true
    var announced: Instant?
    while canContinue {
      let current = try await store.dataVersion()
      guard let late = try await nextLateData(takesPushes, transferBudget) else { return false }
      let wait = late.moment.since(machine.now())
      guard wait > .zero else {
        awaitedTransfers.formUnion(late.transfers)
        if try await fetchPushed() || !late.transfers.isEmpty { return true }
        // The run that has the lock takes the pushes.
        takesPushes = false
        continue
      }
      if late.moment != announced { effects.report(.notice(.waitingForLateData(wait))) }
      announced = late.moment
      let end = machine.moment(after: wait)
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
  private func nextLateData(_ takesPushes: Bool, _ transferBudget: Budget) async throws -> LateData? {
    let now = machine.now()
    func isInTime(_ moment: Instant, _ budget: Budget) -> Bool {
      !budget.shouldStop(at: machine.milliseconds() + max(.zero, moment.since(now)).seconds * 1000)
    }
    var late = takesPushes ? try await pushMoments(at: now).map { LateData(moment: $0) } : []
    late.removeAll { !isInTime($0.moment, budget) }
    if options.waitsForDue, options.runsTransfers {
      let files = try await lateFiles(at: now)
      late += files.filter { isInTime($0.moment, transferBudget) }
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
}

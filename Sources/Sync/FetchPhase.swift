// The fetch phase: starts feeds as window, hosts and budget allow, and gathers what came of them.

import Core

/// The fetch phase of one run.
struct FetchPhase: Sendable {
  /// How one feed is fetched.
  let feedRun: FeedRun
  /// How the person is told.
  let telling: Telling
  /// What the run is asked to do.
  let options: RunOptions
  /// What rounds beside this one have to know of it.
  let underWay: RoundsUnderWay
  /// When the phase began, in the machine's milliseconds.
  let started: Int64

  /// What the phase waits for.
  private enum Happening: Sendable {
    case ended(FeedName, FeedRun.Ending)
    /// The machine's milliseconds have reached this number.
    case tick(Int64)
  }

  private typealias Group = ThrowingTaskGroup<Happening, any Error>

  private var machine: MachineEffects { feedRun.effects.machine }

  /// Fetches what is due, until nothing is left or the budget ends.
  ///
  /// - Parameters:
  ///   - due: what is due.
  ///   - states: what is remembered of every feed.
  ///   - hosts: what earlier runs remember of every host.
  ///   - progress: what the phase has come to.
  ///   - poke: called when there may be something to tell.
  /// - Throws: what the store and the badge file throw.
  func run(
    _ due: [PlannedFeed], states: [FeedName: FeedState], hosts: [String: HostState],
    progress: inout PhaseProgress, poke: @escaping @Sendable () -> Void
  ) async throws {
    var work = FetchWork(due, states: states, queues: queues(hosts))
    for (host, moment) in feedRun.hosts.requests { work.noteRequest(to: host, at: moment) }
    // What waits from earlier runs does not wait for the first feed of this one.
    poke()
    try await withThrowingTaskGroup(of: Happening.self) { group in
      var ticks: Set<Int64> = []
      while true {
        let now = machine.milliseconds()
        for hop in feedRun.hosts.takeHops() { work.noteRequest(to: hop.host, at: hop.moment) }
        if progress.shouldStop(at: now) || Task.isCancelled {
          try await stop(&work, &progress, at: now, poke)
        }
        try await begin(work.take(at: now), in: &group)
        if work.isFinished { break }
        let isEnding = Task.isCancelled || progress.isOver(at: now)
        if isEnding { group.cancelAll() }
        if progress.shouldUpdateBadge(at: now) {
          _ = try await telling.updateBadge(run: feedRun.run, cause: options.cause)
        }
        if progress.shouldPoke(at: now) { poke() }
        // At the end the feeds under way are all there is to wait for; a cancelled sleep would return at once.
        if !isEnding, let wake = progress.nextWake(after: now, queue: work.nextStart),
          ticks.allSatisfy({ wake < $0 })
        {
          ticks.insert(wake)
          group.addTask { [machine] in
            await machine.sleep(wake)
            return .tick(wake)
          }
        }
        switch try await group.next() {
        case .ended(let name, let ending): try await take(ending, of: name, &work, &progress, in: &group)
        case .tick(let moment): ticks.remove(moment)
        case nil: break
        }
      }
      group.cancelAll()
    }
    try await settleUnreached(&progress)
    try await announceAdded(progress.takeAdded())
    poke()
  }

  /// Queues that are empty as yet, closed from the budget's warning on.
  private func queues(_ hosts: [String: HostState]) -> FetchQueues {
    FetchQueues(
      network: feedRun.settings.network, hosts: hosts, runStart: feedRun.origin.time, start: started,
      deadline: PhaseClock(options, started: started).warning)
  }

  /// Leaves all that waits for a later run, which is told once.
  private func stop(
    _ work: inout FetchWork, _ progress: inout PhaseProgress, at now: Int64, _ poke: () -> Void
  ) async throws {
    let left = work.leaveAll()
    progress.leave(left)
    guard let event = progress.expire(at: now, left: left + work.underWay) else { return }
    feedRun.effects.report(event)
    try await telling.record(
      .runExpired, runFields(progress.report), origin: feedRun.origin, run: feedRun.run)
    poke()
  }

  /// Begins fetches, once it is committed that they begin; those that share an answer ask no host.
  private func begin(
    _ turns: [FetchWork.Turn], sharing answer: FetchTrace? = nil, in group: inout Group
  ) async throws {
    guard !turns.isEmpty else { return }
    let (now, moment) = (machine.now(), machine.milliseconds())
    // The time of the last request matters for hosts that other people use too.
    var asked: [String: HostState] = [:]
    for (feed, state) in turns where answer == nil {
      guard let address = feed.addressToAsk(state), address.isPublicHost else { continue }
      asked[address.host] = feedRun.hosts.begin(address.host, at: moment, now: now)
    }
    try await feedRun.effects.store.attempt(turns.map(\.feed.name), feedRun.run, now, asked)
    for (feed, state) in turns {
      group.addTask { .ended(feed.name, try await feedRun.fetch(feed, state, sharing: answer)) }
    }
  }

  /// Takes in how a feed ended, and begins those that share its answer.
  private func take(
    _ ending: FeedRun.Ending, of name: FeedName, _ work: inout FetchWork, _ progress: inout PhaseProgress,
    in group: inout Group
  ) async throws {
    work.end(name, at: machine.milliseconds())
    if let host = work.host(of: name) {
      underWay.end(host, of: feedRun.run, nextDue: ending.report?.nextDue)
    }
    // Redirects ask others than the host that the feed waited for, and what the time between two requests counts from is
    // when the first was sent, not when its feed had its turn.
    for (host, moment) in ending.trace?.sent ?? [:] { work.noteRequest(to: host, at: moment) }
    switch ending {
    case .suspended: progress.leave(1)
    case .queued: progress.report.queued += 1
    case .unreached(let failure, let trace): progress.unreached.append((failure, trace))
    case .committed(let report, let trace):
      progress.take(report, trace, at: machine.milliseconds())
      // A private host's feeds may lie behind different servers; the limit is the feed's alone.
      if trace.response?.status == 429, let address = trace.address, address.isPublicHost {
        progress.leave(work.leave(host: address.host))
      }
    }
    // One host that was reached shows that what could not be reached was not the network's fault.
    if progress.hasReachedAnything { try await settleUnreached(&progress) }
    let sharing = work.release(
      after: name, ending.trace, machine: machine.identity, at: feedRun.origin.time)
    try await begin(sharing, sharing: ending.trace, in: &group)
  }
}

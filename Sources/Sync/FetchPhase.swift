// The fetch phase: starts feeds as window, hosts and budget allow, and gathers what came of them.

import Model
import Planning
import Timing

/// The fetch phase of one run.
struct FetchPhase: Sendable {
  /// How one feed is fetched.
  let feedRun: FeedRun
  /// How the person is told.
  let telling: Telling
  /// What the run is asked to do.
  let options: RunOptions
  /// When the phase began, in the machine's milliseconds.
  let started: Int64

  private enum Happening: Sendable {
    case ended(FeedName, FeedRun.Ending)
    /// The machine's milliseconds have reached this number.
    case tick(Int64)
  }

  /// Fetches what is due, until nothing is left or the budget ends.
  ///
  /// - Parameters:
  ///   - plan: what is due.
  ///   - states: what is remembered of every feed.
  ///   - hosts: what is remembered of every host.
  ///   - poke: called when there may be something to tell.
  /// - Returns: what the phase came to.
  /// - Throws: what the store and the badge file throw.
  func run(
    _ plan: DuePlan, states: [FeedName: FeedState], hosts: [String: HostState],
    poke: @escaping @Sendable () -> Void
  ) async throws -> RunReport {
    let machine = feedRun.effects.machine
    let due = Dictionary(uniqueKeysWithValues: plan.due.map { ($0.feed.name, $0.feed) })
    var progress = PhaseProgress(due: plan.due.count, clock: PhaseClock(options, started: started))
    var queue = queues(plan, hosts: hosts)
    var hosts = hosts
    // What waits from earlier runs does not wait for the first feed of this one.
    poke()
    try await withThrowingTaskGroup(of: Happening.self) { group in
      var ticks: Set<Int64> = []
      var underWay = 0
      while true {
        let now = machine.milliseconds()
        if progress.shouldStop(at: now) || Task.isCancelled {
          let left = queue.cancelAll()
          progress.leave(left.count)
          if let event = progress.expire(at: now, left: left.count + underWay) {
            feedRun.effects.report(event)
            try await telling.record(
              .runExpired, runFields(progress.report), origin: feedRun.origin, run: feedRun.run)
            poke()
          }
        }
        let starting = queue.take(at: now)
        if !starting.isEmpty {
          try await recordAttempts(starting, due: due, hosts: &hosts)
          for name in starting {
            guard let feed = due[name] else { continue }
            let state = states[name] ?? FeedState()
            let known = hosts
            underWay += 1
            group.addTask { .ended(name, try await feedRun.fetch(feed, state, hosts: known)) }
          }
        }
        if queue.isFinished { break }
        let isEnding = Task.isCancelled || progress.isOver(at: now)
        if isEnding { group.cancelAll() }
        if progress.shouldUpdateBadge(at: now) {
          _ = try await telling.updateBadge(run: feedRun.run, cause: options.cause)
        }
        if progress.shouldPoke(at: now) { poke() }
        // At the end the feeds under way are all there is to wait for; a cancelled sleep would return at once.
        if !isEnding, let wake = progress.nextWake(after: now, queue: queue.nextStart),
          ticks.allSatisfy({ wake < $0 })
        {
          ticks.insert(wake)
          group.addTask {
            await machine.sleep(wake)
            return .tick(wake)
          }
        }
        switch try await group.next() {
        case .ended(let name, let ending):
          let now = machine.milliseconds()
          queue.finished(name, at: now)
          underWay -= 1
          take(ending, in: &progress, queue: &queue, hosts: &hosts, at: now)
        case .tick(let moment): ticks.remove(moment)
        case nil: break
        }
      }
      group.cancelAll()
    }
    try await settleUnreached(&progress)
    try await announceAdded(progress.added)
    poke()
    return progress.report
  }

  private func queues(_ plan: DuePlan, hosts: [String: HostState]) -> FetchQueues {
    var queues = FetchQueues(
      network: feedRun.settings.network, hosts: hosts, runStart: feedRun.origin.time, start: started,
      deadline: PhaseClock(options, started: started).warning)
    for planned in plan.due { queues.add(planned) }
    return queues
  }

  private func recordAttempts(
    _ names: [FeedName], due: [FeedName: FeedSpec], hosts: inout [String: HostState]
  ) async throws {
    let now = feedRun.effects.machine.now()
    // The time of the last request matters for hosts that other people use too.
    var asked: [String: HostState] = [:]
    for host in names.compactMap({ due[$0]?.publicHost }) {
      hosts[host, default: HostState()].lastRequest = now
      asked[host] = hosts[host]
    }
    try await feedRun.effects.store.attempt(names, feedRun.run, now, asked)
  }

  private func take(
    _ ending: FeedRun.Ending, in progress: inout PhaseProgress, queue: inout FetchQueues,
    hosts: inout [String: HostState], at now: Int64
  ) {
    switch ending {
    case .suspended: progress.leave(1)
    case .unreached(let failure, let trace): progress.unreached.append((failure, trace))
    case .committed(let report, let trace, let host):
      progress.take(report, trace, at: now)
      guard let name = trace.address?.host else { return }
      hosts[name] = host
      // A redirect has asked another host than the one the feed waited for.
      if name != trace.feed.host { queue.noteRequest(to: name, at: now) }
      // A private host's feeds may lie behind different servers; the limit is the feed's alone.
      if trace.response?.status == 429, trace.address?.isPublicHost == true {
        progress.leave(queue.cancel(host: name).count)
      }
    }
  }

  /// Commits what could not be reached: as the feeds' failures, or, where nothing could be reached, as
  /// offline.
  private func settleUnreached(_ progress: inout PhaseProgress) async throws {
    guard !progress.unreached.isEmpty else { return }
    let attempts = progress.unreached.map { failure, trace in
      HostAttempt(host: trace.address?.host ?? "", failure: failure)
    }
    let isOffline =
      !progress.hasReachedAnything && !attempts.contains { isLoopback($0.host) }
      && networkVerdict(attempts, hasRoute: feedRun.effects.machine.hasUsableRoute()) == .offline
    for (failure, trace) in progress.unreached {
      if case .committed(let report, _, _) = try await feedRun.commit(isOffline ? .offline : failure, trace) {
        progress.take(report, trace, at: feedRun.effects.machine.milliseconds())
      }
    }
    if isOffline {
      progress.report.isOffline = true
      feedRun.effects.report(.offline(feeds: progress.unreached.count))
    }
  }

  /// One message a run says how many feeds were fetched for the first time, to each hook of those it hears of.
  private func announceAdded(_ added: [FeedSpec]) async throws {
    let announced = added.filter { $0.notify != nil }
    guard !announced.isEmpty else { return }
    let states = try await feedRun.effects.store.states()
    for hook in feedRun.settings.hooks {
      let heard = announced.filter { feed in
        hook.hears(of: feed.name) && feed.notify?.hooks?.contains(hook.name) ?? true
      }
      guard !heard.isEmpty else { continue }
      let labels = heard.map { FeedLabel($0, states[$0.name] ?? FeedState()) }
      try await telling.record(
        addedFeedsEvent(labels, origin: feedRun.origin, hook: hook.name), to: [hook], run: feedRun.run)
    }
  }
}

/// Whether a host is this machine, which is there without any network.
private func isLoopback(_ host: String) -> Bool {
  host == "localhost" || host.hasPrefix("127.") || host == "::1"
}

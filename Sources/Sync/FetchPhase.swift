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
    let machine = feedRun.effects.machine
    let feeds = Dictionary(uniqueKeysWithValues: due.map { ($0.feed.name, $0.feed) })
    var shared = SharedRequests(due, states)
    var queue = queues(due.filter { !shared.isWaiting($0.feed.name) }, states: states, hosts: hosts)
    // What waits from earlier runs does not wait for the first feed of this one.
    poke()
    try await withThrowingTaskGroup(of: Happening.self) { group in
      var ticks: Set<Int64> = []
      var underWay = 0
      while true {
        let now = machine.milliseconds()
        for hop in feedRun.hosts.takeHops() { queue.noteRequest(to: hop.host, at: hop.moment) }
        if progress.shouldStop(at: now) || Task.isCancelled {
          let left = leave(queue.cancelAll(), &shared, &progress)
          if let event = progress.expire(at: now, left: left + underWay) {
            feedRun.effects.report(event)
            try await telling.record(
              .runExpired, runFields(progress.report), origin: feedRun.origin, run: feedRun.run)
            poke()
          }
        }
        let starting = queue.take(at: now)
        if !starting.isEmpty {
          try await recordAttempts(starting, feeds, states)
          for name in starting {
            guard let feed = feeds[name] else { continue }
            let state = states[name] ?? FeedState()
            underWay += 1
            group.addTask { .ended(name, try await feedRun.fetch(feed, state)) }
          }
        }
        if queue.isFinished, underWay == 0 { break }
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
          queue.finished(name, at: machine.milliseconds())
          underWay -= 1
          take(ending, in: &progress, queue: &queue, &shared)
          // One host that was reached shows that what could not be reached was not the network's fault.
          if progress.hasReachedAnything { try await settleUnreached(&progress) }
          let (sharing, asking) = followers(of: name, ending.trace, &shared, states)
          for planned in asking { queue.add(queued(planned, states), isFile: false) }
          guard let answer = ending.trace, !sharing.isEmpty else { break }
          try await feedRun.effects.store.attempt(
            sharing.map(\.feed.name), feedRun.run, machine.now(), [:])
          for planned in sharing {
            let state = states[planned.feed.name] ?? FeedState()
            underWay += 1
            group.addTask {
              .ended(planned.feed.name, try await feedRun.fetch(planned.feed, state, sharing: answer))
            }
          }
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

  private func queues(
    _ due: [PlannedFeed], states: [FeedName: FeedState], hosts: [String: HostState]
  ) -> FetchQueues {
    var queues = FetchQueues(
      network: feedRun.settings.network, hosts: hosts, runStart: feedRun.origin.time, start: started,
      deadline: PhaseClock(options, started: started).warning)
    for planned in due { queues.add(queued(planned, states), isFile: planned.feed.file != nil) }
    for (host, moment) in feedRun.hosts.requests { queues.noteRequest(to: host, at: moment) }
    return queues
  }

  private func queued(_ planned: PlannedFeed, _ states: [FeedName: FeedState]) -> QueuedFeed {
    let feed = planned.feed
    let address = feed.addressToAsk(states[feed.name] ?? FeedState())
    // A file goes by itself, and so does an address that is a secret: its host is not known.
    return QueuedFeed(
      name: feed.name, host: address?.host ?? "feed:" + feed.name.text,
      isPublicHost: address?.isPublicHost ?? false, waitUntil: planned.decision.waitUntil,
      comesLast: planned.comesLast, connections: feed.network.connectionsPerHost,
      delay: feed.network.delayPerHost)
  }

  private func recordAttempts(
    _ names: [FeedName], _ feeds: [FeedName: FeedSpec], _ states: [FeedName: FeedState]
  ) async throws {
    let machine = feedRun.effects.machine
    let (now, moment) = (machine.now(), machine.milliseconds())
    // The time of the last request matters for hosts that other people use too.
    var asked: [String: HostState] = [:]
    for name in names {
      guard let address = feeds[name]?.addressToAsk(states[name] ?? FeedState()), address.isPublicHost else {
        continue
      }
      asked[address.host] = feedRun.hosts.begin(address.host, at: moment, now: now)
    }
    try await feedRun.effects.store.attempt(names, feedRun.run, now, asked)
  }

  private func take(
    _ ending: FeedRun.Ending, in progress: inout PhaseProgress, queue: inout FetchQueues,
    _ shared: inout SharedRequests
  ) {
    switch ending {
    case .suspended: progress.leave(1)
    case .unreached(let failure, let trace):
      note(trace, in: &queue)
      progress.unreached.append((failure, trace))
    case .committed(let report, let trace):
      note(trace, in: &queue)
      progress.take(report, trace, at: feedRun.effects.machine.milliseconds())
      // A private host's feeds may lie behind different servers; the limit is the feed's alone.
      if trace.response?.status == 429, let address = trace.address, address.isPublicHost {
        leave(queue.cancel(host: address.host), &shared, &progress)
      }
    }
  }

  /// Notes which hosts were asked: redirects ask others than the one the feed waited for, and what the time between two
  /// requests counts from is when the first was sent, not when its feed had its turn.
  private func note(_ trace: FetchTrace, in queue: inout FetchQueues) {
    for (host, moment) in trace.sent { queue.noteRequest(to: host, at: moment) }
  }

  /// Leaves feeds that wait, and those that wait for their answers, for a later run; says how many.
  @discardableResult
  private func leave(
    _ names: [FeedName], _ shared: inout SharedRequests, _ progress: inout PhaseProgress
  ) -> Int {
    let left = names.reduce(names.count) { count, name in count + shared.release(after: name).count }
    progress.leave(left)
    return left
  }

  /// The feeds that waited for a feed's answer: those that share it, and those that must ask for themselves.
  private func followers(
    of name: FeedName, _ answer: FetchTrace?, _ shared: inout SharedRequests, _ states: [FeedName: FeedState]
  ) -> (sharing: [PlannedFeed], asking: [PlannedFeed]) {
    let machine = feedRun.effects.machine
    var sharing: [PlannedFeed] = []
    var asking: [PlannedFeed] = []
    for planned in shared.release(after: name) {
      let state = states[planned.feed.name] ?? FeedState()
      let mayShare =
        answer?.mayBeShared(
          with: planned.feed, state, machine: machine.identity, at: feedRun.origin.time) ?? false
      if mayShare { sharing.append(planned) } else { asking.append(planned) }
    }
    return (sharing, asking)
  }

  /// One message a run says how many feeds were fetched for the first time, to each hook of those it hears of; those
  /// whose hours hold messages back have one of their own.
  private func announceAdded(_ added: [FeedSpec]) async throws {
    let announced = added.filter { $0.notify != nil }
    guard !announced.isEmpty else { return }
    let states = try await feedRun.effects.store.statesOf(announced.map(\.name))
    let machine = feedRun.effects.machine
    let now = machine.now()
    let byOpening = Dictionary(grouping: announced) { heldUntil($0.notify, at: now, in: machine.zone) }
    for hook in feedRun.settings.hooks {
      for (opening, feeds) in byOpening {
        let heard = feeds.filter { feed in
          hook.hears(of: feed) && feed.notify?.hooks?.contains(hook.name) ?? true
        }
        guard !heard.isEmpty else { continue }
        let event = addedFeedsEvent(
          heard.map { FeedLabel($0, states[$0.name] ?? FeedState()) }, origin: feedRun.origin,
          hook: hook.name,
          mark: opening.map { ".\($0.secondsSince1970)" } ?? "")
        try await telling.record(event, to: [hook], heldUntil: opening, run: feedRun.run)
      }
    }
  }
}

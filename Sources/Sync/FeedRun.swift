// One feed, straight through: requests, answer, document, classification, commit.

import Core
import FeedReading

/// How the feeds of one run are fetched.
struct FeedRun: Sendable {
  /// The configuration.
  let settings: Settings
  /// The world.
  let effects: Effects
  /// The run's number in the store.
  let run: Int64
  /// What its events have in common; its time is the start of the run.
  let origin: EventOrigin
  /// Whether hooks are told.
  let tellsHooks: Bool
  /// What is known of hosts.
  let hosts: HostLedger
  /// The pushes that ride along.
  let pushes: RoundPushes
  /// When the person looks, of the feeds that adapt to it.
  let habits: [FeedName: Habit]
  /// When the budget ends, in the machine's milliseconds; nil is never.
  let budgetEnd: Int64?

  /// What came of one feed.
  enum Ending: Sendable {
    /// It is committed.
    case committed(FeedReport, FetchTrace)
    /// The network could not be reached; whether that is the feed's fault is known when more feeds are tried.
    case unreached(FetchFailure, FetchTrace)
    /// Its transfer is queued, which is its fetch.
    case queued
    /// The run ended first; nothing counts.
    case suspended

    /// What was committed; nil where nothing was.
    var report: FeedReport? {
      if case .committed(let report, _) = self { report } else { nil }
    }

    /// What is known of the fetch; nil where the run ended first.
    var trace: FetchTrace? {
      switch self {
      case .committed(_, let trace), .unreached(_, let trace): trace
      case .queued, .suspended: nil
      }
    }
  }

  /// Fetches one feed and commits what came of it.
  ///
  /// - Parameters:
  ///   - feed: the feed.
  ///   - state: what is remembered of it.
  ///   - shared: what came of another feed's requests, where it `mayBeShared`; nil asks.
  /// - Returns: what came of it.
  /// - Throws: what the store throws.
  func fetch(_ feed: FeedSpec, _ state: FeedState, sharing shared: FetchTrace? = nil) async throws -> Ending {
    if feed.kind == .asset { return try await queue(feed) }
    var trace = FetchTrace(feed: feed, state: state, started: effects.machine.now())
    trace.end = effects.machine.milliseconds() + feed.network.timeout.seconds * 1000
    let exchange: Exchange
    if let answer = shared?.exchange {
      shared?.lend(to: &trace)
      exchange = answer
    } else if let file = feed.file {
      exchange = await reading(of: file, &trace)
    } else {
      exchange = await self.exchange(feed, &trace)
    }
    trace.exchange = exchange
    if Task.isCancelled || exchange.isSuspended {
      try await suspend(trace)
      return .suspended
    }
    switch exchange {
    case .failed(let failure): return try await settle(failure, trace)
    case .notModified(let response): return try await commitNotModified(response, trace)
    case .document(let response): return try await commit(document: response, trace)
    }
  }

  /// Queues the transfer that is a feed's fetch, or lets the one that is there go on.
  private func queue(_ feed: FeedSpec) async throws -> Ending {
    _ = try await effects.store.queueBody(feed.name, feed.title ?? feed.name.text, run, origin.time)
    return .queued
  }

  /// Commits a failure, unless it may be the network's.
  private func settle(_ failure: FetchFailure, _ trace: FetchTrace) async throws -> Ending {
    let mayBeNetwork = trace.attempt(failed: failure)?.mayBeNetwork ?? false
    return mayBeNetwork ? .unreached(failure, trace) : try await commit(failure, trace)
  }

  /// Commits a failure.
  func commit(_ failure: FetchFailure, _ trace: FetchTrace) async throws -> Ending {
    let reason = words(for: failure, trace)
    let change = change(trace) { stateAfterFailure(trace.state, $0, failure: failure, reason: reason) }
    return try await commit(
      FetchOutcome(
        result: .failed, reason: reason, failures: change.state.failures, health: change.health), change,
      trace)
  }

  private func commitNotModified(_ response: Response, _ trace: FetchTrace) async throws -> Ending {
    var outcome = FetchOutcome(result: .noData, reason: notModifiedReason)
    if hasHeldEdits(trace.state, trace.feed, at: origin.time) {
      let found = classifyUnchanged(
        known: try await effects.store.knownItems(trace.feed.name), feed: trace.feed, state: trace.state,
        at: origin.time)
      outcome.classification = found
      if found.count > 0 { (outcome.result, outcome.reason) = (.newData, reason(of: found)) }
    }
    var change = change(trace) { [outcome] in
      stateAfterSuccess(trace.state, $0, result: outcome.result, reason: outcome.reason, hints: nil)
    }
    change.state.validators = trace.state.validators.refreshed(by: response)
    if outcome.result == .newData { change.state.heldEditDue = outcome.classification.heldEditDue }
    return try await commit(outcome.with(change.health), change, trace)
  }

  private func commit(document response: Response, _ trace: FetchTrace) async throws -> Ending {
    let document: ParsedFeed
    // Relative links are not begun at a secret address: they would carry it to the store and to hooks.
    let address = trace.feed.hasSecretAddress ? nil : trace.address?.text
    switch await reading(
      response.body.count, trace,
      { [kind = trace.feed.kind] shouldStop in
        readDocument(response, as: kind, address: address, shouldStop)
      })
    {
    case nil: return try await stop(trace)
    case .failure(let problem):
      return try await settle(Core.failure(of: response, notAFeed: problem), trace)
    case .success(let whole): document = whole.hiding(trace.hidden)
    }
    guard document.isComplete else { return try await commit(.truncated, trace) }
    let known = try await effects.store.knownItems(trace.feed.name)
    guard
      let found = await reading(
        response.body.count, trace,
        { [now = origin.time] shouldStop in
          classify(
            document, known: known, feed: trace.feed, state: trace.state, at: now, shouldStop: shouldStop)
        })
    else { return try await stop(trace) }
    let outcome = FetchOutcome(
      result: found.count > 0 ? .newData : .noData, reason: reason(of: found), classification: found)
    var change = change(trace) {
      stateAfterSuccess(
        trace.state, $0, result: outcome.result, reason: outcome.reason, hints: document.hints)
    }
    change.state.title = document.title.map { cleanText($0, limit: 256) }
    change.state.link = document.link
    change.state.identity = found.identity
    change.state.heldEditDue = found.heldEditDue
    change.state.validators = Validators(from: response, at: trace.validatorKey, now: origin.time)
    change.state.notesAssets = trace.feed.download != nil
    guard let assets = try await assets(of: document, found, trace, bytes: response.body.count) else {
      return try await stop(trace)
    }
    // A publisher that knows its reader by a secret address may repeat it here.
    let hubs =
      trace.feed.hasSecretAddress ? HubLinks() : hubLinks(of: response, from: trace.address?.text, document)
    return try await commit(outcome.with(change.health), change, trace, assets: assets, hubLinks: hubs)
  }

  /// The assets of a document that are not known, and those of them that are wanted; nil if the search was stopped.
  private func assets(
    of document: ParsedFeed, _ found: Classification, _ trace: FetchTrace, bytes: Int
  ) async throws -> AssetFindings? {
    guard trace.feed.download != nil else { return AssetFindings() }
    let known = try await effects.store.knownAssets(trace.feed.name)
    var findings = await reading(bytes, trace) { [now = origin.time] shouldStop in
      findAssets(
        in: document, found, feed: trace.feed, state: trace.state, known: known, at: now,
        shouldStop: shouldStop)
    }
    findings?.hide(trace.hidden)
    return findings
  }

  /// Ends a fetch whose document could not be read in time: by the run's end, or by the feed's own time limit.
  private func stop(_ trace: FetchTrace) async throws -> Ending {
    let isOver = budgetEnd.map { effects.machine.milliseconds() >= $0 } ?? false
    guard Task.isCancelled || isOver else {
      return try await commit(.timeout(trace.feed.network.timeout), trace)
    }
    try await suspend(trace)
    return .suspended
  }

  /// Decides what a fetch changes, by what is known of its host at this moment.
  private func change(_ trace: FetchTrace, _ decide: (FetchAttempt) -> StateChange) -> StateChange {
    hosts.change(trace.address?.host) { host in
      var attempt = FetchAttempt(
        feed: trace.feed, runStart: origin.time, ended: effects.machine.now(), address: trace.address,
        response: trace.response, hostState: host, machine: effects.machine.identity,
        freshnessLimit: trace.feed.network.freshnessLimit)
      attempt.route = trace.route
      attempt.isShared = trace.isShared
      return decide(attempt)
    }
  }

  private func commit(
    _ outcome: FetchOutcome, _ change: StateChange, _ trace: FetchTrace,
    assets: AssetFindings = AssetFindings(), hubLinks: HubLinks? = nil
  ) async throws -> Ending {
    let feed = trace.feed
    var fetch = FinishedFetch(
      feed, outcome, state: change.state, started: trace.started, ended: effects.machine.now(), origin: origin)
    fetch.apply(change, host: trace.address?.host)
    fetch.requests = trace.requests
    fetch.shownItems = outcome.classification.recognised
    fetch.assets = assets
    fetch.hubLinks = hubLinks
    let isCaused = pushes.caused.contains(feed.name)
    if isCaused { fetch.origin.cause = .push }
    fetch.pushes = pushVerdict(
      pushes.ready(feed.name, at: origin.time), outcome.result, isCounted: change.isCounted,
      isCaused: isCaused, at: fetch.ended)
    let report = try await commit(fetch)
    if let move = change.move { effects.report(.moved(feed.name, move)) }
    return .committed(report, trace)
  }

  /// Commits a finished fetch, and reports it.
  func commit(_ fetch: FinishedFetch) async throws -> FeedReport {
    let nextDue = nextDue(fetch.feed, after: fetch.state)
    let commit = fetch.commit(hooks: tellsHooks ? settings.hooks : [], zone: effects.machine.zone) {
      // It was read before it was stored.
      try? readPush(Array($0.payload.utf8))
    }
    try await effects.store.commit(commit, run, nextDue)
    let report = FeedReport(fetch, nextDue: nextDue)
    effects.report(.fetched(report))
    return report
  }
}

/// Reads a document as the kind of its feed says.
private func readDocument(
  _ response: Response, as kind: FeedKind, address: String?, _ shouldStop: @escaping ShouldStop
) -> Result<ParsedFeed, FeedReadingFailure> {
  do throws(FeedReadingFailure) {
    return .success(
      try readFeed(
        response.body, as: kind, contentType: response["Content-Type"], address: address,
        shouldStop: shouldStop))
  } catch {
    return .failure(error)
  }
}

extension FetchOutcome {
  fileprivate func with(_ health: HealthChange?) -> FetchOutcome {
    var copy = self
    copy.health = health
    return copy
  }
}

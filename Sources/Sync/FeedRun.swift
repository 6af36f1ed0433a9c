// One feed, straight through: requests, answer, document, classification, commit.

import FeedReading
import Model
import Planning
import Timing

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

  /// What came of one feed.
  enum Ending: Sendable {
    /// It is committed.
    case committed(FeedReport, FetchTrace, HostState)
    /// The network could not be reached; whether that is the feed's fault is known when more feeds are tried.
    case unreached(FetchFailure, FetchTrace)
    /// The run ended first; nothing counts.
    case suspended
  }

  /// Fetches one feed and commits what came of it.
  func fetch(_ feed: FeedSpec, _ state: FeedState, hosts: [String: HostState]) async throws -> Ending {
    var trace = FetchTrace(feed: feed, state: state, hosts: hosts, started: effects.machine.now())
    let exchange =
      if let file = feed.file { await reading(of: file, &trace) } else { await exchange(feed, &trace) }
    if Task.isCancelled || exchange.isSuspended {
      try await effects.store.abandon(feed.name, run)
      return .suspended
    }
    switch exchange {
    case .failed(let failure) where failure.isConnectivity: return .unreached(failure, trace)
    case .failed(let failure): return try await commit(failure, trace)
    case .notModified(let response): return try await commitNotModified(response, trace)
    case .document(let response): return try await commit(document: response, trace)
    }
  }

  /// Commits a failure.
  func commit(_ failure: FetchFailure, _ trace: FetchTrace) async throws -> Ending {
    // What libcurl and servers say is data, like everything else from outside.
    let reason = cleanText(failure.text, limit: 500)
    let change = stateAfterFailure(trace.state, attempt(trace), failure: failure, reason: reason)
    return try await commit(
      FetchOutcome(
        result: .failed, reason: reason, failures: change.state.failures, health: change.health), change,
      trace)
  }

  private func commitNotModified(_ response: Response, _ trace: FetchTrace) async throws -> Ending {
    var change = stateAfterSuccess(
      trace.state, attempt(trace), result: .noData, reason: notModifiedReason, hints: nil)
    change.state.validators = trace.state.validators.refreshed(by: response)
    return try await commit(
      FetchOutcome(result: .noData, reason: notModifiedReason, health: change.health), change, trace)
  }

  private func commit(document response: Response, _ trace: FetchTrace) async throws -> Ending {
    let document: ParsedFeed
    do throws(FeedReadingFailure) {
      document = try readFeed(
        response.body, as: trace.feed.kind, contentType: response["Content-Type"],
        address: trace.address?.text)
    } catch {
      return try await commit(.notAFeed(error), trace)
    }
    guard document.isComplete else { return try await commit(.truncated, trace) }
    let found = classify(
      document, known: try await effects.store.knownItems(trace.feed.name), feed: trace.feed,
      hasBaseline: trace.state.hasBaseline, at: origin.time)
    let outcome = FetchOutcome(
      result: found.count > 0 ? .newData : .noData, reason: reason(of: found), classification: found)
    var change = stateAfterSuccess(
      trace.state, attempt(trace), result: outcome.result, reason: outcome.reason, hints: document.hints)
    change.state.title = document.title.map { cleanText($0, limit: 256) }
    change.state.link = document.link
    change.state.validators = Validators(from: response, at: trace.validatorKey, now: origin.time)
    return try await commit(outcome.with(change.health), change, trace)
  }

  /// The address as the history keeps it: masked, and hidden where it is a secret.
  private func shownAddress(_ trace: FetchTrace) -> String {
    guard let address = trace.address else { return trace.feed.file?.text ?? "" }
    if case .secret = trace.feed.url { return address.scheme + "://***" }
    return address.masked
  }

  private func attempt(_ trace: FetchTrace) -> FetchAttempt {
    FetchAttempt(
      feed: trace.feed, runStart: origin.time, ended: effects.machine.now(), address: trace.address,
      response: trace.response, hostState: trace.host, machine: effects.machine.identity,
      freshnessLimit: settings.network.freshnessLimit)
  }

  private func commit(_ outcome: FetchOutcome, _ change: StateChange, _ trace: FetchTrace) async throws
    -> Ending
  {
    let feed = trace.feed
    let record = FetchRecord(
      started: trace.started, ended: effects.machine.now(), result: outcome.result, reason: outcome.reason,
      status: trace.response?.status, address: shownAddress(trace),
      wasConditional: trace.wasConditional,
      bytes: trace.bytes, count: outcome.classification.count)
    var commit = FeedCommit(feed: feed.name, state: change.state, record: record)
    commit.newItems = outcome.classification.newItems
    commit.changedItems = outcome.classification.changedItems
    if change.host != trace.host, let host = trace.address?.host { commit.hosts[host] = change.host }
    commit.events = fetchEvents(
      outcome, feed: feed, label: FeedLabel(feed, change.state), hooks: tellsHooks ? settings.hooks : [],
      origin: origin)
    try await effects.store.commit(commit, run)
    var report = FeedReport(
      feed: feed.name, result: outcome.result, reason: outcome.reason, count: commit.record.count,
      health: outcome.health)
    report.isCounted = outcome.result != .failed || outcome.failures > 0
    effects.report(.fetched(report))
    return .committed(report, trace, change.host)
  }
}

/// What is known of one fetch while it goes on.
struct FetchTrace: Sendable {
  /// The feed.
  let feed: FeedSpec
  /// What was remembered of it, under today's configuration.
  var state: FeedState
  /// What was remembered of all hosts when it began.
  let hosts: [String: HostState]
  /// When the fetch began.
  let started: Instant
  /// The last address asked.
  var address: WebAddress?
  /// The last answer.
  var response: Response?
  /// What validators of the last answer are stored with.
  var validatorKey = ""
  /// Whether the last request carried validators.
  var wasConditional = false
  /// Bytes received in all.
  var bytes: Int64 = 0

  /// What was remembered of the host that was asked last.
  var host: HostState { address.flatMap { hosts[$0.host] } ?? HostState() }
}

extension FetchOutcome {
  fileprivate func with(_ health: HealthChange?) -> FetchOutcome {
    var copy = self
    copy.health = health
    return copy
  }
}

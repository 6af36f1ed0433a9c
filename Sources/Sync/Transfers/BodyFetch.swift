// Feeds of kind `asset`: their transfer is their fetch, with a fetch's result, state, item and history.

import Core
import FeedReading

extension TransferAttempt {
  /// What a fetch changes, when the feed is next due, and what is said of it and by which cause.
  struct BodyCommit: Sendable {
    var feed: FeedCommit
    let cause: RunCause
    let nextDue: Instant?
    let report: FeedReport
  }

  /// The feed's state under today's configuration.
  private func state(_ fingerprint: UInt64?) async throws -> FeedState {
    let stored = try await context.effects.store.feedStates(of: [feed.name])[feed.name] ?? FeedState()
    return stateUnderConfiguration(
      stored, configuration: feed.fingerprint, request: fingerprint ?? feed.requestFingerprint)
  }

  /// The validators of the body that is there.
  func bodyValidators(_ access: FeedAccess) async -> Validators {
    guard let state = try? await state(access.fingerprint) else { return Validators() }
    return validatorsToSend(
      state, fingerprint: access.fingerprint, feed: feed.name, machine: context.effects.machine.identity,
      at: context.now)
  }

  /// Whether what came is what was placed last: a server without validators sends it each time.
  ///
  /// Where the user removed the file it does not come back, just as after a 304.
  func isSameBody(_ content: DigestedBytes) async throws -> Bool {
    guard let last = try await context.store.placedFiles(feed.name).max(by: { $0.transfer < $1.transfer })
    else { return false }
    return last.file.size == content.bytes && last.file.sha256 == content.sha256
  }

  /// Ends a fetch that found nothing new: there was no transfer.
  ///
  /// The answer is a 304, or one whose body was the one that is there; `partial` is what that one said of the file.
  func endBody(unchanged response: Response, partial: PartialDownload?, _ trace: TransferTrace) async throws
    -> TransferEnding
  {
    let commit = try await commit(
      FetchOutcome(result: .noData, reason: partial == nil ? notModifiedReason : "the same file as before"),
      response, trace, validators: partial)
    return try await forget(commit, as: .unchanged)
  }

  /// Ends a fetch that failed; what came of the file waits for the next one.
  func endBody(
    failed failure: TransferFailure, _ response: Response?, partial: PartialDownload, _ trace: TransferTrace
  ) async throws -> TransferEnding {
    let reason = words(for: failure, trace)
    let needsCredentials = await isNewWishForCredentials(failure, trace)
    var commit = try await commit(
      FetchOutcome(result: .failed, reason: reason), response, trace, failure: failure.asFetchFailure)
    if needsCredentials {
      let label = try await context.label(of: feed)
      commit.feed.events += try await event(
        .authRequired, file: nil, reason: reason, label, trace, cause: commit.cause)
    }
    // The feed's own rules say when it goes on; one that is never due by itself is not left lying for that.
    let moment = commit.nextDue ?? context.now + .minutes(15)
    // No transfer waits for as long as a feed may have to: after a 410, say.
    guard partial.bytes > 0, canResume(partial), moment <= context.now + TransferQueue.longestWait else {
      return try await forget(commit, as: .failed)
    }
    var leave = TransferLeave(
      number: transfer.number, status: .suspended, reason: reason, partial: partial)
    leave.notBefore = moment
    leave.failures = transfer.failures + 1
    leave.failingSince = transfer.failingSince ?? began
    guard try await context.store.leaveBody(leave, commit.feed, commit.nextDue, context.run) else {
      return .lost
    }
    context.note(commit.report)
    context.notifier.wake()
    context.report(.left(line, .suspended, reason: reason))
    return .left(leave, nil)
  }

  /// Whether the server wants credentials and did not at the fetch before, so that it is told once.
  private func isNewWishForCredentials(_ failure: TransferFailure, _ trace: TransferTrace) async -> Bool {
    guard case .fetch(.status(let status)) = failure, status == 401 || status == 407 else { return false }
    guard let state = try? await state(trace.asking.fingerprint) else { return true }
    return state.failures == 0 || state.lastReason != words(for: failure, trace)
  }

  private func forget(_ commit: BodyCommit, as ending: TransferEnding) async throws -> TransferEnding {
    guard
      try await context.store.forgetBody(transfer.number, commit.feed, commit.nextDue, context.run)
    else { return .lost }
    await context.documents.discard(directory, transfer.number)
    context.note(commit.report)
    context.notifier.wake()
    return ending
  }

  /// The fetch that placed a file, with the item that stands for it.
  func commit(
    placed file: PlacedFile, _ partial: PartialDownload, _ response: Response?, _ trace: TransferTrace
  ) async throws -> BodyCommit {
    let state = try await state(nil)
    let item = bodyItem(file, feed: feed, state: state, at: context.now)
    var found = Classification()
    found.newItems = [item]
    found.isBaseline = !state.hasBaseline
    let outcome = FetchOutcome(
      result: item.isSeen ? .noData : .newData,
      reason: item.isSeen ? "the first file" : "a new file", classification: found)
    return try await commit(outcome, response, trace, validators: partial)
  }

  private func commit(
    _ outcome: FetchOutcome, _ response: Response?, _ trace: TransferTrace, failure: FetchFailure? = nil,
    validators partial: PartialDownload? = nil
  ) async throws -> BodyCommit {
    let before = try await state(trace.asking.fingerprint)
    let now = context.now
    let address = feed.addressToAsk(before)
    let change = context.hosts.change(address?.host) { host in
      var attempt = FetchAttempt(
        feed: feed, runStart: began, ended: now, address: address, response: response, hostState: host,
        machine: context.effects.machine.identity, freshnessLimit: feed.network.freshnessLimit)
      attempt.route = trace.asking.route
      if let failure {
        return stateAfterFailure(before, attempt, failure: failure, reason: outcome.reason)
      }
      return stateAfterSuccess(
        before, attempt, result: outcome.result, reason: outcome.reason, hints: nil)
    }
    var outcome = outcome
    outcome.failures = change.state.failures
    outcome.health = change.health
    var fetch = FinishedFetch(
      feed, outcome, state: change.state, started: began, ended: now, origin: context.origin())
    fetch.apply(change, host: address?.host)
    if let response, failure == nil {
      fetch.state.validators =
        partial.map { Validators(of: $0, at: trace.asking.validatorKey, now: now) }
        ?? before.validators.refreshed(by: response)
    }
    fetch.requests = trace.asking.requests
    // Pushes that came after the fetch began may announce something newer.
    let pushes = try await context.effects.store.waitingPushes().filter {
      $0.feed == feed.name && $0.received <= began && $0.isReady(at: began) && feed.push.url == nil
    }
    if !pushes.isEmpty { fetch.origin.cause = .push }
    fetch.pushes = pushVerdict(
      pushes, outcome.result, isCounted: change.isCounted, isCaused: true, at: now)
    let commit = fetch.commit(hooks: context.hooks, zone: context.effects.machine.zone) {
      try? readPush(Array($0.payload.utf8))
    }
    return BodyCommit(
      feed: commit, cause: fetch.origin.cause, nextDue: nextDue(after: fetch.state, at: now),
      report: FeedReport(fetch))
  }

  private func nextDue(after state: FeedState, at now: Instant) -> Instant? {
    var known: [String: HostState] = [:]
    if let own = feed.addressToAsk(state)?.host { known[own] = context.hosts.state(of: own) }
    let machine = context.effects.machine
    return Core.nextDue(
      feed, state,
      PlanningContext(now: now, zone: machine.zone, machine: machine.identity, hosts: known))
  }
}

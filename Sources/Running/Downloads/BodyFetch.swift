// Feeds of kind `asset`: their transfer is their fetch, with a fetch's result, state, item and history.

import Core
import Store

extension TransferAttempt {
  /// The changes of a fetch, the feed's next due time, and the report.
  struct BodyCommit: Sendable {
    var feed: FeedCommit
    let cause: RunCause
    let nextDue: Instant?
    let report: FeedReport
  }

  /// The feed's name in the store, which the person may have changed since the attempt began.
  func storedName() async throws -> FeedName {
    try await context.store.transfer(transfer.number)?.feed ?? feed.name
  }

  /// The feed's state under the current configuration.
  private func state(_ fingerprint: UInt64?) async throws -> FeedState {
    var stored = try await context.store.feedState(storedName()) ?? FeedState()
    // This transfer is the one under way, and the question is what comes after it.
    stored.hasTransferUnderWay = false
    return stateUnderConfiguration(
      stored, configuration: feed.fingerprint, request: fingerprint ?? feed.requestFingerprint)
  }

  /// The validators of the placed body.
  func bodyValidators(_ access: FeedAccess) async -> Validators {
    guard let state = try? await state(access.fingerprint) else { return Validators() }
    return validatorsToSend(
      state, fingerprint: access.fingerprint, feed: feed.name, machine: machine.identity, at: context.now)
  }

  /// Whether the received body equals the one placed last; a server without validators sends it again each time.
  ///
  /// Like after a 304, a file that the user removed is not placed again.
  func isSameBody(_ partial: PartialDownload) async throws -> Bool {
    guard let last = try await placedBody() else { return false }
    return last.size == partial.bytes && last.sha256 == partial.sha256
  }

  /// The body that was placed last; nil if there is none.
  func placedBody() async throws -> PlacedFile? {
    try await context.store.placedFiles(storedName()).max { $0.transfer < $1.transfer }?.file
  }

  /// Ends a fetch without a new body: after a 304, or after a body, described by `partial`, that was the same.
  func endFetch(
    unchanged response: Response, _ partial: PartialDownload? = nil
  ) async throws -> TransferOutcome {
    let reason = partial == nil ? notModifiedReason : "the same file as before"
    let fetch = try await fetch(
      FetchOutcome(result: .noData, reason: reason), response, validators: partial)
    return try await write(.unchanged, fetch: fetch)
  }

  /// Ends a fetch that failed; bytes that can be resumed wait for the next fetch.
  func endFetch(
    failed failure: TransferFailure, _ response: Response?, partial: PartialDownload
  ) async throws -> TransferOutcome {
    let reason = hidden.masked(text(of: failure))
    let fetch = try await fetch(
      FetchOutcome(result: .failed, reason: reason), response, failure: failure.asFetchFailure)
    // The feed's rules say when it is resumed; a feed that is never due by itself is resumed too.
    let moment = fetch.nextDue ?? context.now + .minutes(15)
    // A feed may wait longer than any transfer, for example after a 410.
    guard partial.bytes > 0, canResume(partial), moment <= context.now + TransferQueue.longestWait else {
      return try await write(.failed(reason: reason, needsCredentials: false), fetch: fetch)
    }
    var next = transfer.postponed(.suspended, reason, until: moment, partial: partial)
    next.failures += 1
    next.failingSince = transfer.failingSince ?? began
    next.cuts = 0
    return try await write(.postponed(next), fetch: fetch)
  }

  /// The fetch that placed a file, with the item that represents it.
  func fetch(
    placed file: PlacedFile, _ partial: PartialDownload, _ response: Response?
  ) async throws -> BodyCommit {
    let state = try await state(nil)
    let item = bodyItem(file, feed: feed, state: state, at: context.now)
    var found = Classification()
    found.newItems = [item]
    found.isBaseline = !state.hasBaseline
    let outcome = FetchOutcome(
      result: item.isSeen ? .noData : .newData, reason: item.isSeen ? "the first file" : "a new file",
      classification: found)
    return try await fetch(outcome, response, validators: partial)
  }

  private func fetch(
    _ outcome: FetchOutcome, _ response: Response?, failure: FetchFailure? = nil,
    validators partial: PartialDownload? = nil
  ) async throws -> BodyCommit {
    let before = try await state(fingerprint)
    let now = context.now
    let address = feed.addressToAsk(before)
    let change = context.hosts.change(address?.host) { host in
      var attempt = FetchAttempt(
        feed: feed, started: began, ended: now, address: address, response: response, hostState: host,
        machine: machine.identity)
      attempt.route = route
      if let failure {
        return stateAfterFailure(before, attempt, failure: failure, reason: outcome.reason)
      }
      return stateAfterSuccess(before, attempt, result: outcome.result, reason: outcome.reason, hints: nil)
    }
    var fetch = FinishedFetch(
      feed, outcome, state: change.state, started: began, ended: now, origin: context.origin())
    let name = try await storedName()
    fetch.commit.feed = name
    fetch.apply(change, host: address?.host)
    if let response, failure == nil {
      fetch.commit.state.validators =
        partial.map { Validators(of: $0, at: validatorKey, now: now) }
        ?? before.validators.refreshed(by: response)
    }
    fetch.commit.record.requests = requests
    // Later pushes may announce a newer file.
    let pushes = try await context.effects.store.waitingPushes().filter {
      $0.feed == name && $0.received <= began && $0.isReady(at: began) && feed.push.url == nil
    }
    if !pushes.isEmpty { fetch.origin.cause = .push }
    fetch.pushes = pushVerdict(pushes, outcome.result, isCounted: change.isCounted, isCaused: true, at: now)
    var commit = fetch.commitWithEvents(for: context.hooks, in: machine.zone)
    // If the server asked for credentials at the fetch before, that was announced then.
    if case .status(let status) = failure, status == 401 || status == 407,
      before.failures == 0 || before.lastReason != outcome.reason
    {
      commit.events += try await event(
        .authRequired, file: nil, reason: outcome.reason, try await context.label(of: feed),
        cause: fetch.origin.cause)
    }
    return BodyCommit(
      feed: commit, cause: fetch.origin.cause,
      nextDue: context.hosts.nextDecision(feed, after: change.state, at: now, machine).dueAt,
      report: FeedReport(fetch))
  }
}

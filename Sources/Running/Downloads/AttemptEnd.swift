// The end of an attempt: decided by Core, written to the store with its events, and reported.

import Core
import Machine
import Store
import Synchronization

extension TransferAttempt {
  /// Ends an attempt: places a complete file, and otherwise decides and writes how the attempt ended.
  func end(_ result: DownloadResult) async throws -> TransferOutcome {
    switch result {
    case .suspended:
      // Without a body the bytes of an earlier run were not verified yet.
      let cause: StoppedAttempt.Cause =
        context.budget.isOver(at: machine.milliseconds())
        ? .budgetEnded(whileVerifying: body == nil) : .interrupted
      return try await write(stopped(await safePartial()).outcome(cause))
    case .waiting(var next):
      let size = next.partial.total
      next.partial = await safePartial()
      // No response has continued the file, which does not say that it is small.
      next.partial.total = next.partial.total ?? size
      return try await write(.postponed(next))
    case .notModified(let response):
      if transfer.isFeedBody { return try await endFetch(unchanged: response) }
      return try await write(.unchanged)
    case .failed(let failure, let response):
      if body != nil, case .documents(let problem) = failure, problem.isOfDirectory {
        context.notes.withLock { $0.failedWrite = problem }
      }
      return try await fail(failure, response)
    case .whole(let head, let address):
      return try await place(head, from: address)
    }
  }

  /// Ends an attempt that failed.
  func fail(_ failure: TransferFailure, _ response: Response?) async throws -> TransferOutcome {
    context.warn(of: failure, transfer)
    let isSpoiled = failure.spoilsPartial(after: transfer.failures + 1)
    let partial = isSpoiled ? PartialDownload() : await safePartial()
    var attempt = stopped(partial)
    attempt.secondTry = try await secondTry()
    if case .fetch(let fetch) = failure, fetch.isConnectivity, !machine.hasUsableRoute() {
      return try await write(attempt.outcome(.failed(.fetch(.offline), nil)))
    }
    let outcome = attempt.outcome(.failed(failure, response))
    // Trouble with this machine's directories says nothing about the feed.
    if transfer.isFeedBody {
      guard case (.documents, .postponed(let next, _)) = (failure, outcome), next.status == .suspended else {
        return try await endFetch(failed: failure, response, partial: partial)
      }
    }
    var causedAt: Instant?
    if case .postponed(let next, _) = outcome, attempt.secondTry != nil, next.notBefore == attempt.secondTry {
      causedAt = context.now
    }
    return try await write(outcome, partial: partial, causedAt: causedAt)
  }

  /// When the file is requested once more if a push announced it too early; nil for other files and after a second try.
  private func secondTry() async throws -> Instant? {
    guard feed.push.url != nil, transfer.failures == 0 else { return nil }
    let fetches = try await context.store.pushFetches(since: context.now - feed.push.limit.interval)
    return PushDemand(pushes: [], fetches: fetches[feed.name] ?? [])
      .secondTry(feed.push.limit, after: context.now)
  }

  /// The facts for the decision about an attempt without a whole file.
  private func stopped(_ partial: PartialDownload) -> StoppedAttempt {
    var attempt = StoppedAttempt(
      transfer, partial: partial, began: began, ended: context.now, machine: machine.identity)
    attempt.startedOver =
      transfer.partial.bytes > 0 && body?.now.beginning != nil && body?.now.isResumed == false
    attempt.ageMoment = context.trust.ageMoment(attempt.ended)
    attempt.hidden = hidden
    return attempt
  }

  /// The bytes that are safely stored for the next attempt.
  func safePartial() async -> PartialDownload {
    // Until a response continues it, the file is unchanged.
    guard let body = body, body.now.beginning != nil else { return known }
    guard let safe = try? await body.file.synchronize() else { return PartialDownload() }
    return known.with(safe)
  }

  /// Writes how the attempt ended with all events, and reports it; returns `lost` if another process was first.
  ///
  /// `partial` has the validators of a placed file, or the partial file of a failed transfer. `fetch` is the feed's fetch if the feed is of kind `asset`.
  func write(
    _ outcome: TransferOutcome, partial: PartialDownload = PartialDownload(), fetch: BodyCommit? = nil,
    causedAt: Instant? = nil
  ) async throws -> TransferOutcome {
    var end = TransferEnd(transfer.number, outcome, ended: context.now)
    end.causedAt = causedAt
    // The bytes of a failed transfer wait for its retry; the body of a feed has none.
    let keepsFile = !transfer.isFeedBody && partial.bytes > 0 && canResume(partial)
    if outcome.settlement?.status != .failed || keepsFile { end.partial = partial }
    end.requests = fetch == nil ? requests : []
    end.commit = fetch.map { ($0.feed, $0.nextDue) }
    try await addEvents(to: &end, cause: fetch?.cause)
    guard try await context.end(end) else { return .lost }
    if let fetch { context.report(fetch.report) }
    switch outcome {
    case .placed(let file, _): context.report(.transferPlaced(transfer, file))
    case .unchanged:
      await context.documents(directory).discard(transfer.number)
      if fetch == nil { context.report(.transferUnchanged(transfer)) }
    case .failed(let reason, _):
      if !keepsFile { await context.documents(directory).discard(transfer.number) }
      if fetch == nil { context.report(.transferFailed(transfer, reason: reason)) }
    case .omitted(let rule):
      await context.documents(transfer.directory ?? directory).discard(transfer.number)
      context.report(.transferLeft(transfer, .cancelled, reason: rule.text))
    case .postponed(let next, _):
      context.report(.transferLeft(transfer, next.status, reason: next.reason ?? ""))
    case .cancelled, .lost: break
    }
    if fetch != nil || outcome.settlement != nil { context.notifier.wake() }
    return outcome
  }

  /// Adds the events of an outcome that settles the transfer.
  private func addEvents(to end: inout TransferEnd, cause: RunCause?) async throws {
    var file: PlacedFile?
    var kinds: [EventKind] = []
    switch end.outcome {
    case .placed(let placed, _): (file, kinds) = (placed, [.assetPlaced])
    case .failed(_, let needsCredentials) where end.commit == nil:
      kinds = needsCredentials ? [.authRequired, .transferFailed] : [.transferFailed]
    case .unchanged where end.commit == nil: break
    case .omitted: break
    case .failed, .unchanged, .postponed, .cancelled, .lost: return
    }
    let label = try await context.label(of: feed)
    let reason = end.outcome.settlement?.reason
    for kind in kinds {
      end.events += try await event(kind, file: file, reason: reason, label, cause: cause)
    }
    let origin = context.origin(cause: cause)
    end.sessionFinished = { [feed, hooks = context.hooks] totals in
      sessionFinishedEvent(totals, feed: feed, label: label, hooks: hooks, origin: origin)
    }
  }

  /// An event of the transfer, if a hook subscribes to it; a nil `cause` means the run's.
  func event(
    _ kind: EventKind, file: PlacedFile?, reason: String?, _ label: FeedLabel, cause: RunCause?
  ) async throws -> [EventRecord] {
    guard context.hooks.contains(where: { $0.events.contains(kind) }) else { return [] }
    var item: ItemRecord?
    if let known = transfer.item { item = try await context.store.item(known.number)?.record }
    return [
      transferEvent(
        kind, transfer, of: item, file: file, reason: reason, feed: feed, label: label, hooks: context.hooks,
        origin: context.origin(cause: cause), hiding: hidden)
    ].compactMap(\.self)
  }

  /// Reports how another process ended the transfer.
  func reportLost() async throws {
    let found = try await context.store.unsettled().first { $0.number == transfer.number }
    if let found, !found.isSuspendedByUser { return }
    context.report(
      found == nil
        ? .transferLeft(transfer, .cancelled, reason: "by another process")
        : .transferLeft(transfer, .suspended, reason: "by transfers pause"))
  }
}

extension DocumentsProblem {
  /// Whether other files cannot be written to the directory either.
  fileprivate var isOfDirectory: Bool {
    switch self {
    case .full, .denied, .unsafe, .gone, .other: true
    default: false
    }
  }
}

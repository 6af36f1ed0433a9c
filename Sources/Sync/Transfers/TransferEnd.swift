// What came of an attempt, written down: placed, left for later, or settled for good.

import Core

extension TransferAttempt {
  /// Writes down what came of the attempt, and says it.
  func end(_ outcome: Outcome, file: (any PartialFile)?, _ trace: TransferTrace) async throws
    -> TransferEnding
  {
    switch outcome {
    case .lost:
      try await context.store.noteRequests(transfer.number, trace.asking.requests)
      return .lost
    case .suspended: return try await suspend(file, trace)
    case .notModified(let response):
      if transfer.isFeedBody { return try await endBody(unchanged: response, partial: nil, trace) }
      return try await settleUnchanged(trace)
    case .whole(let whole): return try await place(whole)
    case .failed(let failure, let response):
      return try await fail(failure, response, file, trace)
    }
  }

  /// What is safely there of the file, for the next attempt.
  func safePartial(_ file: (any PartialFile)?, _ trace: TransferTrace) async -> PartialDownload {
    var partial = trace.partial
    // Before an answer was taken, the file is as it was.
    guard let file, trace.hasBegun else { return partial }
    guard (try? await bringToSafety(file, &partial)) != nil else { return PartialDownload() }
    return partial
  }

  /// Leaves the transfer for a later run, which goes on with it.
  private func suspend(_ file: (any PartialFile)?, _ trace: TransferTrace) async throws -> TransferEnding {
    let partial = await safePartial(file, trace)
    return try await leave(
      leaveOfSuspended(
        transfer, partial: partial, startedOver: hasStartedOver(trace), byBudget: isSuspendedByBudget()),
      trace)
  }

  /// Whether the file began anew though a part of it was there.
  private func hasStartedOver(_ trace: TransferTrace) -> Bool {
    transfer.partial.bytes > 0 && trace.hasBegun && !trace.isResumed
  }

  private func fail(
    _ failure: TransferFailure, _ response: Response?, _ file: (any PartialFile)?, _ trace: TransferTrace
  ) async throws -> TransferEnding {
    // What a wrong answer brought is of no use; a cut one is.
    let partial = failure.keepsWhatCame ? await safePartial(file, trace) : PartialDownload()
    if !failure.keepsWhatCame { try? file?.restart() }
    sayAtOnce(failure)
    let hasProgressed =
      partial.bytes > transfer.partial.bytes && canResume(partial) && !hasStartedOver(trace)
    if case .fetch(let fetch) = failure, fetch.isConnectivity, !context.effects.machine.hasUsableRoute() {
      return try await leave(leaveOffline(partial), trace)
    }
    let hidden = trace.asking.hidden
    let verdict = transferVerdict(
      transfer, failure, response: response, hasProgressed: hasProgressed, partial: partial, began: began,
      at: context.now, machine: context.effects.machine.identity, mayBeLate: feed.push.url != nil,
      hiding: secretHost(trace)
    ).hiding(hidden)
    if transfer.isFeedBody {
      // What is the matter with this machine's directories says nothing of the feed.
      if case .documents = failure, case .again(let leave) = verdict, leave.status == .suspended {
        return try await self.leave(leave, trace)
      }
      return try await endBody(failed: failure, response, partial: partial, trace)
    }
    switch verdict {
    case .again(let leave):
      return try await self.leave(leave, limit: rateLimit(response, until: leave.notBefore, trace), trace)
    case .failed(let reason, let needsCredentials):
      return try await settle(failed: reason, needsCredentials: needsCredentials, trace)
    }
  }

  /// The host that was asked last, where that is a part of a secret address.
  private func secretHost(_ trace: TransferTrace) -> String? {
    feed.hasSecretAddress ? trace.asking.route?.end.host ?? "" : nil
  }

  /// A failure in words, as they may be kept and told.
  func words(for failure: TransferFailure, _ trace: TransferTrace) -> String {
    trace.asking.hidden.masked(
      secretHost(trace).map { text(of: failure, hiding: $0) } ?? text(of: failure))
  }

  /// An attempt while the machine is offline does not count.
  private func leaveOffline(_ partial: PartialDownload) -> TransferLeave {
    var leave = TransferLeave(
      number: transfer.number, status: .queued, reason: "the machine is offline", partial: partial)
    leave.notBefore = context.now + .minutes(1)
    leave.failures = transfer.failures
    leave.failingSince = transfer.failingSince
    leave.cuts = transfer.cuts
    return leave
  }

  /// Says what is the matter with a directory, of each one once: all its transfers have the same trouble.
  func sayAtOnce(_ failure: TransferFailure) {
    guard case .documents(let problem) = failure else { return }
    let event: TransferEvent
    switch problem {
    case .partialLost, .fileTooLarge, .linkOnTheWay, .directoryTaken, .nameRefused: return
    case .belowFreeSpace(let path, let free, _) where free >= context.settings.freeSpace:
      event = .directoryUnusable(path: path, reason: text(of: failure))
    case .belowFreeSpace(let path, let free, let floor):
      event = .lowSpace(path: path, free: free, floor: floor)
    case .gone(let path): event = .directoryGone(path: path)
    default:
      context.findings.noteUnusableDirectory()
      event = .directoryUnusable(path: directory, reason: text(of: failure))
    }
    // Once for a directory, however many transfers wait for it, and not again by each run that finds it as it was.
    let isFirst = context.findings.noteProblem(in: directory)
    if isFirst, !isSame(failure, as: transfer.reason) { context.report(event) }
  }

  /// Leaves the transfer for later.
  ///
  /// - Parameters:
  ///   - leave: how.
  ///   - limit: what its server wants of the others, too.
  ///   - trace: what the attempt found out.
  /// - Returns: what came of the attempt.
  /// - Throws: what the store throws.
  func leave(
    _ leave: TransferLeave, limit: TransferRateLimit? = nil, _ trace: TransferTrace
  ) async throws -> TransferEnding {
    var leave = leave
    leave.requests = trace.asking.requests
    guard try await context.store.leave(leave) else { return .lost }
    context.report(.left(line, leave.status, reason: leave.reason))
    return .left(leave, limit)
  }

  /// The limit that a server set by its answer; nil where it set none.
  private func rateLimit(_ response: Response?, until moment: Instant?, _ trace: TransferTrace)
    -> TransferRateLimit?
  {
    guard response?.status == 429, let moment else { return nil }
    return TransferRateLimit(until: moment, isOfPublicHost: trace.asking.route?.end.isPublicHost ?? false)
  }

  /// Says what somebody else made of the transfer, which is why the attempt ended.
  func tellLost() async throws {
    let found = try await context.store.unsettled().first { $0.number == transfer.number }
    if let found, !found.isHeld { return }
    context.report(
      found == nil
        ? .left(line, .cancelled, reason: "by another process")
        : .left(line, .suspended, reason: "by transfers suspend"))
  }

  // MARK: For good

  /// Settles a transfer that failed for good.
  func settle(
    failed reason: String, needsCredentials: Bool, _ trace: TransferTrace
  ) async throws -> TransferEnding {
    let label = try await context.label(of: feed)
    var settlement = settlement(.failed, reason: reason, label)
    settlement.requests = trace.asking.requests
    if needsCredentials {
      settlement.events += try await event(.authRequired, file: nil, reason: reason, label, trace)
    }
    settlement.events += try await event(.transferFailed, file: nil, reason: reason, label, trace)
    guard try await context.store.settle(settlement, context.run) else { return .lost }
    await context.documents.discard(directory, transfer.number)
    context.report(.failed(line, reason: reason))
    context.notifier.wake()
    return .failed
  }

  /// Settles a transfer whose file is there already: the same address was downloaded before and has not changed.
  private func settleUnchanged(_ trace: TransferTrace) async throws -> TransferEnding {
    let label = try await context.label(of: feed)
    var settlement = settlement(.finished, reason: "not modified since it was downloaded before", label)
    settlement.requests = trace.asking.requests
    guard try await context.store.settle(settlement, context.run) else { return .lost }
    await context.documents.discard(directory, transfer.number)
    context.report(.unchanged(line))
    context.notifier.wake()
    return .unchanged
  }

  /// A settlement with what is told where it is the last of its session.
  ///
  /// `cause` is that of the fetch which the transfer was; nil is what woke the phase.
  func settlement(
    _ status: TransferStatus, reason: String?, _ label: FeedLabel, cause: RunCause? = nil
  ) -> TransferSettlement {
    let origin = context.origin(cause: cause)
    return TransferSettlement(
      number: transfer.number, status: status, reason: reason, ended: context.now
    ) { [feed, hooks = context.hooks] totals in
      [sessionFinishedEvent(totals, feed: feed, label: label, hooks: hooks, origin: origin)].compactMap {
        $0
      }
    }
  }

  /// An event of the transfer, for the hooks that hear of it; none where there are none.
  ///
  /// `cause` is as for `settlement`.
  func event(
    _ kind: EventKind, file: PlacedFile?, reason: String?, _ label: FeedLabel, _ trace: TransferTrace,
    cause: RunCause? = nil
  ) async throws -> [EventRecord] {
    guard context.hooks.contains(where: { $0.events.contains(kind) }) else { return [] }
    var item: ItemRecord?
    if let known = transfer.item { item = try await context.store.item(known.number)?.record }
    return [
      transferEvent(
        kind, transfer, of: item, file: file, reason: reason, feed: feed, label: label, hooks: context.hooks,
        origin: context.origin(cause: cause), hiding: trace.asking.hidden)
    ].compactMap { $0 }
  }
}

extension TransferFailure {
  /// Whether what came before the failure is a part of the file.
  fileprivate var keepsWhatCame: Bool {
    switch self {
    case .documents(.partialLost), .documents(.fileTooLarge): false
    case .fetch, .short, .documents: true
    case .noWebAddress, .page, .empty, .overlong, .wrongRange, .changed, .tooLarge, .encoded: false
    }
  }
}

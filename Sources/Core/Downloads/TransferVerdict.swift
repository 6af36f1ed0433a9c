// What becomes of a download whose attempt brought no whole file.

/// What becomes of a download after an attempt that failed.
public enum TransferVerdict: Hashable, Sendable {
  /// It is tried again.
  case again(TransferLeave)
  /// It failed for good; why, in words, and whether somebody has to be told of credentials.
  case failed(reason: String, needsCredentials: Bool)
}

/// Says what becomes of a download after an attempt that failed.
///
/// What may pass is tried again: after 5 min, then after twice the time with each attempt in a row that brought nothing, at
/// most after 6 h; after one that brought bytes in 1 min; later where the server asks for it, at most after 7 d. It fails
/// for good after 8 attempts in a row that brought nothing, after 7 d of failing, and at once where the server says that
/// there is no such file, that it wants credentials, or that the file is too large. What a captive portal or a wall against
/// robots may be, a page or a 403, is tried three times, and once more after failures of another kind. A file that is
/// announced by a push and not there may be late: it is asked for once more.
/// What is the matter with this machine (offline, no secret, no room, a directory that is gone) is not counted.
///
/// - Parameters:
///   - transfer: the download as it was before the attempt.
///   - failure: why it failed.
///   - response: the last answer, if there was one.
///   - hasProgressed: whether the attempt brought bytes that stay.
///   - partial: what is there now.
///   - began: when the attempt began.
///   - now: when it ended.
///   - machine: this machine's identity, for the jitter.
///   - mayBeLate: whether the file may have been announced before it was there.
///   - secretHost: the host that was asked, where that must not be told.
/// - Returns: what becomes of it.
public func transferVerdict(
  _ transfer: Transfer, _ failure: TransferFailure, response: Response?, hasProgressed: Bool,
  partial: PartialDownload, began: Instant, at now: Instant, machine: String, mayBeLate: Bool = false,
  hiding secretHost: String? = nil
) -> TransferVerdict {
  let reason = secretHost.map { text(of: failure, hiding: $0) } ?? text(of: failure)
  let kind = kind(of: failure)
  if case .final(let needsCredentials) = kind {
    if mayBeLate, transfer.failures == 0, isMissing(failure) {
      var leave = TransferLeave(number: transfer.number, status: .queued, reason: reason, partial: partial)
      (leave.failures, leave.failingSince) = (1, began)
      leave.notBefore = now + PushDemand.lateness
      return .again(leave)
    }
    return .failed(reason: reason, needsCredentials: needsCredentials)
  }
  var leave = TransferLeave(number: transfer.number, status: .queued, reason: reason, partial: partial)
  leave.failures = transfer.failures
  leave.failingSince = transfer.failingSince
  leave.cuts = transfer.cuts
  if isWorthless(failure) { leave.partial = PartialDownload() }
  guard case .counted(let limit) = kind else {
    if case .uncounted(let status) = kind { leave.status = status }
    leave.notBefore = now + .minutes(5)
    return .again(leave)
  }
  leave.cuts = 0
  // Bytes that cannot be gone on with are no progress.
  leave.failures = hasProgressed && canResume(leave.partial) ? 0 : min(transfer.failures, 1000) + 1
  // A moment in the future was stored under a clock that has been set back since.
  let since = transfer.failingSince.flatMap { $0 <= began ? $0 : nil } ?? began
  leave.failingSince = since
  // Of what may be somebody else's answer one is not enough, whatever failed before it.
  let isLast =
    leave.failures >= (limit == mostDoubtfulAttempts && transfer.reason != reason ? mostAttempts : limit)
  if isLast {
    return .failed(reason: reason + "; given up after \(leave.failures) attempts", needsCredentials: false)
  }
  if now.since(since) >= .days(7) {
    return .failed(reason: reason + "; given up after 7 days", needsCredentials: false)
  }
  leave.notBefore = now + wait(leave, failure, response, transfer.feed, at: now, machine: machine)
  return .again(leave)
}

extension TransferVerdict {
  /// The verdict with what its reason repeats of a secret masked.
  public func hiding(_ hidden: HiddenWords) -> TransferVerdict {
    switch self {
    case .again(var leave):
      leave.reason = hidden.masked(leave.reason)
      return .again(leave)
    case .failed(let reason, let needsCredentials):
      return .failed(reason: hidden.masked(reason), needsCredentials: needsCredentials)
    }
  }
}

/// What a failure means for the next attempt.
private enum TransferFailureKind {
  /// There is none; whether credentials are what is missing.
  case final(needsCredentials: Bool)
  /// It counts; so many in a row that brought nothing are the end.
  case counted(limit: Int)
  /// It says nothing of the download.
  case uncounted(TransferStatus)
}

/// Attempts in a row without a byte of progress after which a download has failed for good.
private let mostAttempts = 8
/// The same where the answer is clear but may be somebody else's than the server's.
private let mostDoubtfulAttempts = 3

private func kind(of failure: TransferFailure) -> TransferFailureKind {
  switch failure {
  case .fetch(let failure): kind(ofFetch: failure)
  case .documents(let problem):
    switch problem {
    case .gone, .full, .belowFreeSpace, .denied, .unsafe, .inTheWay: .uncounted(.suspended)
    case .fileTooLarge: .final(needsCredentials: false)
    case .partialLost, .linkOnTheWay, .directoryTaken, .nameRefused, .other: .counted(limit: mostAttempts)
    }
  case .page, .encoded: .counted(limit: mostDoubtfulAttempts)
  case .empty, .short, .overlong, .wrongRange, .changed: .counted(limit: mostAttempts)
  case .noWebAddress, .tooLarge: .final(needsCredentials: false)
  }
}

private func kind(ofFetch failure: FetchFailure) -> TransferFailureKind {
  switch failure {
  case .status(401), .status(407): .final(needsCredentials: true)
  case .status(404), .status(410), .status(451), .tooLarge: .final(needsCredentials: false)
  case .status(408), .status(421), .status(425), .status(429): .counted(limit: mostAttempts)
  case .status(511): .uncounted(.queued)
  case .status(400..<500), .tooManyRedirects, .badRedirect, .insecureRedirect, .privateAddress, .loginPage,
    .notAFeed:
    .counted(limit: mostDoubtfulAttempts)
  case .offline, .captivePortal: .uncounted(.queued)
  case .suspended, .noSecret, .transferLibrary: .uncounted(.suspended)
  default: .counted(limit: mostAttempts)
  }
}

/// Whether the server says that there is no such file.
private func isMissing(_ failure: TransferFailure) -> Bool {
  switch failure {
  case .fetch(.status(404)), .fetch(.status(410)): true
  default: false
  }
}

/// Whether what is there is of no use after a failure.
private func isWorthless(_ failure: TransferFailure) -> Bool {
  switch failure {
  case .overlong, .changed, .empty, .documents(.partialLost): true
  default: false
  }
}

/// How long the next attempt is put off.
private func wait(
  _ leave: TransferLeave, _ failure: TransferFailure, _ response: Response?, _ feed: FeedName,
  at now: Instant,
  machine: String
) -> Interval {
  let wait: Interval =
    leave.failures == 0
    ? .minutes(1) : min(doubled(.minutes(5), after: leave.failures), .hours(6))
  var asked = response.flatMap { retryAfter(of: $0, receivedAt: now) }
  if case .fetch(.rateLimited(_, let after?)) = failure { asked = max(asked ?? .zero, after) }
  let longest = max(wait, min(asked.map { $0 + wholeSecond } ?? .zero, longestRetryAfter))
  return longest + jitter(on: longest, machine: machine, feed: feed)
}

/// What becomes of a download that was stopped though nothing was wrong with it: by a budget, a signal or the person.
///
/// - Parameters:
///   - transfer: the download as it was before the attempt.
///   - partial: what is safely there now.
///   - startedOver: whether it began anew though a part of it was there: what its server says of resuming is not so then.
///   - byBudget: whether a budget stopped it; that of one that cannot be resumed is counted.
/// - Returns: it is suspended, and nothing of it is counted as a failure.
public func leaveOfSuspended(
  _ transfer: Transfer, partial: PartialDownload, startedOver: Bool = false, byBudget: Bool
) -> TransferLeave {
  var leave = TransferLeave(
    number: transfer.number, status: .suspended, reason: byBudget ? "the budget ended" : "interrupted",
    partial: partial)
  let goesOn = canResume(partial) && !startedOver
  let hasProgressed = partial.bytes > transfer.partial.bytes && goesOn
  leave.failures = hasProgressed ? 0 : transfer.failures
  leave.failingSince = hasProgressed ? nil : transfer.failingSince
  leave.cuts = transfer.cuts
  // One of which nothing came says nothing of whether it can go on.
  if partial.bytes > 0 {
    if goesOn { leave.cuts = 0 } else if byBudget { leave.cuts = min(transfer.cuts, 1000) + 1 }
  }
  return leave
}

/// Why a download has failed for good before its next attempt: too many processes died while it ran; nil if they are fewer.
public func reasonToGiveUp(_ transfer: Transfer) -> String? {
  guard transfer.crashes > 0, transfer.failures >= mostAttempts else { return nil }
  return FetchRecord.interrupted + "; given up after \(transfer.failures) attempts"
}

/// Whether a download gets its next attempt without a budget: it cannot be resumed, and was cut twice.
public func needsAttemptWithoutBudget(_ transfer: Transfer) -> Bool { transfer.cuts >= 2 }

/// Whether what is there can be gone on with, as far as is known.
public func canResume(_ partial: PartialDownload) -> Bool {
  guard partial.acceptsRanges != false else { return false }
  if case .success = strongValidator(of: partial) { return true }
  return false
}

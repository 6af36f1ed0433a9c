// How an attempt at a transfer ended: decided here, stored, reported and counted as the same value. Requests and files are
// the run's business.

/// How an attempt at a transfer ended.
public enum TransferOutcome: Equatable, Sendable {
  /// The file has its final name.
  case placed(PlacedFile, isResumed: Bool)
  /// The file that was downloaded before is still current; nothing was transferred.
  case unchanged
  /// The transfer is queued or suspended again, as given; a rate limit until a moment applies to its host.
  case postponed(Transfer, Instant? = nil)
  /// The transfer failed permanently; a missing password or token is announced.
  case failed(reason: String, needsCredentials: Bool)
  /// A person cancelled the transfer.
  case cancelled
  /// The file was not downloaded, because a bound of `keep` would remove it at once.
  case omitted(OmissionRule)
  /// Another process suspended, cancelled or settled the transfer meanwhile.
  case lost
}

extension TransferOutcome {
  /// How the transfer is settled, or nil if it is not.
  public var settlement: (status: TransferStatus, reason: String?, file: PlacedFile?)? {
    switch self {
    case .placed(let file, _): (.finished, nil, file)
    case .unchanged: (.finished, "not modified since it was downloaded before", nil)
    case .failed(let reason, _): (.failed, reason, nil)
    case .cancelled: (.cancelled, nil, nil)
    case .omitted(let rule): (.cancelled, rule.text, nil)
    case .postponed, .lost: nil
    }
  }
}

/// An attempt that produced no whole file.
public struct StoppedAttempt: Sendable {
  /// Why an attempt stopped.
  public enum Cause: Sendable {
    /// By a signal or by a person.
    case interrupted
    /// By the end of the budget; before the bytes of an earlier run were verified, or later.
    case budgetEnded(whileVerifying: Bool)
    /// By a failure, with the last response if there was one.
    case failed(TransferFailure, Response?)
    /// The process died.
    case died
  }

  /// The transfer before the attempt.
  var transfer: Transfer
  /// The bytes that are safely stored now.
  var partial: PartialDownload
  /// Whether the file was downloaded from its first byte although a part of it was there.
  public var startedOver = false
  var began: Instant
  public var ended: Instant
  /// The moment at which its age is judged: earlier than the end if the clock may be wrong.
  public var ageMoment: Instant
  /// This machine's identity, for the jitter.
  var machine: String
  /// When the file is requested once more if it is missing, because a push may have announced it too early; nil if it is
  /// not.
  public var secondTry: Instant?
  /// The feed's secrets, which a reason must not repeat.
  public var hidden = HiddenWords.none

  public init(
    _ transfer: Transfer, partial: PartialDownload, began: Instant, ended: Instant, machine: String = ""
  ) {
    (self.transfer, self.partial, self.began, self.ended) = (transfer, partial, began, ended)
    ageMoment = ended
    self.machine = machine
  }

  /// Whether the attempt added bytes from which the next one can resume.
  private var hasProgressed: Bool {
    partial.bytes > transfer.partial.bytes && canResume(partial) && !startedOver
  }

  /// Decides how the attempt ended for its transfer.
  ///
  /// A failure that may pass is retried after 5 min. The wait doubles with each attempt in a row without progress, up to
  /// 6 h; after an attempt with progress it is 1 min. If the server asks for a longer wait, that applies, up to 7 d.
  ///
  /// A transfer fails permanently:
  ///
  /// - at once if the file is not there, needs credentials or is too large; but if a push announced the file, it may not be
  ///   there yet and gets one more attempt;
  /// - after 3 attempts for a page or a 403, which may come from a captive portal or a protection against bots;
  /// - after 8 attempts in a row without progress, or 7 d of failing.
  ///
  /// Problems of this machine (offline, no secret, no space, a missing directory) do not count.
  public func outcome(_ cause: Cause) -> TransferOutcome {
    switch cause {
    case .interrupted: .postponed(suspended(byBudget: false, wasVerified: true))
    case .budgetEnded(let whileVerifying): .postponed(suspended(byBudget: true, wasVerified: !whileVerifying))
    case .died: .postponed(afterCrash)
    case .failed(let failure, let response): afterFailure(failure, response)
    }
  }

  /// The transfer after its process died.
  private var afterCrash: Transfer {
    var next = transfer.postponed(.suspended, FetchRecord.interrupted, partial: partial)
    next.failures += 1
    next.crashes = transfer.crashes + 1
    return next
  }

  /// The transfer after an attempt that was stopped although nothing was wrong with it.
  private func suspended(byBudget: Bool, wasVerified: Bool) -> Transfer {
    var next = transfer.postponed(
      .suspended, byBudget ? "the budget ended" : "interrupted", partial: partial)
    if hasProgressed { (next.failures, next.failingSince) = (0, nil) }
    // An attempt without a byte says nothing about whether the transfer can be resumed.
    guard partial.bytes > 0 else { return next }
    if canResume(partial), !startedOver, wasVerified {
      next.cuts = 0
    } else if byBudget {
      next.cuts = min(transfer.cuts, 1000) + 1
    }
    return next
  }

  private func afterFailure(_ failure: TransferFailure, _ response: Response?) -> TransferOutcome {
    let reason = hidden.masked(text(of: failure))
    var next = transfer.postponed(.queued, reason, partial: partial)
    let limit: Int
    switch failure.severity {
    case .permanent(let needsCredentials):
      guard let secondTry, transfer.failures == 0, failure.isMissingFile else {
        return .failed(reason: reason, needsCredentials: needsCredentials)
      }
      next.failures = 1
      next.failingSince = began
      next.cuts = 0
      next.notBefore = secondTry
      return .postponed(next)
    case .ofMachine(let status):
      next.status = status
      next.notBefore = ended + .minutes(5)
      return .postponed(next)
    case .counted(let most): limit = most
    }
    next.cuts = 0
    next.failures = hasProgressed ? 0 : min(transfer.failures, 1000) + 1
    // A moment in the future was stored before the clock was set back, one from before this program by a wrong clock.
    let since =
      transfer.failingSince.flatMap { min(began, ClockTrust.oldest) <= $0 && $0 <= began ? $0 : nil } ?? began
    next.failingSince = since
    // One response that may come from a portal does not end a transfer that failed for other reasons before.
    let isSame = limit == mostAttempts || transfer.reason == reason
    if next.failures >= (isSame ? limit : mostAttempts) {
      return .failed(
        reason: reason + "; given up after \(next.failures) attempts", needsCredentials: false)
    }
    if ageMoment.since(since) >= .days(7) {
      return .failed(reason: reason + "; given up after 7 days", needsCredentials: false)
    }
    let moment = ended + wait(next, failure, response)
    next.notBefore = moment
    return .postponed(next, failure.isRateLimit ? moment : nil)
  }

  /// The time until the next attempt.
  private func wait(_ next: Transfer, _ failure: TransferFailure, _ response: Response?) -> Interval {
    let backoff: Interval =
      next.failures == 0 ? .minutes(1) : min(doubled(.minutes(5), after: next.failures), .hours(6))
    var asked = response.flatMap { retryAfter(of: $0, receivedAt: ended) }
    if case .fetch(.rateLimited(_, let after?)) = failure { asked = max(asked ?? .zero, after) }
    let longest = max(backoff, min(asked.map { $0 + wholeSecond } ?? .zero, longestRetryAfter))
    return longest + jitter(on: longest, machine: machine, feed: transfer.feed)
  }
}

extension Transfer {
  /// The transfer when its process releases it; the counts of failures and cuts stay, the count of crashes is cleared.
  public func postponed(
    _ status: TransferStatus, _ reason: String, until moment: Instant? = nil, partial: PartialDownload
  ) -> Transfer {
    var next = self
    next.status = status
    next.reason = reason
    next.notBefore = moment
    next.crashes = 0
    next.partial = partial
    return next
  }
}

/// The reason why a transfer fails permanently before its next attempt, because too many processes died during it; nil
/// if it may be tried.
public func reasonToGiveUp(_ transfer: Transfer) -> String? {
  guard transfer.crashes > 0, transfer.failures >= mostAttempts else { return nil }
  return FetchRecord.interrupted + "; given up after \(transfer.failures) attempts"
}

/// Whether the next attempt ignores the budget, because the transfer cannot be resumed and the budget cut it twice.
func needsAttemptWithoutBudget(_ transfer: Transfer) -> Bool { transfer.cuts >= 2 }

/// Whether a partial file can be resumed, as far as is known before asking.
public func canResume(_ partial: PartialDownload) -> Bool {
  partial.acceptsRanges != false && strongValidator(of: partial).validator != nil
}

/// The attempts in a row without progress after which a transfer fails permanently.
private let mostAttempts = 8
/// The same after a response that may come from a captive portal instead of the server.
private let mostDoubtfulAttempts = 3

extension TransferFailure {
  fileprivate enum Severity {
    /// No further attempt.
    case permanent(needsCredentials: Bool)
    /// This many in a row without progress are permanent.
    case counted(most: Int)
    /// A problem of this machine; the transfer gets this status.
    case ofMachine(TransferStatus)
  }

  fileprivate var severity: Severity {
    switch self {
    case .fetch(let failure): failure.severityOfTransfer
    case .documents(let problem):
      switch problem {
      case .gone, .full, .belowFreeSpace, .denied, .unsafe, .inTheWay: .ofMachine(.suspended)
      case .fileTooLarge: .permanent(needsCredentials: false)
      case .partialLost, .notDirectory, .nameRefused, .other: .counted(most: mostAttempts)
      }
    case .page, .encoded: .counted(most: mostDoubtfulAttempts)
    case .empty, .short, .overlong, .wrongRange, .changed: .counted(most: mostAttempts)
    case .noWebAddress, .tooLarge: .permanent(needsCredentials: false)
    }
  }

  /// Whether the server says that it has had too many requests.
  fileprivate var isRateLimit: Bool {
    if case .fetch(.rateLimited(let status, _)) = self { status == 429 || status == 403 } else { false }
  }

  /// Whether the server says that there is no such file.
  fileprivate var isMissingFile: Bool {
    switch self {
    case .fetch(.status(404)), .fetch(.status(410)): true
    default: false
    }
  }

  /// Whether the partial file is of no use after this many attempts in a row without progress.
  ///
  /// Once, the server may be a captive portal that says that the file has changed; what it says so often is believed.
  public func spoilsPartial(after attempts: Int) -> Bool {
    switch self {
    case .documents(.partialLost), .documents(.fileTooLarge): true
    case .changed: attempts >= mostDoubtfulAttempts
    default: false
    }
  }

  /// Whether the bytes that a response has added before the failure belong to the file.
  public var keepsReceivedBytes: Bool {
    switch self {
    case .documents(.partialLost), .documents(.fileTooLarge): false
    case .fetch, .short, .documents: true
    case .noWebAddress, .page, .empty, .overlong, .wrongRange, .changed, .tooLarge, .encoded: false
    }
  }
}

extension FetchFailure {
  fileprivate var severityOfTransfer: TransferFailure.Severity {
    switch self {
    case .status(401), .status(407): .permanent(needsCredentials: true)
    case .status(404), .status(410), .status(451), .tooLarge: .permanent(needsCredentials: false)
    case .status(408), .status(421), .status(425), .status(429): .counted(most: mostAttempts)
    case .status(511): .ofMachine(.queued)
    case .status(400..<500), .tooManyRedirects, .badRedirect, .insecureRedirect, .privateAddress,
      .loginPage, .notAFeed:
      .counted(most: mostDoubtfulAttempts)
    case .offline, .captivePortal: .ofMachine(.queued)
    case .suspended, .noSecret, .transferLibrary: .ofMachine(.suspended)
    default: .counted(most: mostAttempts)
    }
  }
}

/// Everything the store writes in one transaction when an attempt ends, or when a person cancels a transfer.
public struct TransferEnd: Sendable {
  public var number: Int64
  public var outcome: TransferOutcome
  /// The validators of the placed file, for the next download of the same address; or the partial file of a failed transfer,
  /// which can be retried.
  public var partial = PartialDownload()
  public var ended: Instant
  /// When a push caused its next attempt, which counts against the feed's limit; nil if none did.
  public var causedAt: Instant?
  /// The requests of the attempt; none if `commit` has them.
  public var requests: [RequestRecord] = []
  /// Events about the transfer, with their hooks.
  public var events: [EventRecord] = []
  /// The events to record after `events` if this was the last unsettled transfer of its session.
  public var sessionFinished: @Sendable (SessionTotals) -> [EventRecord]
  /// The fetch that the transfer is, for a feed of kind `asset`, and when that feed is next due.
  public var commit: (feed: FeedCommit, nextDue: Instant?)?

  public init(
    _ number: Int64, _ outcome: TransferOutcome, ended: Instant,
    sessionFinished: @escaping @Sendable (SessionTotals) -> [EventRecord] = { _ in [] }
  ) {
    (self.number, self.outcome, self.ended, self.sessionFinished) = (number, outcome, ended, sessionFinished)
  }
}

/// The totals of a session.
public struct SessionTotals: Sendable {
  /// The store's number for the session, never used twice.
  public var session: Int64
  var feed: FeedName
  public var finished: Int
  /// Permanently failed transfers.
  public var failed: Int
  public var cancelled: Int

  public init(session: Int64, feed: FeedName, finished: Int, failed: Int, cancelled: Int) {
    (self.session, self.feed, self.finished, self.failed) = (session, feed, finished, failed)
    self.cancelled = cancelled
  }
}

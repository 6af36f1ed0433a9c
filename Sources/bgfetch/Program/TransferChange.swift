// What a person can do to transfers, and to which.

import Core

/// What a person can do to a transfer.
enum TransferChange: Hashable, Sendable {
  /// Queue it again.
  case retry
  /// Hold it until it is resumed.
  case suspend
  /// Let it go on.
  case resume
  /// Give it up.
  case cancel

  /// Whether there is something to do to a transfer.
  func concerns(_ transfer: Transfer) -> Bool {
    switch self {
    case .retry:
      switch transfer.status {
      case .failed, .cancelled, .suspended: true
      // One that waits after a failure need not.
      case .queued: transfer.notBefore != nil
      case .running, .finished: false
      }
    case .suspend: !transfer.status.isSettled && !transfer.isHeld
    case .resume: transfer.status == .suspended
    // A failed one is told of until nobody wants it any more.
    case .cancel: !transfer.status.isSettled || transfer.status == .failed
    }
  }

  /// How far those may be that it is done to.
  var statuses: Set<TransferStatus> { Set(TransferStatus.allCases).subtracting([.finished]) }

  /// Whether it is done to a transfer that is not named by its number, but among all those of a feed.
  ///
  /// What the person gave up or holds is not begun again in passing.
  func concernsInPassing(_ transfer: Transfer) -> Bool {
    guard self == .retry else { return concerns(transfer) }
    return concerns(transfer) && transfer.status != .cancelled && !transfer.isHeld
  }

  /// What became of a transfer that it was done to.
  var done: String {
    switch self {
    case .retry, .resume: "queued again"
    case .suspend: "suspended"
    case .cancel: "cancelled"
    }
  }

  /// Why there was nothing to do.
  var nothing: String {
    switch self {
    case .retry: "nothing to retry: none of them has failed or waits"
    case .suspend: "nothing to suspend: none of them waits or is under way"
    case .resume: "nothing to resume: none of them is suspended"
    case .cancel: "nothing to cancel: none of them waits, is under way or has failed"
    }
  }

  /// Why it cannot be done to a transfer, with the cure.
  func refusal(of transfer: Transfer) -> String {
    let what = "transfer \(transfer.number) is \(transfer.status.rawValue)"
    return switch (self, transfer.status) {
    case (.retry, .running): "\(what), which needs no retry"
    case (.retry, .queued): "\(what) and goes first when its turn comes; bgfetch transfers run begins now"
    case (.retry, .finished):
      "\(what); its file is \(transfer.file.map { shownPath($0.path) } ?? "as it was")"
    case (.suspend, .suspended): "\(what) already"
    case (.suspend, _), (.cancel, _): "\(what), and nothing more happens to it"
    case (.resume, .failed), (.resume, .cancelled):
      "\(what); bgfetch transfers retry \(transfer.number) queues it again"
    case (.resume, .finished): "\(what), and nothing more happens to it"
    case (.resume, _): "\(what), and goes on by itself"
    default: what
    }
  }
}

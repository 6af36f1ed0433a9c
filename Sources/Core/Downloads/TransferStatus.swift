// How far a transfer is.

/// How far a transfer is.
public enum TransferStatus: String, Hashable, Sendable, CaseIterable {
  /// It waits for its turn, or for its next attempt.
  case queued
  /// A process is at it.
  case running
  /// It was stopped and goes on by itself later, or when the person says so.
  case suspended
  /// Its file is placed, or the server said that the one that is there has not changed.
  case finished
  /// It failed for good.
  case failed
  /// The person does not want it.
  case cancelled

  /// Whether nothing more happens to it.
  public var isSettled: Bool {
    switch self {
    case .queued, .running, .suspended: false
    case .finished, .failed, .cancelled: true
    }
  }
}

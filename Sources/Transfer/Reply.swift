// The end of a fetch, which comes from the thread, from a cancelled task or from a shutdown, whichever is first.

import Core
private import Synchronization

/// What one caller waits for; it is resumed exactly once, by whoever comes first.
final class Reply: Sendable {
  typealias Outcome = Result<Response, FetchFailure>

  private enum State: Sendable {
    case new
    case waiting(CheckedContinuation<Outcome, Never>)
    /// Ended before anybody waited.
    case early(Outcome)
    case done
  }

  private let state = Mutex(State.new)
  private let withdrawn = Atomic(false)

  /// Notes that the caller has no use for an answer any more, but waits until nothing touches what it gave along.
  func withdraw() { withdrawn.store(true, ordering: .releasing) }

  /// Whether somebody still waits for an answer.
  var isWanted: Bool {
    guard !withdrawn.load(ordering: .acquiring) else { return false }
    return state.withLock { state in
      if case .waiting = state { true } else { false }
    }
  }

  /// Begins to wait; false if the end had come before and was passed on at once.
  func begin(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
    let early: Outcome? = state.withLock { state in
      if case .early(let outcome) = state {
        state = .done
        return outcome
      }
      state = .waiting(continuation)
      return nil
    }
    guard let early else { return true }
    continuation.resume(returning: early)
    return false
  }

  /// Ends the wait; true if this was the end that counted for somebody waiting.
  @discardableResult
  func finish(_ outcome: Outcome) -> Bool {
    let waiting: CheckedContinuation<Outcome, Never>? = state.withLock { state in
      switch state {
      case .new:
        state = .early(outcome)
        return nil
      case .waiting(let continuation):
        state = .done
        return continuation
      case .early, .done:
        return nil
      }
    }
    waiting?.resume(returning: outcome)
    return waiting != nil
  }
}

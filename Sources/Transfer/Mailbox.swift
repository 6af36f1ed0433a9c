// What callers tell the thread that owns libcurl, from any thread.

internal import CCurl
import Core
private import Synchronization

/// A number for each fetch of a loop.
struct Ticket: Hashable, Sendable {
  let number: Int
}

/// A fetch that was asked for.
struct TransferJob: Sendable {
  let ticket: Ticket
  let request: Request
  let destination: BodyDestination
  let reply: Reply
}

/// One thing to tell the thread.
enum Message: Sendable {
  /// Fetch this when its turn comes.
  case start(TransferJob)
  /// Nobody waits for this any more.
  case drop(Ticket)
}

extension [Message] {
  /// Answers those who still wait.
  func refuse(with failure: FetchFailure) {
    for case .start(let job) in self { job.reply.finish(.failure(failure)) }
  }
}

/// Messages on their way to the thread, in order.
final class Mailbox: Sendable {
  private struct State: Sendable {
    var messages: [Message] = []
    var waker: Waker?
    var closed: FetchFailure?
    var lastTicket = 0

    mutating func takeMessages() -> [Message] {
      defer { messages = [] }
      return messages
    }

    func wake() {
      if let waker { _ = bgfetch_curl_multi_wakeup(waker.multi) }
    }
  }

  /// The thread's CURLM, for waking it up.
  ///
  /// It may cross threads because only `bgfetch_curl_multi_wakeup` is called with it, which libcurl allows from
  /// any thread, and only under the lock, which the owner takes before it frees the CURLM.
  private struct Waker: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer
  }

  private let state = Mutex(State())

  func nextTicket() -> Ticket {
    state.withLock { state in
      state.lastTicket += 1
      return Ticket(number: state.lastTicket)
    }
  }

  /// Leaves a message and wakes the thread; gives the reason if nobody will read it.
  func post(_ message: Message) -> FetchFailure? {
    state.withLock { state in
      if let closed = state.closed { return closed }
      state.messages.append(message)
      // A thread that was woken for an earlier message has yet to take them all.
      if state.messages.count == 1 { state.wake() }
      return nil
    }
  }

  /// Takes what was posted; nil once the mailbox is closed.
  func take() -> [Message]? {
    state.withLock { state in
      state.closed == nil ? state.takeMessages() : nil
    }
  }

  /// Accepts nothing more and says why; the first reason stays.
  func close(with failure: FetchFailure) {
    state.withLock { state in
      if state.closed == nil { state.closed = failure }
      state.wake()
    }
  }

  /// Takes what was posted before the mailbox was closed.
  func drain() -> [Message] {
    state.withLock { $0.takeMessages() }
  }

  /// Says whom to wake; nil before the CURLM is freed.
  func wakes(_ multi: UnsafeMutableRawPointer?) {
    let waker = multi.map(Waker.init)
    state.withLock { $0.waker = waker }
  }
}

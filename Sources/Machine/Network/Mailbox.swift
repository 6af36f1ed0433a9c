// Messages from callers to the thread that owns libcurl, and the reply that each caller waits for.

import CLate
import Core
private import Synchronization

/// The number of a request within its loop.
struct Ticket: Hashable, Sendable {
  let number: Int
}

/// A request with the destination of its body and its reply.
struct TransferJob: Sendable {
  let ticket: Ticket
  let request: Request
  /// The body of a PUT.
  var upload: UploadPart?
  /// Makes what takes the body, on the thread that fills it.
  let makeSink: @Sendable () -> any BodySink
  let reply: Reply
}

/// A message to the thread.
enum Message: Sendable {
  case start(TransferJob)
  /// The caller no longer waits.
  case drop(Ticket)
}

extension [Message] {
  /// Ends all requests that were not started.
  func refuse(with failure: FetchFailure) {
    for case .start(let job) in self { job.reply.finish(.failure(failure)) }
  }
}

/// The queue of messages to the thread, used from any thread.
final class Mailbox: Sendable {
  private struct State: Sendable {
    var messages: [Message] = []
    var closed: FetchFailure?
    var lastTicket = 0

    mutating func removeMessages() -> [Message] {
      defer { messages = [] }
      return messages
    }
  }

  /// The thread's CURLM, for waking it.
  ///
  /// `@unchecked`, because `curl_multi_wakeup`, the only call with it, is allowed on any thread. It is called under the
  /// lock of the waker, which the owner takes before it frees the CURLM.
  private struct Waker: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer
  }

  private let state = Mutex(State())
  /// It has a lock of its own: a thread that is awake need not wait until the call that woke it returns.
  private let waker = Mutex<Waker?>(nil)

  func nextTicket() -> Ticket {
    state.withLock { state in
      state.lastTicket += 1
      return Ticket(number: state.lastTicket)
    }
  }

  /// Adds a message and wakes the thread.
  ///
  /// - Returns: the reason if the mailbox is closed.
  func post(_ message: Message) -> FetchFailure? {
    let (closed, isFirst) = state.withLock { state in
      if state.closed == nil { state.messages.append(message) }
      return (state.closed, state.messages.count == 1)
    }
    // If an earlier message waits, the thread is awake and will take all.
    if closed == nil, isFirst { wake() }
    return closed
  }

  /// Takes all messages; nil if the mailbox is closed.
  func removeAll() -> [Message]? {
    state.withLock { state in
      state.closed == nil ? state.removeMessages() : nil
    }
  }

  /// Accepts no more messages; the first reason counts.
  func close(with failure: FetchFailure) {
    state.withLock { state in
      if state.closed == nil { state.closed = failure }
    }
    wake()
  }

  /// Takes the messages posted before the mailbox was closed.
  func drain() -> [Message] {
    state.withLock { $0.removeMessages() }
  }

  /// Sets the CURLM to wake; nil before it is freed.
  func wakes(_ multi: UnsafeMutableRawPointer?) {
    let new = multi.map(Waker.init)
    waker.withLock { $0 = new }
  }

  private func wake() {
    waker.withLock { waker in
      if let waker { _ = libcurl.curl_multi_wakeup(waker.multi) }
    }
  }
}

/// The result that one caller waits for: from the thread, a cancellation or a shutdown.
final class Reply: Sendable {
  typealias Outcome = Result<Response, FetchFailure>

  let result = OneShot<Outcome>()
  private let withdrawn = Atomic(false)

  /// Notes that the caller was cancelled, but waits until the thread no longer uses its receiver.
  func withdraw() { withdrawn.store(true, ordering: .releasing) }

  /// Whether the caller still wants a response.
  var isWanted: Bool { !withdrawn.load(ordering: .acquiring) && result.isAwaited }

  /// Ends the wait; true if this was the first result and the caller was waiting.
  @discardableResult
  func finish(_ outcome: Outcome) -> Bool { result.settle(outcome) }
}

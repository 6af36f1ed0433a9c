// HTTP: sends requests with libcurl and returns responses, many at once. CurlLoop is the door.
//
// A loop has one thread, which alone touches libcurl (CurlThread). Callers and the thread exchange messages by the Mailbox.
// A request is sent once and never redirected: retries, redirects, caching and resuming are decided in Core.

import CLate
public import Core
private import Glibc
private import Synchronization

/// Sends requests over a limited number of connections, all on one thread.
///
/// The first request starts the thread and loads libcurl. A request is sent once, or again if its kept-alive connection
/// was already closed or closing. A redirect is a response like any other.
public final class CurlLoop: Sendable {
  private let mailbox = Mailbox()
  private let limits: TransferLimits
  private let thread = Mutex(ThreadState.notStarted)

  private enum ThreadState: Sendable {
    case notStarted
    case running(pthread_t)
    case stopped
  }

  /// - Parameters:
  ///   - connections: the most requests at once; further ones wait.
  ///   - idleConnections: the most connections that stay open beside those of requests, for further requests to their hosts.
  ///   - proxies: the proxies for `ProxyRule.environment`.
  ///   - ownAddresses: the addresses of this machine, which count as private.
  ///   - netrcFile: the file for the credentials `.netrc`; nil means `~/.netrc`.
  ///   - rateLimit: the most bytes a second of all downloads together; nil means no limit. Fetches do not count.
  public init(
    connections: Int, idleConnections: Int = 0, proxies: ProxyEnvironment,
    ownAddresses: @escaping @Sendable () -> [NetworkAddress], netrcFile: String? = nil,
    rateLimit: ByteCount? = nil
  ) {
    limits = TransferLimits(
      connections: max(1, connections), idleConnections: idleConnections, proxies: proxies,
      ownAddresses: ownAddresses, netrcFile: netrcFile, rateLimit: rateLimit)
  }

  deinit { shutdown() }

  /// Sends one request and returns its response, whatever the status.
  ///
  /// A 304, a redirect or a 500 is a normal result. Time limits begin when the request is sent, not while it waits. The
  /// body of a status other than 2xx is dropped, and errors in it are ignored.
  ///
  /// - Parameter upload: the body of a PUT, which is read while it is sent.
  /// - Throws: `.suspended` if the task is cancelled or the loop was shut down; otherwise why there is no whole
  ///   response.
  public func fetch(
    _ request: Request, sending upload: UploadBody? = nil
  ) async throws(FetchFailure) -> Response {
    try await send(request, upload)
  }

  /// Sends one request, passes the body of a 2xx to a receiver, and returns the response without it.
  ///
  /// Any other status is a normal result too, and its body does not go to the receiver. The body is requested without a
  /// content coding and may take any time. Limits hold only for connecting, for a stalled body (`network.stall`), and for
  /// the head or the body of an error (`network.timeout`). Time spent waiting for the rate limit does not count.
  ///
  /// After this returns, even because of a cancellation, no call of the receiver begins or is going on.
  ///
  /// - Throws: `.suspended` if the task is cancelled or the loop was shut down; the receiver's failure; or why there is
  ///   no whole response. A body shorter than its `Content-Length` is `.cut`; a body without a length that ends with
  ///   the connection is whole.
  public func download(
    _ request: Request, into receiver: any BodyReceiver & Sendable
  ) async throws(FetchFailure) -> Response {
    var request = request
    request.isDownload = true
    return try await send(request, into: receiver)
  }

  private func send(
    _ request: Request, _ upload: UploadBody? = nil, into receiver: (any BodyReceiver & Sendable)? = nil
  ) async throws(FetchFailure) -> Response {
    let reply = Reply()
    let job = TransferJob(
      ticket: mailbox.nextTicket(), request: request, upload: upload, receiver: receiver, reply: reply)
    let result = await reply.result.value {
      begin(job)
    } onCancel: {
      // Only the thread knows when it no longer uses the receiver, so it sends the reply. If the mailbox is closed,
      // closing it has sent the reply.
      reply.withdraw()
      _ = mailbox.post(.drop(job.ticket))
    }
    return try result.get()
  }

  /// Ends all requests as `.suspended`, and the thread; later requests are suspended too.
  public func shutdown() {
    let before = thread.withLock { state in
      defer { state = .stopped }
      return state
    }
    mailbox.close(with: .suspended)
    if case .running(let thread) = before { join(thread) }
    // Messages that the thread has not taken.
    mailbox.drain().refuse(with: .suspended)
  }

  private func begin(_ job: TransferJob) {
    if let refusal = mailbox.post(.start(job)) {
      job.reply.finish(.failure(refusal))
    } else {
      startThread()
    }
  }

  private func startThread() {
    thread.withLock { state in
      guard case .notStarted = state else { return }
      if let thread = try? newThread({ [mailbox, limits] in CurlThread(mailbox, limits).run() }) {
        state = .running(thread)
      } else {
        let failure = FetchFailure.transferLibrary(
          "no thread for transfers: too many threads or too little memory; see ulimit -a and free")
        mailbox.close(with: failure)
        mailbox.drain().refuse(with: failure)
      }
    }
  }
}

/// Loads libcurl, so that a request is sent as soon as it has its turn; a loop whose request finds it missing says so.
public func loadCurl() { _ = bgfetch_curl_load() }

/// The version of libcurl; nil if it cannot be loaded.
public func curlVersion() -> String? {
  guard bgfetch_curl_load() == nil, let version = bgfetch_curl_version() else { return nil }
  return String(cString: version)
}

/// Limits and settings of all transfers of a loop.
struct TransferLimits: Sendable {
  var connections: Int
  var idleConnections: Int
  var proxies: ProxyEnvironment
  var ownAddresses: @Sendable () -> [NetworkAddress]
  var netrcFile: String?
  var rateLimit: ByteCount?

  /// The most bytes that a download reads at once: a twentieth of a second of the rate, so that the rate is even.
  var pieceSize: Int { min(max(Int(clamping: (rateLimit?.bytes ?? .max) / 20), 1024), 256 << 10) }
}

/// Waits until a thread has ended; on the thread itself it detaches instead.
private func join(_ thread: pthread_t) {
  if pthread_equal(thread, pthread_self()) != 0 { pthread_detach(thread) } else { pthread_join(thread, nil) }
}

// MARK: Mailbox

/// The number of a request within its loop.
struct Ticket: Hashable, Sendable {
  let number: Int
}

/// A request with the destination of its body and its reply.
struct TransferJob: Sendable {
  let ticket: Ticket
  let request: Request
  /// The body of a PUT.
  var upload: UploadBody?
  /// The receiver of the body; nil keeps it in memory.
  var receiver: (any BodyReceiver & Sendable)?
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
  var isWanted: Bool { !withdrawn.load(ordering: .acquiring) }

  /// Ends the wait, if this is the first result.
  func finish(_ outcome: Outcome) { result.settle(outcome) }
}

// The door to HTTP: requests in, answers out, any number at once. The work is done by CurlThread; what is passed
// between the two goes through the Mailbox.

public import Core
private import Synchronization

/// Sends requests over as many connections as it is given, all on one thread, which alone touches libcurl.
///
/// The thread and libcurl itself come to life with the first fetch. Each request is sent exactly once (but for a
/// kept-alive connection that had died before it carried it, or was being given up just then) and never redirected: a
/// redirect is an answer.
public final class TransferLoop: Sendable {
  private let mailbox = Mailbox()
  private let limits: TransferLimits
  private let thread = Mutex(ThreadState.notStarted)

  private enum ThreadState: Sendable {
    case notStarted
    case running(LoopThread)
    case stopped
  }

  /// A loop that is idle until the first fetch.
  ///
  /// - Parameters:
  ///   - connections: the most requests under way at once; further ones wait their turn.
  ///   - connectionsPerHost: the most of those to one host, also where a request would allow more.
  ///   - proxies: what `ProxyRule.environment` means.
  ///   - ownAddresses: the addresses of this machine, which count as private.
  ///   - netrcFile: the file that `Request.usesNetrc` reads; nil is `~/.netrc`.
  ///   - rateLimit: the most bytes a second of all downloads together; nil is as fast as they go. Fetches do not count.
  public init(
    connections: Int, connectionsPerHost: Int, proxies: ProxyEnvironment,
    ownAddresses: @escaping @Sendable () -> [NetworkAddress], netrcFile: String? = nil,
    rateLimit: ByteCount? = nil
  ) {
    limits = TransferLimits(
      connections: max(1, connections), connectionsPerHost: max(1, connectionsPerHost), proxies: proxies,
      ownAddresses: ownAddresses, netrcFile: netrcFile, rateLimit: rateLimit)
  }

  deinit { shutdown() }

  /// Sends one request and gives its answer, whatever its status.
  ///
  /// A 304, a redirect or a 500 is a normal result. Limits of time begin when the request's turn has come. Of an
  /// answer other than 2xx the body is not kept, and nothing that goes wrong in it matters: its status and fields
  /// are the answer.
  ///
  /// - Throws: `.suspended` at once when the task is cancelled or the loop shut down, otherwise why there is no
  ///   whole answer.
  public func fetch(_ request: Request) async throws(FetchFailure) -> Response {
    let reply = Reply()
    let job = TransferJob(
      ticket: mailbox.nextTicket(), request: request,
      destination: .memory(limit: request.network.maxFeedSize), reply: reply)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard reply.begin(continuation) else { return }
        if let refusal = mailbox.post(.start(job)) {
          reply.finish(.failure(refusal))
        } else {
          startThread()
        }
      }
    } onCancel: {
      // The caller goes on at once; the thread gives the connection up when it hears of it.
      if reply.finish(.failure(.suspended)) { _ = mailbox.post(.drop(job.ticket)) }
    }
    return try result.get()
  }

  /// Sends one request whose body goes to a receiver, if the answer is a 2xx, and gives the answer without it.
  ///
  /// Any other status is a normal result, too, as with `fetch`, and nothing of it goes to the receiver. The body is
  /// asked for without a content coding and handed on as it comes, however long it takes: only connecting, standing
  /// still (`network.stall`) and, for what is no 2xx, `network.timeout` have an end. Time in which the rate limit holds
  /// it up does not count.
  ///
  /// When this returns, also because the task was cancelled, the receiver is not called any more.
  ///
  /// - Throws: `.suspended` when the task is cancelled or the loop shut down, what the receiver failed with, or why there
  ///   is no whole answer. A body shorter than its `Content-Length` is `.cut`; one without a length that ends with the
  ///   connection counts as whole.
  public func download(
    _ request: Request, into receiver: any BodyReceiver
  ) async throws(FetchFailure) -> Response {
    var request = request
    request.isDownload = true
    let reply = Reply()
    let job = TransferJob(
      ticket: mailbox.nextTicket(), request: request, destination: .receiver(receiver), reply: reply)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard reply.begin(continuation) else { return }
        // One that is withdrawn only now meets its end on the thread.
        if !reply.isWanted {
          reply.finish(.failure(.suspended))
        } else if let refusal = mailbox.post(.start(job)) {
          reply.finish(.failure(refusal))
        } else {
          startThread()
        }
      }
    } onCancel: {
      // Only the thread knows when it has let go of the receiver, so it says when the caller goes on. Where nobody
      // reads the message any more, whoever closed the mailbox answers.
      reply.withdraw()
      _ = mailbox.post(.drop(job.ticket))
    }
    return try result.get()
  }

  /// Ends every fetch under way as `.suspended`, and the thread; later fetches are suspended too.
  public func shutdown() {
    let before = thread.withLock { state in
      defer { state = .stopped }
      return state
    }
    mailbox.close(with: .suspended)
    if case .running(let thread) = before { thread.join() }
    // What was posted after the thread looked for the last time, or before it ever ran.
    mailbox.drain().refuse(with: .suspended)
  }

  private func startThread() {
    thread.withLock { state in
      guard case .notStarted = state else { return }
      let mailbox = mailbox
      let limits = limits
      if let thread = LoopThread({ CurlThread(mailbox, limits).run() }) {
        state = .running(thread)
      } else {
        let failure = FetchFailure.transferLibrary("the system gives no thread for transfers")
        mailbox.close(with: failure)
        mailbox.drain().refuse(with: failure)
      }
    }
  }
}

/// What holds for every transfer of a loop.
struct TransferLimits: Sendable {
  var connections: Int
  var connectionsPerHost: Int
  var proxies: ProxyEnvironment
  var ownAddresses: @Sendable () -> [NetworkAddress]
  var netrcFile: String?
  var rateLimit: ByteCount?
}

// The thread that owns libcurl: takes messages, runs transfers, replies. Also the connections it keeps open.

import CLate
import Core
private import Glibc

/// The functions of libcurl; to be called once it is loaded.
var libcurl: bgfetch_curl_functions { bgfetch_curl().pointee }

/// libcurl's multi handle and all transfers on it.
///
/// Not `Sendable`: it belongs to its thread.
final class CurlThread {
  private let mailbox: Mailbox
  private let limits: TransferLimits
  private var ledger: RequestLedger
  private var jobs: [Ticket: TransferJob] = [:]
  private var running: [Ticket: Exchange] = [:]
  /// Handles for reuse, which keep the TLS sessions of servers.
  private var idle: [CurlHandle] = []
  private let connections = KeptConnections()
  private let own: OwnAddresses
  /// Requests sent a second time; each is repeated at most once.
  private var repeated: Set<Ticket> = []
  /// The running downloads, which share the rate limit.
  private var downloads: Set<Ticket> = []

  init(_ mailbox: Mailbox, _ limits: TransferLimits) {
    (self.mailbox, self.limits) = (mailbox, limits)
    own = OwnAddresses(limits.ownAddresses)
    ledger = RequestLedger(connections: limits.connections)
  }

  /// Works until the mailbox is closed, then suspends all requests.
  func run() {
    if let problem = bgfetch_curl_load() {
      endAll(
        with: .transferLibrary("libcurl cannot be used: \(String(cString: problem)); install libcurl4"))
      return
    }
    bgfetch_curl_use_utf8()
    guard let multi = makeMulti() else {
      endAll(
        with: .transferLibrary("out of memory, or too many open files; raise the limit with ulimit -n"))
      return
    }
    mailbox.wakes(multi)
    let failure = work(on: multi)
    for exchange in running.values { _ = libcurl.curl_multi_remove_handle(multi, exchange.easy) }
    running = [:]
    idle = []
    downloads = []
    endAll(with: failure)
    mailbox.wakes(nil)
    _ = libcurl.curl_multi_cleanup(multi)
  }

  private func makeMulti() -> UnsafeMutableRawPointer? {
    guard let multi = libcurl.curl_multi_init() else { return nil }
    // Without a descriptor for waking, libcurl silently continues, and messages would wait for the next look. A kernel that is
    // short of buffers refuses only some attempts (ENOBUFS).
    guard (0..<10).contains(where: { _ in libcurl.curl_multi_wakeup(multi) == CURLM_OK }) else {
      _ = libcurl.curl_multi_cleanup(multi)
      return nil
    }
    // The ledger limits what runs; this also limits idle connections. libcurl's limit per host is not set: it counts a
    // proxy as the host of all requests through it.
    let connections = limits.connections + limits.idleConnections
    _ = bgfetch_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
    _ = bgfetch_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
    _ = bgfetch_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    return multi
  }

  /// Works until the mailbox is closed.
  ///
  /// - Returns: the failure of the requests that are left.
  private func work(on multi: UnsafeMutableRawPointer) -> FetchFailure {
    while let messages = mailbox.removeAll() {
      for message in messages { handle(message, multi) }
      begin(on: multi)
      let code = bgfetch_curl_multi_perform(multi)
      guard code == CURLM_OK else {
        return .transferLibrary("libcurl failed (\(String(cString: bgfetch_curl_multi_error_text(code))))")
      }
      collect(from: multi)
      let pause = resumeDownloads(on: multi)
      // New transfers need curl_multi_perform at once.
      if begin(on: multi) { continue }
      // Returns for a socket, a timer of libcurl, or a message.
      _ = bgfetch_curl_multi_poll(multi, pause)
    }
    return .suspended
  }

  private func handle(_ message: Message, _ multi: UnsafeMutableRawPointer) {
    switch message {
    case .start(let job):
      guard job.reply.isWanted else {
        job.reply.finish(.failure(.suspended))
        return
      }
      jobs[job.ticket] = job
      ledger.add(
        job.ticket, to: job.request.address.host,
        atMost: job.request.network.connectionsPerHost)
    case .drop(let ticket):
      if let exchange = running[ticket] {
        _ = libcurl.curl_multi_remove_handle(multi, exchange.easy)
        retire(exchange)
      }
      finish(ticket, .failure(.suspended))
    }
  }

  /// Starts all transfers whose turn it is; true if there was one.
  @discardableResult
  private func begin(on multi: UnsafeMutableRawPointer) -> Bool {
    var hasBegun = false
    while let ticket = ledger.next() {
      guard let job = jobs[ticket] else {
        ledger.remove(ticket)
        continue
      }
      do throws(FetchFailure) {
        try start(job, on: multi)
        job.receiver?.begin()
        hasBegun = true
      } catch {
        finish(ticket, .failure(error))
      }
    }
    return hasBegun
  }

  /// Hands a request to libcurl; a repeated request gets a new connection.
  private func start(
    _ job: TransferJob, isRepeated: Bool = false, on multi: UnsafeMutableRawPointer
  ) throws(FetchFailure) {
    let handle = if let used = idle.popLast() { used } else { try CurlHandle() }
    let exchange = Exchange(job, on: handle, connections, own)
    running[job.ticket] = exchange
    do throws(FetchFailure) {
      try exchange.begin(limits, needsNewConnection: isRepeated)
      let code = libcurl.curl_multi_add_handle(multi, exchange.easy)
      guard code == CURLM_OK else {
        throw .transferLibrary(String(cString: bgfetch_curl_multi_error_text(code)))
      }
    } catch {
      retire(exchange)
      throw error
    }
    if job.request.isDownload, downloads.insert(job.ticket).inserted { shareRate() }
  }

  private func collect(from multi: UnsafeMutableRawPointer) {
    var easy: UnsafeMutableRawPointer?
    var code = CURLE_OK
    while bgfetch_curl_multi_next_finished(multi, &easy, &code) {
      guard let easy else { continue }
      guard let exchange = Exchange.of(easy) else {
        _ = libcurl.curl_multi_remove_handle(multi, easy)
        continue
      }
      end(exchange, code, on: multi)
    }
  }

  /// Ends a transfer and replies to its caller, or sends the request again.
  private func end(_ exchange: Exchange, _ code: CURLcode, on multi: UnsafeMutableRawPointer) {
    _ = libcurl.curl_multi_remove_handle(multi, exchange.easy)
    let ticket = exchange.ticket
    let mustRepeat = exchange.mustRepeat(code)
    let outcome = exchange.end(code)
    retire(exchange)
    if mustRepeat, let job = jobs[ticket], repeated.insert(ticket).inserted {
      do throws(FetchFailure) {
        try start(job, isRepeated: true, on: multi)
        return
      } catch {
        return finish(ticket, .failure(error))
      }
    }
    finish(ticket, outcome)
  }

  /// Keeps the handle of a transfer for reuse.
  private func retire(_ exchange: Exchange) {
    exchange.close()
    idle.append(exchange.handle)
    running[exchange.ticket] = nil
    if downloads.remove(exchange.ticket) != nil { shareRate() }
  }

  /// Continues the downloads whose part of the rate allows more.
  ///
  /// - Returns: the milliseconds until the next one may continue; a second at most, because waking the thread may fail.
  private func resumeDownloads(on multi: UnsafeMutableRawPointer) -> Int32 {
    var least: Int64 = 1000
    for ticket in downloads {
      guard let exchange = running[ticket] else { continue }
      if exchange.pauseLeft == 0 {
        let code = exchange.resume()
        if code != CURLE_OK { end(exchange, code, on: multi) }
      }
      least = min(least, exchange.pauseLeft ?? least)
    }
    return Int32(least)
  }

  /// Gives each running download the same part of the rate limit.
  private func shareRate() {
    guard let rate = limits.rateLimit else { return }
    let share = max(1, rate.bytes / Int64(max(1, downloads.count)))
    for ticket in downloads { running[ticket]?.limitRate(to: share) }
  }

  private func finish(_ ticket: Ticket, _ outcome: Reply.Outcome) {
    ledger.remove(ticket)
    repeated.remove(ticket)
    // Release the job and its receiver before the caller continues.
    let reply = jobs.removeValue(forKey: ticket)?.reply
    reply?.finish(outcome)
  }

  /// Ends all current and future requests with one failure.
  private func endAll(with failure: FetchFailure) {
    mailbox.close(with: failure)
    mailbox.drain().refuse(with: failure)
    let replies = jobs.values.map(\.reply)
    jobs = [:]
    for reply in replies { reply.finish(.failure(failure)) }
  }
}

/// The idle connections that libcurl keeps for later requests, to check them before reuse.
///
/// libcurl 7.88 treats bytes after the end of a response as the next response on the connection, perhaps of another feed
/// (since 8.0 it checks). With HTTP/1 a server may not send before a request (RFC 9112 section 9.3.2), so a connection
/// with unread bytes is closed. With HTTP/2 unread bytes are normal.
final class KeptConnections {
  /// Both ends of a connection, which identify it.
  struct Ends: Hashable {
    var server: String
    var serverPort: Int32
    var local: String
    var localPort: Int32
  }

  private struct Connection {
    let socket: curl_socket_t
    var speaksHTTP1 = false
  }

  private var connections: [Ends: Connection] = [:]
  private var ends: [curl_socket_t: Ends] = [:]

  /// Records a new connection with its socket, one of the sockets opened for it.
  func add(_ ends: Ends, oneOf made: [curl_socket_t]) {
    guard let socket = made.first(where: { bgfetch_curl_local_port($0) == ends.localPort }) else { return }
    connections[ends] = Connection(socket: socket)
    self.ends[socket] = ends
  }

  /// Records that a connection had an HTTP/1 response.
  func recordHTTP1(_ ends: Ends) { connections[ends]?.speaksHTTP1 = true }

  /// Closes a connection with unread bytes; libcurl then opens a new one, as if the server had closed it.
  func endIfSpoiled(_ ends: Ends) {
    guard let connection = connections[ends], connection.speaksHTTP1 else { return }
    var byte: UInt8 = 0
    guard recv(connection.socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0 else { return }
    // To no address (AF_UNSPEC): that drops the unread bytes, and libcurl closes the socket itself.
    var nowhere = sockaddr()
    connect(connection.socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
  }

  func close(_ socket: curl_socket_t) {
    if let ends = ends.removeValue(forKey: socket) { connections[ends] = nil }
    Glibc.close(socket)
  }
}

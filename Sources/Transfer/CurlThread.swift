// The body of the one thread that touches libcurl: messages in, transfers on, answers out. Whose turn it is is the
// ledger's business, one transfer is an Exchange's.

internal import CCurl
internal import Model

/// Owns libcurl's multi handle and every transfer on it; lives on its thread alone.
final class CurlThread {
  private let mailbox: Mailbox
  private let limits: TransferLimits
  private var ledger: TransferLedger
  private var jobs: [Ticket: TransferJob] = [:]
  private var running: [Ticket: Exchange] = [:]
  /// Exchanges that may be used again; they keep what libcurl learned of servers' TLS sessions.
  private var idle: [Exchange] = []

  init(_ mailbox: Mailbox, _ limits: TransferLimits) {
    self.mailbox = mailbox
    self.limits = limits
    ledger = TransferLedger(
      connections: limits.connections, connectionsPerHost: limits.connectionsPerHost)
  }

  /// Works until the mailbox is closed, then suspends what is left.
  func run() {
    if let problem = bgfetch_curl_load() {
      refuseAll(with: .transferLibrary(String(cString: problem)))
      return
    }
    bgfetch_curl_use_utf8()
    guard let multi = makeMulti() else {
      refuseAll(with: .transferLibrary("libcurl.so.4: out of memory"))
      return
    }
    mailbox.wakes(multi)
    work(on: multi)
    for (ticket, exchange) in running {
      _ = bgfetch_curl_multi_remove(multi, exchange.easy)
      jobs[ticket]?.reply.finish(.failure(.suspended))
    }
    for job in jobs.values { job.reply.finish(.failure(.suspended)) }
    (running, idle, jobs) = ([:], [], [:])
    mailbox.wakes(nil)
    bgfetch_curl_multi_cleanup(multi)
  }

  private func makeMulti() -> UnsafeMutableRawPointer? {
    guard let multi = bgfetch_curl_multi_init() else { return nil }
    // The ledger never has more under way; these also bound connections that are kept for later. libcurl's limit
    // for a host is left alone: it counts a proxy as the host of all that goes through it.
    let connections = limits.connections
    _ = bgfetch_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
    _ = bgfetch_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
    _ = bgfetch_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    return multi
  }

  private func work(on multi: UnsafeMutableRawPointer) {
    while let messages = mailbox.take() {
      for message in messages { take(message, multi) }
      begin(on: multi)
      let code = bgfetch_curl_multi_perform(multi)
      guard code == CURLM_OK else {
        refuseAll(with: .transferLibrary(String(cString: bgfetch_curl_multi_error_text(code))))
        return
      }
      collect(from: multi)
      // What begins now is wanted in the next round at once.
      if begin(on: multi) { continue }
      // libcurl ends the wait when a socket or one of its timers is due, the mailbox when there is mail.
      _ = bgfetch_curl_multi_poll(multi, 60_000)
    }
  }

  private func take(_ message: Message, _ multi: UnsafeMutableRawPointer) {
    switch message {
    case .start(let job):
      guard job.reply.isWanted else { return }
      jobs[job.ticket] = job
      ledger.add(
        job.ticket, to: "\(job.request.address.host):\(job.request.address.port)",
        atMost: job.request.network.connectionsPerHost)
    case .drop(let ticket):
      jobs[ticket] = nil
      guard ledger.remove(ticket) == .running, let exchange = running.removeValue(forKey: ticket) else {
        return
      }
      _ = bgfetch_curl_multi_remove(multi, exchange.easy)
      exchange.abandon()
      idle.append(exchange)
    }
  }

  /// Begins whatever may begin; says whether anything did.
  @discardableResult
  private func begin(on multi: UnsafeMutableRawPointer) -> Bool {
    var hasBegun = false
    while let ticket = ledger.next() {
      guard let job = jobs[ticket] else {
        _ = ledger.remove(ticket)
        continue
      }
      do throws(FetchFailure) {
        let exchange = if let used = idle.popLast() { used } else { try Exchange() }
        // Also one that could not begin is as good as new afterwards.
        defer { if running[ticket] == nil { idle.append(exchange) } }
        try exchange.begin(job, limits)
        let code = bgfetch_curl_multi_add(multi, exchange.easy)
        guard code == CURLM_OK else {
          exchange.abandon()
          throw .transferLibrary(String(cString: bgfetch_curl_multi_error_text(code)))
        }
        running[ticket] = exchange
        hasBegun = true
      } catch {
        finish(ticket, .failure(error))
      }
    }
    return hasBegun
  }

  private func collect(from multi: UnsafeMutableRawPointer) {
    var easy: UnsafeMutableRawPointer?
    var code = CURLE_OK
    while bgfetch_curl_multi_next_finished(multi, &easy, &code) {
      guard let easy else { continue }
      _ = bgfetch_curl_multi_remove(multi, easy)
      guard let exchange = Exchange.of(easy), let ticket = exchange.ticket else { continue }
      let outcome = exchange.end(code)
      running[ticket] = nil
      idle.append(exchange)
      finish(ticket, outcome)
    }
  }

  private func finish(_ ticket: Ticket, _ outcome: Reply.Outcome) {
    _ = ledger.remove(ticket)
    jobs.removeValue(forKey: ticket)?.reply.finish(outcome)
  }

  /// Answers everything, now and later, with one failure.
  private func refuseAll(with failure: FetchFailure) {
    mailbox.close(with: failure)
    mailbox.drain().refuse(with: failure)
    for job in jobs.values { job.reply.finish(.failure(failure)) }
    jobs = [:]
  }
}

// The body of the one thread that touches libcurl: messages in, transfers on, answers out. Whose turn it is is the
// ledger's business, one transfer is an Exchange's.

internal import CCurl
import Core

/// Owns libcurl's multi handle and every transfer on it; lives on its thread alone.
final class CurlThread {
  private let mailbox: Mailbox
  private let limits: TransferLimits
  private var ledger: TransferLedger
  private var jobs: [Ticket: TransferJob] = [:]
  private var running: [Ticket: Exchange] = [:]
  /// Exchanges that may be used again; they keep what libcurl learned of servers' TLS sessions.
  private var idle: [Exchange] = []
  private let connections = KeptConnections()
  private let own: OwnAddresses
  /// Those that were sent once more: no request is twice.
  private var repeated: Set<Ticket> = []
  /// Those of the running ones whose time and speed are ours to watch.
  private var downloads: Set<Ticket> = []
  private let rate: SharedRate?
  private var lastLook = MonotonicTime.now()

  init(_ mailbox: Mailbox, _ limits: TransferLimits) {
    self.mailbox = mailbox
    self.limits = limits
    rate = limits.rateLimit.map(SharedRate.init)
    own = OwnAddresses(limits.ownAddresses)
    ledger = TransferLedger(
      connections: limits.connections, connectionsPerHost: limits.connectionsPerHost)
  }

  /// Works until the mailbox is closed, then suspends what is left.
  func run() {
    if let problem = bgfetch_curl_load() {
      endAll(with: .transferLibrary(String(cString: problem)))
      return
    }
    bgfetch_curl_use_utf8()
    guard let multi = makeMulti() else {
      endAll(with: .transferLibrary("libcurl.so.4: out of memory, or too many open files"))
      return
    }
    mailbox.wakes(multi)
    let failure = work(on: multi)
    for exchange in running.values {
      _ = bgfetch_curl_multi_remove(multi, exchange.easy)
      exchange.abandon()
    }
    (running, idle, downloads) = ([:], [], [])
    endAll(with: failure)
    mailbox.wakes(nil)
    bgfetch_curl_multi_cleanup(multi)
  }

  private func makeMulti() -> UnsafeMutableRawPointer? {
    guard let multi = bgfetch_curl_multi_init() else { return nil }
    // libcurl does without the descriptor that wakes it where it gets none, and would sleep through the mail.
    guard bgfetch_curl_multi_wakeup(multi) == CURLM_OK else {
      bgfetch_curl_multi_cleanup(multi)
      return nil
    }
    // The ledger never has more under way; these also bound connections that are kept for later. libcurl's limit
    // for a host is left alone: it counts a proxy as the host of all that goes through it.
    let connections = limits.connections
    _ = bgfetch_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
    _ = bgfetch_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
    _ = bgfetch_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    return multi
  }

  /// Gives the reason why it ended.
  private func work(on multi: UnsafeMutableRawPointer) -> FetchFailure {
    while let messages = mailbox.take() {
      for message in messages { take(message, multi) }
      begin(on: multi)
      let code = bgfetch_curl_multi_perform(multi)
      guard code == CURLM_OK else {
        return .transferLibrary(String(cString: bgfetch_curl_multi_error_text(code)))
      }
      collect(from: multi)
      for ticket in downloads {
        if let exchange = running[ticket] { end(exchange, unlessGood: exchange.flush(), on: multi) }
      }
      let patience = downloads.isEmpty ? 60_000 : watchDownloads(on: multi)
      // What begins now is wanted in the next round at once.
      if begin(on: multi) { continue }
      // libcurl ends the wait when a socket or one of its timers is due, the mailbox when there is mail.
      _ = bgfetch_curl_multi_poll(multi, patience)
    }
    return .suspended
  }

  private func take(_ message: Message, _ multi: UnsafeMutableRawPointer) {
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
        _ = bgfetch_curl_multi_remove(multi, exchange.easy)
        exchange.abandon()
        retire(ticket, exchange)
      }
      finish(ticket, .failure(.suspended))
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
        try start(job, on: multi).noteSent()
        hasBegun = true
      } catch {
        finish(ticket, .failure(error))
      }
    }
    return hasBegun
  }

  /// Hands a request to libcurl, on a connection of its own where it is sent once more.
  @discardableResult
  private func start(
    _ job: TransferJob, isRepeated: Bool = false, on multi: UnsafeMutableRawPointer
  ) throws(FetchFailure) -> Exchange {
    let exchange = if let used = idle.popLast() { used } else { try Exchange(connections, own) }
    // Also one that could not begin is as good as new afterwards.
    defer { if running[job.ticket] == nil { idle.append(exchange) } }
    try exchange.begin(job, limits, rate, needsNewConnection: isRepeated)
    let code = bgfetch_curl_multi_add(multi, exchange.easy)
    guard code == CURLM_OK else {
      exchange.abandon()
      throw .transferLibrary(String(cString: bgfetch_curl_multi_error_text(code)))
    }
    running[job.ticket] = exchange
    if job.request.isDownload { watch(job.ticket) }
    return exchange
  }

  private func collect(from multi: UnsafeMutableRawPointer) {
    var easy: UnsafeMutableRawPointer?
    var code = CURLE_OK
    while bgfetch_curl_multi_next_finished(multi, &easy, &code) {
      guard let easy else { continue }
      guard let exchange = Exchange.of(easy) else {
        _ = bgfetch_curl_multi_remove(multi, easy)
        continue
      }
      end(exchange, code, on: multi)
    }
  }

  /// Ends a transfer, under way or over, and answers its caller.
  private func end(_ exchange: Exchange, _ code: CURLcode, on multi: UnsafeMutableRawPointer) {
    _ = bgfetch_curl_multi_remove(multi, exchange.easy)
    guard let ticket = exchange.ticket else { return }
    let wasOvertaken = exchange.wasOvertaken(code)
    let outcome = exchange.end(code)
    retire(ticket, exchange)
    if wasOvertaken, let job = jobs[ticket], repeated.insert(ticket).inserted {
      do throws(FetchFailure) {
        try start(job, isRepeated: true, on: multi)
        return
      } catch {
        return finish(ticket, .failure(error))
      }
    }
    finish(ticket, outcome)
  }

  /// Puts an exchange aside whose transfer has ended.
  private func retire(_ ticket: Ticket, _ exchange: Exchange) {
    running[ticket] = nil
    idle.append(exchange)
    if downloads.remove(ticket) != nil { rate?.remove(ticket) }
  }

  private func finish(_ ticket: Ticket, _ outcome: Reply.Outcome) {
    _ = ledger.remove(ticket)
    repeated.remove(ticket)
    // The job, and the receiver with it, is let go of before its caller goes on.
    let reply = jobs.removeValue(forKey: ticket)?.reply
    reply?.finish(outcome)
  }

  /// Answers everything, now and later, with one failure; nothing runs any more.
  private func endAll(with failure: FetchFailure) {
    mailbox.close(with: failure)
    mailbox.drain().refuse(with: failure)
    let replies = jobs.values.map(\.reply)
    jobs = [:]
    for reply in replies { reply.finish(.failure(failure)) }
  }
}

// MARK: Downloads

extension CurlThread {
  /// How often downloads are looked at, in seconds.
  private static let betweenLooks = 0.5

  private func watch(_ ticket: Ticket) {
    let now = MonotonicTime.now()
    if downloads.isEmpty { lastLook = now }
    downloads.insert(ticket)
    rate?.add(ticket, at: now)
  }

  /// Lets those go on whose turn it is and ends those that take too long; gives the milliseconds to the next look.
  private func watchDownloads(on multi: UnsafeMutableRawPointer) -> Int32 {
    var now = MonotonicTime.now()
    while let ticket = rate?.next(at: now) {
      if let exchange = running[ticket] { end(exchange, unlessGood: exchange.goOn(), on: multi) }
      now = .now()
    }
    if now - lastLook >= Self.betweenLooks {
      lookAtDownloads(multi, after: now - lastLook, at: now)
      lastLook = now
    }
    let seconds = min(
      max(0, Self.betweenLooks - (now - lastLook)), rate?.secondsToNext(at: now) ?? Self.betweenLooks)
    // Rounded up: too early would be for nothing.
    return Int32(seconds * 1000) + 1
  }

  private func lookAtDownloads(
    _ multi: UnsafeMutableRawPointer, after seconds: Double, at now: MonotonicTime
  ) {
    for ticket in downloads {
      guard let exchange = running[ticket] else { continue }
      let held = rate?.secondsHeld(ticket, at: now) ?? 0
      let code = exchange.pass(seconds - held)
      end(exchange, unlessGood: code, on: multi)
    }
  }

  private func end(_ exchange: Exchange, unlessGood code: CURLcode, on multi: UnsafeMutableRawPointer) {
    if code != CURLE_OK { end(exchange, code, on: multi) }
  }
}

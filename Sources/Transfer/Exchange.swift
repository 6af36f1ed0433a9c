// One request and its answer on a libcurl handle, and what libcurl calls back meanwhile. Which options a request
// becomes is in RequestOptions.

internal import CCurl
import Core

/// A libcurl handle that does one transfer after the other; it lives on the loop's thread alone.
final class Exchange {
  /// The handle.
  let easy: UnsafeMutableRawPointer
  /// The transfer under way; nil between two.
  private(set) var ticket: Ticket?
  /// The request's fields as libcurl keeps them: by reference, until the transfer ends.
  var fieldList: UnsafeMutablePointer<curl_slist>?

  private let errorText: UnsafeMutablePointer<CChar>
  private var request: Request?
  private var head = AnswerHead()
  private var sink: any BodySink = DiscardedBody()
  private var usesProxy = false
  /// How fast all downloads are together; nil for what is none, and where there is no limit.
  private var rate: SharedRate?
  /// How long a download's server has; nil for other requests, whose limits are libcurl's.
  private var patience: Patience?
  /// The bytes of the body that came so far; libcurl's own number lags behind where the sink ended the transfer.
  private var bodySize: Int64 = 0
  /// Whether the sink wants no more.
  private var hasEnough = false
  /// Why a callback ended the transfer.
  private var refusal: FetchFailure?
  /// The last address that a connection was refused to, and whether another one was tried.
  private var refusedAddress: String?
  private var hasTriedAddress = false
  private let connections: KeptConnections
  private let own: OwnAddresses
  /// The connection that the request was sent over last, and whether it had carried another one before.
  private var connection: KeptConnections.Ends?
  private var isReused = false
  /// The sockets that were made for this transfer, until one of them is its connection.
  private var madeSockets: [curl_socket_t] = []

  /// A handle that has done nothing yet.
  init(_ connections: KeptConnections, _ own: OwnAddresses) throws(FetchFailure) {
    self.connections = connections
    self.own = own
    guard let easy = bgfetch_curl_easy_init() else { throw .transferLibrary("libcurl.so.4: out of memory") }
    self.easy = easy
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    bgfetch_curl_easy_cleanup(easy)
    bgfetch_curl_list_free(fieldList)
    errorText.deallocate()
  }

  /// The exchange that a handle belongs to.
  static func of(_ easy: UnsafeMutableRawPointer) -> Exchange? {
    bgfetch_curl_get_pointer(easy, CURLINFO_PRIVATE).map { of(context: $0) }
  }

  /// Makes the handle ready for a request, or says why that cannot be sent.
  func begin(
    _ job: TransferJob, _ limits: TransferLimits, _ rate: SharedRate?, needsNewConnection: Bool
  ) throws(FetchFailure) {
    do throws(FetchFailure) {
      try job.request.reach.checkLiteral(job.request.address, own)
      let proxy = job.request.network.proxy.proxy(for: job.request.address, limits.proxies)
      try setOptions(
        job.request, proxy: proxy, netrcFile: limits.netrcFile, pieceSize: rate?.pieceSize ?? 256 << 10)
      if needsNewConnection {
        try check(bgfetch_curl_set_long(easy, CURLOPT_FRESH_CONNECT, 1), "FRESH_CONNECT")
      }
      try setCallbacks()
      usesProxy = proxy != nil
    } catch {
      abandon()
      throw error
    }
    ticket = job.ticket
    request = job.request
    sink = job.destination.makeSink()
    if job.request.isDownload {
      self.rate = rate
      patience = Patience(job.request.network)
    }
  }

  /// Lets time pass that the server of a download had; gives the code to end it with if that was too long.
  func pass(_ seconds: Double) -> CURLcode {
    guard let failure = patience?.pass(seconds) else { return CURLE_OK }
    // The rest of an error does not matter, whatever becomes of it.
    if !head.isComplete || head.hasWantedBody { refusal = failure }
    return CURLE_OPERATION_TIMEDOUT
  }

  /// Lets a download go on that the rate held up; gives the code to end it with if that failed.
  func goOn() -> CURLcode { bgfetch_curl_easy_unpause(easy) }

  /// The request is on its way.
  func noteSent() { sink.begin() }

  /// Has what came handed on; gives the code to end the download with if nobody wants it.
  func flush() -> CURLcode { goesOn(sink.flush()) ? CURLE_OK : CURLE_WRITE_ERROR }

  /// Gives up a transfer; the handle may be used again.
  func abandon() {
    bgfetch_curl_easy_reset(easy)
    bgfetch_curl_list_free(fieldList)
    fieldList = nil
    errorText.pointee = 0
    (ticket, request, refusal, refusedAddress) = (nil, nil, nil, nil)
    (hasTriedAddress, usesProxy, hasEnough) = (false, false, false)
    (rate, patience, bodySize) = (nil, nil, 0)
    (connection, isReused, madeSockets) = (nil, false, [])
    head = AnswerHead()
    sink = DiscardedBody()
  }

  /// Whether the server was giving the connection up when the request came, which it then did not take up: what it says
  /// is no answer to that.
  ///
  /// With HTTP/1 it may say 408 on a connection that was idle (RFC 9110 section 15.5.9); with HTTP/2 it ends the connection
  /// (RFC 9113 section 6.8), and where that happened before a first byte of the answer libcurl has no better words.
  func wasOvertaken(_ code: CURLcode) -> Bool {
    guard refusal == nil, !usesProxy else { return false }
    switch code {
    case CURLE_OK: return head.isComplete && head.status == 408 && isReused
    case CURLE_HTTP2, CURLE_HTTP2_STREAM: return !head.isComplete && bodySize == 0
    default: return false
    }
  }

  /// The outcome of a transfer that libcurl ended with this code; the handle may be used again.
  func end(_ code: CURLcode) -> Reply.Outcome {
    defer { abandon() }
    if let connection, head.isComplete,
      bgfetch_curl_get_long(easy, CURLINFO_HTTP_VERSION) <= Int(CURL_HTTP_VERSION_1_1)
    {
      connections.noteHTTP1(connection)
    }
    _ = flush()
    guard let request else { return .failure(.suspended) }
    if let refusal { return .failure(refusal) }
    // An error's body may break off or never end: its status and its fields, `Retry-After` above all, are whole.
    let isWhole = code == CURLE_OK || hasEnough || (head.isComplete && !head.hasWantedBody)
    guard isWhole else { return .failure(failure(code, of: request)) }
    // libcurl takes the connection's end for the end of the fields.
    guard head.isComplete else { return .failure(.cut("the connection ended within the header")) }
    if usesProxy, head.status == 407 { return .failure(.proxy("the proxy wants credentials (407)")) }
    return .success(
      response(
        sink.release(),
        received: request.isDownload
          ? bodySize : Int64(bgfetch_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T))))
  }

  private func response(_ body: [UInt8], received: Int64) -> Response {
    let connectedTo =
      usesProxy
      ? nil
      : bgfetch_curl_get_text(easy, CURLINFO_PRIMARY_IP).flatMap { NetworkAddress(String(cString: $0)) }
    var response = Response(
      status: head.status, fields: head.fields, body: body, connectedTo: connectedTo, bytesReceived: received)
    response.innerAddress = connectedTo.flatMap { own.isInner($0) ? $0 : nil }
    return response
  }

  private func failure(_ code: CURLcode, of request: Request) -> FetchFailure {
    if code == CURLE_COULDNT_CONNECT, let refusedAddress, !hasTriedAddress {
      return .privateAddress(refusedAddress)
    }
    // libcurl has limits of its own for one line and for all of them, and several codes for them.
    if code == CURLE_OUT_OF_MEMORY, !head.isComplete { return .headersTooLarge(AnswerHead.limit) }
    let text = errorText.pointee == 0 ? bgfetch_curl_error_text(code) : UnsafePointer(errorText)
    return FetchFailure(
      CurlFailure(
        code: code, detail: text.map { String(cString: $0) } ?? "",
        systemError: bgfetch_curl_get_long(easy, CURLINFO_OS_ERRNO), usesProxy: usesProxy,
        connectStatus: bgfetch_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE),
        isConnected: bgfetch_curl_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T) > 0,
        milliseconds: Int64(bgfetch_curl_get_offset(easy, CURLINFO_TOTAL_TIME_T) / 1000)),
      of: request)
  }
}

// MARK: What libcurl calls

extension Exchange {
  /// libcurl calls back on the loop's thread, with the exchange as context, while CurlThread holds on to it.
  private static func of(context: UnsafeMutableRawPointer) -> Exchange {
    Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
  }

  private func setCallbacks() throws(FetchFailure) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    try check(bgfetch_curl_set_pointer(easy, CURLOPT_PRIVATE, context), "PRIVATE")
    try check(bgfetch_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText), "ERRORBUFFER")
    try check(
      bgfetch_curl_on_header(
        easy,
        { start, size, count, context in
          guard let start, let context else { return 0 }
          let bytes = UnsafeRawBufferPointer(start: start, count: size * count)
          return Exchange.of(context: context).take(line: bytes) ? bytes.count : 0
        }, context), "HEADERFUNCTION")
    try check(
      bgfetch_curl_on_body(
        easy,
        { start, size, count, context in
          guard let start, let context else { return 0 }
          let bytes = UnsafeRawBufferPointer(start: start, count: size * count)
          return Exchange.of(context: context).take(body: bytes)
        }, context), "WRITEFUNCTION")
    try check(
      bgfetch_curl_on_socket(
        easy,
        { context, _, address in
          guard let context, let address else { return CURL_SOCKET_BAD }
          return Exchange.of(context: context).openSocket(to: address)
        }, context), "OPENSOCKETFUNCTION")
    // A connection is closed after the exchange that made it, and after every exchange.
    try check(
      bgfetch_curl_on_close(
        easy,
        { context, socket in
          guard let context else { return 1 }
          Unmanaged<KeptConnections>.fromOpaque(context).takeUnretainedValue().close(socket)
          return 0
        }, Unmanaged.passUnretained(connections).toOpaque()), "CLOSESOCKETFUNCTION")
    try check(
      bgfetch_curl_on_connected(
        easy,
        { context, server, local, serverPort, localPort in
          guard let context, let server, let local else { return CURL_PREREQFUNC_ABORT }
          let ends = KeptConnections.Ends(
            server: String(cString: server), serverPort: serverPort, local: String(cString: local),
            localPort: localPort)
          let mayGoOn = Exchange.of(context: context).mayUseConnection(ends)
          return mayGoOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }, context), "PREREQFUNCTION")
  }

  private func take(line: UnsafeRawBufferPointer) -> Bool {
    let wasComplete = head.isComplete
    guard head.take(line) else {
      refusal = .headersTooLarge(AnswerHead.limit)
      return false
    }
    // Trailers come here too.
    guard head.isComplete, !wasComplete else { return true }
    if patience != nil {
      patience?.answered(isWanted: head.hasWantedBody)
    } else if let request {
      do throws(FetchFailure) {
        // Not before: a server may take its time for an answer, and send that at once.
        try setStall(request.network.stall)
      } catch {
        refusal = error
        return false
      }
    }
    guard head.hasWantedBody else {
      sink = DiscardedBody()
      return true
    }
    return goesOn(sink.begin(response([], received: 0)))
  }

  /// Gives how many bytes were taken, as libcurl wants it: all, none, or a number that means later.
  private func take(body bytes: UnsafeRawBufferPointer) -> Int {
    if let rate, let ticket, !rate.take(bytes.count, by: ticket, at: .now()) {
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    patience?.take(bytes.count)
    bodySize += Int64(bytes.count)
    return goesOn(sink.take(bytes, of: head)) ? bytes.count : 0
  }

  private func goesOn(_ verdict: BodyVerdict) -> Bool {
    switch verdict {
    case .goOn: return true
    case .enough:
      hasEnough = true
      return false
    case .failed(let failure):
      refusal = failure
      return false
    }
  }

  /// A socket for an address that a name led to, unless that is out of reach; libcurl then tries the next one.
  private func openSocket(to address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
    if !usesProxy, let request, case .publicOr = request.reach {
      var text = [CChar](repeating: 0, count: 64)
      guard bgfetch_curl_address_text(address, &text, text.count) else { return CURL_SOCKET_BAD }
      let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard let ip = NetworkAddress(name), request.reach.allows(ip, own) else {
        refusedAddress = name
        return CURL_SOCKET_BAD
      }
    }
    hasTriedAddress = true
    let socket = bgfetch_curl_open_socket(address)
    if socket != CURL_SOCKET_BAD { madeSockets.append(socket) }
    return socket
  }

  /// Whether the request may be sent over a connection, which may be one that an earlier request made.
  private func mayUseConnection(_ ends: KeptConnections.Ends) -> Bool {
    patience?.connected()
    (connection, isReused) = (ends, madeSockets.isEmpty)
    if madeSockets.isEmpty {
      connections.endIfSpoiled(ends)
    } else {
      connections.add(ends, oneOf: madeSockets)
      madeSockets = []
    }
    guard !usesProxy, let request, case .publicOr = request.reach else { return true }
    guard let ip = NetworkAddress(ends.server), request.reach.allows(ip, own) else {
      refusal = .privateAddress(ends.server)
      return false
    }
    return true
  }
}

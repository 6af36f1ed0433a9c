// One request and its response on a libcurl handle, with libcurl's callbacks. RequestOptions sets the options.

internal import CLate
import Core
private import Glibc

/// A libcurl handle, which does one transfer after the other.
///
/// It belongs to the loop's thread.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  fileprivate let errorText: UnsafeMutablePointer<CChar>

  init() throws(FetchFailure) {
    guard let easy = libcurl.curl_easy_init() else { throw .transferLibrary("libcurl.so.4: out of memory") }
    self.easy = easy
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    libcurl.curl_easy_cleanup(easy)
    errorText.deallocate()
  }

  /// Forgets everything about its last transfer but connections and TLS sessions.
  func reset() {
    // A reset keeps the cookies.
    _ = bgfetch_curl_set_text(easy, CURLOPT_COOKIELIST, "ALL")
    libcurl.curl_easy_reset(easy)
    errorText.pointee = 0
  }
}

/// One transfer on a handle; to be closed after it.
final class Exchange {
  let ticket: Ticket
  let handle: CurlHandle
  private let request: Request
  /// The request's fields; libcurl refers to them until the transfer ends.
  var fieldList: UnsafeMutablePointer<curl_slist>?
  /// The body that is being sent, and how much of it was read.
  var upload: (body: UploadBody, offset: Int64)?
  private var head = ResponseHead()
  /// The receiver of a body that may follow a challenge of HTTP Digest.
  private var receiverAfterChallenge: (any BodyReceiver)?
  private var challenges = 0
  private var receiver: any BodyReceiver
  /// The body of a fetch.
  private let memory: MemoryBody
  private var proxy: ProxyAddress?
  /// The rate of a download; nil without a limit.
  private(set) var rate: DownloadRate?
  private var isPaused = false
  /// The received bytes of the body; libcurl's number is too low if the receiver ended the transfer.
  private var bodySize: Int64 = 0
  /// Whether the receiver ended the transfer because it has enough.
  private var hasEnough = false
  /// Why a callback ended the transfer.
  var refusal: FetchFailure?
  /// The last private address that was refused, and whether an allowed one was tried.
  private var refusedAddress: String?
  private var hasTriedAddress = false
  private let connections: KeptConnections
  private let own: OwnAddresses
  /// The connection of the request, and whether an earlier request used it.
  private var connection: KeptConnections.Ends?
  private var isReused = false
  /// The sockets opened for this transfer, until one of them becomes its connection.
  private var madeSockets: [curl_socket_t] = []

  init(_ job: TransferJob, on handle: CurlHandle, _ connections: KeptConnections, _ own: OwnAddresses) {
    (ticket, request, self.handle) = (job.ticket, job.request, handle)
    (self.connections, self.own) = (connections, own)
    upload = job.upload.map { ($0, 0) }
    let memory = MemoryBody(limit: job.request.network.maxFeedSize)
    self.memory = memory
    receiver = memory
    if let wanted = job.receiver { receiver = wanted }
  }

  deinit { libcurl.curl_slist_free_all(fieldList) }

  var easy: UnsafeMutableRawPointer { handle.easy }

  static func of(_ easy: UnsafeMutableRawPointer) -> Exchange? {
    bgfetch_curl_get_pointer(easy, CURLINFO_PRIVATE).map { of(context: $0) }
  }

  /// Prepares the handle for the request.
  func begin(_ limits: TransferLimits, needsNewConnection: Bool) throws(FetchFailure) {
    try request.reach.checkLiteral(request.address, own)
    proxy = try request.network.proxy.proxy(for: request.address, limits.proxies)
    try setOptions(request, proxy: proxy?.text, netrcFile: limits.netrcFile, pieceSize: limits.pieceSize)
    if needsNewConnection {
      try set(CURLOPT_FRESH_CONNECT, 1)
    }
    if let body = upload?.body { try setUpload(body, request.network) }
    try setCallbacks()
  }

  /// Gives back the handle, and releases the receiver before its caller continues.
  func close() {
    handle.reset()
    upload = nil
    receiver = DiscardedBody()
    receiverAfterChallenge = nil
  }

  /// Whether the response has a body that counts.
  private var isBodyWanted: Bool { head.hasWantedBody && request.wantsBody }

  /// Limits the rate of a download from now on.
  func limitRate(to bytes: Int64) {
    rate = DownloadRate(limit: bytes)
    if head.isComplete { try? setStall(request.network.stall) }
  }

  /// The milliseconds until a paused download may continue; nil if it is not paused.
  var pauseLeft: Int64? { isPaused ? rate?.pause : nil }

  /// Continues a paused download.
  ///
  /// - Returns: the code to end it with, or `CURLE_OK`.
  func resume() -> CURLcode {
    isPaused = false
    return bgfetch_curl_easy_unpause(easy)
  }

  /// Whether the server was closing the connection when the request came, so that the request must be sent again.
  ///
  /// With HTTP/1 the server may send a 408 on an idle connection (RFC 9110 section 15.5.9). With HTTP/2 it ends the
  /// connection (RFC 9113 section 6.8); libcurl reports that only as an HTTP/2 error without a response.
  func mustRepeat(_ code: CURLcode) -> Bool {
    guard refusal == nil, proxy == nil else { return false }
    switch code {
    case CURLE_OK: return head.isComplete && head.status == 408 && isReused
    case CURLE_HTTP2, CURLE_HTTP2_STREAM: return !head.isComplete && bodySize == 0
    default: return false
    }
  }

  /// The outcome of a transfer that ended with this code.
  func end(_ code: CURLcode) -> Reply.Outcome {
    if let connection, head.isComplete,
      bgfetch_curl_get_long(easy, CURLINFO_HTTP_VERSION) <= Int(CURL_HTTP_VERSION_1_1)
    {
      connections.recordHTTP1(connection)
    }
    if code == CURLE_OK { _ = canContinue(receiver.end()) }
    if let refusal { return .failure(refusal) }
    // The body of an error status may be cut or endless; its status and fields (`Retry-After`) are whole.
    let isWhole = code == CURLE_OK || hasEnough || (head.isComplete && !isBodyWanted)
    guard isWhole else { return .failure(failure(code)) }
    // libcurl accepts the end of the connection as the end of the fields.
    guard head.isComplete else { return .failure(.cut("the response was cut short within its header")) }
    if proxy != nil, head.status == 407 { return .failure(.proxy("the proxy requires credentials (407)")) }
    var response = response(
      memory.release(),
      received: request.isDownload
        ? bodySize : Int64(bgfetch_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T)))
    response.cookies = cookies()
    return .success(response)
  }

  /// The cookies that libcurl has now.
  private func cookies() -> CookieJar {
    let first = bgfetch_curl_cookies(easy)
    defer { libcurl.curl_slist_free_all(first) }
    var lines: [String] = []
    var next = first
    while let line = next?.pointee {
      lines.append(OctetText.text(UnsafeRawBufferPointer(start: line.data, count: strlen(line.data))))
      next = line.next
    }
    return CookieJar(lines: lines)
  }

  private func response(_ body: [UInt8], received: Int64) -> Response {
    var response = Response(
      status: head.status, fields: head.fields, body: body, bytesReceived: received)
    if proxy == nil, let text = bgfetch_curl_get_text(easy, CURLINFO_PRIMARY_IP),
      let address = NetworkAddress(String(cString: text)), own.isInner(address)
    {
      response.innerAddress = address
    }
    return response
  }

  private func failure(_ code: CURLcode) -> FetchFailure {
    if code == CURLE_COULDNT_CONNECT, let refusedAddress, !hasTriedAddress {
      return .privateAddress(refusedAddress)
    }
    // libcurl's own limits on the header end with this code among others.
    if code == CURLE_OUT_OF_MEMORY, !head.isComplete { return .headersTooLarge(ResponseHead.limit) }
    let own = UnsafePointer(handle.errorText)
    let text = own.pointee == 0 ? bgfetch_curl_error_text(code) : own
    return FetchFailure(
      CurlFailure(
        code: code,
        detail: libraryText(
          text.map { String(cString: $0) } ?? "", hiding: request.hidden.union(proxy?.hidden ?? .none)),
        systemError: bgfetch_curl_get_long(easy, CURLINFO_OS_ERRNO), usesProxy: proxy != nil,
        proxyError: CURLproxycode(
          UInt32(truncatingIfNeeded: bgfetch_curl_get_long(easy, CURLINFO_PROXY_ERROR))),
        isProxyUntrusted: bgfetch_curl_get_long(easy, CURLINFO_PROXY_SSL_VERIFYRESULT) != 0,
        connectStatus: bgfetch_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE),
        isConnected: bgfetch_curl_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T) > 0,
        hasResponse: head.status != 0, hasHead: head.isComplete,
        hasReachedProxy: bgfetch_curl_get_offset(easy, CURLINFO_CONNECT_TIME_T) > 0,
        milliseconds: Int64(bgfetch_curl_get_offset(easy, CURLINFO_TOTAL_TIME_T) / 1000)),
      of: request)
  }
}

// MARK: Callbacks

extension Exchange {
  /// libcurl calls back on the loop's thread while CurlThread holds a reference to the exchange.
  static func of(context: UnsafeMutableRawPointer) -> Exchange {
    Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
  }

  private func setCallbacks() throws(FetchFailure) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    try check(bgfetch_curl_set_pointer(easy, CURLOPT_PRIVATE, context), "PRIVATE")
    try check(bgfetch_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, handle.errorText), "ERRORBUFFER")
    try check(
      bgfetch_curl_on_header(
        easy,
        { start, size, count, context in
          guard let start, let context else { return 0 }
          let bytes = UnsafeRawBufferPointer(start: start, count: size * count)
          return Exchange.of(context: context).receive(line: bytes) ? bytes.count : 0
        }, context), "HEADERFUNCTION")
    try check(
      bgfetch_curl_on_body(
        easy,
        { start, size, count, context in
          guard let start, let context else { return 0 }
          let bytes = UnsafeRawBufferPointer(start: start, count: size * count)
          return Exchange.of(context: context).receive(body: bytes)
        }, context), "WRITEFUNCTION")
    try check(
      bgfetch_curl_on_socket(
        easy,
        { context, _, address in
          guard let context, let address else { return CURL_SOCKET_BAD }
          return Exchange.of(context: context).openSocket(to: address)
        }, context), "OPENSOCKETFUNCTION")
    // The context is not this exchange: a connection may outlive every exchange.
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
          return Exchange.of(context: context).mayUseConnection(ends)
            ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }, context), "PREREQFUNCTION")
  }

  private func receive(line: UnsafeRawBufferPointer) -> Bool {
    let wasComplete = head.isComplete
    guard head.parse(line) else {
      refusal = .headersTooLarge(ResponseHead.limit)
      return false
    }
    if let codings = head.foreignTransferCodings {
      refusal = .other(
        "the server used a transfer coding that nobody asked for (\(cleanText(codings, limit: 100)))")
      return false
    }
    // Trailers come here too.
    guard head.isComplete, !wasComplete else { return true }
    do throws(FetchFailure) {
      // Not before: a server may take long to prepare a response and then send it fast.
      try setStall(request.network.stall)
      if request.isDownload, isBodyWanted { try endTimeout() }
    } catch {
      refusal = error
      return false
    }
    if let wanted = receiverAfterChallenge {
      receiver = wanted
      receiverAfterChallenge = nil
    }
    guard isBodyWanted || request.wantsErrors && !head.hasWantedBody else {
      // libcurl may answer a challenge of HTTP Digest; the body of the second response is wanted then.
      if case .digest = request.credentials, head.status == 401 {
        receiverAfterChallenge = receiver
        challenges += 1
      }
      receiver = DiscardedBody()
      // One for the first request, one for each nonce that is stale (RFC 7616 section 3.3): libcurl would answer forever.
      return challenges < 4 || canContinue(.enough)
    }
    let response = response([], received: 0)
    let verdict = receiver.begin(response)
    if verdict == .decode || !request.isDownload {
      receiver = DecodedBody(receiver, response.contentCodings)
    }
    return canContinue(verdict)
  }

  /// The result for libcurl: all bytes, 0 to end the transfer, or the number that pauses it.
  private func receive(body bytes: UnsafeRawBufferPointer) -> Int {
    guard rate?.pause ?? 0 == 0 else {
      isPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    rate?.add(bytes.count)
    bodySize += Int64(bytes.count)
    return canContinue(receiver.receive(bytes)) ? bytes.count : 0
  }

  private func canContinue(_ verdict: BodyVerdict) -> Bool {
    switch verdict {
    case .proceed, .decode: return true
    case .enough:
      hasEnough = true
      return false
    case .failed(let failure):
      refusal = failure
      return false
    }
  }

  /// Opens a socket to an address; refuses a private one, and libcurl then tries the next address of the name.
  private func openSocket(to address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
    if proxy == nil, case .publicOr = request.reach {
      var text = [CChar](repeating: 0, count: 64)
      guard bgfetch_curl_address_text(address, &text, text.count) else { return CURL_SOCKET_BAD }
      let name = String(upToNUL: text)
      guard let ip = NetworkAddress(name), request.reach.allows(ip, own) else {
        refusedAddress = name
        return CURL_SOCKET_BAD
      }
    }
    hasTriedAddress = true
    let wanted = address.pointee
    // SOCK_CLOEXEC is the same number (socket(2)).
    let socket = Glibc.socket(wanted.family, wanted.socktype | O_CLOEXEC, wanted.protocol)
    if socket != CURL_SOCKET_BAD {
      madeSockets.append(socket)
      refusal = nil
    } else if errno == EMFILE || errno == ENFILE {
      refusal = .transferLibrary(
        "too many open files; raise the limit with ulimit -n, or LimitNOFILE= of the unit")
    }
    return socket
  }

  /// Whether the request may be sent over a connection, new or kept.
  private func mayUseConnection(_ ends: KeptConnections.Ends) -> Bool {
    connection = ends
    isReused = madeSockets.isEmpty
    if madeSockets.isEmpty {
      connections.endIfSpoiled(ends)
    } else {
      connections.add(ends, oneOf: madeSockets)
      madeSockets = []
    }
    guard proxy == nil, case .publicOr = request.reach else { return true }
    guard let ip = NetworkAddress(ends.server), request.reach.allows(ip, own) else {
      refusal = .privateAddress(ends.server)
      return false
    }
    return true
  }
}

// What a request means in libcurl's options. Callbacks are set by Exchange.

internal import CCurl
import Core

extension Exchange {
  /// Sets everything that a request says, on a handle that was reset; of a download at most so many bytes are read at
  /// once.
  func setOptions(
    _ request: Request, proxy: String?, netrcFile: String?, pieceSize: Int
  ) throws(FetchFailure) {
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try setAddress(request.address)
    try setFields(request)
    try setCredentials(request, netrcFile)
    try setProxy(proxy)
    try setLimits(request)
    try setCertificates(request.network.caFile)
    try setVersion(request)
    if request.isDownload {
      // The bytes as they are sent: of anything else no part could be asked for later.
      try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
      // libcurl's 16 KiB cost a call of the system each. It refuses where the handle still has the buffer of an earlier
      // transfer, as 7.88 does after one that shared its connection; then 16 KiB it is.
      _ = bgfetch_curl_set_long(easy, CURLOPT_BUFFERSIZE, pieceSize)
    } else {
      // Every encoding libcurl knows, decoded by it.
      try set(CURLOPT_ACCEPT_ENCODING, "")
    }
    // Redirects are answers: CURLOPT_FOLLOWLOCATION stays off.
  }

  private func setAddress(_ address: WebAddress) throws(FetchFailure) {
    try set(CURLOPT_URL, OctetText.encodedAddress(address.text))
    // Dot segments were resolved where the address was made; one that is written is meant.
    try set(CURLOPT_PATH_AS_IS, 1)
  }

  /// HTTP/2 where TLS agrees on it, else HTTP/1.1; a download always has HTTP/1.1.
  ///
  /// One long body has nothing to gain from sharing a connection, where one that the rate limit holds up would hold up the
  /// others; and libcurl 7.88 was seen to crash when a download that shared one was held up or cancelled.
  private func setVersion(_ request: Request) throws(FetchFailure) {
    guard request.address.scheme == "https", !request.isDownload else {
      try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
      return
    }
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // Rather another stream on a connection that is being made than a second connection. Without TLS libcurl would
    // wait for the whole first answer.
    try set(CURLOPT_PIPEWAIT, 1)
  }

  /// Sets the fields as given, and nothing that libcurl would add by itself but `Host` and `Accept-Encoding`.
  private func setFields(_ request: Request) throws(FetchFailure) {
    let fields = request.fields
    for field in fields {
      guard !field.name.isEmpty, field.name.utf8.allSatisfy(isTokenByte) else {
        throw .other("\(field.name) is no name of a header field")
      }
      // libcurl's spelling of a field without a value; with a colon it would leave the field out.
      try append(field.value.isEmpty ? field.name + ";" : "\(field.name): \(field.value)")
    }
    if !fields.contains(where: { $0.name.lowercased() == "accept" }) { try append("Accept:") }
    if request.isDownload { try append("Accept-Encoding: identity") }
    try check(bgfetch_curl_set_list(easy, CURLOPT_HTTPHEADER, fieldList), "HTTPHEADER")
  }

  private func append(_ line: String) throws(FetchFailure) {
    let appended = try withText(line) { bgfetch_curl_list_append(fieldList, $0) }
    guard let appended else { throw .transferLibrary("libcurl.so.4: out of memory") }
    fieldList = appended
  }

  private func setCredentials(_ request: Request, _ netrcFile: String?) throws(FetchFailure) {
    if let basic = request.basic {
      try set(CURLOPT_USERNAME, basic.username)
      try set(CURLOPT_PASSWORD, basic.password)
      try set(CURLOPT_HTTPAUTH, 1)  // CURLAUTH_BASIC, a macro with a cast that Swift does not see
    } else if request.usesNetrc {
      // What stands in the address itself comes before the file.
      try set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
      if let netrcFile { try set(CURLOPT_NETRC_FILE, netrcFile) }
    }
  }

  /// Names the proxy, or none; either way libcurl's own look at the environment is switched off.
  private func setProxy(_ proxy: String?) throws(FetchFailure) {
    try set(CURLOPT_PROXY, proxy ?? "")
    try set(CURLOPT_NOPROXY, "")
    // The proxy's answer to CONNECT is not the server's.
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
  }

  private func setLimits(_ request: Request) throws(FetchFailure) {
    let network = request.network
    try set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(network.connectTimeout))
    // A download's other limits are those of its Patience.
    if !request.isDownload { try set(CURLOPT_TIMEOUT_MS, milliseconds(network.timeout)) }
    // Without this a look-up that is given up blocks the thread, and every other transfer, until the resolver's
    // own limit. Libraries before 7.87 do not know it, and are waited for.
    _ = bgfetch_curl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
  }

  /// Has libcurl give up on a body that drips, from now on.
  func setStall(_ stall: StallLimit) throws(FetchFailure) {
    try set(CURLOPT_LOW_SPEED_LIMIT, Int(clamping: stall.below.bytes))
    try set(CURLOPT_LOW_SPEED_TIME, Int(clamping: min(stall.for.seconds, Int64(Int32.max))))
  }

  private func setCertificates(_ file: String?) throws(FetchFailure) {
    guard let file else { return }
    try set(CURLOPT_CAINFO, file)
    try set(CURLOPT_PROXY_CAINFO, file)
    // These certificates instead of the system's, not beside them.
    try check(bgfetch_curl_set_text(easy, CURLOPT_CAPATH, nil), "CAPATH")
    try check(bgfetch_curl_set_text(easy, CURLOPT_PROXY_CAPATH, nil), "PROXY_CAPATH")
  }

  private func milliseconds(_ interval: Interval) -> Int {
    Int(min(interval.seconds, Int64(Int32.max) / 1000) * 1000)
  }
}

// MARK: One option

extension Exchange {
  /// Fails if libcurl did not take an option: a guard that is not there must not go unnoticed.
  func check(_ code: CURLcode, _ option: @autoclosure () -> String) throws(FetchFailure) {
    guard code == CURLE_OK else {
      let version = bgfetch_curl_version().map { String(cString: $0) } ?? ""
      let text = bgfetch_curl_error_text(code).map { String(cString: $0) } ?? ""
      throw .transferLibrary("libcurl \(version): option \(option()): \(text)")
    }
  }

  private func set(_ option: CURLoption, _ value: Int) throws(FetchFailure) {
    try check(bgfetch_curl_set_long(easy, option, value), "\(option.rawValue)")
  }

  private func set(_ option: CURLoption, _ value: String) throws(FetchFailure) {
    try check(try withText(value) { bgfetch_curl_set_text(easy, option, $0) }, "\(option.rawValue)")
  }

  /// Calls with a text as C has it; refuses what that or a line of a head cannot hold.
  private func withText<Value>(
    _ text: String, _ body: (UnsafePointer<CChar>?) -> Value
  ) throws(FetchFailure) -> Value {
    guard text.utf8.allSatisfy({ $0 != 0 && $0 != 10 && $0 != 13 }) else {
      throw .other("a line break or a zero byte in a header field, name or password")
    }
    return OctetText.withCText(text, body)
  }
}

/// Whether a byte may stand in a field's name (RFC 9110 section 5.6.2).
private func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"): true
  default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}

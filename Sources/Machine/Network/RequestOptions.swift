// Sets libcurl's options for a request, signs it, and reads the file that it sends. Exchange sets the other callbacks.

internal import CLate
import Core

extension Exchange {
  /// Sets all options of a request on a handle that was reset; a download reads at most `pieceSize` bytes at once.
  func setOptions(
    _ request: Request, proxy: String?, netrcFile: String?, pieceSize: Int
  ) throws(FetchFailure) {
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_URL, OctetText.encodedAddress(request.address.text))
    // WebAddress has resolved dot segments; the remaining ones are intended.
    try set(CURLOPT_PATH_AS_IS, 1)
    try setFields(request)
    // An empty name makes libcurl read no file, but keep the cookies of the response.
    try set(CURLOPT_COOKIEFILE, "")
    for line in request.cookies.lines { try set(CURLOPT_COOKIELIST, line) }
    if let body = request.body { try setBody(body) }
    if request.method == .put { try set(CURLOPT_CUSTOMREQUEST, "PUT") }
    if let region = request.signedRegion { try setSignature(request, region) }
    try setCredentials(request, netrcFile)
    try setProxy(proxy)
    try setLimits(request)
    try setCertificates(request.network.caFile)
    try setVersion(request)
    // DecodedBody does that, within limits.
    try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    if request.isDownload {
      // Fewer system calls than with libcurl's 16 KiB. libcurl 7.88 refuses this if the handle still has the buffer of a
      // transfer that shared its connection; then the size stays 16 KiB.
      _ = bgfetch_curl_set_long(easy, CURLOPT_BUFFERSIZE, pieceSize)
    }
    // CURLOPT_FOLLOWLOCATION stays off: Core decides about redirects.
  }

  /// Signs a request with its name and password as the keys, which are not sent.
  ///
  /// libcurl 7.88 signs the path and the query as they are written (`objectPath`, `signedQuery`), and all fields. It guesses
  /// the checksum of a body wrongly, so that each request has `x-amz-content-sha256` (curl issue 9717).
  func setSignature(_ request: Request, _ region: String) throws(FetchFailure) {
    switch request.method {
    case .head: try set(CURLOPT_NOBODY, 1)
    case .delete: try set(CURLOPT_CUSTOMREQUEST, "DELETE")
    case .put, nil: break
    }
    try set(CURLOPT_AWS_SIGV4, "aws:amz:\(region):s3")
  }

  /// Fetches use HTTP/2 if TLS negotiates it, else HTTP/1.1; downloads always use HTTP/1.1.
  ///
  /// A download gains nothing from a shared connection, and while the rate limit holds it, it would delay the others.
  /// libcurl 7.88 also crashed when a download on a shared connection was paused or cancelled.
  private func setVersion(_ request: Request) throws(FetchFailure) {
    guard request.address.scheme == "https", !request.isDownload, request.signedRegion == nil else {
      try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
      return
    }
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // Prefer a stream on a connection that is being opened to a second connection. Not without TLS: libcurl would wait
    // for the whole first response.
    try set(CURLOPT_PIPEWAIT, 1)
  }

  /// Sets the fields as given, after `Accept-Encoding`; libcurl adds only `Host`.
  private func setFields(_ request: Request) throws(FetchFailure) {
    let fields = request.fields
    // Only the bytes as they are can be resumed by a range request.
    let accepted = request.isDownload ? "identity" : request.signedRegion == nil ? BodyForm.accepted : ""
    if !accepted.isEmpty { try append("Accept-Encoding: \(accepted)") }
    for field in fields {
      guard !field.name.isEmpty, field.name.utf8.allSatisfy(\.isTokenByte) else {
        throw .other("\(field.name) is not the name of a header field")
      }
      // libcurl adds the cookies of the jar to it.
      if field.isNamed("cookie") {
        try set(CURLOPT_COOKIE, field.value)
        continue
      }
      // libcurl's syntax for a field without a value; with a colon it would drop the field.
      try append(field.value.isEmpty ? field.name + ";" : field.name + ": " + field.value)
    }
    if !fields.contains(where: { $0.isNamed("accept") }) { try append("Accept:") }
    // libcurl would ask before it sends a long body, and many servers never answer that.
    if request.body != nil { try append("Expect:") }
    try check(bgfetch_curl_set_list(easy, CURLOPT_HTTPHEADER, fieldList), "HTTPHEADER")
  }

  /// Makes the request a POST; libcurl copies the body.
  private func setBody(_ body: [UInt8]) throws(FetchFailure) {
    try set(CURLOPT_POST, 1)
    try set(CURLOPT_POSTFIELDSIZE, body.count)
    let code = (body + [0]).withUnsafeBytes { bytes in
      bgfetch_curl_set_text(
        easy, CURLOPT_COPYPOSTFIELDS, bytes.assumingMemoryBound(to: CChar.self).baseAddress)
    }
    try check(code, "COPYPOSTFIELDS")
  }

  private func append(_ line: String) throws(FetchFailure) {
    let appended = try withText(line) { libcurl.curl_slist_append(fieldList, $0) }
    guard let appended else { throw .transferLibrary("libcurl.so.4: out of memory") }
    fieldList = appended
  }

  private func setCredentials(_ request: Request, _ netrcFile: String?) throws(FetchFailure) {
    switch request.credentials {
    case .basic(let username, let password), .digest(let username, let password):
      try set(CURLOPT_USERNAME, username)
      try set(CURLOPT_PASSWORD, password)
      // CURLOPT_AWS_SIGV4 has set its own.
      guard request.signedRegion == nil else { return }
      // CURLAUTH_DIGEST and CURLAUTH_BASIC, macros with a cast that Swift does not see.
      let scheme = if case .digest = request.credentials { 2 } else { 1 }
      try set(CURLOPT_HTTPAUTH, scheme)
    case .netrc:
      // Credentials in the address come before the file.
      try set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
      if let netrcFile { try set(CURLOPT_NETRC_FILE, netrcFile) }
    case .certificate(let certificate):
      try set(CURLOPT_SSLCERT, certificate.file)
      try set(CURLOPT_SSLKEY, certificate.key)
      // Without a password OpenSSL would ask for one on the terminal.
      try set(CURLOPT_KEYPASSWD, certificate.password ?? "")
    case .bearer, nil: break
    }
  }

  /// Sets the proxy or none; either way libcurl does not read the environment.
  private func setProxy(_ proxy: String?) throws(FetchFailure) {
    try set(CURLOPT_PROXY, proxy ?? "")
    try set(CURLOPT_NOPROXY, "")
    // The proxy's response to CONNECT is not the server's.
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
  }

  private func setLimits(_ request: Request) throws(FetchFailure) {
    let network = request.network
    try set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(network.connectTimeout))
    try set(CURLOPT_TIMEOUT_MS, milliseconds(network.timeout))
    // Without this an abandoned DNS lookup blocks the thread, and all transfers, until the resolver's own limit. libcurl
    // before 7.87 does not know the option and blocks.
    _ = bgfetch_curl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
  }

  /// Makes libcurl end a body that is too slow, from now on; a rate limit is not the server's fault.
  func setStall(_ stall: StallLimit) throws(FetchFailure) {
    try set(CURLOPT_LOW_SPEED_LIMIT, Int(clamping: min(stall.below.bytes, rate.map { $0.limit / 2 } ?? .max)))
    try set(CURLOPT_LOW_SPEED_TIME, Int(clamping: min(stall.for.seconds, Int64(Int32.max))))
  }

  /// Lets the body of a file take any time; its head has come in time.
  func endTimeout() throws(FetchFailure) { try set(CURLOPT_TIMEOUT_MS, 0) }

  private func setCertificates(_ file: String?) throws(FetchFailure) {
    guard let file else { return }
    try set(CURLOPT_CAINFO, file)
    try set(CURLOPT_PROXY_CAINFO, file)
    // Instead of the system's certificates, not in addition.
    try check(bgfetch_curl_set_text(easy, CURLOPT_CAPATH, nil), "CAPATH")
    try check(bgfetch_curl_set_text(easy, CURLOPT_PROXY_CAPATH, nil), "PROXY_CAPATH")
  }

  private func milliseconds(_ interval: Interval) -> Int {
    Int(min(interval.seconds, Int64(Int32.max) / 1000) * 1000)
  }
}

// MARK: One option

extension Exchange {
  /// Throws if libcurl refused an option: a missing protection must not go unnoticed.
  func check(_ code: CURLcode, _ option: @autoclosure () -> String) throws(FetchFailure) {
    guard code == CURLE_OK else {
      let version = bgfetch_curl_version().map { String(cString: $0) } ?? ""
      let text = bgfetch_curl_error_text(code).map { String(cString: $0) } ?? ""
      throw .transferLibrary("libcurl \(version): option \(option()): \(text)")
    }
  }

  func set(_ option: CURLoption, _ value: Int) throws(FetchFailure) {
    try check(bgfetch_curl_set_long(easy, option, value), "\(option.rawValue)")
  }

  func set(_ option: CURLoption, _ value: String) throws(FetchFailure) {
    try check(try withText(value) { bgfetch_curl_set_text(easy, option, $0) }, "\(option.rawValue)")
  }

  /// Passes a text as a C string; refuses line breaks and NUL bytes, which would end a header field.
  private func withText<Value>(
    _ text: String, _ body: (UnsafePointer<CChar>?) -> Value
  ) throws(FetchFailure) -> Value {
    var utf8 = text
    guard utf8.withUTF8({ bytes in bytes.allSatisfy { $0 != 0 && $0 != 10 && $0 != 13 } }) else {
      throw .other("a line break or a zero byte in a header field, name or password")
    }
    return OctetText.withCText(text, body)
  }
}

// The body that an exchange sends: a file, read while libcurl sends it.
extension Exchange {
  /// Makes libcurl read the body of a PUT from its file.
  func setUpload(_ body: UploadBody, _ network: NetworkSettings) throws(FetchFailure) {
    let code = bgfetch_curl_upload(
      easy,
      { start, size, count, context in
        guard let start, let context else { return Int(CURL_READFUNC_ABORT) }
        return Exchange.of(context: context).read(
          into: UnsafeMutableRawBufferPointer(start: start, count: size * count))
      },
      { context, offset, _ in
        guard let context else { return CURL_SEEKFUNC_FAIL }
        // libcurl only rewinds: the origin is the beginning.
        Exchange.of(context: context).upload?.offset = Int64(offset)
        return CURL_SEEKFUNC_OK
      }, Unmanaged.passUnretained(self).toOpaque(), curl_off_t(body.size))
    try check(code, "UPLOAD")
    // The time limit of a request is for what bgfetch waits for; a body that it sends may take longer.
    try setStall(network.stall)
  }

  /// The next bytes of the body, for libcurl: their number, or the code that ends the transfer.
  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let (body, offset) = upload else { return Int(CURL_READFUNC_ABORT) }
    let rest = Int(min(Int64(buffer.count), body.size - offset))
    guard rest > 0 else { return 0 }
    let count = body.read(UnsafeMutableRawBufferPointer(rebasing: buffer[..<rest]), offset)
    guard count > 0 else {
      refusal = .other("the file to upload cannot be read")
      return Int(CURL_READFUNC_ABORT)
    }
    upload?.offset += Int64(count)
    return count
  }
}

// libcurl's codes as failures.

import CCurl
import Core
import Glibc
import Testing

@testable import Transfer

@Suite struct CurlFailureTests {
  static let rows: [(failure: CurlFailure, expected: FetchFailure)] = [
    (CurlFailure(code: CURLE_COULDNT_RESOLVE_HOST, detail: "d"), .unresolved(host: "h.example", detail: "d")),
    (CurlFailure(code: CURLE_COULDNT_RESOLVE_PROXY, detail: "d"), .proxyUnreachable("d")),
    (CurlFailure(code: CURLE_PROXY, detail: "d"), .proxy("d")),
    (CurlFailure(code: CURLE_COULDNT_CONNECT, detail: "d", usesProxy: true), .proxyUnreachable("d")),
    (CurlFailure(code: CURLE_RECV_ERROR, detail: "d", usesProxy: true, connectStatus: 407), .proxy("d")),
    (CurlFailure(code: CURLE_RECV_ERROR, detail: "d", usesProxy: true, connectStatus: 200), .cut("d")),
    (
      CurlFailure(code: CURLE_COULDNT_CONNECT, detail: "d", systemError: Int(ECONNREFUSED)),
      .refused(host: "h.example")
    ),
    (
      CurlFailure(code: CURLE_COULDNT_CONNECT, detail: "d", systemError: Int(ENETUNREACH)),
      .unreachable(host: "h.example", detail: "d")
    ),
    (
      CurlFailure(code: CURLE_COULDNT_CONNECT, detail: "d", systemError: Int(EHOSTUNREACH)),
      .unreachable(host: "h.example", detail: "d")
    ),
    (
      CurlFailure(code: CURLE_OPERATION_TIMEDOUT, detail: "d", isConnected: true, milliseconds: 60_001),
      .timeout(.seconds(60))
    ),
    (
      CurlFailure(code: CURLE_OPERATION_TIMEDOUT, detail: "d", milliseconds: 10_001),
      .connectTimeout(.seconds(10))
    ),
    (
      CurlFailure(code: CURLE_OPERATION_TIMEDOUT, detail: "d", isConnected: true, milliseconds: 30_500),
      .stalled(StallLimit())
    ),
    (CurlFailure(code: CURLE_PEER_FAILED_VERIFICATION, detail: "d"), .tls("d")),
    (CurlFailure(code: CURLE_SSL_CONNECT_ERROR, detail: "d"), .tls("d")),
    (CurlFailure(code: CURLE_PARTIAL_FILE, detail: "d"), .cut("d")),
    (CurlFailure(code: CURLE_GOT_NOTHING, detail: "d"), .cut("d")),
    (CurlFailure(code: CURLE_HTTP2, detail: "d"), .cut("d")),
    (CurlFailure(code: CURLE_HTTP2_STREAM, detail: "d"), .cut("d")),
    (CurlFailure(code: CURLE_BAD_CONTENT_ENCODING, detail: "d"), .cut("d")),
    (CurlFailure(code: CURLE_URL_MALFORMAT, detail: "d"), .other("d")),
  ]

  @Test(arguments: rows.indices)
  func `a code becomes a failure with its facts`(_ row: Int) throws {
    let request = try request("http://h.example/") { $0.network = NetworkSettings() }

    #expect(FetchFailure(Self.rows[row].failure, of: request) == Self.rows[row].expected)
  }
}

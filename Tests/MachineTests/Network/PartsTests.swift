// Which transfer starts next, and what libcurl's errors mean.

import CLate
import Core
import Glibc
import TestKit
import Testing

@testable import Machine

@Suite struct RequestLedgerTests {
  private func ledger(connections: Int, perHost: Int, _ hosts: String...) -> RequestLedger {
    var ledger = RequestLedger(connections: connections)
    for (number, host) in hosts.enumerated() {
      ledger.add(Ticket(number: number), to: host, atMost: perHost)
    }
    return ledger
  }

  /// Begins all that may begin.
  private func begin(_ ledger: inout RequestLedger) -> [Int] {
    var begun: [Int] = []
    while let ticket = ledger.next() { begun.append(ticket.number) }
    return begun
  }

  @Test func `hosts take turns, and each keeps its order`() {
    var ledger = ledger(connections: 9, perHost: 9, "a", "a", "a", "b", "c", "c")

    #expect(begin(&ledger) == [0, 3, 4, 1, 5, 2])
  }

  @Test func `no more begin than there are connections`() {
    var ledger = ledger(connections: 2, perHost: 2, "a", "b", "c")

    #expect(begin(&ledger) == [0, 1])
    ledger.remove(Ticket(number: 0))
    #expect(begin(&ledger) == [2])
  }

  @Test func `no more begin than a host may have`() {
    var ledger = ledger(connections: 9, perHost: 1, "a", "a", "b")

    #expect(begin(&ledger) == [0, 2])
    ledger.remove(Ticket(number: 2))
    #expect(begin(&ledger) == [])
    ledger.remove(Ticket(number: 0))
    #expect(begin(&ledger) == [1])
  }

  @Test func `a request that was removed while it waited never begins`() {
    var ledger = ledger(connections: 9, perHost: 1, "a", "a", "a", "b")
    #expect(begin(&ledger) == [0, 3])

    ledger.remove(Ticket(number: 1))
    ledger.remove(Ticket(number: 0))

    #expect(begin(&ledger) == [2])
  }

  @Test func `a host can be used again after its only waiting transfer was removed`() {
    var ledger = ledger(connections: 9, perHost: 1, "a")
    ledger.remove(Ticket(number: 0))
    #expect(begin(&ledger) == [])

    ledger.add(Ticket(number: 7), to: "a", atMost: 1)

    #expect(begin(&ledger) == [7])
  }

  @Test func `each transfer has its own limit`() {
    var ledger = RequestLedger(connections: 8)
    for (number, limit) in [1, 1, 3, 9].enumerated() {
      ledger.add(Ticket(number: number), to: "a", atMost: limit)
    }

    #expect(begin(&ledger) == [0, 2, 3])
    for number in [0, 2, 3] { ledger.remove(Ticket(number: number)) }
    #expect(begin(&ledger) == [1])
  }

  @Test func `removing an unknown request frees no connection`() {
    var ledger = ledger(connections: 9, perHost: 1, "a", "a", "a")
    #expect(begin(&ledger) == [0])

    ledger.remove(Ticket(number: 9))
    #expect(begin(&ledger) == [])
    for _ in 0...1 { ledger.remove(Ticket(number: 0)) }
    #expect(begin(&ledger) == [1])
  }
}

@Suite struct CurlFailureTests {
  /// A failure of libcurl with the text `d`.
  private static func curl(
    _ code: CURLcode, detail: String = "d", errno: Int32 = 0, proxy: Bool = false, connectStatus: Int = 0,
    socks: CURLproxycode = CURLPX_OK, isConnected: Bool = false, hasResponse: Bool = false,
    milliseconds: Int64 = 0
  ) -> CurlFailure {
    CurlFailure(
      code: code, detail: detail, systemError: Int(errno), usesProxy: proxy, proxyError: socks,
      connectStatus: connectStatus, isConnected: isConnected, hasResponse: hasResponse,
      milliseconds: milliseconds)
  }

  static let rows: [(failure: CurlFailure, expected: FetchFailure)] = [
    (curl(CURLE_COULDNT_RESOLVE_HOST), .unresolved(host: "h.example", detail: "d")),
    (
      curl(CURLE_COULDNT_RESOLVE_PROXY),
      .proxyUnreachable("its address is not valid, or its host cannot be found")
    ),
    (curl(CURLE_PROXY), .other("the proxy cannot reach h.example (libcurl: d)")),
    (curl(CURLE_PROXY, socks: CURLPX_RESOLVE_HOST), .unresolved(host: "h.example", detail: "d")),
    (
      curl(CURLE_PROXY, socks: CURLPX_REPLY_HOST_UNREACHABLE),
      .other("the proxy cannot reach h.example (libcurl: d)")
    ),
    (
      curl(CURLE_PROXY, socks: CURLPX_REQUEST_FAILED), .other("the proxy cannot reach h.example (libcurl: d)")
    ),
    (curl(CURLE_PROXY, socks: CURLPX_USER_REJECTED), .proxy("it refuses the login (libcurl: d)")),
    (curl(CURLE_PROXY, socks: CURLPX_NO_AUTH), .proxy("it refuses the login (libcurl: d)")),
    (curl(CURLE_COULDNT_CONNECT, proxy: true), .proxyUnreachable("there is no connection")),
    (
      curl(CURLE_COULDNT_CONNECT, errno: ECONNREFUSED, proxy: true),
      .proxyUnreachable("it refused the connection")
    ),
    (curl(CURLE_RECV_ERROR, proxy: true, connectStatus: 407), .proxy("it requires credentials (407)")),
    (
      curl(CURLE_RECV_ERROR, proxy: true, connectStatus: 502),
      .other("the proxy cannot reach h.example: it answered 502 to CONNECT")
    ),
    (curl(CURLE_RECV_ERROR, proxy: true, connectStatus: 405), .proxy("it answered 405 to CONNECT")),
    (curl(CURLE_OPERATION_TIMEDOUT, proxy: true), .proxyUnreachable("connecting took longer than 10s")),
    (curl(CURLE_RECV_ERROR, proxy: true, connectStatus: 200), .cut(none)),
    (curl(CURLE_COULDNT_CONNECT, errno: ECONNREFUSED), .refused(host: "h.example")),
    (
      curl(CURLE_COULDNT_CONNECT, errno: ENETUNREACH),
      .unreachable(host: "h.example", detail: "this machine has no route to its network")
    ),
    (
      curl(CURLE_COULDNT_CONNECT, errno: EHOSTUNREACH),
      .unreachable(host: "h.example", detail: "there is no route to it")
    ),
    (
      curl(CURLE_COULDNT_CONNECT, errno: EMFILE),
      .unreachable(host: "h.example", detail: "too many files are open; raise the limit (ulimit -n)")
    ),
    (
      curl(CURLE_COULDNT_CONNECT),
      .unreachable(host: "h.example", detail: "there is no connection (libcurl: d)")
    ),
    (curl(CURLE_OPERATION_TIMEDOUT, isConnected: true, milliseconds: 60_001), .timeout(.seconds(60))),
    (curl(CURLE_OPERATION_TIMEDOUT, milliseconds: 10_001), .connectTimeout(.seconds(10))),
    (curl(CURLE_OPERATION_TIMEDOUT, isConnected: true, milliseconds: 30_500), .stalled(StallLimit())),
    (curl(CURLE_PEER_FAILED_VERIFICATION), .tls("the server's certificate is not valid (libcurl: d)")),
    (curl(CURLE_SSL_CONNECT_ERROR), .tls("the TLS handshake failed (libcurl: d)")),
    (
      curl(CURLE_RECV_ERROR, detail: "SSL_read: SSL routines::tlsv13 alert certificate required, errno 0"),
      .tls("the server wants a client certificate; see auth.certificate")
    ),
    (
      curl(CURLE_SEND_ERROR, detail: "getpeername() failed with errno 107: not connected"),
      .cut("the server closed the connection without a response")
    ),
    (curl(CURLE_SEND_ERROR), .cut(none)),
    (curl(CURLE_GOT_NOTHING), .cut(none)),
    (curl(CURLE_HTTP2_STREAM), .cut(none)),
    (curl(CURLE_RECV_ERROR, hasResponse: true), .cut(part)),
    (curl(CURLE_PARTIAL_FILE, hasResponse: true), .cut(part)),
    (curl(CURLE_HTTP2, hasResponse: true), .cut(part)),
    (
      curl(CURLE_RECV_ERROR, detail: "bad size in chunked-encoding", hasResponse: true),
      .other("the server broke the rules of HTTP (libcurl: bad size in chunked-encoding)")
    ),
    (curl(CURLE_URL_MALFORMAT, detail: ""), .other("the address cannot be used")),
  ]
  private static let none = "the server closed the connection without a response (libcurl: d)"
  private static let part = "the response was cut short: the connection ended before it did (libcurl: d)"

  @Test(arguments: rows.rows)
  func `an error code becomes a failure with its details`(_ row: TableRow) throws {
    let request = try request("http://h.example/") { $0.network = NetworkSettings() }

    #expect(FetchFailure(Self.rows[row.index].failure, of: request) == Self.rows[row.index].expected)
  }

  @Test func `libcurl's own words come only behind an explanation`() throws {
    let request = try request("http://h.example/") { $0.network = NetworkSettings() }
    for code in 1...101 {
      for usesProxy in [false, true] {
        let failure = CurlFailure(
          code: CURLcode(rawValue: UInt32(code)), detail: "Ding failed", usesProxy: usesProxy)

        let text = FetchFailure(failure, of: request).text

        #expect(!text.contains("Ding") || text.contains(" (libcurl: Ding failed)"), "\(code): \(text)")
        #expect(!text.hasPrefix(" "), "\(code)")
      }
    }
  }
}

@Suite struct ResponseHeadTests {
  private func head(_ text: String) -> ResponseHead? {
    var head = ResponseHead()
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let isTaken = Array((line + "\r\n").utf8).withUnsafeBytes { head.parse($0) }
      guard isTaken else { return nil }
    }
    return head
  }

  @Test(arguments: [
    ("200 OK\nA:b\nC :  \t d e \t\n", ["A=b", "C=d e"]),
    ("200 OK\nA: b\n   c\n\td\nE: f\n", ["A=b c d", "E=f"]),
    ("204 \nA:\n", ["A="]), ("200 OK\nnonsense\nA: b\n", ["A=b"]),
  ])
  func `fields are trimmed, folded, may be empty, and have a colon`(text: String, fields: [String]) {
    #expect(head("HTTP/1.1 " + text)?.fields.map { "\($0.name)=\($0.value)" } == fields)
  }

  @Test func `only the last of several heads counts`() {
    let head = head("HTTP/1.1 100 Continue\nA: b\n\nHTTP/1.1 200 OK\nC: d\n")

    #expect(head?.status == 200)
    #expect(head?.fields == [HeaderField("C", "d")])
    #expect(head?.isComplete == true)
  }

  @Test func `an interim head alone is not complete`() {
    #expect(head("HTTP/1.1 103 Early Hints\nA: b\n")?.isComplete == false)
  }

  @Test func `a trailer that looks like a head changes nothing`() {
    let head = head("HTTP/1.1 200 OK\nA: b\n\nHTTP/1.1 304 Not Modified\nETag: x\n")

    #expect(head?.status == 200)
    #expect(head?.fields == [HeaderField("A", "b")])
  }

  @Test func `a thousand fields are taken and one more is not`() {
    let fields = (1...1000).map { "X-\($0): v\n" }.joined()

    #expect(head("HTTP/1.1 200 OK\n\(fields)")?.fields.count == 1000)
    #expect(head("HTTP/1.1 200 OK\n\(fields)X: v\n") == nil)
  }

  static let octets: [[UInt8]] = [
    Array("\"plain\"".utf8), Array("ümläut €".utf8), [0xE9], [0x22, 0xE9, 0x22], [0xC3], [0xC3, 0x28],
    [0xF0, 0x9F, 0x98], Array("😀".utf8), Array("\u{EFE9}".utf8), Array("\u{EF80}\u{E000}".utf8),
    [0xED, 0xA0, 0x80], [0xFF, 0xFE, 0x80], Array(0x80...0xFF),
  ]

  @Test(arguments: octets)
  func `bytes become text and the same bytes again`(_ bytes: [UInt8]) {
    #expect(OctetText.bytes(OctetText.text(bytes)) == bytes)
  }

  @Test func `UTF-8 stays what it is`() {
    #expect(OctetText.text(Array("ümläut €😀".utf8)) == "ümläut €😀")
  }

  @Test func `an address is percent-encoded but for its host`() {
    let encoded = OctetText.encodedAddress("http://bücher.example/ä\u{EFE9}?ö")

    #expect(encoded == "http://bücher.example/%C3%A4%E9?%C3%B6")
  }
}

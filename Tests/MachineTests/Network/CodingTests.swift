// Content and transfer codings: what servers really send, and what they could send to stop a run.

import Core
import TestKit
import Testing

@testable import Machine

@Suite(.unlessItHangs) struct CodingTests {
  private static let feed = "<rss>ümläuté<title>title</title></rss>"
  private static let plain = Array(feed.utf8)
  private static let gzip = Gzip.stored(plain)

  /// Bytes in a stored block of deflate, in zlib, and in brotli without compression.
  private static let deflate = Array(gzip[10..<(gzip.count - 8)])
  private static let zlib: [UInt8] = [0x78, 0x01] + deflate + adler(plain)
  private static let brotli: [UInt8] =
    [UInt8((plain.count - 1) & 15) << 4, UInt8((plain.count - 1) >> 4), 0x10] + plain + [3]

  /// The checksum of zlib (RFC 1950 section 8.2).
  private static func adler(_ bytes: [UInt8]) -> [UInt8] {
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return [UInt8(b >> 8), UInt8(b & 255), UInt8(a >> 8), UInt8(a & 255)]
  }

  static let readable: [(codings: [String], body: [UInt8])] = [
    (["aws-chunked"], plain), (["UTF-8"], plain), (["8bit"], plain), (["none"], plain),
    (["unheard-of"], plain), (["identity, gzip"], plain), (["gzip"], plain), (["gzip"], gzip),
    (["x-gzip"], gzip), (["GZip"], gzip), (["identity, gzip"], gzip), (["gzip,"], gzip),
    (["aws-chunked", "gzip"], gzip), (["UTF-8, gzip"], gzip), ([], gzip), (["unheard-of"], gzip),
    (["deflate"], gzip), (["deflate"], zlib), (["deflate"], deflate), (["br"], brotli),
    // Compressed by zlib itself, with and without its header: forty times "<rss>".
    (
      ["deflate"], [0x78, 0x9C, 0xB3, 0x29, 0x2A, 0x2E, 0xB6, 0xB3, 0x19, 0xFA, 4, 0, 0x97, 0x4C, 0x48, 0xD1]
    ),
    (["deflate"], [0xB3, 0x29, 0x2A, 0x2E, 0xB6, 0xB3, 0x19, 0xFA, 4, 0]),
    (["gzip"], Gzip.stored(Array(plain[..<9])) + Gzip.stored([]) + Gzip.stored(Array(plain[9...]))),
    (["gzip"], gzip + [0, 0, 0]), (["gzip"], gzip + [0x1F]), (["gzip"], gzip + [0x1F, 0x1F, 0x8B]),
    (["gzip"], gzip + Array("<!-- cached -->".utf8)), (["deflate"], zlib + [1]), (["br"], brotli + [1]),
  ]

  @Test(arguments: readable.rows, [Int.max, 1])
  func `a body is read as its bytes say`(_ row: TableRow, pieces: Int) async throws {
    let (codings, body) = Self.readable[row.index]
    var answer = ScriptedAnswer.document(body)
    answer.fields += codings.map { ("Content-Encoding", $0) }
    if pieces == 1 {
      answer.framing = .chunked()
      answer.steps = body.map { .send([$0]) }
    }
    let response = try await fetched(answer)

    let isFeed = response.text.hasSuffix(Self.feed) || response.text == String(repeating: "<rss>", count: 40)
    #expect(isFeed, "\(codings): \(response.text)")
  }

  @Test(arguments: [204, 304, 302, 401, 404, 503])
  func `a body that is not wanted is not decoded`(status: Int) async throws {
    let answer = ScriptedAnswer.status(status, body: status == 204 || status == 304 ? "" : "no gzip")
      .with("Content-Encoding", "gzip, gzip").with("Content-Encoding", "br")
    let response = try await fetched(answer)

    #expect(response.status == status)
    #expect(response.body.isEmpty)
  }

  @Test func `a body of a response without interest is dropped`() async throws {
    let answer = ScriptedAnswer.document("x").with("Content-Encoding", "br, br")
    let response = try await fetched(answer) { $0.wantsBody = false }

    #expect(response.status == 200)
    #expect(response.body.isEmpty)
  }

  static let refused: [(codings: [String], body: [UInt8], text: String)] = [
    (["gzip, gzip"], gzip, "the server compressed the response more than once (gzip, gzip)"),
    (["gzip", "identity", "br"], plain, "the server compressed the response more than once (gzip, br)"),
    (["gzip"], Array(gzip.dropLast(9)), "the response was cut short: its gzip data has no end"),
    (["gzip"], Array(gzip.dropLast()), "the response was cut short: its gzip data has no end"),
    (["gzip"], [0x1F, 0x8B], "the response was cut short: its gzip data has no end"),
    (["gzip"], gzip + [0x1F, 0x8B, 8], "the response was cut short: its gzip data has no end"),
    (["deflate"], Array(zlib.dropLast()), "the response was cut short: its deflate data has no end"),
    (["br"], Array(brotli.dropLast()), "the response was cut short: its br data has no end"),
    (["gzip"], gzip.dropLast(8) + [UInt8](repeating: 7, count: 8), "the response is damaged"),
    (["gzip"], Gzip.header + [7], "the response is damaged: it cannot be decoded as gzip"),
    (["deflate"], [0xFF, 0xFF], "the response is damaged: it cannot be decoded as deflate"),
    (["br"], [0xFF, 0xFF], "the response is damaged: it cannot be decoded as br"),
    (["zstd"], [0x28, 0xB5, 0x2F, 0xFD, 0], "the server compressed the response (zstd) although"),
  ]

  @Test(arguments: refused.rows)
  func `a body that cannot be decoded has its true reason`(_ row: TableRow) async throws {
    let (codings, body, text) = Self.refused[row.index]
    var answer = ScriptedAnswer.document(body)
    answer.fields += codings.map { ("Content-Encoding", $0) }
    let failure = try await failure(of: answer)

    #expect(failure?.text.hasPrefix(text) == true, "\(failure?.text ?? "")")
  }

  @Test func `gzip within gzip is decoded once`() async throws {
    #expect(
      try await fetched(ScriptedAnswer.document(Gzip.stored(Self.gzip)).with("Content-Encoding", "gzip")).body
        == Self.gzip)
  }

  static let endless: [(codings: String, start: [UInt8], again: [UInt8])] = [
    // Empty blocks, empty members, a name and a comment.
    ("gzip", Gzip.header, [UInt8](repeating: 0, count: 3) + [0xFF, 0xFF]),
    ("gzip", [], Gzip.stored([])), ("gzip", [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 0], Array("name".utf8)),
    ("gzip", [0x1F, 0x8B, 8, 16, 0, 0, 0, 0, 0, 0], Array("comment".utf8)),
    ("deflate", [0x78, 0x01], [UInt8](repeating: 0, count: 3) + [0xFF, 0xFF]),
    // Metadata of no byte (RFC 7932 section 9.2), first after the size of the window.
    ("br", [0x0C], [0x06]),
  ]

  @Test(arguments: endless.rows)
  func `a body without end that decodes to nothing is refused`(_ row: TableRow) async throws {
    let (coding, start, again) = Self.endless[row.index]
    let piece = Array(repeatElement(again, count: 2000).joined())
    let server = try ScriptedServer([
      "/": ScriptedAnswer.body(.send(start), .endless(piece), framing: .close).with(
        "Content-Encoding", coding)
    ])

    let failure = await makeLoop().failure(try request(server.url("/")))

    #expect(failure?.text.hasSuffix("data decodes to almost nothing") == true, "\(failure?.text ?? "")")
    await server.closed(1)
    #expect(server.bytesSent < 16 << 20)
  }

  @Test func `bytes without end after the data are not waited for`() async throws {
    let server = try ScriptedServer([
      "/": ScriptedAnswer.body(.send(Self.gzip), .endless([0, 0, 0, 0]), framing: .close)
        .with("Content-Encoding", "gzip")
    ])

    #expect(try await makeLoop().fetch(request(server.url("/"))).text == Self.feed)
    await server.closed(1)
  }

  // Nested codings of 900 bytes held a core forever.
  static let transferCodings = [
    ["gzip, chunked"], ["gzip"], ["deflate, gzip, gzip, gzip, gzip"],
    ["gzip", "gzip", "gzip", "gzip", "gzip"],
    ["chunked", "gzip"], ["chunked, chunked"], ["br"], ["unheard-of, chunked"], ["chunked,\r\n gzip"],
  ]

  @Test(arguments: transferCodings, [200, 204, 302, 401, 404, 503])
  func `a transfer coding other than chunked is refused at its header`(
    codings: [String], status: Int
  ) async throws {
    var answer = ScriptedAnswer.status(
      status, [("Location", "/"), ("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")])
    answer.fields += codings.map { ("Transfer-Encoding", $0) }
    answer.framing = .none
    answer.steps = [.hold]
    let server = try ScriptedServer(["/": answer])

    let failure = await makeLoop().failure(try request(server.url("/"), [], digest))

    #expect(failure?.text.hasPrefix("the server used a transfer coding that nobody asked for (") == true)
    await server.closed(1)
  }

  @Test func `codings of an interim response do not pass to the next`() async throws {
    var answer = ScriptedAnswer.document(Self.plain)
    answer.preface = "HTTP/1.1 103 Early Hints\r\nContent-Encoding: gzip, gzip\r\n\r\n"
    var foreign = answer
    foreign.preface = "HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: gzip\r\n\r\n"
    let server = try ScriptedServer(["/": answer, "/foreign": foreign])

    #expect(try await makeLoop().fetch(request(server.url("/"))).text == Self.feed)
    #expect(await makeLoop().failure(try request(server.url("/foreign")))?.text.contains("(gzip)") == true)
  }

  @Test func `a challenge of Digest may be encoded in any way`() async throws {
    let server = try ScriptedServer()
    server.on(
      "/",
      inTurn: .status(401, body: "no gzip")
        .with("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
        .with("Content-Encoding", "gzip, gzip, br"),
      ScriptedAnswer.document(Self.gzip).with("Content-Encoding", "gzip"))

    #expect(try await makeLoop().fetch(request(server.url("/"), [], digest)).text == Self.feed)
  }

  @Test func `a proxy's answer to CONNECT is not decoded`() async throws {
    for coding in ["Transfer-Encoding", "Content-Encoding"] {
      let proxy = try ScriptedServer { _ in .status(403, body: "no").with(coding, "gzip, gzip") }

      let failure = await makeLoop().failure(
        try request("https://feeds.example/") { $0.network.proxy = .url(proxy.origin) })

      #expect(failure == .proxy("it answered 403 to CONNECT"), "\(coding)")
    }
  }

  @Test func `a download is decoded only if its receiver wants that`() async throws {
    let server = try ScriptedServer([
      "/": ScriptedAnswer.document(Self.gzip).with("Content-Encoding", "gzip"),
      "/cut": ScriptedAnswer.document(Array(Self.gzip.dropLast())).with("Content-Encoding", "gzip"),
    ])
    let receiver = Recorder(atHead: { _ in .decode })

    let response = try await makeDownloadLoop().download(request(server.url("/")), into: receiver)
    let failure = await makeDownloadLoop().failure(
      try request(server.url("/cut")), into: Recorder(atHead: { _ in .decode }))

    #expect(receiver.text == Self.feed)
    #expect(response.bytesReceived == Self.gzip.count)
    #expect(failure == .cut("the response was cut short: its gzip data has no end"))
  }
}

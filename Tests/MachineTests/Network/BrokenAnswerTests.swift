// Responses that are too large, end too early, or are not HTTP.

import Core
import Machine
import TestKit
import Testing

@Suite(.unlessItHangs) struct BrokenAnswerTests {
  private static let cut = "the response was cut short"

  static let broken: [(answer: ScriptedAnswer, text: String)] = [
    (.document("twelve bytes").cut(after: 5), cut), (.body(.send([65]), .close, framing: .chunked()), cut),
    (.raw(.send(Array("HTTP/1.1 200 OK\r\nETag: \"".utf8)), .close), cut),
    (.body(.send([65]), .reset, framing: .declared(10)), cut),
    (.raw(.close), "the server closed the connection without a response"),
    (.raw(.send(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)), .close), "the server does not speak HTTP"),
    (
      .raw(.send(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".utf8)), .hold),
      "the server broke the rules of HTTP"
    ),
  ]

  @Test(arguments: broken.rows)
  func `a body that is not whole is cut, and a response that is none is not called so`(_ row: TableRow)
    async throws
  {
    let failure = try await failure(of: Self.broken[row.index].answer)

    #expect(failure?.text.hasPrefix(Self.broken[row.index].text) == true, "\(failure?.text ?? "")")
  }

  @Test func `a body of exactly the limit is taken, and one of one byte more is too large`() async throws {
    let server = try ScriptedServer(["/": .document([UInt8](repeating: 65, count: 50_000))])
    func asking(_ limit: Int64) throws -> Request {
      try request(server.url("/")) { $0.network.maxFeedSize = ByteCount(limit) }
    }

    #expect(try await makeLoop().fetch(asking(50_000)).body.count == 50_000)
    #expect(await makeLoop().failure(try asking(49_999)) == .tooLarge(ByteCount(49_999)))
  }

  @Test func `an endless body ends at the limit`() async throws {
    let server = try ScriptedServer([
      "/": .body(.endless([UInt8](repeating: 65, count: 10_000)), framing: .chunked())
    ])

    let failure = await makeLoop().failure(
      try request(server.url("/")) { $0.network.maxFeedSize = ByteCount(1 << 20) })

    #expect(failure == .tooLarge(ByteCount(1 << 20)))
    await server.closed(1)
  }

  @Test func `a gzip bomb ends at the limit, long before it is unpacked`() async throws {
    // Each block of 6.6 KB is one mebibyte of zeros.
    let block = Gzip.zeros(runs: 4064)
    let server = try ScriptedServer([
      "/": ScriptedAnswer.body(.send(Gzip.header), .endless(block), framing: .close)
        .with("Content-Encoding", "gzip")
    ])

    let failure = await makeLoop().failure(
      try request(server.url("/")) { $0.network.maxFeedSize = ByteCount(8 << 20) })

    #expect(failure == .tooLarge(ByteCount(8 << 20)))
    await server.closed(1)
    // Uncompressed, the bytes sent would be more than a gigabyte.
    #expect(server.bytesSent < 8 << 20)
  }

  @Test func `an error's endless body does not hide the status`() async throws {
    var answer = ScriptedAnswer.body(.endless([UInt8](repeating: 65, count: 10_000)), framing: .chunked())
    answer.statusLine = "HTTP/1.1 503 Busy"
    let response = try await fetched(answer.with("Retry-After", "60"))

    #expect(response.status == 503)
    #expect(response["Retry-After"] == "60")
    #expect(response.body.isEmpty)
  }

  @Test func `an error's body that breaks off does not hide the status`() async throws {
    let response = try await fetched(.status(429, [("Retry-After", "60")], body: "too many").cut(after: 2))

    #expect(response.status == 429)
    #expect(response["Retry-After"] == "60")
  }

  static let largeHeads: [(what: String, preface: String, fields: [(name: String, value: String)])] = [
    ("many fields", "", (0..<1001).map { ("X-\($0)", "v") }),
    ("much in the fields", "", (0..<30).map { ("X-\($0)", String(repeating: "v", count: 10_000)) }),
    ("one long field", "", [("X", String(repeating: "v", count: 300_000))]),
    (
      "many interim answers",
      String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n", count: 600), []
    ),
  ]

  @Test(arguments: largeHeads.rows)
  func `a head beyond the limits is too large`(_ row: TableRow) async throws {
    var answer = ScriptedAnswer.document("body")
    answer.preface = Self.largeHeads[row.index].preface
    answer.fields += Self.largeHeads[row.index].fields
    let failure = try await failure(of: answer)

    #expect(failure == .headersTooLarge(ByteCount(256 << 10)), "\(Self.largeHeads[row.index].what)")
  }

  @Test func `trailers beyond the limits are too large`() async throws {
    let trailers = (0..<2000).map { (name: "X-\($0)", value: "v") }
    let failure = try await failure(of: .body(.send([65]), framing: .chunked(trailers: trailers)))

    #expect(failure == .headersTooLarge(ByteCount(256 << 10)))
  }

  @Test func `a broken response does not disturb the others`() async throws {
    let server = try ScriptedServer(["/good": .document("good"), "/bad": .raw(.reset)])
    let loop = makeLoop(connections: 2)
    let good = try request(server.url("/good"))
    let bad = try request(server.url("/bad"))

    let bodies = await withTaskGroup { group in
      for number in 0..<40 {
        group.addTask { try? await loop.fetch(number.isMultiple(of: 2) ? good : bad).text }
      }
      return await group.reduce(into: [String?]()) { $0.append($1) }
    }

    #expect(bodies.compactMap(\.self) == [String](repeating: "good", count: 20))
  }
}

// The file server of the tests itself: it follows RFC 9110 except for the faults that a test asks for.

import Core
import Machine
import TestKit
import Testing

@Suite(.unlessItHangs) struct AssetFileTests {
  private static let content = FileContent(10_000, seed: 7)
  private static let tag = "\"7-10000\""

  /// The response to a request with these fields, from a file that misbehaves like this.
  private func answer(
    _ fields: KeyValuePairs<String, String> = [:], _ misbehaviours: Misbehaviour...
  ) async throws -> Response {
    let server = try ScriptedServer()
    server.serve(AssetFile(Self.content, inTurn: misbehaviours), at: "/a.mp3")
    let fields = fields.map { HeaderField($0.key, $0.value) }
    return try await makeLoop().fetch(request(server.url("/a.mp3"), fields))
  }

  // MARK: Content

  @Test func `a part of a content is the same wherever it is cut`() {
    let all = Self.content.all

    #expect(all.count == 10_000)
    for range in [0..<0, 0..<1, 3..<17, 1_000..<1_030, 1_024..<2_048, 9_999..<10_000, 5..<9_000] {
      #expect(Self.content.bytes(range) == Array(all[range]), "\(range)")
    }
  }

  @Test func `contents of other seeds differ, and a larger one begins with the smaller`() {
    #expect(Self.content.all != FileContent(10_000, seed: 8).all)
    #expect(FileContent(20_000, seed: 7).all.prefix(10_000) == Self.content.all[...])
  }

  @Test func `no block of a content is like another`() {
    let content = FileContent(1 << 20)
    let blocks = (0..<1024).map { content.bytes($0 * 1024..<($0 + 1) * 1024) }

    #expect(Set(blocks).count == 1024)
  }

  @Test func `the checksum is that of all bytes`() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(Self.content.all, to: "content")

    #expect(try Self.content.sha256() == SHA256Sum.ofFile(path))
    #expect(
      try FileContent(0).sha256() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  // MARK: Right

  @Test func `a plain request gets the whole file with its validators`() async throws {
    let whole = try await answer()

    #expect(whole.status == 200)
    #expect(whole.body == Self.content.all)
    #expect(whole["ETag"] == Self.tag)
    #expect(whole["Accept-Ranges"] == "bytes")
    #expect(whole["Last-Modified"] != nil && whole["Last-Modified"] != whole["Date"])
  }

  @Test(
    arguments: [
      ("bytes=0-", 0..<10_000), ("bytes=9999-", 9_999..<10_000), ("bytes=100-199", 100..<200),
      ("bytes=5000-99999", 5_000..<10_000), ("bytes=-300", 9_700..<10_000), ("bytes=-20000", 0..<10_000),
    ] as [(String, Range<Int>)])
  func `a range gets its part`(range: String, part: Range<Int>) async throws {
    let answer = try await answer(["Range": range])

    #expect(answer.status == 206)
    #expect(answer["Content-Range"] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/10000")
    #expect(answer.body == Self.content.bytes(part))
  }

  @Test(arguments: ["bytes=10000-", "bytes=-0", "bytes=70000-80000"])
  func `a range beyond the end gets 416 and the size`(range: String) async throws {
    let answer = try await answer(["Range": range])

    #expect(answer.status == 416)
    #expect(answer["Content-Range"] == "bytes */10000")
  }

  @Test(arguments: ["bytes=5-1", "bytes=a-b", "items=0-1", "bytes=0-1,4-5", "bytes=-", "bytes"])
  func `an invalid range, or several, gets the whole file`(range: String) async throws {
    #expect(try await answer(["Range": range]).status == 200)
  }

  @Test(
    arguments: [
      (tag, 206), ("\"other\"", 200), ("W/" + tag, 200), ("Wed, 18 Nov 2026 10:00:00 GMT", 206),
      ("Wed, 18 Nov 2026 10:00:01 GMT", 200),
    ])
  func `If-Range gets the part only of the same version`(condition: String, status: Int) async throws {
    #expect(try await answer(["Range": "bytes=5-", "If-Range": condition]).status == status)
  }

  @Test(
    arguments: [
      ("If-None-Match", tag, 304), ("If-None-Match", "W/" + tag, 304),
      ("If-None-Match", "\"x\", \(tag)", 304),
      ("If-None-Match", "*", 304), ("If-None-Match", "\"x\"", 200),
      ("If-Modified-Since", "Wed, 18 Nov 2026 10:00:00 GMT", 304),
      ("If-Modified-Since", "Tue, 17 Nov 2026 10:00:00 GMT", 200),
    ])
  func `conditional requests are answered by RFC 9110`(name: String, value: String, status: Int) async throws
  {
    let answer = try await answer([name: value])

    #expect(answer.status == status)
    #expect(answer["ETag"] == Self.tag)
  }

  @Test func `a file can be larger than any memory, and its sent bytes are counted`() async throws {
    let server = try ScriptedServer()
    server.serve(AssetFile(FileContent(1 << 40)), at: "/iso")

    let end = try await makeLoop().fetch(
      request(server.url("/iso"), [HeaderField("Range", "bytes=\((1 << 40) - 100)-")]))

    #expect(end.body == FileContent(1 << 40).bytes((1 << 40) - 100..<(1 << 40)))
    await server.sent(100, of: "/iso")
    #expect(server.bodyBytes("/iso") == 100)
    #expect(server.bytesSent > 100)
  }

  // MARK: Wrong

  @Test func `ranges can be refused, ignored, or served without being announced`() async throws {
    let range: KeyValuePairs = ["Range": "bytes=100-"]
    let ignored = try await answer(range, .noRanges)
    let quiet = try await answer(range, .silentAboutRanges)

    #expect(ignored.status == 200 && ignored["Accept-Ranges"] == nil && ignored.body.count == 10_000)
    #expect(quiet.status == 206 && quiet["Accept-Ranges"] == nil)
    #expect(try await answer(range, .refusesRanges(403)).status == 403)
    #expect(try await answer(range, .refusesRanges(416)).status == 416)
    #expect(try await answer([:], .refusesRanges(416)).status == 200)
    #expect(try await answer(["Range": "bytes=100-", "If-Range": "\"x\""], .ignoresIfRange).status == 206)
  }

  @Test(
    arguments: [
      (.rangeBeginsElsewhere(by: 10), "bytes 110-9999/10000", 110..<10_000),
      (.rangeBeginsElsewhere(by: -100), "bytes 0-9999/10000", 0..<10_000),
      (.rangeLies(by: 10), "bytes 100-9999/10000", 110..<10_000),
      (.rangeOfOtherTotal(by: 5), "bytes 100-9999/10005", 100..<10_000),
      (.rangeOfUnknownTotal, "bytes 100-9999/*", 100..<10_000),
      (.rangeAtMost(50), "bytes 100-149/10000", 100..<150),
      (.wholeFileAs206, "bytes 100-9999/10000", 0..<10_000),
      (.noContentRange, nil, 100..<10_000),
    ] as [(Misbehaviour, String?, Range<Int>)])
  func `a 206 can lie`(how: Misbehaviour, range: String?, body: Range<Int>) async throws {
    let answer = try await answer(["Range": "bytes=100-"], how)

    #expect(answer.status == 206)
    #expect(answer["Content-Range"] == range)
    #expect(answer.body == Self.content.bytes(body))
  }

  @Test func `a 206 can be of another version or in parts`() async throws {
    let other = FileContent(10_000, seed: 8)
    let second = try await answer(["Range": "bytes=100-"], .rangeOfAnother(other))
    let parts = try await answer(["Range": "bytes=100-"], .multipartRange)

    #expect(second["ETag"] == Self.tag && second.body == other.bytes(100..<10_000))
    #expect(parts["Content-Type"] == "multipart/byteranges; boundary=NEXT" && parts["Content-Range"] == nil)
    #expect(parts.body.count > 9_900)
  }

  @Test func `validators can be missing, weak, or new each time`() async throws {
    let server = try ScriptedServer()
    server.serve(AssetFile(Self.content, .newEntityTag, .newLastModified), at: "/new")
    let loop = makeLoop()
    let first = try await loop.fetch(request(server.url("/new")))
    let second = try await loop.fetch(request(server.url("/new")))
    let none = try await answer([:], .noValidators)
    let dated = try await answer([:], .modifiedNow)

    #expect(first["ETag"] != second["ETag"] && first["Last-Modified"] != second["Last-Modified"])
    #expect(none["ETag"] == nil && none["Last-Modified"] == nil)
    #expect(try await answer([:], .weakEntityTag)["ETag"] == "W/" + Self.tag)
    #expect(dated["Last-Modified"] == dated["Date"])
    #expect(try await answer([:], .noDate)["Date"] == nil)
  }

  @Test func `a body can be too short, too long, in chunks, in gzip or until the end`() async throws {
    let server = try ScriptedServer()
    for (path, how) in [
      ("/long", .lengthTooLong(by: 9)), ("/cut", .cut(after: 500)), ("/reset", .reset(after: 500)),
    ] as [(String, Misbehaviour)] {
      server.serve(AssetFile(Self.content, how), at: path)
      #expect(await makeLoop().failure(try request(server.url(path))) != nil, "\(path)")
    }

    await server.sent(10_000, of: "/long")
    await server.sent(500, of: "/cut")
    #expect(server.bodyBytes("/long") == 10_000 && server.bodyBytes("/cut") == 500)
    #expect(try await answer([:], .lengthTooShort(by: 9)).body == Self.content.bytes(0..<9_991))
    #expect(try await answer([:], .chunked).body == Self.content.all)
    #expect(try await answer([:], .endsByClose).body == Self.content.all)
    #expect(try await answer([:], .garbageBehind([1, 2])).body == Self.content.all)
    #expect(try await answer([:], .gzip)["Content-Encoding"] == "gzip")
    #expect(try await answer([:], .empty).body.isEmpty)
    #expect(try await answer([:], .pageAsAudio)["Content-Type"] == "audio/mpeg")
  }

  @Test func `the fault can differ from request to request`() async throws {
    let server = try ScriptedServer()
    let file = AssetFile(Self.content, inTurn: [.status(503)], [.loginPage], [])
    server.serve(file, at: "/a")
    file.grow(by: 10)
    let loop = makeLoop()
    var answers: [Response] = []
    for _ in 1...4 { answers.append(try await loop.fetch(request(server.url("/a")))) }

    #expect(answers.map(\.status) == [503, 200, 200, 200])
    #expect(answers.map(\.body.count).suffix(2) == [10_020, 10_030])
  }

  @Test func `a file can be sent slowly and be stopped on its way`() async throws {
    let server = try ScriptedServer()
    let gate = Gate()
    server.serve(AssetFile(Self.content, .pause(after: 300, gate), .slow(bytesPerSecond: 1 << 20)), at: "/a")

    async let whole = makeLoop().fetch(request(server.url("/a")))
    await server.sent(300, of: "/a")
    #expect(server.bodyBytes("/a") == 300)
    gate.open()

    #expect(try await whole.body == Self.content.all)
  }

  @Test func `signed redirects lead to an address that is new each time`() async throws {
    let server = try ScriptedServer()
    server.redirectSigned("/a", to: "/end", hops: 2)
    let loop = makeLoop()
    let first = try await loop.fetch(request(server.url("/a")))
    let again = try await loop.fetch(request(server.url("/a")))
    let second = try await loop.fetch(request(server.url("/a/1")))

    #expect(first["Location"] == "/a/1?signature=1&expires=60")
    #expect(again["Location"] == "/a/1?signature=2&expires=60")
    #expect(second["Location"] == "/end?signature=3&expires=60")
  }
}

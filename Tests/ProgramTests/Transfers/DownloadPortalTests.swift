// Responses that are not the rest of a half-finished file: its bytes stay until something better has arrived.

import Foundation
import TestKit
import Testing

@Suite struct DownloadPortalTests {
  private static let content = FileContent(300_000, seed: 51)
  private static let newer = FileContent(250_000, seed: 52)
  private static let cut = Misbehaviour.cut(after: 100_000)

  /// A response that is not the rest of the file.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: @Sendable (ReceivedRequest) -> ScriptedAnswer

    init(_ name: String, _ answer: @escaping @Sendable (ReceivedRequest) -> ScriptedAnswer) {
      (testDescription, self.answer) = (name, answer)
    }

    init(_ name: String, _ status: Int, _ fields: [(name: String, value: String)], _ body: String = "") {
      self.init(name) { _ in .status(status, fields, body: body) }
    }
  }

  private static let page = "<!DOCTYPE html><html><title>Log in</title><body>Welcome</body></html>"
  private static let audio = (name: "Content-Type", value: "audio/mpeg")

  static let wrong: [Wrong] = [
    Wrong("a page", 200, [("Content-Type", "text/html")], page),
    Wrong("a page with the type of the file", 200, [audio], page),
    Wrong("a page with a validator", 200, [("Content-Type", "text/html"), ("ETag", "\"p\"")], page),
    Wrong("a redirect to a page") { _ in .redirect(to: "/login") },
    Wrong("an error message", 200, [("Content-Type", "text/plain"), ("ETag", "\"p\"")], "Too many users"),
    Wrong("JSON", 200, [("Content-Type", "application/json"), ("ETag", "\"p\"")], "{\"error\": 1}"),
    Wrong("a picture", 200, [("Content-Type", "image/png"), ("ETag", "\"p\"")], "\u{1}PNG"),
    Wrong("a shorter file", 200, [audio], "\u{1}\u{2}" + String(repeating: "x", count: 5000)),
    Wrong("nothing", 200, [audio]), Wrong("nothing with a validator", 200, [audio, ("ETag", "\"p\"")]),
    Wrong("several parts", 200, [("Content-Type", "multipart/byteranges; boundary=x")], "--x--"),
    Wrong("several parts as a rest", 206, [("Content-Type", "multipart/byteranges; boundary=x")], "--x--"),
    Wrong("a rest without a range", 206, [audio], "\u{1}"),
    Wrong("another range", 206, [audio, ("Content-Range", "bytes 0-0/300000")], "\u{1}"),
    Wrong(
      "the rest of another file", 206, [audio, ("Content-Range", "bytes 100000-100000/200000")], "\u{1}"),
    Wrong("compressed bytes", 200, [audio, ("Content-Encoding", "gzip")], "\u{1}"),
    Wrong("a range that cannot be satisfied", 416, [("Content-Range", "bytes */50")]),
    Wrong("404", 404, []), Wrong("410", 410, []), Wrong("401", 401, []), Wrong("403", 403, []),
    Wrong("511", 511, []), Wrong("500", 500, [], page), Wrong("204", 204, []),
  ]

  @Test(arguments: wrong)
  func `the bytes of a half-finished file survive any other response, and are resumed`(
    wrong: Wrong
  ) async throws {
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.content, inTurn: [Self.cut])])
    program.server.on("/login", .document(Self.page, type: "text/html"))
    try await program.run()
    let before = try partialFiles(program)
    program.server.on("/a.mp3") { request in wrong.answer(request) }

    try await retry(program, at: 6)
    try await retry(program, at: 12)
    let between = try partialFiles(program)
    program.server.serve(AssetFile(Self.content), at: "/a.mp3")
    try await retry(program, at: 18)

    #expect(before == [Array(Self.content.bytes(0..<100_000))])
    #expect(between == before)
    #expect(program.server.requests("/a.mp3").last?["Range"] == "bytes=100000-")
    #expect(try program.placed.map { Self.content.isWhole(try program.bytes($0)) } == [true])
    #expect(program.leftovers == [])
  }

  @Test(arguments: wrong)
  func `the half-finished body of a feed of kind asset survives any other response`(
    wrong: Wrong
  ) async throws {
    let program = try bodyProgram(AssetFile(Self.content, inTurn: [Self.cut]), at: "/list.mp3")
    program.server.on("/login", .document(Self.page, type: "text/html"))
    try await program.run()
    program.server.on("/list.mp3") { request in wrong.answer(request) }

    try await program.run(at: 24)
    let between = try partialFiles(program)
    program.server.serve(AssetFile(Self.content), at: "/list.mp3")
    try await program.run(at: 72)

    #expect(between == [Array(Self.content.bytes(0..<100_000))])
    #expect(program.server.requests("/list.mp3").last?["Range"] == "bytes=100000-")
    #expect(try program.placed.map { Self.content.isWhole(try program.bytes($0)) } == [true])
  }

  @Test func `a placed file without a telling name is not replaced by a page`() async throws {
    let program = try bodyProgram(AssetFile(Self.content), at: "/latest")
    program.server.on("/login.html", .document(Self.page, type: "text/html"))
    try await program.run()
    let placed = program.placed
    for (hour, answer) in [
      (24, .document(Self.page, type: "text/html")), (48, .redirect(to: "/login.html")),
    ] as [(Int, ScriptedAnswer)] {
      program.server.on("/latest", answer)
      try await program.run(at: hour)
    }

    #expect(program.placed == placed)
    #expect(try placed.map { Self.content.isWhole(try program.bytes($0)) } == [true])
  }

  @Test func `a server without ranges completes the file, and a shorter try does not shorten it`()
    async throws
  {
    let program = try DownloadProgram([
      "a.mp3": AssetFile(
        Self.content, inTurn: [Self.cut], [.noRanges, .cut(after: 50_000)],
        [.noRanges, .cut(after: 150_000)],
        [.noRanges])
    ])

    try await program.run()
    var sizes: [Int] = []
    for hour in [6, 12] {
      try await program.run(at: hour)
      sizes += try partialFiles(program).map(\.count)
    }
    try await program.settle(from: 18)

    #expect(sizes == [100_000, 150_000])
    try program.expectSettled([Self.content])
  }

  @Test func `another version of the file replaces its bytes`() async throws {
    let file = AssetFile(Self.content, inTurn: [Self.cut], [])
    let program = try DownloadProgram(["a.mp3": file])
    try await program.run()
    file.replace(with: Self.newer)

    try await program.settle(from: 6)

    try program.expectSettled([Self.newer])
    #expect(program.server.requests("/a.mp3").count == 2)
  }

  @Test func `a server that says three times that the file has changed is believed`() async throws {
    let file = AssetFile(Self.content, inTurn: [Self.cut], [.noValidators])
    let program = try DownloadProgram(["a.mp3": file])
    try await program.run()
    file.replace(with: Self.newer)

    for hour in [6, 12] { try await program.run(at: hour) }
    let between = try partialFiles(program).map(\.count)
    try await program.settle(from: 18)

    #expect(between == [100_000])
    try program.expectSettled([Self.newer])
  }

  @Test func `a failed transfer keeps its bytes until it is cancelled`() async throws {
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.content, inTurn: [Self.cut], [.status(404)])])
    try await program.run()
    try await program.run(at: 6)
    let failed = try await program.bgfetch("transfers", "list", "--all", "--json").json
    try await program.run(at: 12)
    let between = try partialFiles(program).map(\.count)

    try await program.bgfetch("transfers", "cancel", "--all", status: 0)
    program.add(["b.mp3": AssetFile(Self.newer)])
    try await program.run(at: 18)

    #expect(failed.map { $0["status"] as? String } == ["failed"])
    #expect(between == [100_000])
    #expect(program.leftovers == [])
  }

  @Test func `bytes that a response has added wrongly are cut off, and those before stay`() async throws {
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.content, inTurn: [Self.cut])])
    try await program.run()
    program.server.on("/a.mp3") { request in
      guard request["Range"] != nil else { return .status(500) }
      return .status(206, body: String(repeating: "x", count: 200_001)).chunked()
        .with("Content-Range", "bytes 100000-299999/300000").with("ETag", "\"51-300000\"")
    }
    try await program.run(at: 6)
    let between = try partialFiles(program)
    program.server.serve(AssetFile(Self.content), at: "/a.mp3")
    try await program.settle(from: 12)

    #expect(between == [Array(Self.content.bytes(0..<100_000))])
    try program.expectSettled([Self.content])
  }

  /// The program with one feed of kind asset, `list`.
  private func bodyProgram(_ file: AssetFile, at path: String) throws -> DownloadProgram {
    let program = try DownloadProgram([:])
    program.server.serve(file, at: path)
    try program.write(feeds: "  list: {url: \"\(program.server.url(path))\", kind: asset}")
    return program
  }

  /// Retries the transfer at an hour.
  private func retry(_ program: DownloadProgram, at hour: Int) async throws {
    try await program.bgfetch("transfers", "retry", "--all", at: moment(hours: hour))
    try await program.bgfetch("transfers", "run", at: moment(hours: hour))
  }

  /// The contents of the partial files.
  private func partialFiles(_ program: DownloadProgram) throws -> [[UInt8]] {
    try program.leftovers.map { try readFile(program.documents + "/.bgfetch/" + $0) }
  }
}

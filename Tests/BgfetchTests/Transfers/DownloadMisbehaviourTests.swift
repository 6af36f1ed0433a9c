// A server that goes wrong in one way for good: the file ends whole, or it failed with a reason, and nothing else.

import Foundation
import TestKit
import Testing

@Suite struct DownloadMisbehaviourTests {
  private static let content = FileContent(300_000, seed: 3)

  /// The program after it has tried all it tries.
  private func settled(
    _ misbehaviours: [Misbehaviour], download: String = "", network: String = ""
  ) async throws -> DownloadProgram {
    let program = try DownloadProgram(
      ["a.mp3": AssetFile(Self.content, inTurn: misbehaviours)], download: download, network: network)
    try await program.settle()
    return program
  }

  @Test(
    arguments: [
      [], [.noRanges], [.silentAboutRanges], [.noValidators], [.noEntityTag], [.noLastModified],
      [.weakEntityTag],
      [.newEntityTag], [.modifiedNow], [.newLastModified], [.noDate], [.unconditional], [.endsByClose],
      [.chunked],
      [.garbageBehind(Array("HTTP/1.1 200 OK\r\n\r\nmore".utf8))], [.slow(bytesPerSecond: 2 << 20)],
      [.chunked, .noValidators, .noRanges], [.refusesRanges(416)], [.refusesRanges(403)], [.wholeFileAs206],
    ] as [[Misbehaviour]])
  func `what does not matter to a whole answer does not keep a file from ending whole at once`(
    how: [Misbehaviour]
  ) async throws {
    let program = try await settled(how)

    try program.expectSettled([Self.content])
    #expect(program.server.requests("/a.mp3").count == 1)
    #expect(program.placed == ["planet/2026-10-28 Title of a.mp3"])
  }

  @Test(
    arguments: [
      [.cut(after: 100_000)], [.cut(after: 100_000), .chunked], [.cut(after: 100_000), .noEntityTag],
      [.cut(after: 100_000), .noLastModified], [.cut(after: 100_000), .rangeAtMost(150_000)],
      [.cut(after: 100_000), .silentAboutRanges],
    ] as [[Misbehaviour]])
  func `a file that is cut again and again is put together without fetching a byte twice`(
    how: [Misbehaviour]
  ) async throws {
    let program = try await settled(how)

    try program.expectSettled([Self.content])
    // Chunks have frames, which are counted too.
    #expect(program.server.bodyBytes("/a.mp3") <= 300_000 + 1_000)
  }

  @Test func `a connection that is reset again and again loses only what was on its way`() async throws {
    let program = try await settled([.slow(bytesPerSecond: 1 << 20), .reset(after: 150_000)])

    try program.expectSettled([Self.content])
    let perAttempt = 70_000
    #expect(
      program.server.bodyBytes("/a.mp3") <= 300_000 + perAttempt * program.server.requests("/a.mp3").count)
  }

  @Test func `a body that stands still is given up, and goes on where it stood`() async throws {
    let program = try await settled(
      [.stall(after: 100_000)], network: "stall: {below: 1KiB/s, for: 1s}")

    try program.expectSettled([Self.content])
    #expect(program.server.bodyBytes("/a.mp3") <= 300_000 + 1_000)
  }

  @Test func `a body that drips is given up, and goes on where it was`() async throws {
    let program = try DownloadProgram(
      ["a.mp3": AssetFile(Self.content, inTurn: [.slow(bytesPerSecond: 200)], [])],
      network: "stall: {below: 100KiB/s, for: 1s}")

    try await program.settle()

    try program.expectSettled([Self.content])
    #expect(program.server.requests("/a.mp3").count == 2)
    #expect(program.server.bodyBytes("/a.mp3") <= 300_000 + 1_000)
  }

  @Test(
    arguments: [
      [.lengthTooLong(by: 10)], [.lengthTooLong(by: 10), .noValidators], [.loginPage], [.pageAsAudio],
      [.empty],
      [.gzip], [.status(401)], [.status(403)], [.status(404)], [.status(410)], [.status(451)], [.status(500)],
      [.retryAfter(3600, 429)], [.retryAfter(3600)], [.status(204)], [.status(205)], [.status(300)],
      [.status(304)],
      [.cut(after: 0)], [.cut(after: 100_000), .noValidators, .noRanges], [.unaskedRange(10..<1_000)],
      [.unaskedRange(10..<1_000), .noContentRange], [.unaskedRange(0..<1_000), .multipartRange],
      [.errorInJSON],
      [.redirect(to: "/a.mp3")], [.redirect(to: "")], [.redirect(to: "ftp://files.example/a.mp3")],
      [.redirect(to: "file:///etc/passwd")], [.redirect(to: "http://:bad")],
      [.page("", type: "text/html")], [.page("\u{FEFF}  <HTML>no</HTML>", type: "application/octet-stream")],
    ] as [[Misbehaviour]])
  func `what never brings the file ends as failed, with a reason, and leaves nothing`(
    how: [Misbehaviour]
  ) async throws {
    let program = try await settled(how)

    try program.expectSettled([], failed: 1)
    // Politeness: eight attempts, each with one more request at most.
    #expect(program.server.requests("/a.mp3").count <= 8 * 11)
    #expect(program.server.bodyBytes("/a.mp3") <= 10 * 300_000)
  }

  @Test(arguments: [401, 407])
  func `a server that wants a password says so once`(status: Int) async throws {
    let program = try await settled([.status(status, [("WWW-Authenticate", "Basic realm=\"x\"")])])

    #expect(program.count(of: "auth-required") == 1)
    #expect(program.count(of: "transfer-failed") == 1)
    #expect(program.leftovers == [])
  }

  @Test(arguments: [404, 410])
  func `what is gone is asked for once`(status: Int) async throws {
    let program = try await settled([.status(status)])

    #expect(program.server.requests("/a.mp3").count == 1)
  }

  @Test func `what is longer than promised is cut to what was promised, or no file`() async throws {
    let program = try await settled([.lengthTooShort(by: 10)])

    for name in program.placed {
      #expect(try program.bytes(name) == Self.content.bytes(0..<299_990))
    }
    #expect(program.leftovers == [])
    #expect(program.count(of: "session-finished") == 1)
  }

  @Test(arguments: [[.endless], [.endless, .noValidators]] as [[Misbehaviour]])
  func `a body without an end ends at max-size`(how: [Misbehaviour]) async throws {
    let program = try await settled(how, download: "max-size: 1MiB")

    try program.expectSettled([], failed: 1)
    #expect(program.server.requests("/a.mp3").count == 1)
    #expect(program.server.bodyBytes("/a.mp3") < 32 << 20)
  }

  @Test func `a file that says it is too large is not fetched`() async throws {
    let program = try DownloadProgram(
      ["a.iso": AssetFile(FileContent(1 << 40))], download: "max-size: 1MiB")

    try await program.settle()

    try program.expectSettled([], failed: 1)
    #expect(program.server.bodyBytes("/a.iso") < 32 << 20)
  }

  @Test func `an error that passes does not keep a file from ending whole`() async throws {
    let program = try DownloadProgram([
      "a.mp3": AssetFile(
        Self.content, inTurn: [.status(500)], [.retryAfter(3600, 429)], [.status(502)], [.retryAfter(60)], [])
    ])

    try await program.settle()

    try program.expectSettled([Self.content])
    #expect(program.server.requests("/a.mp3").count == 5)
  }

  @Test func `Retry-After is obeyed`() async throws {
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.content, inTurn: [.retryAfter(36_000)], [])])

    try await program.run()
    try await program.run(at: 9)
    let early = program.server.requests("/a.mp3").count
    // A server's wish may end up to a tenth of it later, at most ten minutes.
    try await program.run(at: 11)

    #expect(early == 1)
    try program.expectSettled([Self.content])
  }

  @Test func `a redirect to a private address is not followed from a public one`() async throws {
    let inside = try ScriptedServer(["/secret": .document("secret", type: "audio/mpeg")])
    let pretended = try PretendInternet()
    let bgfetch = try BuiltProgram()
    pretended["http://feeds.example/feed"] = .document(
      podcast([
        Episode(id: "a", url: "http://feeds.example/a.mp3"), Episode(id: "b", url: inside.url("/secret")),
      ]))
    pretended["http://feeds.example/a.mp3"] = .redirect(to: inside.url("/secret"))
    try bgfetch.configure(
      """
      documents: HOME/documents
      network: {proxy: "\(pretended.server.origin)"}
      feeds: {planet: {url: "http://feeds.example/feed", download: {}, first-run: all}}
      """)

    for hour in 0..<12 { _ = try await bgfetch.at(hours: hour * 24, "run") }

    #expect(inside.requests.isEmpty)
    #expect(!pretended.asked.contains { $0.contains("/secret") })
    #expect(DownloadProgram.files(below: bgfetch.home.file("documents")) == [])
  }
}

// Servers that always misbehave in one way: the file is placed whole, or the transfer fails with a reason.

import Foundation
import TestKit
import Testing

@Suite struct DownloadMisbehaviourTests {
  private static let content = FileContent(300_000, seed: 3)

  /// The program after all its attempts.
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
      [], [.noValidators], [.endsByClose], [.chunked], [.wholeFileAs206],
      [.garbageBehind(Array("HTTP/1.1 200 OK\r\n\r\nmore".utf8))], [.slow(bytesPerSecond: 2 << 20)],
      [.chunked, .noValidators, .noRanges], [.gzip], [.gzip, .chunked], [.gzip, .endsByClose],
      [.gzip, .garbageBehind([1, 2, 3])],
    ] as [[Misbehaviour]])
  func `harmless misbehaviour does not prevent a whole file at the first attempt`(
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
      [.cut(after: 100_000), .rangeAtMost(150_000)],
    ] as [[Misbehaviour]])
  func `a file cut again and again is resumed without downloading a byte twice`(
    how: [Misbehaviour]
  ) async throws {
    let program = try await settled(how)

    try program.expectSettled([Self.content])
    // The frames of chunks are counted too.
    #expect(program.server.bodyBytes("/a.mp3") <= 300_000 + 1_000)
  }

  @Test func `a connection reset again and again loses only the bytes in flight`() async throws {
    let program = try await settled([.slow(bytesPerSecond: 1 << 20), .reset(after: 150_000)])

    try program.expectSettled([Self.content])
    let perAttempt = 70_000
    #expect(
      program.server.bodyBytes("/a.mp3") <= 300_000 + perAttempt * program.server.requests("/a.mp3").count)
  }

  @Test(
    arguments: [
      [.pageAsAudio], [.gzip, .cut(after: 100_000)], [.cut(after: 0)],
      [.redirect(to: "/a.mp3")], [.cut(after: 100_000), .noValidators, .noRanges],
    ] as [[Misbehaviour]])
  func `a server that never sends the file makes the transfer fail with a reason`(
    how: [Misbehaviour]
  ) async throws {
    let program = try await settled(how)

    try program.expectSettled([], failed: 1)
    // At most eight attempts, each with one more request.
    #expect(program.server.requests("/a.mp3").count <= 8 * 11)
    #expect(program.server.bodyBytes("/a.mp3") <= 10 * 300_000)
  }

  @Test func `a file that ends too early each time fails, and its bytes wait for a retry`() async throws {
    let program = try await settled([.lengthTooLong(by: 10)])

    #expect(program.placed == [])
    #expect(program.leftovers.count == 1)
    #expect(program.count(of: "transfer-failed") == 1)
    #expect(program.server.bodyBytes("/a.mp3") <= 10 * 300_000)
  }

  @Test(arguments: [401, 407])
  func `a request for a password is reported once`(status: Int) async throws {
    let program = try await settled([.status(status, [("WWW-Authenticate", "Basic realm=\"x\"")])])

    #expect(program.count(of: "auth-required") == 1)
    #expect(program.count(of: "transfer-failed") == 1)
    #expect(program.leftovers == [])
  }

  @Test func `a body longer than promised is cut to the promised length, or refused`() async throws {
    let program = try await settled([.lengthTooShort(by: 10)])

    for name in program.placed {
      #expect(try program.bytes(name) == Self.content.bytes(0..<299_990))
    }
    #expect(program.leftovers == [])
    #expect(program.count(of: "session-finished") == 1)
  }

  @Test(arguments: [[.endless], [.endless, .noValidators]] as [[Misbehaviour]])
  func `an endless body ends at max-size`(how: [Misbehaviour]) async throws {
    let program = try await settled(how, download: "max-size: 1MiB")

    try program.expectSettled([], failed: 1)
    #expect(program.server.requests("/a.mp3").count == 1)
    #expect(program.server.bodyBytes("/a.mp3") < 32 << 20)
  }
}

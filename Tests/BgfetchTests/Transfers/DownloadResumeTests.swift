// A download that was cut goes on only where that is right; what the server does at the second request is the matter here.

import Foundation
import TestKit
import Testing

@Suite struct DownloadResumeTests {
  private static let content = FileContent(300_000, seed: 5)
  private static let cut = Misbehaviour.cut(after: 100_000)

  /// The program with a file that is cut first, goes wrong like this then, and is served rightly at last.
  private func program(_ first: [Misbehaviour] = [], then second: [Misbehaviour]) throws -> DownloadProgram {
    try DownloadProgram(["a.mp3": AssetFile(Self.content, inTurn: first + [Self.cut], second, [])])
  }

  private func ranges(_ program: DownloadProgram) -> [String?] {
    program.server.requests("/a.mp3").map { $0["Range"] }
  }

  @Test func `a download that was cut goes on where it was, and says so`() async throws {
    let program = try program(then: [])

    let runs = try await program.settle()

    try program.expectSettled([Self.content])
    #expect(ranges(program) == [nil, "bytes=100000-"])
    #expect(program.server.requests("/a.mp3").last?["If-Range"] == "\"5-300000\"")
    #expect(program.server.bodyBytes("/a.mp3") == 300_000)
    #expect(runs.lines("transfer-began").compactMap { $0["offset"] as? Int } == [0, 100_000])
  }

  @Test func `every request of a download is in the history`() async throws {
    let program = try program(then: [])
    program.server.on("/feed", .redirect(302, to: "/moved"))
    let document = podcast([Episode(id: "a", url: program.server.url("/old"))])
    program.server.on("/moved", .document(document))
    program.server.on("/old", .redirect(302, to: "/a.mp3"))
    try await program.settle()

    let rows = try await program.bgfetch("history", "--requests", "--json").json
    let text = try await program.bgfetch("history", "planet", "--requests")

    let paths = rows.compactMap { ($0["address"] as? String)?.replacing(program.server.url(""), with: "") }
    #expect(paths == program.server.requests.map(\.path))
    let downloads = rows.filter { $0["transfer"] as? Int == 1 }
    #expect(downloads.compactMap { $0["hop"] as? Int } == [0, 1, 0, 1])
    #expect(downloads.compactMap { $0["status"] as? Int } == [302, 302, 206])
    #expect(downloads.compactMap { $0["failure"] as? String }.count == 1)
    #expect(downloads.allSatisfy { $0["fetch"] == nil && $0["feed"] as? String == "planet" })
    #expect(text.lines.count == rows.count + 1)
  }

  @Test func `another state directory with the same documents leaves a download alone that was cut`()
    async throws
  {
    // What both stores call transfer 1 is cut for the first and whole for the second.
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.content, inTurn: [Self.cut], [], [])])
    try await program.run()
    let other = program.bgfetch.home.file("other")

    let run = try await program.run(at: 1, "--state", other)

    #expect(run.status == 0, "\(run.errors)")
    #expect(program.leftovers.count == 1)
    try await program.run(at: 6)
    #expect(ranges(program) == [nil, nil, "bytes=100000-"])
    #expect(program.placed.count == 2)
    for name in program.placed { #expect(Self.content.isWhole(try program.bytes(name))) }
    #expect(program.leftovers == [])
  }

  @Test(
    arguments: [
      [.noRanges], [.rangeBeginsElsewhere(by: 10)], [.rangeBeginsElsewhere(by: -10)],
      [.rangeBeginsElsewhere(by: -100_000)], [.rangeLies(by: 10)], [.rangeLies(by: 10), .chunked],
      [.rangeLies(by: -10)],
      [.rangeOfOtherTotal(by: 5)],
      [.rangeOfOtherTotal(by: -5)], [.wholeFileAs206], [.multipartRange], [.noContentRange],
      [.refusesRanges(416)],
      [.refusesRanges(403)], [.newEntityTag], [.newEntityTag, .ignoresIfRange], [.newLastModified],
      [.newLastModified, .noEntityTag], [.noValidators], [.weakEntityTag],
      [.rangeOfAnother(FileContent(300_000, seed: 6)), .newEntityTag, .ignoresIfRange],
      [.rangeOfAnother(FileContent(300_000, seed: 6)), .noValidators, .ignoresIfRange, .newLastModified],
      [.rangeOfUnknownTotal], [.rangeAtMost(1)], [.rangeAtMost(50_000)], [.cut(after: 0)], [.cut(after: 1)],
      [.lengthTooLong(by: 10)], [.status(500)], [.chunked], [.endsByClose], [.silentAboutRanges],
      [.field("Content-Range", "bytes 0-1/2")], [.field("Content-Encoding", "identity")],
      [.garbageBehind([1, 2, 3])],
    ] as [[Misbehaviour]])
  func `a second answer that is wrong never makes a wrong file`(how: [Misbehaviour]) async throws {
    let program = try program(then: how)

    try await program.settle()

    try program.expectSettled([Self.content])
    // What was there, one answer in vain, and the whole file once more.
    #expect(program.server.bodyBytes("/a.mp3") <= 100_000 + 300_000 + 300_000 + 1_000)
  }

  @Test(
    arguments: [
      [.pageAsAudio], [.loginPage], [.empty], [.gzip], [.errorInJSON], [.status(304)], [.status(204)],
      [.lengthTooShort(by: 10)],
    ] as [[Misbehaviour]])
  func `what is no file is not added to one`(how: [Misbehaviour]) async throws {
    let program = try program(then: how)

    try await program.settle()

    let isWhole = program.count(of: "asset-placed") == 1
    try program.expectSettled(isWhole ? [Self.content] : [], failed: isWhole ? 0 : 1)
  }

  @Test(
    arguments: [
      [.weakEntityTag, .noLastModified], [.noValidators], [.modifiedNow, .noEntityTag],
      [.noEntityTag, .noDate],
      [.modifiedNow, .weakEntityTag],
    ] as [[Misbehaviour]])
  func `without a strong validator no range is asked`(how: [Misbehaviour]) async throws {
    let program = try DownloadProgram([
      "a.mp3": AssetFile(Self.content, inTurn: how + [Self.cut], how)
    ])

    let runs = try await program.settle()

    try program.expectSettled([Self.content])
    #expect(ranges(program) == [nil, nil])
    let reason = runs.lines("transfer-began").last?["reason"] as? String
    #expect(reason?.isEmpty == false)
  }

  @Test func `a date that is strong serves where there is no ETag`() async throws {
    let program = try DownloadProgram([
      "a.mp3": AssetFile(Self.content, inTurn: [.noEntityTag, Self.cut], [.noEntityTag])
    ])

    try await program.settle()

    try program.expectSettled([Self.content])
    #expect(program.server.requests("/a.mp3").last?["If-Range"] == "Wed, 18 Nov 2026 10:00:00 GMT")
    #expect(program.server.bodyBytes("/a.mp3") == 300_000)
  }

  @Test(arguments: [[], [.noRanges], [.ignoresIfRange]] as [[Misbehaviour]])
  func `a file that changed meanwhile starts over, and says why`(how: [Misbehaviour]) async throws {
    let program = try program(then: how)
    let other = FileContent(250_000, seed: 6)

    let first = try await program.run()
    program.files["a.mp3"]?.replace(with: other)
    let runs = [first] + (try await program.settle(from: 6))

    try program.expectSettled([other])
    #expect(program.server.bodyBytes("/a.mp3") <= 100_000 + 150_000 + 250_000)
    #expect(runs.lines("transfer-began").contains { ($0["reason"] as? String)?.isEmpty == false })
  }

  @Test func `a file that shrank to less than what is there starts over`() async throws {
    let program = try program(then: [])
    let other = FileContent(50_000, seed: 6)

    try await program.run()
    program.files["a.mp3"]?.replace(with: other)
    try await program.settle(from: 6)

    try program.expectSettled([other])
  }

  @Test func `a file that grows between requests ends whole, or failed`() async throws {
    let program = try program(then: [Self.cut])
    program.files["a.mp3"]?.grow(by: 1_000)

    try await program.settle()

    let size = try program.placed.first.map { try program.bytes($0).count } ?? 0
    try program.expectSettled([FileContent(size, seed: 5)])
    #expect(size >= 300_000)
  }

  @Test func `signed addresses that change with every request do not keep it from going on`() async throws {
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.content, inTurn: [Self.cut], [])])
    program.server.redirectSigned("/get", to: "/a.mp3", hops: 3)
    program.serve([Episode(id: "a", url: program.server.url("/get"), day: 1)])

    try await program.settle()

    try program.expectSettled([Self.content])
    #expect(program.server.bodyBytes("/a.mp3") == 300_000)
    #expect(ranges(program) == [nil, "bytes=100000-"])
  }

  @Test func `a redirect to another path does not go on with what came from the first`() async throws {
    let program = try DownloadProgram([
      "one": AssetFile(Self.content, inTurn: [Self.cut]), "two": AssetFile(FileContent(300_000, seed: 6)),
    ])
    program.server.on("/get", inTurn: .redirect(to: "/one"), .redirect(to: "/two"))
    program.serve([Episode(id: "a", url: program.server.url("/get"), day: 1)])

    try await program.settle()

    try program.expectSettled([FileContent(300_000, seed: 6)])
    #expect(program.server.requests("/two").allSatisfy { $0["If-Range"] == nil && $0["Range"] == nil })
  }

  @Test func `a partial file that somebody removed or changed in length is fetched anew`() async throws {
    let program = try DownloadProgram([
      "a.mp3": AssetFile(Self.content, inTurn: [Self.cut], []),
      "b.mp3": AssetFile(FileContent(200_000, seed: 6), inTurn: [Self.cut], []),
    ])
    try await program.run()
    let parts = program.leftovers
    #expect(parts.count == 2)
    for (place, part) in parts.enumerated() {
      let path = program.documents + "/.bgfetch/" + part
      if place == 0 { unlink(path) } else { truncate(path, 500) }
    }

    try await program.settle(from: 6)

    try program.expectSettled([Self.content, FileContent(200_000, seed: 6)])
  }
}

// Downloads of feeds of kind asset, whose body is the file, and of feeds that are local files.

import Core
import Foundation
import TestKit
import Testing

@Suite struct DownloadAssetFeedTests {
  private static let (one, two) = (FileContent(300_000, seed: 41), FileContent(250_000, seed: 42))

  /// The program with one feed of kind asset, `list`.
  private func program(_ file: AssetFile, keys: String = "") throws -> DownloadProgram {
    let program = try DownloadProgram(["list.mp3": file])
    try program.write(feeds: "  list: {url: \"\(program.server.url("/list.mp3"))\", kind: asset\(keys)}")
    return program
  }

  /// Expects that this is the only file, and that no partial file is left.
  private func expectPlaced(
    _ content: FileContent, by program: DownloadProgram, location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(program.placed == ["list/list.mp3"], sourceLocation: location)
    #expect(content.isWhole(try program.bytes("list/list.mp3")), sourceLocation: location)
    #expect(program.leftovers == [], sourceLocation: location)
  }

  @Test func `the body is placed under its name, and is new data once`() async throws {
    let program = try program(AssetFile(Self.one))

    try await program.run()
    try await program.run(at: 6)
    let history = try await program.bgfetch("history", "list", "--json")

    try expectPlaced(Self.one, by: program)
    #expect(program.server.requests("/list.mp3").last?["If-None-Match"] == "\"41-300000\"")
    await program.server.sent(300_000, of: "/list.mp3")
    #expect(program.server.bodyBytes("/list.mp3") == 300_000)
    let results = history.json.compactMap { $0["result"] as? String }
    #expect(Set(results) == ["new-data", "no-data"])
    #expect(program.count(of: "asset-placed") == 1)
  }

  @Test func `a changed body replaces the earlier file`() async throws {
    let file = AssetFile(Self.one)
    let program = try program(file)

    try await program.run()
    file.replace(with: Self.two)
    try await program.run(at: 6)

    try expectPlaced(Self.two, by: program)
    #expect(program.count(of: "asset-placed") == 2)
    #expect(program.count(of: "session-finished") == 2)
  }

  @Test func `a cut body is not a result yet, and the next fetch resumes it`() async throws {
    let file = AssetFile(Self.one, inTurn: [.cut(after: 100_000)], [])
    let program = try program(file)

    try await program.run()
    let before = program.placed
    try await program.settle(from: 6)

    #expect(before == [])
    try expectPlaced(Self.one, by: program)
    #expect(program.server.requests("/list.mp3").map { $0["Range"] } == [nil, "bytes=100000-"])
    await program.server.sent(300_000, of: "/list.mp3")
    #expect(program.server.bodyBytes("/list.mp3") == 300_000)
  }

  @Test(arguments: [[.loginPage], [.status(404)], [.gzip, .lengthTooLong(by: 5)]] as [[Misbehaviour]])
  func `a page or an error leaves the earlier file as it is`(how: [Misbehaviour]) async throws {
    let file = AssetFile(Self.one, inTurn: [], how + [.unconditional])
    let program = try program(file)

    for hour in 0..<12 { try await program.run(at: hour * 24) }

    #expect(Self.one.isWhole(try program.bytes("list/list.mp3")))
    #expect(program.placed == ["list/list.mp3"])
    #expect(program.count(of: "asset-placed") == 1)
  }

  @Test func `a file that the person changed is not replaced`() async throws {
    let file = AssetFile(Self.one)
    let program = try program(file)
    try await program.run()
    // The file under the name belongs to the person.
    unlink(program.documents + "/list/list.mp3")
    _ = try program.bgfetch.home.write("mine", to: "documents/list/list.mp3")
    file.replace(with: Self.two)

    try await program.run(at: 6)

    let files = try program.placed.map { try program.bytes($0) }
    #expect(files.contains(Array("mine".utf8)))
    #expect(files.contains { Self.two.isWhole($0) })
  }

  @Test func `a removed file is downloaded again only when it changes`() async throws {
    let file = AssetFile(Self.one, inTurn: [.noValidators])
    let program = try program(file)
    try await program.run()
    unlink(program.documents + "/list/list.mp3")

    try await program.run(at: 30)
    let between = program.placed
    file.replace(with: Self.two)
    try await program.run(at: 60)

    #expect(between == [])
    #expect(program.placed == ["list/list.mp3"])
    #expect(program.count(of: "asset-placed") == 2)
  }

  @Test func `max-size limits a feed of kind asset, the largest size of a document does not`() async throws {
    let large = FileContent(Int(NetworkSettings().maxFeedSize.bytes) + 1)
    let program = try program(AssetFile(large))
    try await program.run()
    let placed = program.placed
    let small = try self.program(AssetFile(Self.one), keys: ", download: {max-size: 100KiB}")
    try await small.settle()

    #expect(placed == ["list/list.mp3"])
    #expect(small.placed == [])
    #expect(small.leftovers == [])
  }
}

// Downloads of feeds that are local files.

@Suite struct DownloadFileFeedTests {
  private static let content = FileContent(5_000, seed: 31)

  /// A local feed with these enclosures, the last one the newest.
  private func program(_ enclosures: [String], network: String = "private-addresses: allow") throws
    -> DownloadProgram
  {
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.content)])
    let episodes = enclosures.enumerated().map { place, url in
      Episode(id: "e\(place)", url: url.replacing("SERVER", with: program.server.url("")), day: place + 1)
    }
    _ = try program.bgfetch.home.write(podcast(episodes), to: "planet.xml")
    try program.write(feeds: "  planet: {url: \"file:planet.xml\", download: {}}", network: network)
    return program
  }

  @Test func `enclosures of a local feed are downloaded`() async throws {
    let program = try program(["SERVER/a.mp3"])

    try await program.run(status: 0)

    try program.expectSettled([Self.content])
  }

  @Test func `a local feed does not allow private addresses`() async throws {
    let program = try program(["SERVER/a.mp3"], network: "")

    try await program.run()

    #expect(program.server.requests.isEmpty)
    let reasons = try await program.transfers().compactMap { $0["reason"] as? String }
    #expect(reasons == ["led to the private address 127.0.0.1; see network.private-addresses"])
  }
}

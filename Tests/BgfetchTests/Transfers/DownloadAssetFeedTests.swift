// Feeds of kind asset: the body is the file, and fetching it is the transfer.

import Foundation
import TestKit
import Testing

@Suite struct DownloadAssetFeedTests {
  private static let (one, two) = (FileContent(300_000, seed: 41), FileContent(250_000, seed: 42))

  /// The program with one feed, `list`, whose body is a file.
  private func program(
    _ file: AssetFile, keys: String = "", freeSpace: String = "1KiB"
  ) throws -> DownloadProgram {
    let program = try DownloadProgram(["list.mp3": file])
    try configure(program, keys: keys, freeSpace: freeSpace)
    return program
  }

  private func configure(_ program: DownloadProgram, keys: String = "", freeSpace: String = "1KiB") throws {
    let more = keys.isEmpty ? "" : ", " + keys
    try program.write(
      feeds: "  list: {url: \"\(program.server.url("/list.mp3"))\", kind: asset\(more)}", freeSpace: freeSpace
    )
  }

  private func results(_ run: Invoked) -> [String] {
    run.json.filter { $0["type"] as? String == "feed" }.compactMap { $0["result"] as? String }
  }

  @Test func `the body is placed under its name, and is new data once`() async throws {
    let program = try program(AssetFile(Self.one))

    try await program.run()
    try await program.run(at: 6)
    let history = try await program.bgfetch("history", "list", "--json")

    #expect(program.placed == ["list/list.mp3"])
    #expect(Self.one.isWhole(try program.bytes("list/list.mp3")))
    #expect(program.leftovers == [])
    #expect(program.server.requests("/list.mp3").last?["If-None-Match"] == "\"41-300000\"")
    #expect(program.server.bodyBytes("/list.mp3") == 300_000)
    let results = history.json.compactMap { $0["result"] as? String }
    #expect(Set(results) == ["new-data", "no-data"])
    #expect(program.count(of: "asset-placed") == 1)
  }

  @Test func `a changed body takes the place of the earlier one`() async throws {
    let file = AssetFile(Self.one)
    let program = try program(file)

    try await program.run()
    file.replace(with: Self.two)
    try await program.run(at: 6)

    #expect(program.placed == ["list/list.mp3"])
    #expect(Self.two.isWhole(try program.bytes("list/list.mp3")))
    #expect(program.leftovers == [])
    #expect(program.count(of: "asset-placed") == 2)
    #expect(program.count(of: "session-finished") == 2)
  }

  @Test func `keep keeps earlier bodies`() async throws {
    let file = AssetFile(Self.one)
    let program = try program(file, keys: "download: {keep: {count: 2}}")

    try await program.run()
    file.replace(with: Self.two)
    try await program.run(at: 6)
    let both = try program.placed.map { try program.bytes($0) }
    let third = FileContent(100_000, seed: 43)
    file.replace(with: third)
    try await program.run(at: 12)
    let last = try program.placed.map { try program.bytes($0) }

    #expect(
      both.count == 2 && both.contains { Self.one.isWhole($0) } && both.contains { Self.two.isWhole($0) })
    #expect(last.count == 2 && last.contains { Self.two.isWhole($0) } && last.contains { third.isWhole($0) })
  }

  @Test func `a body that was cut is no result yet, and the next fetch goes on with it`() async throws {
    let file = AssetFile(Self.one, inTurn: [.cut(after: 100_000)], [])
    let program = try program(file)

    try await program.run()
    let before = program.placed
    try await program.settle(from: 6)

    #expect(before == [])
    #expect(Self.one.isWhole(try program.bytes("list/list.mp3")))
    #expect(program.server.requests("/list.mp3").map { $0["Range"] } == [nil, "bytes=100000-"])
    #expect(program.server.bodyBytes("/list.mp3") == 300_000)
    #expect(program.leftovers == [])
  }

  @Test func `while a changed body is not whole the earlier file stays`() async throws {
    let file = AssetFile(Self.one)
    let program = try program(file)
    try await program.run()
    file.replace(with: Self.two)
    file.behave(inTurn: [.cut(after: 100_000)], [])

    try await program.run(at: 6)
    let between = try program.bytes("list/list.mp3")
    try await program.settle(from: 12)

    #expect(Self.one.isWhole(between))
    #expect(Self.two.isWhole(try program.bytes("list/list.mp3")))
    #expect(program.placed == ["list/list.mp3"])
    #expect(program.leftovers == [])
  }

  @Test(
    arguments: [
      [.loginPage], [.pageAsAudio], [.empty], [.status(404)], [.status(500)], [.lengthTooLong(by: 5)],
      [.gzip],
    ] as [[Misbehaviour]])
  func `what is no file leaves the earlier one as it is`(how: [Misbehaviour]) async throws {
    let file = AssetFile(Self.one, type: "audio/mpeg", inTurn: [], how + [.unconditional])
    let program = try program(file)

    for hour in 0..<12 { try await program.run(at: hour * 24) }

    #expect(Self.one.isWhole(try program.bytes("list/list.mp3")))
    #expect(program.placed == ["list/list.mp3"])
    #expect(program.count(of: "asset-placed") == 1)
  }

  @Test func `a file that the person changed is not written over`() async throws {
    let file = AssetFile(Self.one)
    let program = try program(file)
    try await program.run()
    // Another file under the name: what is there is the person's.
    unlink(program.documents + "/list/list.mp3")
    _ = try program.bgfetch.home.write("mine", to: "documents/list/list.mp3")
    file.replace(with: Self.two)

    try await program.run(at: 6)

    let files = try program.placed.map { try program.bytes($0) }
    #expect(files.contains(Array("mine".utf8)))
    #expect(files.contains { Self.two.isWhole($0) })
  }

  @Test func `what the person made of the file in its place is not written over, however often it changes`()
    async throws
  {
    let file = AssetFile(Self.one)
    let program = try program(file)
    try await program.run()
    _ = try program.bgfetch.home.write("mine", to: "documents/list/list.mp3")

    for hour in 1...3 {
      file.replace(with: FileContent(1000 * hour, seed: UInt64(50 + hour)))
      try await program.run(at: hour * 6)
    }

    #expect(program.placed == ["list/list (2).mp3", "list/list.mp3"])
    #expect(try program.bytes("list/list.mp3") == Array("mine".utf8))
    #expect(try program.bytes("list/list (2).mp3").count == 3000)
  }

  @Test func `what the person removed comes back only when it changes`() async throws {
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

  @Test func `too little room is told once, counts against no feed, and goes on once there is some`()
    async throws
  {
    let program = try program(AssetFile(Self.one), freeSpace: "1000000TiB")

    let first = try await program.run()
    let second = try await program.run(at: 6)
    let status = try await program.bgfetch("status", "--json")
    try configure(program)
    // The very next run brings it.
    try await program.run(at: 6)

    #expect([first.status, second.status] == [0, 0])
    #expect(first.errors.contains("make room"))
    #expect(second.errors == "")
    #expect(status.json.first?["failures"] as? Int == 0)
    #expect(program.placed == ["list/list.mp3"])
    #expect(Self.one.isWhole(try program.bytes("list/list.mp3")))
  }

  @Test func `a server that wants credentials is told of once`() async throws {
    let program = try program(AssetFile(Self.one, inTurn: [.status(401)]))

    for hour in 0..<3 { try await program.run(at: hour * 48) }

    #expect(program.server.requests("/list.mp3").count == 3)
    #expect(program.count(of: "auth-required") == 1)
    #expect(program.count(of: "transfer-failed") == 0)
  }

  @Test func `larger than max-feed-size is no matter, larger than max-size is`() async throws {
    let program = try program(AssetFile(Self.one), keys: "network: {max-feed-size: 1KiB}")
    try await program.run()
    let placed = program.placed
    let small = try self.program(AssetFile(Self.one), keys: "download: {max-size: 100KiB}")
    try await small.settle()

    #expect(placed == ["list/list.mp3"])
    #expect(small.placed == [])
    #expect(small.leftovers == [])
  }

  @Test func `a body that the server has given up is not asked for again and again`() async throws {
    let file = AssetFile(
      Self.one, inTurn: [.cut(after: 100_000)], [.status(410)], [.status(410)], [])
    let program = try program(file)

    try await program.run()
    try await program.run(at: 6)
    try await program.run(at: 48)
    try await program.run(at: 54)
    let asked = program.server.requests("/list.mp3").count
    try await program.run(at: 54, "list", "--force")

    // Thirty days from the second one on, longer than any transfer waits.
    #expect(asked == 3)
    #expect(Self.one.isWhole(try program.bytes("list/list.mp3")))
    #expect(program.leftovers == [])
  }
}

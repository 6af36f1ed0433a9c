// Which assets are downloaded, in which order, and which are kept.

import Foundation
import TestKit
import Testing

@Suite struct DownloadSelectionTests {
  private static let contents = (0..<5).map { FileContent(5_000 + $0, seed: UInt64($0 + 20)) }

  /// Five episodes, `a` the newest.
  private func program(download: String = "") throws -> DownloadProgram {
    try DownloadProgram(
      [
        "a.mp3": AssetFile(Self.contents[0]), "b.mp3": AssetFile(Self.contents[1]),
        "c.mp3": AssetFile(Self.contents[2]), "d.mp3": AssetFile(Self.contents[3]),
        "e.mp3": AssetFile(Self.contents[4]),
      ], download: download)
  }

  /// The names of the requested files, in order.
  private func asked(_ program: DownloadProgram) -> [String] {
    program.server.requests.map { String($0.path.dropFirst()) }.filter { $0 != "feed" }
  }

  @Test func `a file that a rule leaves out is named with the rule, and downloaded once it is corrected`()
    async throws
  {
    let program = try program(download: "types: [\"audio/*\"], keep: 2")
    var film = Episode(id: "film", url: program.server.url("/film.mp4"), day: 29)
    film.type = "text/html"
    program.server.serve(AssetFile(FileContent(4_000, seed: 7)), at: "/film.mp4")
    let episodes = ["a", "b", "c"].enumerated().map { place, name in
      Episode(id: name, url: program.server.url("/\(name).mp3"), day: 28 - place)
    }
    program.serve([film] + episodes)

    let run = try await program.run(at: 0, "-v", errors: "not downloaded: Title of film: download.types")
    let why = try await program.bgfetch("why", "planet").output
    let list = try await program.bgfetch("transfers").output
    let items = try await program.bgfetch("items", "--json").json
    film.type = "audio/mp4"
    program.serve([film] + episodes)
    try await program.run(at: 6)

    #expect(run.errors.contains("not downloaded: Title of c: download.keep"), "\(run.errors)")
    for text in [why, list] {
      #expect(
        text.contains("2 files are not downloaded: 1 by download.types, 1 by download.keep"), "\(text)")
    }
    #expect(items.compactMap { ($0["assets"] as? [[String: Any]])?.first?["reason"] as? String }.count == 2)
    #expect(
      asked(program) == ["a.mp3", "b.mp3", "film.mp4"] || asked(program) == ["b.mp3", "a.mp3", "film.mp4"])
    #expect(program.placed.count == 2)
  }

  /// An episode of the program's server.
  private func episode(_ name: String, _ program: DownloadProgram, day: Int) -> Episode {
    Episode(id: name, url: program.server.url("/\(name).mp3"), day: day)
  }

  @Test func `of files that waited for a network, keep downloads only those that stay`() async throws {
    let program = try program(download: "keep: 2")
    for count in 1...5 {
      let names = Array(["e", "d", "c", "b", "a"].prefix(count).enumerated())
      program.serve(names.reversed().map { place, name in episode(name, program, day: 20 + place) })
      try await program.run(at: count * 2, "--no-transfers")
    }

    let run = try await program.bgfetch("run", "-v", at: moment(hours: 20))

    #expect(Set(asked(program)) == ["a.mp3", "b.mp3"])
    #expect(program.placed.count == 2)
    #expect(run.errors.contains("cancelled, download.keep has no room for it beside newer files"))
    let all = try await program.bgfetch("transfers", "list", "--all", "--json").json
    #expect(all.filter { $0["status"] as? String == "cancelled" }.count == 3)
    #expect(program.count(of: "session-finished") == 1)
    let why = try await program.bgfetch("why", "planet").output
    #expect(why.contains("3 files are not downloaded: 3 by download.keep"), "\(why)")
  }

  @Test func `files that the person asks for are downloaded once and stay`() async throws {
    let program = try program(download: "keep: 2")
    try await program.run()

    let added = try await program.bgfetch("transfers", "add", "planet", "--limit", "5", status: 0)
    try await program.run(at: 6)
    let between = program.placed.count
    program.serve([episode("new", program, day: 29), episode("newer", program, day: 30)])
    for name in ["new", "newer"] { program.server.serve(AssetFile(Self.contents[0]), at: "/\(name).mp3") }
    try await program.run(at: 12)

    #expect(added.output.split(separator: "\n").count == 3)
    #expect(between == 5)
    #expect(program.placed.count == 7)
    #expect(asked(program).count == 7)
  }

  @Test func `the file of an item with a star stays, and does not count`() async throws {
    let program = try program(download: "keep: 2")
    try await program.run()
    let items = try await program.bgfetch("items", "--json").json
    let second = items.first { $0["title"] as? String == "Title of b.mp3" }
    let number = try #require(second?["number"] as? Int)
    try await program.bgfetch("star", "\(number)", status: 0)

    for (hour, name) in [(6, "new"), (12, "newer")] {
      program.server.serve(AssetFile(Self.contents[0]), at: "/\(name).mp3")
      program.serve([episode(name, program, day: 28 + hour / 6)])
      try await program.run(at: hour)
    }

    #expect(
      program.placed == [
        "planet/2026-10-27 Title of b.mp3", "planet/2026-10-29 Title of new.mp3",
        "planet/2026-10-30 Title of newer.mp3",
      ])
  }

  @Test func `a dry run lists what keep would remove, and removes nothing`() async throws {
    let program = try program()
    try await program.run()
    try program.configure(download: "keep: 2")

    let planned = try await program.bgfetch("run", "--dry-run")
    let objects = try await program.bgfetch("run", "--dry-run", "--json").json
    let withoutFiles = try await program.bgfetch("run", "--dry-run", "--no-transfers")
    let before = program.placed.count
    try await program.run(at: 6)

    #expect(
      ["c", "d", "e"].allSatisfy { planned.output.contains("Title of \($0).mp3") }, "\(planned.output)")
    #expect(
      objects.filter { $0["type"] as? String == "removal" }.compactMap { $0["path"] as? String }.count == 3)
    #expect(!withoutFiles.output.contains("keep would remove"))
    #expect(before == 5)
    #expect(program.placed.count == 2)
  }
}

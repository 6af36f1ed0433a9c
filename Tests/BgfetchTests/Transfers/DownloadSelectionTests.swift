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
    let program = try program(download: "types: [\"audio/*\"], keep: {count: 2}")
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

    #expect(run.errors.contains("not downloaded: Title of c: download.keep.count"), "\(run.errors)")
    for text in [why, list] {
      #expect(
        text.contains("2 files are not downloaded: 1 by download.types, 1 by download.keep.count"), "\(text)")
    }
    #expect(items.compactMap { ($0["assets"] as? [[String: Any]])?.first?["reason"] as? String }.count == 2)
    #expect(
      asked(program) == ["a.mp3", "b.mp3", "film.mp4"] || asked(program) == ["b.mp3", "a.mp3", "film.mp4"])
    #expect(program.placed.count == 2)
  }

  @Test func `a dry run lists what keep would remove, and removes nothing`() async throws {
    let program = try program()
    try await program.run()
    try program.configure(download: "keep: {count: 2}")

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

// Which assets are downloaded, in which order, and which are kept.

import Foundation
import TestKit
import Testing

@Suite struct DownloadSelectionTests {
  private static let contents = (0..<5).map { FileContent(5_000 + $0, seed: UInt64($0 + 20)) }

  /// Five episodes, `a` the newest.
  private func program(download: String = "", keys: String = "", network: String = "") throws
    -> DownloadProgram
  {
    try DownloadProgram(
      [
        "a.mp3": AssetFile(Self.contents[0]), "b.mp3": AssetFile(Self.contents[1]),
        "c.mp3": AssetFile(Self.contents[2]), "d.mp3": AssetFile(Self.contents[3]),
        "e.mp3": AssetFile(Self.contents[4]),
      ], download: download, keys: keys, network: network)
  }

  /// The names of the requested files, in order.
  private func asked(_ program: DownloadProgram) -> [String] {
    program.server.requests.map { String($0.path.dropFirst()) }.filter { $0 != "feed" }
  }

  @Test(arguments: [("latest", 1), ("none", 0), ("2", 2), ("all", 5)])
  func `the first run downloads as many files as first-run allows`(rule: String, count: Int) async throws {
    let program = try program(keys: "first-run: {notify: none, download: \(rule)}")

    try await program.run()

    #expect(Set(asked(program)) == Set(["a.mp3", "b.mp3", "c.mp3", "d.mp3", "e.mp3"].prefix(count)))
    #expect(program.placed.count == count)
  }

  @Test func `the latest file of a new feed and all later ones are downloaded`() async throws {
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.contents[0])])
    try program.write(
      feeds: "  planet: {url: \"\(program.server.url("/feed"))\", download: {}, first-run: {notify: none}}",
      settings: "")
    try await program.run()
    program.add(AssetFile(Self.contents[1]), named: "new.mp3")
    try await program.run(at: 6)

    #expect(asked(program) == ["a.mp3", "new.mp3"])
  }

  @Test func `limit is the number of downloads started in a run`() async throws {
    let program = try program(download: "limit: 2")

    var begun: [Int] = []
    for hour in 0..<4 {
      try await program.run(at: hour * 6)
      begun.append(asked(program).count)
    }

    #expect(begun == [2, 4, 5, 5])
    try program.expectSettled(Self.contents)
  }

  @Test func `a feed of higher priority is downloaded first`() async throws {
    let program = try program()
    program.server.on(
      "/other",
      .document(podcast([Episode(id: "z", url: program.server.url("/z.iso"), day: 1)])))
    program.server.serve(AssetFile(FileContent(7_000, seed: 1)), at: "/z.iso")
    try program.write(
      feeds: """
          planet: {url: "\(program.server.url("/feed"))", download: {}}
          other: {url: "\(program.server.url("/other"))", download: {priority: 5}}
        """, network: "connections-per-host: 1")
    try await program.run(at: 0, "--no-transfers")

    try await program.run(at: 1)

    let files = asked(program).filter { $0 != "other" }
    #expect(files.first == "z.iso")
    #expect(files.count == 6)
  }

  @Test func `downloads obey the limit per host`() async throws {
    let program = try program(network: "connections-per-host: 2")

    try await program.run()

    #expect(program.server.mostAtOnce <= 2)
    try program.expectSettled(Self.contents)
  }

  @Test func `types, filters and max-size select files`() async throws {
    let program = try program(
      download: "types: [\"audio/*\"], filter: {exclude: [\"c\\\\.mp3\"]}, max-size: 5002B")
    var episodes = ["a", "b", "c", "d"].enumerated().map { place, name in
      Episode(id: name, url: program.server.url("/\(name).mp3"), day: 28 - place)
    }
    episodes[1].type = "image/png"
    program.serve(episodes)

    try await program.settle()

    // Only the server reports that `d` is too large.
    #expect(Set(asked(program)) == ["a.mp3", "d.mp3"])
    try program.expectSettled([Self.contents[0]], failed: 1)
  }

  @Test func `a changed tracking parameter is not a new download`() async throws {
    let program = try program()
    try await program.run()

    for day in 1...3 {
      program.serve(
        ["a", "b", "c", "d", "e"].enumerated().map { place, name in
          Episode(
            id: name + ".mp3", url: program.server.url("/\(name).mp3?modified=\(day)&s=\(place)"),
            day: 28 - place)
        })
      try await program.run(at: day * 6)
    }

    #expect(asked(program).count == 5)
    try program.expectSettled(Self.contents)
  }

  @Test func `a file is not downloaded again after it was moved or removed`() async throws {
    let program = try program()
    try await program.run()
    for name in program.placed { unlink(program.documents + "/" + name) }

    for day in 1...3 { try await program.run(at: day * 24, "--force") }

    #expect(asked(program).count == 5)
    #expect(program.placed == [])
    #expect(program.count(of: "session-finished") == 1)
  }

  @Test func `download added later applies to later items only`() async throws {
    let program = try program()
    try program.write(feeds: "  planet: {url: \"\(program.server.url("/feed"))\"}")
    try await program.run()
    try program.configure()
    try await program.run(at: 6)
    let before = asked(program)
    program.add(AssetFile(FileContent(3_000, seed: 77)), named: "new.mp3")
    try await program.run(at: 12)

    #expect(before == [])
    #expect(asked(program) == ["new.mp3"])
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

    let run = try await program.run(at: 0, "-v")
    let why = try await program.bgfetch("why", "planet").output
    let list = try await program.bgfetch("transfers").output
    let items = try await program.bgfetch("items", "--json").json
    film.type = "audio/mp4"
    program.serve([film] + episodes)
    try await program.run(at: 6)

    #expect(run.errors.contains("not downloaded: Title of film: download.types"), "\(run.errors)")
    #expect(run.errors.contains("not downloaded: Title of c: download.keep.count"), "\(run.errors)")
    for text in [why, list] {
      #expect(
        text.contains("2 files are not downloaded: 1 by download.types, 1 by download.keep.count"), "\(text)")
    }
    let reasons = items.compactMap { ($0["assets"] as? [[String: Any]])?.first?["reason"] as? String }
    #expect(reasons.count == 2)
    #expect(
      asked(program) == ["a.mp3", "b.mp3", "film.mp4"] || asked(program) == ["b.mp3", "a.mp3", "film.mp4"])
    #expect(program.placed.count == 2)
  }

  // MARK: keep

  @Test func `keep counts only files that exist before it leaves out another`() async throws {
    let program = try program(download: "keep: {count: 3}")
    try await program.run()
    for name in program.placed.dropLast() { unlink(program.documents + "/" + name) }
    program.server.serve(AssetFile(FileContent(9_000, seed: 99)), at: "/old.mp3")
    let known = ["a", "b", "c", "d", "e"].enumerated().map { place, name in
      Episode(id: name + ".mp3", url: program.server.url("/\(name).mp3"), day: 28 - place)
    }
    program.serve(known + [Episode(id: "old", url: program.server.url("/old.mp3"), day: 2)])

    try await program.run(at: 6)

    #expect(asked(program).last == "old.mp3")
    #expect(program.placed.count == 2)
  }

  @Test func `files that keep would remove are never downloaded`() async throws {
    let program = try program(download: "keep: {count: 2}")

    try await program.settle()

    #expect(Set(asked(program)) == ["a.mp3", "b.mp3"])
    try program.expectSettled(Array(Self.contents.prefix(2)))
  }

  @Test func `a newer file replaces the oldest, which does not come back`() async throws {
    let program = try program(download: "keep: {count: 2}")
    try await program.run()
    let new = FileContent(9_000, seed: 99)
    program.server.serve(AssetFile(new), at: "/new.mp3")
    let mine = try program.bgfetch.home.write("mine", to: "documents/planet/2020-01-01 mine.mp3")
    let episodes =
      [Episode(id: "new", url: program.server.url("/new.mp3"), day: 30)]
      + ["a", "b", "c", "d", "e"].enumerated().map { place, name in
        Episode(id: name + ".mp3", url: program.server.url("/\(name).mp3"), day: 28 - place)
      }
    program.serve(episodes)
    try await program.run(at: 6)
    let placed = program.placed
    program.serve(Array(episodes.dropFirst()))
    for day in 1...3 { try await program.run(at: day * 24, "--force") }

    #expect(placed.count == 3)
    #expect(!placed.contains { $0.contains("Title of b") })
    #expect(try readFile(mine) == Array("mine".utf8))
    #expect(asked(program).filter { $0 == "b.mp3" }.count == 1)
    #expect(program.placed == placed)
  }

  // The example hook that writes tags made files larger, and they were never removed.
  @Test func `keep counts and removes files that hooks have changed`() async throws {
    let program = try program(download: "keep: {count: 2}")
    try await program.run()
    for name in program.placed {
      let path = program.documents + "/" + name
      try Data(readFile(path) + Array("tags".utf8)).write(to: URL(fileURLWithPath: path))
    }
    let new = FileContent(9_000, seed: 99)
    program.add(AssetFile(new), named: "new.mp3")
    try await program.run(at: 6)

    #expect(program.placed.count == 2)
    #expect(!program.placed.contains { $0.contains("Title of b") })
  }

  @Test func `keep counts only files that exist`() async throws {
    let program = try program(keys: "first-run: all")
    try await program.run()
    let all = program.placed
    let newest = try #require(all.last)
    unlink(program.documents + "/" + newest)
    try program.configure(download: "keep: {count: 1}")

    let planned = try await program.bgfetch("run", "--dry-run")
    try await program.run(at: 24 * 60)

    #expect(all.count > 2)
    #expect(planned.output.components(separatedBy: "keep would remove").count - 1 == all.count - 2)
    #expect(program.placed == [all[all.count - 2]])
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

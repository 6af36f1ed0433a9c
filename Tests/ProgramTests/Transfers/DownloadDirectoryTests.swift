// Documents directories that are full, removed, read-only, or have links and files in the way.

import Foundation
import TestKit
import Testing

@Suite struct DownloadDirectoryTests {
  private static let content = FileContent(600_000, seed: 8)

  private func program() throws -> DownloadProgram {
    try DownloadProgram(["a.mp3": AssetFile(Self.content)])
  }

  @Test func `a file that cannot be written is reported once with 74, and later resumed`() async throws {
    let other = FileContent(50_000, seed: 9)
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.content), "b.mp3": AssetFile(other)])
    _ = try program.bgfetch.home.write("in the way", to: "documents")

    let runs = [try await program.bgfetch("run"), try await program.bgfetch("run", "planet")]
    unlink(program.documents)
    try await program.bgfetch("run", "planet")

    #expect(runs.map(\.status) == [74, 74])
    #expect(runs.map { $0.errors.split(separator: "\n").count } == [1, 0], "\(runs.map(\.errors))")
    #expect(runs[0].errors.contains("documents is in the way"))
    try program.expectSettled([Self.content, other])
  }

  @Test(arguments: [true, false])
  func `a file that another program has downloaded does not come again; another one is kept beside`(
    isSame: Bool
  ) async throws {
    let program = try DownloadProgram(
      ["a.mp3": AssetFile(Self.content)], download: "name: \"{name}{ext}\"")
    try program.bgfetch.makeDirectory("documents")
    let there = isSame ? Self.content : FileContent(600_000, seed: 9)
    try Data(there.bytes(0..<there.size)).write(to: URL(fileURLWithPath: program.documents + "/a.mp3"))

    try await program.bgfetch("run", status: 0)
    try await program.bgfetch("transfers", "add", "planet", "--limit", "1", status: 0)
    try await program.bgfetch("transfers", "run", status: 0)

    let names = try FileManager.default.contentsOfDirectory(atPath: program.documents)
      .filter { !$0.hasPrefix(".") }
    #expect(names.sorted() == (isSame ? ["a.mp3"] : ["a (2).mp3", "a.mp3"]))
  }

  @Test func `a link in place of a directory fails the download, delivered once it is final`() async throws {
    let program = try program()
    try program.bgfetch.makeDirectory("documents")
    symlink(program.bgfetch.home.path, program.documents + "/planet")

    var statuses: [Int32] = []
    for hour in 0..<12 {
      statuses.append(try await program.bgfetch("run", at: moment(hours: hour * 7)).status)
    }

    #expect(!statuses.contains(74), "\(statuses)")
    #expect(program.count(of: "transfer-failed") == 1)
    #expect(program.count(of: "session-finished") == 1)
    let listed = try await program.bgfetch("transfers", "--all")
    #expect(listed.output.contains("planet is a symbolic link, which is not followed"), "\(listed.output)")
  }

  @Test func `a removed directory suspends its transfers, and is not made again`() async throws {
    let program = try program()
    try await program.settle()
    let (away, new) = (program.bgfetch.home.file("away"), [9, 10].map { FileContent(50_000, seed: $0) })
    program.add(["b.mp3": AssetFile(new[0]), "c.mp3": AssetFile(new[1])])
    rename(program.documents, away)

    let run = try await program.run(at: 12)
    let left = try await program.unsettled(at: 12)
    let isBack = FileManager.default.fileExists(atPath: program.documents)
    let asked = program.server.requests("/b.mp3").count
    rename(away, program.documents)
    try await program.settle(from: 18)

    #expect(run.json.filter { $0["type"] as? String == "directory-gone" }.count == 1, "\(run.output)")
    #expect(left.map { $0["status"] as? String } == ["suspended", "suspended"])
    #expect((left.first?["reason"] as? String)?.isEmpty == false)
    #expect(!isBack)
    #expect(asked == 0)
    try program.expectSettled([Self.content] + new, sessions: 2)
  }

  @Test func `check warns of a removed directory`() async throws {
    let program = try program()
    try await program.settle()
    let bgfetch = program.bgfetch
    let before = try await [bgfetch("check"), bgfetch("status", "--problems")]
    rename(program.documents, bgfetch.home.file("away"))
    mkdir(program.documents, 0o755)

    let after = try await [bgfetch("check"), bgfetch("status", "--problems")]
    let object = try await bgfetch("status", "--problems", "--json").json.first

    let warning =
      "warning: \(program.documents): the directory that held downloads is gone or was replaced; mount it, or to start with an empty directory, mkdir -p \(program.documents)/.bgfetch"
    #expect(before.allSatisfy { !$0.errors.contains("files were placed there") })
    #expect(after.allSatisfy { $0.errors.contains(warning) && $0.status == 0 })
    expect(object, ["type": "directory-gone", "directory": program.documents])
  }

  @Test func `too little free space suspends transfers, and more resumes them`() async throws {
    let program = try program()
    try program.configure(freeSpace: "900TiB")

    let run = try await program.run()
    let left = try await program.unsettled()
    let asked = program.server.requests("/a.mp3").count
    try program.configure()
    try await program.settle(from: 6)

    #expect(run.status == 0 || run.status == 74)
    #expect(left.map { $0["status"] as? String } == ["suspended"])
    #expect(asked == 0)
    try program.expectSettled([Self.content])
  }
}

// Damaged stores, and directories changed by people and other programs.

import Core
import Foundation
import Machine
import TestKit
import Testing

@testable import Store

/// A store's file that bgfetch cannot use.
enum Damage: Sendable, CaseIterable {
  case text, newer, another

  /// The expected error message.
  var words: String {
    switch self {
    case .text: "is damaged"
    case .newer: "was written by a newer bgfetch (schema 9000, "
    case .another: "is the database of another program; move it away, or give bgfetch a state"
    }
  }

  func apply(to path: String) throws {
    switch self {
    case .text: try write(Array(repeating: UInt8(ascii: "x"), count: 9000), path)
    case .newer: try Database(path: path, access: .write).execute("PRAGMA user_version = 9000")
    case .another:
      unlink(path)
      let other = try Database(path: path, access: .write)
      try other.execute("CREATE TABLE moz_places (url); INSERT INTO moz_places VALUES ('https://a.example/')")
    }
  }
}

private func write(_ bytes: [UInt8], _ path: String) throws {
  try Data(bytes).write(to: URL(fileURLWithPath: path))
}

@Suite struct DamagedStoreTests {
  /// A program that has run and downloaded a file, with its whole store in one file.
  private func program() async throws -> DownloadProgram {
    let program = try DownloadProgram(["a.mp3": AssetFile(FileContent(20_000))])
    try await program.run()
    // The last connection moves the write-ahead log into the file.
    let store = try Store.open(program.bgfetch.state, mode: .writing, on: ActorThread())
    try await store.checkpoint()
    await store.close()
    #expect(!FileManager.default.fileExists(atPath: program.bgfetch.state + "/bgfetch.db-wal"))
    return program
  }

  @Test(arguments: Damage.allCases)
  func `an unusable store is refused with advice, and never replaced`(damage: Damage) async throws {
    let program = try await program()
    let path = program.bgfetch.state + "/bgfetch.db"
    try damage.apply(to: path)
    let before = try readFile(path)

    for command in ["run", "items", "badge", "transfers", "status"] {
      let refused = try await program.bgfetch(command)
      #expect(refused.status == 74, "\(command): \(refused)")
      #expect(refused.output == "", "\(command): \(refused)")
      #expect(refused.errors.hasPrefix("bgfetch: \(path): \(damage.words)"), "\(command): \(refused.errors)")
      #expect(
        refused.errors.contains("; move it away") || damage == .newer && refused.errors.contains("; update"),
        "\(command)")
    }

    #expect(try readFile(path) == before)
    #expect(program.bgfetch.badge == "1\n")
    #expect(program.placed.count == 1)
    // The advice works.
    try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
    try await program.run(at: 1, status: 0)
    #expect(program.bgfetch.badge == "1\n")
  }

  @Test func `a foreign journal is ignored`() async throws {
    let program = try await program()
    // Bytes that begin like a journal, without usable content.
    try write(
      [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7] + FileContent(8000).all,
      program.bgfetch.state + "/bgfetch.db-journal")

    let items = try await program.bgfetch("items", "--json")
    #expect(items.status == 0, "\(items.errors)")
    #expect(items.json.count == 1, "\(items.errors)")
    try await program.run(at: 2, status: 0)
  }

  @Test(arguments: 0..<(stopsEverywhere ? 200 : 4))
  func `with a damaged page every command works or reports the damage`(seed: UInt64) async throws {
    let program = try await program()
    let path = program.bgfetch.state + "/bgfetch.db"
    var random = RandomNumbers(seed: seed + 1)
    var bytes = try readFile(path)
    let page = Int.random(in: 1..<bytes.count / 4096, using: &random) * 4096
    switch seed % 4 {
    case 0: bytes.replaceSubrange(page..<(page + 4096), with: FileContent(4096, seed: seed).all)
    case 1: bytes.replaceSubrange(page..<(page + 4096), with: Array(repeating: 0, count: 4096))
    case 2:
      let other = Int.random(in: 1..<bytes.count / 4096, using: &random) * 4096
      bytes.replaceSubrange(page..<(page + 4096), with: Array(bytes[other..<(other + 4096)]))
    default:
      for _ in 0..<20 {
        bytes[Int.random(in: 100..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
    }
    try write(bytes, path)

    for command in ["items", "run", "status", "hooks"] {
      let asked = try await program.bgfetch(command, at: moment(hours: 2))
      let isTold = asked.status == 74 && asked.errors.contains("is damaged (")
      #expect(asked.status == 0 || isTold, "\(command): \(asked)")
      #expect(
        !asked.errors.dropLast().contains { $0.isASCII && ($0.asciiValue ?? 0) < 32 && $0 != "\n" },
        "\(command)")
    }
    #expect(try readFile(path).count >= bytes.count)
  }
}

extension Store {
  /// Moves the write-ahead log into the file.
  fileprivate func checkpoint() throws { try database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
}

/// Changes that people and machines make to the directories between runs.
@Suite struct DisturbedDirectoryTests {
  private func program() async throws -> DownloadProgram {
    let program = try DownloadProgram(
      ["a.mp3": AssetFile(FileContent(20_000)), "b.mp3": AssetFile(FileContent(30_000, seed: 2))],
      download: "keep: 5")
    try await program.run()
    #expect(program.placed.count == 2)
    return program
  }

  /// Serves a third episode.
  private func more(_ program: DownloadProgram) {
    program.add(["c.mp3": AssetFile(FileContent(40_000, seed: 3))])
  }

  @Test func `runs report a directory in place of the badge, and recover when it is gone`() async throws {
    let program = try await program()
    more(program)
    let badge = program.bgfetch.state + "/badge"
    unlink(badge)
    mkdir(badge, 0o700)

    for hours in [2, 4] {
      try await program.run(at: hours, status: 74, errors: "the badge: \(badge): is a directory")
    }
    rmdir(badge)
    try await program.settle(from: 6)

    #expect(program.bgfetch.badge == "3\n")
    #expect(program.placed.count == 3)
    #expect(program.count(of: "asset-placed") == 3)
  }

  @Test func `removed documents are not downloaded again, but new ones are`() async throws {
    let program = try await program()
    more(program)
    for name in program.placed { unlink(program.documents + "/" + name) }

    try await program.settle(from: 2)

    #expect(program.placed.count == 1)
    #expect(FileContent(40_000, seed: 3).isWhole(try program.bytes(try #require(program.placed.first))))
  }

  @Test(arguments: ["shorter", "other"])
  func `a changed partial file is never placed`(change: String) async throws {
    let gate = Gate()
    let content = FileContent(500_000, seed: 9)
    let program = try DownloadProgram([
      "a.mp3": AssetFile(content, inTurn: [.pause(after: 300_000, gate)], [])
    ])
    let run = try program.started()
    await program.server.sent(300_000, of: "/a.mp3")
    await run.ended(after: SIGTERM)
    gate.open()
    let partial = try #require(program.leftovers.first.map { program.documents + "/.bgfetch/" + $0 })
    // With the same size only the checksum differs.
    let size = change == "shorter" ? 10 : try readFile(partial).count
    try write(FileContent(size, seed: 1).all, partial)

    try await program.settle(from: 1)

    try program.expectSettled([content])
  }
}

// Placing a complete file under its final name, and recovering an interrupted placement.

import Core
import Glibc
import Testing

@testable import Machine

/// Giving complete files their final names.
@Suite struct PlacingTests {
  let directory = TestDirectory()
  let documents: DocumentsDirectory
  let moment = Instant(secondsSince1970: 1_700_000_000)

  init() async throws { documents = try await .ready(directory("documents")) }

  private func path(_ name: String) -> String { directory("documents/" + name) }

  @Test func `a placed file has its bytes and its date, and the partial file is gone`() async throws {
    let intent = try await documents.intent(1, "sound", as: "planet/2026/a.mp3", modified: moment)

    #expect(try await documents.isPlaced(intent) == false)
    #expect(try await documents.place(1, intent) == .placed)

    #expect(content(path("planet/2026/a.mp3")) == "sound")
    #expect(try FileStatus(path("planet/2026/a.mp3"), following: false).modified.seconds == 1_700_000_000)
    #expect(documents.partials == [])
    #expect(try await documents.isPlaced(intent))
  }

  @Test(arguments: [0o022, 0o002, 0o077] as [UInt32])
  func `a placed file and its directories have the mode that the umask leaves`(mask: UInt32) async {
    // The umask belongs to the process, so this test gets its own.
    await #expect(processExitsWith: .exitCode(42)) { [mask] in
      let directory = TestDirectory()
      umask(mask)
      let documents = try await DocumentsDirectory.ready(directory("a/b"))
      let intent = try await documents.intent(1, "sound", as: "planet/a.mp3")
      _ = try await documents.place(1, intent)
      let modes = ["planet/a.mp3", "planet", "", "/.."].map { permissions(directory("a/b/" + $0)) }
      exit(modes == [0o666 & ~mask] + Array(repeating: 0o777 & ~mask, count: 3) ? 42 : 1)
    }
  }

  @Test(arguments: ["file", "directory", "link", "pipe"], [true, false])
  func `a name that is taken is kept, except by the feed's own earlier file`(
    what: String, replaces: Bool
  ) async throws {
    let kept = directory.file("kept", "kept")
    switch what {
    case "directory": mkdir(path("a.mp3"), 0o755)
    case "link": symlink(kept, path("a.mp3"))
    case "pipe": mkfifo(path("a.mp3"), 0o600)
    default: directory.file("documents/a.mp3", "earlier")
    }
    var intent = try await documents.intent(1, "sound", as: "a.mp3")
    intent.replaces = replaces
    let isReplaced = what == "file" && replaces

    #expect(try await documents.place(1, intent) == (isReplaced ? .placed : .nameTaken))
    #expect(documents.partials == (isReplaced ? [] : ["1.part"]))
    if what == "file" { #expect(content(path("a.mp3")) == (isReplaced ? "sound" : "earlier")) }
    #expect(content(kept) == "kept")
    #expect(try await documents.isPlaced(intent) == isReplaced)
  }

  @Test func `the remains of a dead process's placement are removed, and nothing else`() async throws {
    let documents = DocumentsDirectory(self.documents.path, mark: "1f3a9c0b")
    var intent = try await documents.intent(10, "sound", as: "planet/a.mp3")
    mkdir(path("planet"), 0o755)
    let others = [".bgfetch-1f3a9c0b0000000b", ".bgfetch-2f3a9c0b0000000a", "b.mp3"]
    for name in others + [".bgfetch-1f3a9c0b0000000a", "a.mp3"] {
      directory.file("documents/planet/" + name, "")
    }

    await documents.clear(10, intent)

    #expect(entries(path("planet")) == others.sorted())
    #expect(try await documents.place(10, intent) == .placed)
    await documents.clear(10, intent)
    #expect(content(path("planet/a.mp3")) == "sound")
    // A file to be replaced is the feed's own, even if it is empty.
    intent.replaces = true
    directory.file("documents/planet/a.mp3", "")
    await documents.clear(10, intent)
    #expect(content(path("planet/a.mp3")) == "")
  }

  @Test(arguments: ["link", "file", "link that leads nowhere"])
  func `links and files in the place of directories are refused and not followed`(what: String) async throws {
    mkdir(directory("outside"), 0o755)
    switch what {
    case "link": symlink(directory("outside"), path("planet"))
    case "file": directory.file("documents/planet", "")
    default: symlink("nowhere", path("planet"))
    }
    let intent = try await documents.intent(1, "sound", as: "planet/a.mp3")
    let problem = DocumentsProblem.notDirectory(path: path("planet"))

    await #expect(throws: problem) { try await documents.place(1, intent) }
    #expect(try await documents.isPlaced(intent) == false)
    await #expect(throws: problem) { try await documents.isTaken("planet/a.mp3") }
    #expect(entries(directory("outside")) == [])
    #expect(documents.partials == ["1.part"])
  }

  @Test func `a partial file that is not the intent's is not placed`() async throws {
    let intent = try await documents.intent(1, "sound", as: "a.mp3")
    directory.file("documents/.bgfetch/new", "noise")
    rename(path(".bgfetch/new"), path(".bgfetch/1.part"))

    await #expect(throws: DocumentsProblem.partialLost(path: path(".bgfetch/1.part"))) {
      try await documents.place(1, intent)
    }
    #expect(entries(path("")) == [".bgfetch"])
  }

  @Test func `a file with the right checksum is placed, even with another inode`() async throws {
    var intent = try await documents.intent(1, "sound", as: "a.mp3")
    // As after a restart that gave the disks other numbers.
    intent.identity.device += 1

    #expect(try await documents.place(1, intent) == .placed)
    #expect(try await documents.isPlaced(intent))

    directory.file("documents/a.mp3", "noise")
    #expect(try await documents.isPlaced(intent) == false)
  }

  @Test(arguments: [true, false])
  func `placing a file twice is a success, also one that replaces a missing file`(replaces: Bool) async throws
  {
    var intent = try await documents.intent(1, "sound", as: "a.mp3")
    intent.replaces = replaces

    for _ in 0..<2 { #expect(try await documents.place(1, intent) == .placed) }
    #expect(content(path("a.mp3")) == "sound")
  }

  @Test func `a crash between the two names of a file is settled`() async throws {
    let intent = try await documents.intent(1, "sound", as: "a.mp3")
    link(path(".bgfetch/1.part"), path("a.mp3"))

    #expect(try await documents.isPlaced(intent))
    #expect(try await documents.place(1, intent) == .placed)

    #expect(documents.partials == [])
    #expect(content(path("a.mp3")) == "sound")
  }

  @Test func `while the documents directory is gone, every answer about its files says so`() async throws {
    let intent = try await documents.intent(1, "sound", as: "a.mp3")
    rename(path(""), directory("unmounted"))
    mkdir(path(""), 0o755)
    let gone = DocumentsProblem.gone(path: path(".bgfetch"))

    await #expect(throws: gone) { try await documents.place(1, intent) }
    await #expect(throws: gone) { try await documents.isPlaced(intent) }
    await #expect(throws: gone) { try await documents.openPartial(2, keeping: 0) }
    #expect(entries(path("")) == [])
  }

  @Test func `one of many files with the same name gets it, and none is lost`() async throws {
    var intents: [Int64: PlacementIntent] = [:]
    for transfer in 1...40 as ClosedRange<Int64> {
      intents[transfer] = try await documents.intent(transfer, "sound \(transfer)", as: "planet/a.mp3")
    }

    let placed = try await withThrowingTaskGroup { group in
      for (transfer, intent) in intents {
        group.addTask { try await documents.place(transfer, intent) == .placed ? transfer : nil }
      }
      return try await group.reduce(into: []) { $0 += [$1].compactMap { $0 } }
    }

    #expect(placed.count == 1)
    #expect(content(path("planet/a.mp3")) == placed.first.map { "sound \($0)" })
    #expect(documents.partials.count == 39)
  }

  @Test(arguments: [["a"], ["a", "a/b"], ["a", "a/b", "a/b/c"]])
  func `empty directories are removed, even if one below them is gone already`(there: [String]) async throws {
    for step in there { mkdir(path(step), 0o755) }

    try documents.open().removeEmptyDirectories(above: "a/b/c/1.mp3")

    #expect(entries(path("")) == [".bgfetch"])
  }
}

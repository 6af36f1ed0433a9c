// Placed files: when a name is taken, and which files are removed.

import Core
import Glibc
import Testing

@testable import Machine

/// Files under their final names, and their removal.
@Suite struct PlacedFilesTests {
  let directory = TestDirectory()
  let documents: DocumentsDirectory

  init() async throws { documents = try await .ready(directory.path) }

  private func placed(_ name: String, _ size: Int64 = 5) -> PlacedFile {
    PlacedFile(
      directory: directory.path, name: name, size: size, sha256: digestOfNothing,
      placed: Instant(secondsSince1970: 0))
  }

  @Test func `links that lead nowhere and directories take a name too`() async throws {
    symlink("nowhere", directory("a"))
    mkdir(directory("b"), 0o755)

    #expect(try await documents.isTaken("a"))
    #expect(try await documents.isTaken("b"))
    #expect(try await documents.isTaken("c") == false)
  }

  @Test func `every name is free in a missing directory, which is not created`() async throws {

    #expect(try await documents.isTaken("planet/a.mp3") == false)
    #expect(directory.names == [".bgfetch"])
  }

  @Test func `a placed file is removed with the directories that become empty`() async throws {
    makeDirectories(directory("planet/2026/11"))
    directory.file("planet/2026/11/a.mp3", "sound")
    directory.file("planet/2025.txt", "the user's own")

    #expect(await documents.exists(placed("planet/2026/11/a.mp3")))
    #expect(try await documents.remove(placed("planet/2026/11/a.mp3")))

    #expect(await documents.exists(placed("planet/2026/11/a.mp3")) == false)
    #expect(entries(directory("planet")) == ["2025.txt"])
    #expect(try await documents.remove(placed("planet/2026/11/a.mp3")) == false)
  }

  @Test(arguments: ["other size", "link", "directory", "link on the way", "file on the way"])
  func `a file that was replaced by another one stays`(what: String) async throws {
    mkdir(directory("outside"), 0o755)
    directory.file("outside/a.mp3", "sound")
    if !what.hasSuffix("on the way") { mkdir(directory("planet"), 0o755) }
    switch what {
    case "link": symlink(directory("outside/a.mp3"), directory("planet/a.mp3"))
    case "directory": mkdir(directory("planet/a.mp3"), 0o755)
    case "link on the way": symlink("outside", directory("planet"))
    case "file on the way": directory.file("planet", "sound")
    default: directory.file("planet/a.mp3", "sound with new tags")
    }

    #expect(await documents.exists(placed("planet/a.mp3")) == false)
    #expect(try await documents.remove(placed("planet/a.mp3")) == false)

    #expect(content(directory("outside/a.mp3")) == "sound")
    #expect(directory.names == [".bgfetch", "outside", "planet"])
    if what == "other size" { #expect(content(directory("planet/a.mp3")) == "sound with new tags") }
  }

  @Test(arguments: [("file", true), ("link", false), ("directory", false)])
  func `a file that hooks may change is removed with any size`(what: String, goes: Bool) async throws {
    mkdir(directory("planet"), 0o755)
    switch what {
    case "link": symlink("/etc/hostname", directory("planet/a.mp3"))
    case "directory": mkdir(directory("planet/a.mp3"), 0o755)
    default: directory.file("planet/a.mp3", "sound with new tags")
    }

    #expect(await documents.exists(placed("planet/a.mp3"), ofAnySize: true) == goes)
    #expect(try await documents.remove(placed("planet/a.mp3"), ofAnySize: true) == goes)

    #expect(directory.names.contains("planet") != goes)
  }

  @Test func `while the documents directory is gone a file counts as there, and is not removed`() async throws
  {
    rmdir(directory(".bgfetch"))

    #expect(await documents.exists(placed("a.mp3")))
    await #expect(throws: DocumentsProblem.gone(path: directory(".bgfetch"))) {
      try await documents.remove(placed("a.mp3"))
    }
  }
}

// Files by a pattern, and the free space of a file system.

import Core
import Glibc
import Testing

@testable import Machine

@Suite struct FileMatchingTests {
  private let directory = TestDirectory()

  private func make(_ names: String...) throws {
    for name in names {
      #expect(close(open(directory(name), O_WRONLY | O_CREAT, 0o600)) == 0, "\(name)")
    }
  }

  private func names(_ pattern: String) throws -> [String] {
    try filesMatching(directory(pattern)).map { String($0.dropFirst(directory.path.count + 1)) }
  }

  @Test func `files match by wildcards, in the order of their bytes`() throws {
    try make("b.yaml", "B.yaml", "a10.yaml", "a2.yaml", "é.yaml", "a.yml", ".hidden.yaml", "a.yaml~")

    #expect(try names("*.yaml") == ["B.yaml", "a10.yaml", "a2.yaml", "b.yaml", "é.yaml"])
    #expect(try names("?.yaml").contains("b.yaml"))
    #expect(try names("[ab].y*ml") == ["a.yml", "b.yaml"])
    #expect(try names("x*") == [])
  }

  @Test func `a directory is not a file, and files in directories match by their own wildcards`() throws {
    mkdir(directory("d1"), 0o700)
    mkdir(directory("d2"), 0o700)
    try make("d1/a.yaml", "d2/a.yaml", "d2/b.yaml")

    #expect(try names("*") == [])
    #expect(try names("d*/a.yaml") == ["d1/a.yaml", "d2/a.yaml"])
    #expect(try names("nowhere/*.yaml") == [])
  }

  @Test func `a backslash in a pattern is one in a name`() throws {
    try make("a\\b.yaml")

    #expect(try names("a\\*.yaml") == ["a\\b.yaml"])
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may read every directory"))
  func `a directory that cannot be read does not count as empty`() throws {
    mkdir(directory("closed"), 0)
    defer { chmod(directory("closed"), 0o700) }

    #expect(throws: FileFailure.self) { try filesMatching(directory("closed/*.yaml")) }
  }

  @Test func `a file has one identity by all its names, and a missing file has none`() throws {
    try make("a", "b")
    symlink(directory("a"), directory("link"))

    #expect(fileIdentity(directory("a")) == fileIdentity(directory("link")))
    #expect(fileIdentity(directory("a")) != fileIdentity(directory("b")))
    #expect(fileIdentity(directory("c")) == nil)
  }

  @Test func `the space of a missing path is that of its future directory`() throws {
    var found = statvfs()
    #expect(statvfs(directory.path, &found) == 0)
    let whole = Int64(found.f_blocks) * Int64(found.f_frsize)

    let here = try freeSpace(at: directory.path)
    let below = try freeSpace(at: directory("not/there/yet"))

    #expect((0...whole).contains(here.bytes))
    #expect((0...whole).contains(below.bytes))
  }

  @Test func `a slash before a combining mark divides a path`() {
    let parts = PathParts("/docs/a/\u{301}b.mp3")

    #expect(parts.directory == "/docs/a")
    #expect(parts.name.utf8.elementsEqual("\u{301}b.mp3".utf8))
  }

  @Test func `a path through a file has no free space`() throws {
    try make("file")

    #expect(throws: FileFailure.self) { try freeSpace(at: directory("file/below")) }
  }

  @Test func `a file system without blocks has no free space`() throws {
    #expect(try freeSpace(at: "/proc/nothing/there") == ByteCount(0))
  }
}

// Files that appear whole or not at all, and their temporary names.

import Core
import Glibc
import Testing

import let TestKit.longestWait

@testable import Machine

/// Replacing real files.
@Suite struct AtomicFileTests {
  let directory = TestDirectory()

  @Test func `a new file has the bytes and the permissions, and nothing lies beside it`() throws {
    try AtomicFile.replace(directory("badge"), with: Array("3\n".utf8), permissions: 0o600)

    #expect(content(directory("badge")) == "3\n")
    #expect(permissions(directory("badge")) == 0o600)
    #expect(directory.names == ["badge"])
  }

  @Test func `an existing file keeps its permissions, and can become empty`() throws {
    let file = directory.file("badge", "old", permissions: 0o640)

    try AtomicFile.replace(file, with: Array("new".utf8), permissions: 0o600)

    #expect(content(file) == "new")
    #expect(permissions(file) == 0o640)
    try AtomicFile.replace(file, with: [], permissions: 0o600)
    #expect(content(file) == "")
  }

  @Test(arguments: [("old", false), ("new", true), ("longer", true)])
  func `a file is replaced only if it has other bytes`(text: String, isReplaced: Bool) throws {
    let file = directory.file("badge", "old")
    let before = fileIdentity(file)

    let hasChanged = try AtomicFile.replace(file, with: Array(text.utf8), permissions: 0o600)

    #expect(hasChanged == isReplaced)
    #expect((fileIdentity(file) != before) == isReplaced)
  }

  // A process that was killed while it wrote the badge left a file for an hour.
  @Test func `under a lock, the next replacement removes the remains of a killed process`() throws {
    let left = directory.file(TemporaryName.only(for: "badge"), "half")
    let other = directory.file(TemporaryName.only(for: "other"), "under way")

    try AtomicFile.replace(directory("badge"), with: Array("3\n".utf8), permissions: 0o600, isLocked: true)

    #expect(content(directory("badge")) == "3\n")
    #expect(access(left, F_OK) != 0)
    #expect(access(other, F_OK) == 0)
    #expect(TemporaryName.isOne(TemporaryName.only(for: "badge")))
  }

  @Test func `a symbolic link stays, and its target is replaced`() throws {
    mkdir(directory("synced"), 0o700)
    let file = directory.file("synced/badge", "old")
    symlink("synced/badge", directory("middle"))
    symlink(directory("middle"), directory("badge"))

    try AtomicFile.replace(directory("badge"), with: Array("new".utf8), permissions: 0o600)

    #expect(content(file) == "new")
    #expect(directory.names == ["badge", "middle", "synced"])
    #expect(try FileStatus(directory("badge"), following: false).kind == .link)
  }

  @Test func `the missing target of a link is created`() throws {
    symlink("new", directory("badge"))

    try AtomicFile.replace(directory("badge"), with: Array("1".utf8), permissions: 0o600)

    #expect(content(directory("new")) == "1")
  }

  @Test func `a circle of links, a missing directory, a directory and a pipe are not replaced`() {
    symlink("b", directory("a"))
    symlink("a", directory("b"))
    mkdir(directory("folder"), 0o700)
    mkfifo(directory("pipe"), 0o600)
    let rows: [(name: String, named: String, problem: FileProblem)] = [
      ("a", "a", .linkLoop), ("missing/badge", "missing", .missing), ("folder", "folder", .isDirectory),
      ("pipe", "pipe", .isSpecial),
    ]

    for (name, named, problem) in rows {
      #expect(throws: FileFailure(path: directory(named), problem: problem)) {
        try AtomicFile.replace(directory(name), with: [], permissions: 0o600)
      }
    }
  }

  @Test func `a name of the greatest length is replaced`() throws {
    let name = String(repeating: "n", count: 255)

    try AtomicFile.replace(directory(name), with: [1], permissions: 0o600)

    #expect(directory.names == [name])
  }

  @Test func `a reader sees the old bytes or the new ones`() throws {
    let file = directory.file("badge", [UInt8](repeating: 0, count: 20_000))
    // On a thread of its own, because tests that wait must not block the pool's threads.
    try startThread { [directory] in
      for round in 1...200 {
        let bytes = [UInt8](repeating: UInt8(round), count: 20_000 + round)
        _ = try? AtomicFile.replace(directory("badge"), with: bytes, permissions: 0o600)
      }
    }
    var seen: Set<UInt8> = []
    let start = ContinuousClock.now
    while !seen.contains(200) {
      try #require(ContinuousClock.now - start < longestWait)
      let bytes = try readFile(file, limit: ByteCount(1 << 20))
      let first = try #require(bytes.first)
      #expect(bytes.count == 20_000 + Int(first))
      #expect(bytes.allSatisfy { $0 == first })
      seen.insert(first)
    }
  }

  @Test func `when writing fails the old bytes stay and nothing lies beside them`() async {
    // A limit on file sizes belongs to the process, so this test gets its own.
    await #expect(processExitsWith: .exitCode(42)) {
      let directory = TestDirectory()
      let file = directory.file("badge", "old")
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)

      let expected = FileFailure(path: file, problem: .other(SystemError(code: EFBIG)))
      do throws(FileFailure) {
        try AtomicFile.replace(file, with: [UInt8](repeating: 1, count: 5000), permissions: 0o600)
      } catch {
        let old = try? readFile(file, limit: ByteCount(100))
        exit(error == expected && old == Array("old".utf8) && directory.names == ["badge"] ? 42 : 1)
      }
    }
  }
}

@Suite struct NewFileTests {
  let directory = TestDirectory()

  @Test func `a new file has the bytes and the permissions, and nothing lies beside it`() throws {
    try NewFile.create(directory("feeds.yaml"), with: Array("feeds:\n".utf8), permissions: 0o600)

    #expect(text(try readFile(directory("feeds.yaml"), limit: ByteCount(100))) == "feeds:\n")
    #expect(permissions(directory("feeds.yaml")) == 0o600)
    #expect(directory.names == ["feeds.yaml"])
  }

  @Test func `an existing entry stays, even a directory or a broken link`() throws {
    directory.file("file", "old")
    mkdir(directory("directory"), 0o700)
    symlink("nowhere", directory("link"))

    for name in ["file", "directory", "link"] {
      #expect(throws: FileFailure(path: directory(name), problem: .exists)) {
        try NewFile.create(directory(name), with: [1], permissions: 0o600)
      }
    }

    #expect(text(try readFile(directory("file"), limit: ByteCount(100))) == "old")
    #expect(directory.names == ["directory", "file", "link"])
  }

  @Test func `a directory that is missing is named`() {
    #expect(throws: FileFailure(path: directory("missing"), problem: .missing)) {
      try NewFile.create(directory("missing/file"), with: [], permissions: 0o600)
    }
  }
}

/// Files that killed processes leave beside files that are replaced whole.
@Suite struct TemporaryNameTests {
  let directory = TestDirectory()

  /// Makes a file look as if it was written this many seconds ago.
  private func age(_ name: String, by seconds: Int) {
    var times = [timespec(), timespec()]
    clock_gettime(CLOCK_REALTIME, &times[0])
    times[0].tv_sec -= seconds
    times[1] = times[0]
    utimensat(AT_FDCWD, directory(name), times, AT_SYMLINK_NOFOLLOW)
  }

  @Test(
    arguments: [
      (".bgfetch-1f", 3700, true), (".bgfetch-1f", 3000, false), (".bgfetch-", 1_000_000, false),
      (".bgfetch-notes", 1_000_000, false), (".bgfetch-1F", 1_000_000, false),
      (".bgfetch-00000000000000000", 1_000_000, false), ("bgfetch-1f", 1_000_000, false),
    ])
  func `the file of a killed process, and no other, is removed by a replacement an hour later`(
    name: String, seconds: Int, goes: Bool
  ) throws {
    directory.file(name, "half")
    age(name, by: seconds)

    try AtomicFile.replace(directory("badge"), with: [1], permissions: 0o600)

    #expect(directory.names == (goes ? ["badge"] : [name, "badge"].sorted()))
  }

  @Test func `a link or directory of such a name stays`() throws {
    mkdir(directory(".bgfetch-1"), 0o700)
    symlink("badge", directory(".bgfetch-2"))
    for name in [".bgfetch-1", ".bgfetch-2"] { age(name, by: 1_000_000) }

    try AtomicFile.replace(directory("badge"), with: [1], permissions: 0o600)

    #expect(directory.names == [".bgfetch-1", ".bgfetch-2", "badge"])
  }

  @Test func `a temporary name is recognised as one`() {
    for _ in 0..<100 { #expect(TemporaryName.isOne(TemporaryName.random())) }
  }
}

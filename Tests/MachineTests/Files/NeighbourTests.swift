// Paths through directories and links of other users.

import Core
import Glibc
import Testing

@testable import Machine

/// Files of another user (4711) in places that bgfetch reads and writes.
@Suite(.enabled(if: geteuid() == 0, "only root can give files away")) struct NeighbourTests {
  let directory = TestDirectory()
  let clock = WallClock()

  /// The kind of file at the path.
  enum Planted: CaseIterable {
    case file, link, danglingLink, pipe, socket, directory
  }

  /// Makes a file, link or directory that belongs to user 4711, or to us.
  private func plant(_ planted: Planted, _ path: String, isTheirs: Bool = true) {
    switch planted {
    case .file: creat(path, 0o644)
    case .link: symlink(directory.file("victim", "precious"), path)
    case .danglingLink: symlink(directory("nowhere"), path)
    case .pipe: mkfifo(path, 0o644)
    case .socket: mknod(path, S_IFSOCK | 0o644, 0)
    case .directory: mkdir(path, 0o755)
    }
    if isTheirs { lchown(path, 4711, 4711) }
  }

  private func isUnsafe(_ failure: FileFailure?) -> Bool {
    if case .unsafe? = failure?.problem { return true }
    return false
  }

  private func expectUnsafe(_ body: () throws -> Void, location: SourceLocation = #_sourceLocation) {
    let failure = #expect(throws: FileFailure.self, sourceLocation: location) { try body() }
    #expect(isUnsafe(failure), sourceLocation: location)
  }

  private var victim: String {
    String(decoding: (try? readFile(directory("victim"), limit: ByteCount(99))) ?? [], as: UTF8.self)
  }

  /// A directory like /tmp.
  private func shared() -> String {
    mkdir(directory("shared"), 0o700)
    chmod(directory("shared"), 0o1777)
    return directory("shared")
  }

  @Test func `parents count, up to the root: a parent that others may write or own is refused`() throws {
    for name in ["open", "theirs", "fine"] {
      mkdir(directory(name), 0o755)
      mkdir(directory(name + "/mine"), 0o700)
      mkdir(directory(name + "/mine/state"), 0o700)
    }
    chmod(directory("open"), 0o777)
    chown(directory("theirs"), 4711, 4711)

    for name in ["open", "theirs"] {
      for path in [name + "/mine/state", name + "/mine/state/missing/file"] {
        let failure = #expect(throws: FileFailure.self) { try FileSafety.require(directory(path)) }
        #expect(failure?.path == directory(name), "\(path)")
        #expect(isUnsafe(failure), "\(name) \(path)")
      }
    }
    #expect(try FileSafety.require(directory("fine/mine/state/missing")).exists == false)
  }

  @Test func `a group that may write a directory far above causes no warning`() throws {
    mkdir(directory("group"), 0o700)
    mkdir(directory("group/a"), 0o700)
    chown(directory("group"), 0, 4242)
    chmod(directory("group"), 0o775)
    let far = directory.file("group/a/file", "")
    let near = directory.file("group/file", "")

    #expect(try FileSafety().findings(far) == [])
    #expect(try FileSafety().findings(near).map(\.problem) == [.writableByGroup(4242)])
  }

  @Test func `a link of another user within a path is refused, and our own or root's is followed`() throws {
    mkdir(directory("real"), 0o700)
    symlink("real", directory("link"))
    #expect(try FileSafety.require(directory("link/../link/./file")).path.hasSuffix("/real/file"))

    lchown(directory("link"), 4711, 4711)

    let failure = #expect(throws: FileFailure.self) { try FileSafety.require(directory("link/file")) }
    #expect(failure?.path == directory("link"))
  }

  @Test func `a circle of symbolic links is refused`() {
    symlink("b", directory("a"))
    symlink("a", directory("b"))

    let failure = #expect(throws: FileFailure.self) { try FileSafety.require(directory("a/x")) }
    #expect(failure?.problem == .linkLoop)
  }

  @Test(arguments: Planted.allCases)
  func `nothing is written where another user has put something in a directory like tmp`(planted: Planted) {
    let path = shared() + "/badge"
    plant(planted, path)

    expectUnsafe { try AtomicFile.replace(path, with: [1], permissions: 0o600) }
    #expect(planted != .link || victim == "precious")
    #expect(!directory.names.contains("nowhere"))
  }

  @Test func `our own link in a directory like tmp is followed`() throws {
    let path = shared() + "/badge"
    plant(.link, path, isTheirs: false)

    try AtomicFile.replace(path, with: Array("new".utf8), permissions: 0o600)

    #expect(victim == "new")
  }

  @Test func `a new file in a directory that others may write is refused`() {
    mkdir(directory("open"), 0o700)
    chmod(directory("open"), 0o777)

    expectUnsafe { try NewFile.create(directory("open/new"), with: [1], permissions: 0o600) }
  }

  @Test(arguments: Planted.allCases)
  func `a directory is not made where another user has put something`(planted: Planted) {
    let path = shared() + "/state"
    plant(planted, path)

    expectUnsafe { try makePrivateDirectory(path + "/below") }
  }

  @Test(arguments: Planted.allCases, [true, false])
  func `a file that is not a lock file of ours is neither locked nor written to`(
    planted: Planted, isTheirs: Bool
  ) throws {
    let path = directory("run.lock")
    plant(planted, path, isTheirs: isTheirs)

    if planted == .file, !isTheirs {
      #expect(try FileLock.tryAcquire(path, clock: clock) != nil)
    } else {
      #expect(throws: FileFailure.self) { try FileLock.tryAcquire(path, clock: clock) }
      _ = LockHolder(path)
    }
    #expect(planted != .link || victim == "precious")
  }

  @Test func `a lock is not written through another name of a file`() throws {
    let victim = directory.file("victim", "precious")
    link(victim, directory("run.lock"))

    #expect(throws: FileFailure(path: directory("run.lock"), problem: .hasOtherNames)) {
      try FileLock.tryAcquire(directory("run.lock"), clock: clock)
    }
    #expect(self.victim == "precious")
  }

  @Test(arguments: Planted.allCases, ["db", "db-wal", "db-shm", "db-journal"])
  func `a store is refused if another user has made one of its files`(planted: Planted, name: String) {
    plant(planted, directory(name))

    expectUnsafe { try FileSafety.requireStore(directory.path, named: "db") }
  }

  @Test(arguments: [Planted.pipe, .socket, .directory, .link], ["db-wal", "db-shm", "db-journal"])
  func `SQLite never waits for a pipe that somebody put there`(planted: Planted, name: String) {
    plant(planted, directory(name), isTheirs: false)

    #expect(throws: FileFailure.self) { try FileSafety.requireStore(directory.path, named: "db") }
  }

  @Test func `a store behind our own link is checked where it is`() throws {
    mkdir(directory("elsewhere"), 0o700)
    symlink("elsewhere/db", directory("db"))
    directory.file("elsewhere/db", "")
    try FileSafety.requireStore(directory.path, named: "db")

    chown(directory.file("elsewhere/db-wal", ""), 4711, 4711)

    let failure = #expect(throws: FileFailure.self) {
      try FileSafety.requireStore(directory.path, named: "db")
    }
    #expect(failure?.path == directory("elsewhere/db-wal"))
  }

  @Test func `a store in a directory like tmp is refused`() {
    let path = shared()

    let failure = #expect(throws: FileFailure.self) { try FileSafety.requireStore(path, named: "db") }
    #expect(failure?.problem == .unsafe(SafetyFinding(path: path, problem: .openToAnyone)))
  }

  @Test(arguments: [Planted.file, .link, .pipe])
  func `a feed file of another user is refused`(planted: Planted) async {
    let path = shared() + "/feed.xml"
    plant(planted, path)

    guard case .failure(let failure)? = await readFeedFile(path, limit: ByteCount(99), unlessTagged: nil)
    else {
      Issue.record("read")
      return
    }
    #expect(isUnsafe(failure))
  }

  @Test func `a directory for one invocation is not made where others could replace it`() throws {
    mkdir(directory("open"), 0o700)
    chmod(directory("open"), 0o777)
    expectUnsafe { _ = try ScratchDirectory(environment: ["TMPDIR": directory("open")]) }

    try ScratchDirectory(environment: ["TMPDIR": shared()]).remove()
  }

  @Test func `a program that another user has put into a directory like tmp is not run`() async {
    let program = shared() + "/notify"
    directory.file("shared/notify", "#!/bin/sh\ntouch \(directory("ran"))\n", permissions: 0o755)
    chown(program, 4711, 4711)

    let result = await Command(program, [], environment: [:], directory: "/", limit: .seconds(10)).run()

    #expect(
      result.ending
        == .couldNotStart(.unsafe(SafetyFinding(path: program, problem: .ownedByOther(user: 4711)))))
    #expect(!directory.names.contains("ran"))
  }

  @Test func `documents are not placed through a link or into a directory of another user`() async {
    mkdir(directory("documents"), 0o755)
    mkdir(directory("documents/.bgfetch"), 0o700)
    symlink(directory("documents"), directory("link"))
    lchown(directory("link"), 4711, 4711)

    await #expect(throws: DocumentsProblem.unsafe(path: directory("link"), owner: 4711)) {
      try await DocumentsDirectory(directory("link")).openPartial(1, keeping: 0)
    }
    chown(directory("documents"), 4711, 4711)
    await #expect(throws: DocumentsProblem.unsafe(path: directory("documents"), owner: 4711)) {
      try await DocumentsDirectory(directory("documents")).prepare(wasUsed: false)
    }
    #expect(entries(directory("documents/.bgfetch")).isEmpty)
  }

  @Test func `partial files that another user has put there are not resumed`() async {
    mkdir(directory("documents"), 0o755)
    mkdir(directory("documents/.bgfetch"), 0o700)
    let part = directory.file("documents/.bgfetch/7.part", "theirs")
    chown(part, 4711, 4711)
    let documents = DocumentsDirectory(directory("documents"))

    await #expect(throws: DocumentsProblem.partialLost(path: part)) {
      try await documents.openPartial(7, keeping: 6)
    }
    chown(directory("documents/.bgfetch"), 4711, 4711)
    await #expect(throws: DocumentsProblem.unsafe(path: directory("documents/.bgfetch"), owner: 4711)) {
      try await documents.openPartial(7, keeping: 0)
    }
  }
}

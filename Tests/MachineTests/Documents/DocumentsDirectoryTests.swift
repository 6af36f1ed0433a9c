// Documents directories: when they are created, refused or reported as gone.

import Core
import Glibc
import Testing

@testable import Machine

/// Making documents directories ready.
@Suite struct DocumentsDirectoryTests {
  let directory = TestDirectory()

  @Test func `a directory that was never used is made with its parents, and its mark`() async throws {
    try await DocumentsDirectory(directory("a/b/c")).prepare(wasUsed: false)

    #expect(entries(directory("a/b/c")) == [".bgfetch"])
    #expect(permissions(directory("a/b/c/.bgfetch")) == 0o700)
  }

  @Test func `an existing directory is not changed`() async throws {
    let file = directory.file("letter.txt", "Dear")
    chmod(directory.path, 0o750)

    try await DocumentsDirectory(directory.path).prepare(wasUsed: false)
    try await DocumentsDirectory(directory.path).prepare(wasUsed: true)

    #expect(content(file) == "Dear")
    #expect(permissions(directory.path) == 0o750)
  }

  @Test func `a directory that was used and is gone is not made again`() async {
    await #expect(throws: DocumentsProblem.gone(path: directory("nas/podcasts"))) {
      try await DocumentsDirectory(directory("nas/podcasts")).prepare(wasUsed: true)
    }
    #expect(directory.names == [])
  }

  @Test func `the mount point of a file system that is not mounted stays empty`() async {
    mkdir(directory("nas"), 0o755)

    await #expect(throws: DocumentsProblem.gone(path: directory("nas/.bgfetch"))) {
      try await DocumentsDirectory(directory("nas")).prepare(wasUsed: true)
    }
    #expect(entries(directory("nas")) == [])
  }

  @Test func `the directory may be a link, even one that leads nowhere after it was used`() async throws {
    mkdir(directory("disk"), 0o755)
    symlink("disk", directory("documents"))

    try await DocumentsDirectory(directory("documents")).prepare(wasUsed: false)
    #expect(entries(directory("disk")) == [".bgfetch"])

    rename(directory("disk"), directory("unplugged"))
    await #expect(throws: DocumentsProblem.gone(path: directory("documents"))) {
      try await DocumentsDirectory(directory("documents")).prepare(wasUsed: true)
    }
    #expect(directory.names == ["documents", "unplugged"])
  }

  @Test(arguments: [true, false])
  func `a file in the place of the directory is reported`(wasUsed: Bool) async {
    let file = directory.file("documents", "")

    await #expect(throws: DocumentsProblem.inTheWay(path: file)) {
      try await DocumentsDirectory(file).prepare(wasUsed: wasUsed)
    }
  }

  @Test func `the free space is that of the file system, also before the directory is made`() async throws {
    #expect(try await DocumentsDirectory(directory("not/yet")).space() > ByteCount(0))
  }

  @Test(arguments: [
    (ENOSPC, DocumentsProblem.full(path: "/d")), (EDQUOT, .full(path: "/d")),
    (EFBIG, .fileTooLarge(path: "/d")), (EROFS, .denied(path: "/d", detail: "Read-only file system")),
    (EACCES, .denied(path: "/d", detail: "Permission denied")), (ELOOP, .inTheWay(path: "/d")),
    (ENOTDIR, .inTheWay(path: "/d")), (ESTALE, .gone(path: "/d")), (ENOTCONN, .gone(path: "/d")),
    (EIO, .other(path: "/d", detail: "Input/output error")),
  ])
  func `errors of the system become problems that a transfer can act on`(
    code: Int32, problem: DocumentsProblem
  ) {
    #expect(DocumentsProblem("/d", SystemError(code: code)) == problem)
  }

  @Test(arguments: [
    "", "/etc/passwd", "..", "../x", "a/../x", "a/./x", "a//x", "a/", ".bgfetch/1.part", ".BGFETCH/x", "x\0y",
  ])
  func `a name that leads elsewhere is refused`(name: String) {
    #expect(DocumentName(name) == nil)
  }

  @Test(arguments: [
    (EPERM, DocumentsProblem.denied(path: "/d/ä", detail: "Operation not permitted")),
    (EACCES, .denied(path: "/d/ä", detail: "Permission denied")),
    (EINVAL, .nameRefused(path: "/d/ä", detail: "Invalid argument")),
    (ENAMETOOLONG, .nameRefused(path: "/d/ä", detail: "File name too long")),
    (ENOSPC, .full(path: "/d/ä")), (ENOTCONN, .gone(path: "/d")),
  ])
  func `a refused name is not the directory's problem`(code: Int32, problem: DocumentsProblem) {
    #expect(DocumentsProblem(naming: "/d/ä", SystemError(code: code)) == problem)
  }

  @Test func `a name that the file system refuses is reported as such`() async throws {
    let documents = try await DocumentsDirectory.ready(directory.path)
    let long = String(repeating: "x", count: 256)
    let intent = try await documents.intent(1, "sound", as: long)

    await #expect(throws: DocumentsProblem.nameRefused(path: directory(long), detail: "File name too long")) {
      try await documents.place(1, intent)
    }
  }

  @Test(arguments: [ENOTCONN, ESTALE, ENOENT])
  func `if a partial file is gone with its file system, the message names the directory to mount`(code: Int32)
  {
    let problem = DocumentsProblem("/mnt/nas/.bgfetch/4-1f.part", SystemError(code: code))

    #expect(problem == .gone(path: "/mnt/nas"))
  }
}

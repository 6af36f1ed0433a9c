import Core
import Glibc
import Testing

@testable import Host

@Suite struct NewFileTests {
  let directory = TestDirectory()

  @Test func `a new file has the bytes and the permissions, and nothing lies beside it`() throws {
    try NewFile.create(directory("feeds.yaml"), with: Array("feeds:\n".utf8), permissions: 0o600)

    #expect(text(try readFile(directory("feeds.yaml"), limit: ByteCount(100))) == "feeds:\n")
    #expect(permissions(directory("feeds.yaml")) == 0o600)
    #expect(directory.names == ["feeds.yaml"])
  }

  @Test func `what is there stays, be it a file, a directory or a link that leads nowhere`() throws {
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

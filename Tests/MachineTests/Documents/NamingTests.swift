// The system calls that give a file a name without replacing another, each on its own.

import Core
import Glibc
import Testing

@testable import Machine

/// The ways to give a file a name that must be free.
@Suite struct NamingTests {
  let directory = TestDirectory()

  private func opened() throws -> (from: Descriptor, to: Descriptor) {
    mkdir(directory("from"), 0o700)
    mkdir(directory("to"), 0o700)
    directory.file("from/part", "sound")
    return (
      try Descriptor.open(directory("from"), O_RDONLY | O_DIRECTORY),
      try Descriptor.open(directory("to"), O_RDONLY | O_DIRECTORY)
    )
  }

  @Test(arguments: NamingWay.allCases)
  func `each way assigns a free name`(way: NamingWay) throws {
    let (from, to) = try opened()

    #expect(try from.move("part", toNew: "a.mp3", in: to, ways: [way]))

    #expect(content(directory("to/a.mp3")) == "sound")
    #expect(entries(directory("from")) == [])
    #expect(try FileStatus(directory("to/a.mp3"), following: false).links == 1)
  }

  @Test(arguments: NamingWay.allCases, ["file", "directory", "link"])
  func `no way takes a name from another file`(way: NamingWay, what: String) throws {
    let (from, to) = try opened()
    switch what {
    case "directory": mkdir(directory("to/a.mp3"), 0o700)
    case "link": symlink("nowhere", directory("to/a.mp3"))
    default: directory.file("to/a.mp3", "")
    }
    let before = fileIdentityOfLink(directory("to/a.mp3"))

    #expect(try from.move("part", toNew: "a.mp3", in: to, ways: [way]) == false)

    #expect(fileIdentityOfLink(directory("to/a.mp3")) == before)
    #expect(content(directory("from/part")) == "sound")
  }

  @Test(arguments: NamingWay.allCases)
  func `no way leaves anything behind if the file is missing`(way: NamingWay) throws {
    let (from, to) = try opened()

    #expect(throws: SystemError(code: ENOENT)) { try from.move("other", toNew: "a.mp3", in: to, ways: [way]) }

    #expect(entries(directory("to")) == [])
  }

  @Test func `a way that a file system lacks is followed by the next one`() throws {
    let (from, to) = try opened()
    // The file systems here have all ways; link(2) refuses directories with EPERM, as FAT refuses all files.
    mkdir(directory("from/directory"), 0o700)

    #expect(throws: SystemError(code: EPERM)) {
      try from.move("directory", toNew: "a", in: to, ways: [.link])
    }
    // And then rename(2) refuses to replace the file that took the name with a directory.
    #expect(throws: SystemError(code: ENOTDIR)) {
      try from.move("directory", toNew: "a", in: to, ways: [.link, .placeholder])
    }
    #expect(entries(directory("to")) == [])
  }
}

/// The identity of a name itself, links not followed.
private func fileIdentityOfLink(_ path: String) -> FileIdentity? {
  (try? FileStatus(path, following: false))?.identity
}

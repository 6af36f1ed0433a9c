import Core
import Glibc
import Host
import Testing

/// Reading whole files, and what is said of those that cannot be read.
@Suite struct FileReadingTests {
  let directory = TestDirectory()

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
  func `a file of exactly the limit is read whole`(size: Int) throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let file = directory.file("file", bytes)

    #expect(try readFile(file, limit: ByteCount(Int64(size))) == bytes)
  }

  @Test func `one byte more is too large`() {
    let file = directory.file("file", "12345")

    #expect(throws: FileFailure(path: file, problem: .tooLarge(limit: ByteCount(4)))) {
      try readFile(file, limit: ByteCount(4))
    }
  }

  @Test func `a file that does not say its size is bounded too`() {
    #expect(throws: FileFailure(path: "/dev/zero", problem: .tooLarge(limit: ByteCount(100)))) {
      try readFile("/dev/zero", limit: ByteCount(100))
    }
  }

  @Test func `a pipe that nobody writes to is not waited for beyond all patience`() {
    let pipe = directory("pipe")
    mkfifo(pipe, 0o600)

    #expect(throws: FileFailure(path: pipe, problem: .silent(seconds: 0))) {
      try readFile(pipe, limit: ByteCount(100), patience: .zero)
    }
  }

  @Test func `a pipe is read to the end of what its writer says`() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    #expect(write(ends[1], "feeds", 5) == 5)
    close(ends[1])

    #expect(try readFile("/dev/fd/\(ends[0])", limit: ByteCount(100), patience: .zero) == Array("feeds".utf8))
    close(ends[0])
  }

  @Test func `a missing file`() {
    #expect(throws: FileFailure(path: directory("file"), problem: .missing)) {
      try readFile(directory("file"), limit: ByteCount(1))
    }
  }

  @Test func `a directory`() {
    #expect(throws: FileFailure(path: directory.path, problem: .isDirectory)) {
      try readFile(directory.path, limit: ByteCount(1))
    }
  }

  @Test func `a path through a file`() {
    let file = directory.file("file", "")

    #expect(throws: FileFailure(path: file + "/below", problem: .notDirectory)) {
      try readFile(file + "/below", limit: ByteCount(1))
    }
  }

  @Test func `a name that is too long`() {
    let path = directory(String(repeating: "n", count: 256))

    #expect(throws: FileFailure(path: path, problem: .nameTooLong)) {
      try readFile(path, limit: ByteCount(1))
    }
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func `a file without permission`() {
    let file = directory.file("file", "", permissions: 0o000)

    #expect(throws: FileFailure(path: file, problem: .denied)) {
      try readFile(file, limit: ByteCount(1))
    }
  }

  @Test func `an error has the system's own words`() {
    #expect(SystemError(code: ENOSPC).text == "No space left on device")
  }
}

/// Directories that are made, and places that are only named.
@Suite struct DirectoryTests {
  let directory = TestDirectory()

  @Test func `missing directories are made for this user alone`() throws {
    try makePrivateDirectory(directory("a/b/c/"))

    #expect(["a", "a/b", "a/b/c"].map { permissions(directory($0)) } == [0o700, 0o700, 0o700])
  }

  @Test func `a directory that is there keeps its permissions`() throws {
    mkdir(directory("a"), 0o755)
    chmod(directory("a"), 0o755)

    try makePrivateDirectory(directory("a"))

    #expect(permissions(directory("a")) == 0o755)
  }

  @Test(arguments: ["file", "file/below"])
  func `a file in the way is told`(name: String) {
    directory.file("file", "")

    #expect(throws: FileFailure(path: directory(name), problem: .notDirectory)) {
      try makePrivateDirectory(directory(name))
    }
  }

  @Test func `places are below the home directory unless the environment says otherwise`() {
    let places = StandardDirectories(
      environment: ["XDG_STATE_HOME": "/var/me", "XDG_DATA_HOME": "relative", "XDG_CONFIG_HOME": ""],
      home: "/home/me")

    #expect(places.state == "/var/me")
    #expect(places.data == "/home/me/.local/share")
    #expect(places.configuration == "/home/me/.config")
    #expect(places.serviceState == nil)
    #expect(
      places.configurationFiles == ["/home/me/.config/bgfetch/bgfetch.yaml", "/etc/bgfetch/bgfetch.yaml"])
  }

  @Test func `a configuration that is named is the only one`() {
    let places = StandardDirectories(environment: ["BGFETCH_CONFIG": "feeds.yaml"], home: "/home/me")

    #expect(places.configurationFiles == ["feeds.yaml"])
  }

  @Test func `the first of systemd's state directories counts`() {
    let places = StandardDirectories(environment: ["STATE_DIRECTORY": "/var/lib/a:/var/lib/b"], home: "/")

    #expect(places.serviceState == "/var/lib/a")
  }
}

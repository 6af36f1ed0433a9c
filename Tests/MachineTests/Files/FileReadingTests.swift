// Reading files up to a limit, and feeds that are files.

import Core
import Foundation
import Glibc
import Machine
import Testing

/// Reading whole files, and the messages for files that cannot be read.
@Suite struct FileReadingTests {
  let directory = TestDirectory()

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
  func `a file of exactly the limit is read whole`(size: Int) throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let file = directory.file("file", bytes)

    #expect(try readFile(file, limit: ByteCount(Int64(size))) == bytes)
  }

  @Test func `one byte more is too large, and a file without a known size is bounded too`() {
    for path in [directory.file("file", "12345"), "/dev/zero"] {
      #expect(throws: FileFailure(path: path, problem: .tooLarge(limit: ByteCount(4)))) {
        try readFile(path, limit: ByteCount(4))
      }
    }
  }

  @Test func `waiting for a pipe without a writer ends`() {
    let pipe = directory("pipe")
    mkfifo(pipe, 0o600)

    #expect(throws: FileFailure(path: pipe, problem: .silent(seconds: 0))) {
      try readFile(pipe, limit: ByteCount(100), patience: 0)
    }
  }

  @Test func `a pipe is read until its writer closes it`() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    #expect(write(ends[1], "feeds", 5) == 5)
    close(ends[1])

    #expect(try readFile("/dev/fd/\(ends[0])", limit: ByteCount(100)) == Array("feeds".utf8))
    close(ends[0])
  }

  @Test func `a file that cannot be read has its reason`() {
    let file = directory.file("file", "")
    let long = directory(String(repeating: "n", count: 256))
    var failures = [
      FileFailure(path: directory("none"), problem: .missing),
      FileFailure(path: directory.path, problem: .isDirectory),
      FileFailure(path: file + "/below", problem: .notDirectory),
      FileFailure(path: long, problem: .nameTooLong),
    ]
    // Root may read everything.
    if geteuid() != 0 {
      failures.append(FileFailure(path: directory.file("own", "", permissions: 0o000), problem: .denied))
    }

    for failure in failures { #expect(throws: failure) { try readFile(failure.path, limit: ByteCount(1)) } }
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
  func `a file in the way is reported`(name: String) {
    directory.file("file", "")

    #expect(throws: FileFailure(path: directory(name), problem: .notDirectory)) {
      try makePrivateDirectory(directory(name))
    }
  }

  @Test func `places are below the home directory unless the environment says otherwise`() {
    let places = StandardDirectories(
      environment: ["XDG_STATE_HOME": "/var/me", "XDG_CACHE_HOME": "relative", "XDG_CONFIG_HOME": ""],
      home: "/home/me")

    #expect(places.state == "/var/me")
    #expect(places.cache == "/home/me/.cache")
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

@Suite struct FeedFileTests {
  private let directory = TestDirectory()

  private func read(_ name: String, limit: Int64 = 100, tag: String? = nil) async -> Result<
    FeedFileContent, FileFailure
  >? {
    await readFeedFile(directory(name), limit: ByteCount(limit), unlessTagged: tag)
  }

  /// The text of the file `feed`, and its tag; it must have changed since the given tag.
  private func content(limit: Int64 = 100, tag: String? = nil) async throws -> (text: String, tag: String?) {
    guard case .success(.content(let bytes, let new))? = await read("feed", limit: limit, tag: tag) else {
      throw FileFailure(path: directory("feed"), problem: .changed)
    }
    return (text(bytes), new)
  }

  /// Writes a file that changed last a minute, or this many seconds, ago.
  private func write(_ text: String, to name: String, ago seconds: Double = 60) throws {
    directory.file(name, text)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: directory(name))
  }

  @Test func `a file is read once for each of its states`() async throws {
    try write("one", to: "feed")
    let (text, tag) = try await content()
    #expect(text == "one")
    #expect(tag != nil)

    #expect(await read("feed", tag: tag) == .success(.unchanged))
    try write("two", to: "feed", ago: 50)
    let changed = try await content(tag: tag)

    #expect(changed.text == "two")
    #expect(changed.tag != tag)
  }

  @Test func `a file that replaces another is a different file, even with the same length and time`()
    async throws
  {
    try write("one", to: "feed")
    let tag = try #require(try await content().tag)
    let date = try FileManager.default.attributesOfItem(atPath: directory("feed"))[.modificationDate]
    directory.file("other", "two")
    try FileManager.default.setAttributes(
      [.modificationDate: try #require(date)], ofItemAtPath: directory("other"))
    #expect(rename(directory("other"), directory("feed")) == 0)

    #expect(try await content(tag: tag).text == "two")
  }

  @Test func `a file that changed just now has no tag yet, as a second change might not show`() async throws {
    try write("one", to: "feed", ago: 0)

    #expect(await read("feed") == .success(.content(Array("one".utf8), tag: nil)))
  }

  @Test
  func
    `a pipe nobody writes to, a socket, a directory, a device and nothing are failures, none is waited for`()
    async throws
  {
    #expect(mkfifo(directory("pipe"), 0o600) == 0)
    #expect(mknod(directory("socket"), mode_t(S_IFSOCK) | 0o600, 0) == 0)
    #expect(mkdir(directory("folder"), 0o700) == 0)
    #expect(symlink("/dev/zero", directory("zero")) == 0)

    func problem(_ name: String) async -> FileProblem? {
      if case .failure(let failure)? = await read(name) { failure.problem } else { nil }
    }

    #expect(await problem("pipe") == .isSpecial)
    #expect(await problem("socket") == .isSpecial)
    #expect(await problem("folder") == .isDirectory)
    #expect(await problem("zero") == .isSpecial)
    #expect(await problem("nothing") == .missing)
  }

  @Test func `a file is read up to the limit and no further`() async throws {
    try write("12345", to: "feed")

    #expect(try await content(limit: 5).text == "12345")
    #expect(
      await read("feed", limit: 4)
        == .failure(FileFailure(path: directory("feed"), problem: .tooLarge(limit: ByteCount(4)))))
  }

  @Test func `a cancelled reading gives nothing`() async throws {
    try write("one", to: "feed")
    let path = directory("feed")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await readFeedFile(path, limit: ByteCount(100), unlessTagged: nil)
    }

    #expect(await task.value == nil)
  }
}

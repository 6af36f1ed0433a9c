// Real files of every kind, read as feeds.

import Core
import Foundation
import Host
import Testing

@Suite struct FeedFileTests {
  private let directory = TestDirectory()

  private func read(_ name: String, limit: Int64 = 100, tag: String? = nil) async -> Result<
    FeedFileContent, FileFailure
  >? {
    await readFeedFile(directory(name), limit: ByteCount(limit), unlessTagged: tag)
  }

  /// Writes a file that changed last a minute, or so many seconds, ago.
  private func write(_ text: String, to name: String, ago seconds: Double = 60) throws {
    directory.file(name, text)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: directory(name))
  }

  @Test func `a file is read once for each of its states`() async throws {
    try write("one", to: "feed")
    guard case .success(.content(let bytes, let tag?))? = await read("feed") else {
      return #expect(Bool(false), "not read")
    }

    let again = await read("feed", tag: tag)
    try write("two", to: "feed", ago: 50)
    let changed = await read("feed", tag: tag)

    #expect(bytes == Array("one".utf8))
    #expect(again == .success(.unchanged))
    guard case .success(.content(let newer, let newTag))? = changed else {
      return #expect(Bool(false), "not read")
    }
    #expect(newer == Array("two".utf8))
    #expect(newTag != tag)
  }

  @Test func `a file that takes the place of another is another, even of the same length and time`()
    async throws
  {
    try write("one", to: "feed")
    guard case .success(.content(_, let tag?))? = await read("feed") else {
      return #expect(Bool(false), "not read")
    }
    let date = try FileManager.default.attributesOfItem(atPath: directory("feed"))[.modificationDate]
    directory.file("other", "two")
    try FileManager.default.setAttributes(
      [.modificationDate: try #require(date)], ofItemAtPath: directory("other"))
    #expect(rename(directory("other"), directory("feed")) == 0)

    guard case .success(.content(let bytes, _))? = await read("feed", tag: tag) else {
      return #expect(Bool(false), "not read")
    }
    #expect(bytes == Array("two".utf8))
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

    guard case .success(.content(let bytes, _))? = await read("feed", limit: 5) else {
      return #expect(Bool(false), "not read")
    }
    #expect(bytes.count == 5)
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

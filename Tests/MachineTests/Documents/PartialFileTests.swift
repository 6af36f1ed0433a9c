// Partial files: opening, appending, cutting back, checksums, and which files are refused.

import Core
import Glibc
import Testing

@testable import Machine

/// Partial files: opening, writing, checksums.
@Suite struct PartialFileTests {
  let directory = TestDirectory()
  let documents: DocumentsDirectory
  var part: String { directory(".bgfetch/7.part") }

  init() async throws { documents = try await .ready(directory.path) }

  /// The partial file with these bytes, which is open no more.
  private func write(_ text: String) async throws {
    try await documents.openPartial(7, keeping: 0).append(text)
  }

  @Test func `a new partial file is empty and private`() async throws {
    let file = try await documents.openPartial(7, keeping: 0)

    #expect(file.size == 0)
    #expect(permissions(part) == 0o600)
    #expect(try await file.sha256() == digestOfNothing)
    #expect(fileIdentity(part) == file.identity)
  }

  @Test func `appended bytes are in the file, in order, counted and part of the checksum`() async throws {
    let file = try await documents.openPartial(7, keeping: 0)

    try file.append("a")
    _ = try await file.sha256()
    try file.append("")
    try file.append("bc")

    #expect(content(part) == "abc")
    #expect(file.size == 3)
    #expect(try await file.sha256() == digestOfABC)
  }

  @Test func `bytes beyond those kept are cut off, and the checksum covers the rest and new bytes`()
    async throws
  {
    try await write("ab and what was not synchronised")

    let file = try await documents.openPartial(7, keeping: 2)
    #expect(file.size == 2)
    try file.append("c")

    #expect(content(part) == "abc")
    #expect(try await file.sha256() == digestOfABC)
  }

  @Test func `with nothing to keep a new file replaces the old one`() async throws {
    let before = try await documents.openPartial(7, keeping: 0)
    try before.append("of another transfer")

    let file = try await documents.openPartial(7, keeping: 0)
    try before.append(", which still writes")
    try file.append("abc")

    #expect(content(part) == "abc")
    #expect(try await file.sha256() == digestOfABC)
    #expect(file.identity != before.identity)
  }

  @Test func `a restarted file has nothing of its old bytes, nor of their checksum`() async throws {
    for round in 0..<20 {
      let file = try await documents.openPartial(7, keeping: 0)
      try file.append([UInt8](repeating: 1, count: (5 << 20) + round * 100_000))
      let identity = file.identity
      try file.cut(to: 0)
      #expect(file.size == 0)
      try file.append("abc")

      #expect(content(part) == "abc")
      #expect(try await file.sha256() == digestOfABC)
      #expect(file.identity == identity)
    }
  }

  @Test(arguments: [0, 1, 3])
  func `a file that is cut back keeps its first bytes, with their checksum`(kept: Int64) async throws {
    try await write("ab")
    let file = try await documents.openPartial(7, keeping: 2)
    try file.append("c wrong")
    _ = try await file.sha256()

    try file.cut(to: kept)
    try file.append(["abc", "bc", "", ""][Int(kept)])

    #expect(content(part) == "abc")
    #expect(try await file.sha256() == digestOfABC)
    #expect(try await file.synchronize().bytes == 3)
  }

  @Test func `large pieces and a large rest have the checksum that sha256sum gives`() async throws {
    var bytes = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
    do {
      let file = try await documents.openPartial(7, keeping: 0)
      for _ in 0..<4 { try file.append(bytes) }
    }
    let file = try await documents.openPartial(7, keeping: 11 << 20)
    bytes.reverse()
    for start in stride(from: 0, to: bytes.count, by: 16_000) {
      try file.append(Array(bytes[start..<min(bytes.count, start + 16_000)]))
    }

    let digest = try #require(try await file.sha256())

    let other = await sh("sha256sum < \"$1\"", [part]).run()
    #expect(text(other.output) == digest + "  -\n")
  }

  @Test func `synchronising returns the number of safe bytes`() async throws {
    let file = try await documents.openPartial(7, keeping: 0)
    #expect(try await file.synchronize().bytes == 0)

    try file.append("abc")

    let safe = try await file.synchronize()
    #expect(safe.bytes == 3)
    #expect(safe.sha256 == digestOfABC)
  }

  @Test func `a cancelled task does not read what an earlier run left`() async throws {
    try await write(String(repeating: "x", count: 9 << 20))
    let file = try await documents.openPartial(7, keeping: 9 << 20)

    let reading = Task {
      // Ends when the task is cancelled.
      try? await Task.sleep(for: .seconds(60))
      return try await file.sha256()
    }
    reading.cancel()

    #expect(try await reading.value == nil)
    #expect(try await file.sha256() != nil)
  }

  @Test func `bytes can be appended while others are synchronised`() async throws {
    let file = try await documents.openPartial(7, keeping: 0)
    try await withThrowingTaskGroup { group in
      group.addTask {
        for _ in 0..<2000 { try file.append([UInt8](repeating: 9, count: 10_000)) }
      }
      group.addTask {
        var last: Int64 = 0
        while last < 20_000_000 {
          let safe = try await file.synchronize().bytes
          #expect(safe >= last)
          #expect(safe <= file.size)
          last = safe
        }
      }
      try await group.waitForAll()
    }
    let other = await sh("sha256sum < \"$1\"", [part]).run()

    #expect(try await text(other.output) == file.sha256().map { $0 + "  -\n" })
  }

  @Test(arguments: ["missing", "shorter", "link", "second name", "pipe", "directory", "files of others"])
  func `a partial file that was changed is lost, and can be made again`(case: String) async throws {
    let kept = directory.file("kept", "0123456789")
    switch `case` {
    case "shorter": directory.file(".bgfetch/7.part", "012")
    case "link": symlink(kept, part)
    case "second name": link(kept, part)
    case "pipe": mkfifo(part, 0o600)
    case "directory": mkdir(part, 0o700)
    case "files of others":
      mkdir(part, 0o700)
      directory.file(".bgfetch/7.part/a", "a")
    default: break
    }

    await #expect(throws: DocumentsProblem.partialLost(path: part)) {
      try await documents.openPartial(7, keeping: 4)
    }
    if `case` == "files of others" {
      await #expect(throws: DocumentsProblem.inTheWay(path: part)) {
        try await documents.openPartial(7, keeping: 0)
      }
      #expect(content(directory(".bgfetch/7.part/a")) == "a")
    } else {
      try await documents.openPartial(7, keeping: 0).append("abc")
      #expect(content(part) == "abc")
    }
    #expect(content(kept) == "0123456789")
  }

  @Test func `a link in the place of the partial files is refused`() async throws {
    rmdir(directory(".bgfetch"))
    mkdir(directory("elsewhere"), 0o700)
    symlink("elsewhere", directory(".bgfetch"))

    await #expect(throws: DocumentsProblem.inTheWay(path: directory(".bgfetch"))) {
      try await documents.prepare(wasUsed: false)
    }
    await #expect(throws: DocumentsProblem.inTheWay(path: directory(".bgfetch"))) {
      try await documents.openPartial(7, keeping: 0)
    }
    #expect(entries(directory("elsewhere")) == [])
  }

  @Test func `a partial file beyond the system's limit is reported, and the bytes before it are counted`()
    async
  {
    // A limit on file sizes belongs to the process, so this test gets its own.
    await #expect(processExitsWith: .exitCode(42)) {
      let directory = TestDirectory()
      let documents = try await DocumentsDirectory.ready(directory.path)
      let file = try await documents.openPartial(7, keeping: 0)
      Signals.ignoreBrokenPipes()
      var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)

      do throws(DocumentsProblem) {
        try file.append([UInt8](repeating: 1, count: 1500))
      } catch {
        exit(error == .fileTooLarge(path: directory(".bgfetch/7.part")) && file.size == 1000 ? 42 : 1)
      }
    }
  }

  @Test func `a partial file that another program cuts before it is read is lost`() async throws {
    try await write("abc")
    let file = try await documents.openPartial(7, keeping: 3)
    truncate(part, 1)

    await #expect(throws: DocumentsProblem.partialLost(path: part)) { try await file.sha256() }

    try file.cut(to: 0)
    try file.append("abc")
    #expect(try await file.sha256() == digestOfABC)
  }

  @Test func `two stores have partial files of the same transfer in one directory`() async throws {
    let (one, two) = (
      DocumentsDirectory(directory.path, mark: "0a"), DocumentsDirectory(directory.path, mark: "b0a")
    )
    try await one.openPartial(7, keeping: 0).append("one")
    try await two.openPartial(7, keeping: 0).append("two")
    _ = try await two.openPartial(8, keeping: 0)

    await one.discardOthers(keeping: [])
    #expect(one.partials == ["7-b0a.part", "8-b0a.part"])
    await two.discardOthers(keeping: [7])
    #expect(content(directory(".bgfetch/7-b0a.part")) == "two")
    await one.discard(7)
    #expect(one.partials == ["7-b0a.part"])
    await two.discard(7)
    #expect(one.partials == [])
  }

  @Test func `unknown partial files are removed, and nothing else`() async throws {
    let others = [
      "notes", "x.part", "07.part", "9.part.old", "+3.part", ".part", "99999999999999999999.part",
    ]
    for name in others + ["1.part", "2.part", "30.part"] { directory.file(".bgfetch/" + name, "") }
    mkdir(directory(".bgfetch/4.part"), 0o700)
    symlink(directory("5"), directory(".bgfetch/5.part"))
    directory.file("6.part", "the user's own")

    await documents.discardOthers(keeping: [2, 31])

    #expect(documents.partials == (others + ["2.part", "4.part", "5.part"]).sorted())
    #expect(directory.names == [".bgfetch", "6.part"])
  }
}

// Room for a file: enough, not now, or never.

import Core
import Testing

@Suite struct ShortageTests {
  private func shortage(_ bytes: Int64, free: Int64 = 100, size: Int64 = 1000) -> DocumentsProblem? {
    .shortage(
      in: "/docs", free: ByteCount(free), ofAll: ByteCount(size), for: bytes, floor: ByteCount(10))
  }

  @Test func `a file is too large where an empty file system would not take it`() {
    #expect(shortage(1001) == .fileTooLarge(path: "/docs"))
    #expect(shortage(.max) == .fileTooLarge(path: "/docs"))
    #expect(shortage(1001, free: 0) == .fileTooLarge(path: "/docs"))
  }

  @Test func `a file that an empty file system would take waits for room`() {
    #expect(shortage(1000) == .belowFreeSpace(path: "/docs", free: ByteCount(100), floor: ByteCount(1010)))
    #expect(shortage(90) == nil)
    #expect(shortage(-1) == nil)
  }

  @Test func `where the size is not known every file waits for room`() {
    #expect(
      shortage(2000, size: 0)
        == .belowFreeSpace(path: "/docs", free: ByteCount(100), floor: ByteCount(2010)))
  }
}

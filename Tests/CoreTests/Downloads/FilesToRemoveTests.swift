// The files that `keep` removes, and file systems without space.

import Core
import Testing

@Suite struct FilesToRemoveTests {
  /// Files by the age in days and the size of each; the numbers are the places in the list.
  private func files(_ list: [(days: Int64, size: Int64)]) -> [PlacedTransfer] {
    list.enumerated().map { place, file in
      PlacedTransfer(
        CountedFile(transfer: Int64(place), date: now - .days(file.days), size: file.size),
        file: PlacedFile(directory: "/d", name: "\(place)", size: file.size, sha256: "", placed: now))
    }
  }

  private func removed(
    _ list: [(days: Int64, size: Int64)], count: Int? = nil, days: Int64? = nil, size: Int64? = nil
  ) -> [Int64] {
    var keep = KeepRule()
    keep.count = count
    keep.age = days.map { .days($0) }
    keep.size = size.map { ByteCount($0) }
    return filesToRemove(files(list), keep: keep, at: now).map(\.transfer)
  }

  @Test func `without keep everything stays`() {
    #expect(removed([(1000, 1 << 40), (1, 1), (2, 1)]) == [])
  }

  @Test(arguments: [(4, []), (3, []), (2, [0]), (1, [0, 2]), (0, [0, 2])] as [(Int, [Int64])])
  func `the oldest beyond the count go, and the newest stays`(count: Int, gone: [Int64]) {
    #expect(removed([(9, 1), (1, 1), (5, 1)], count: count) == gone)
  }

  @Test(arguments: [(9, []), (8, [0]), (3, [0, 2]), (0, [0, 2])] as [(Int64, [Int64])])
  func `files older than the age go, but not the newest`(days: Int64, gone: [Int64]) {
    #expect(removed([(9, 1), (1, 1), (5, 1)], days: days) == gone)
  }

  @Test(
    arguments: [(60, []), (59, [0]), (50, [0]), (49, [0, 2]), (1, [0, 2])] as [(Int64, [Int64])])
  func `the newest files stay if they fit together`(size: Int64, gone: [Int64]) {
    #expect(removed([(9, 10), (1, 20), (5, 30)], size: size) == gone)
  }

  @Test func `if a file does not fit, all older ones are removed too`() {
    #expect(removed([(4, 1), (3, 1), (2, 100), (1, 1)], size: 50) == [0, 1, 2])
  }

  @Test func `the first bound that is reached counts`() {
    #expect(removed([(9, 1), (1, 1), (5, 1), (2, 1)], count: 3, days: 4, size: 100) == [0, 2])
  }

  @Test func `the later transfer of files with one date is newer`() {
    #expect(removed([(1, 1), (1, 1), (1, 1)], count: 1) == [0, 1])
  }

  @Test(
    arguments: [
      (0, false), (-62_135_596_800, false), (631_151_999, false), (631_152_000, true), (nil, false),
      (4_070_908_800, false),
    ] as [(Int64?, Bool)])
  func `a date before the web or in the future is none, and the arrival counts`(date: Int64?, counts: Bool) {
    let published = date.map { Instant(secondsSince1970: $0) }

    let file = CountedFile(transfer: 1, published: published, arrived: now)

    #expect(file.date == (counts ? published : now))
  }

  @Test func `of files that arrived together the later item is newer, and the first file of an item`() {
    var files = files([(1, 1), (1, 1), (1, 1)])
    for (place, (item, index)) in [(Int64(2), 1), (2, 2), (1, 1)].enumerated() {
      (files[place].counted.item, files[place].counted.index) = (item, index)
    }
    var keep = KeepRule()
    keep.count = 1

    #expect(filesToRemove(files, keep: keep, at: now).map(\.transfer) == [2, 1])
  }

  @Test func `sizes whose sum overflows are too large`() {
    #expect(removed([(1, .max), (2, .max)], size: .max) == [1])
  }
}

@Suite struct ShortageTests {
  private func shortage(_ bytes: Int64, free: Int64 = 100, size: Int64 = 1000) -> DocumentsProblem? {
    .shortage(
      in: "/docs", free: ByteCount(free), ofAll: ByteCount(size), for: bytes, floor: ByteCount(10))
  }

  @Test func `a file larger than the file system is too large`() {
    #expect(shortage(1001) == .fileTooLarge(path: "/docs"))
    #expect(shortage(.max) == .fileTooLarge(path: "/docs"))
    #expect(shortage(1001, free: 0) == .fileTooLarge(path: "/docs"))
  }

  @Test func `a file that fits an empty file system waits for space`() {
    #expect(shortage(1000) == .belowFreeSpace(path: "/docs", free: ByteCount(100), floor: ByteCount(1010)))
    #expect(shortage(90) == nil)
    #expect(shortage(-1) == nil)
  }

  @Test func `if the size of the file system is unknown every file waits for space`() {
    #expect(
      shortage(2000, size: 0)
        == .belowFreeSpace(path: "/docs", free: ByteCount(100), floor: ByteCount(2010)))
  }
}

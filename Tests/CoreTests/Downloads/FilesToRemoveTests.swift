// The files that `keep` removes, and file systems without space.

import Testing

@testable import Core

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
    filesToRemove(files(list), keep: KeepRule(count: count, days: days, size: size), at: now).map(\.transfer)
  }

  @Test(
    arguments: [
      ("without keep all stay", [(1000, 1 << 40), (1, 1), (2, 1)], nil, nil, nil, []),
      ("as many as the count", [(9, 1), (1, 1), (5, 1)], 4, nil, nil, []),
      ("exactly", [(9, 1), (1, 1), (5, 1)], 3, nil, nil, []),
      ("the oldest go", [(9, 1), (1, 1), (5, 1)], 2, nil, nil, [0]),
      ("the newest stays", [(9, 1), (1, 1), (5, 1)], 1, nil, nil, [0, 2]),
      ("also with 0", [(9, 1), (1, 1), (5, 1)], 0, nil, nil, [0, 2]),
      ("as old as the age", [(9, 1), (1, 1), (5, 1)], nil, 9, nil, []),
      ("older files go", [(9, 1), (1, 1), (5, 1)], nil, 8, nil, [0]),
      ("all older ones", [(9, 1), (1, 1), (5, 1)], nil, 3, nil, [0, 2]),
      ("not the newest", [(9, 1), (1, 1), (5, 1)], nil, 0, nil, [0, 2]),
      ("they fit together", [(9, 10), (1, 20), (5, 30)], nil, nil, 60, []),
      ("the oldest does not", [(9, 10), (1, 20), (5, 30)], nil, nil, 59, [0]),
      ("the newest do", [(9, 10), (1, 20), (5, 30)], nil, nil, 50, [0]),
      ("only the newest does", [(9, 10), (1, 20), (5, 30)], nil, nil, 49, [0, 2]),
      ("the newest stays", [(9, 10), (1, 20), (5, 30)], nil, nil, 1, [0, 2]),
      (
        "if one does not fit, all older ones go, too", [(4, 1), (3, 1), (2, 100), (1, 1)], nil, nil, 50,
        [0, 1, 2]
      ),
      ("the first bound that is reached", [(9, 1), (1, 1), (5, 1), (2, 1)], 3, 4, 100, [0, 2]),
      ("of one date the later is newer", [(1, 1), (1, 1), (1, 1)], 1, nil, nil, [0, 1]),
      ("a sum that overflows is too large", [(1, .max), (2, .max)], nil, nil, .max, [1]),
    ] as [(String, [(days: Int64, size: Int64)], Int?, Int64?, Int64?, [Int64])])
  func `the oldest files beyond count, age or size go, and the newest stays`(
    rule: String, list: [(days: Int64, size: Int64)], count: Int?, days: Int64?, size: Int64?, gone: [Int64]
  ) {
    #expect(removed(list, count: count, days: days, size: size) == gone, "\(rule)")
  }

  @Test(
    arguments: [
      (0, false), (-62_135_596_800, false), (631_151_999, false), (631_152_000, true), (nil, false),
      (4_070_908_800, false),
    ] as [(Int64?, Bool)])
  func `a date before the web or in the future is none, and the arrival counts`(date: Int64?, counts: Bool) {
    let published = date.map { Instant(secondsSince1970: $0) }

    #expect(CountedFile(transfer: 1, published: published, arrived: now).date == (counts ? published : now))
  }

  @Test func `files that the person asked for stay and do not count`() {
    var files = files([(9, 1), (1, 1), (5, 1), (3, 1)])
    for place in [0, 1] { files[place].counted.isExempt = true }

    #expect(filesToRemove(files, keep: KeepRule(count: 2), at: now).map(\.transfer) == [])
    #expect(filesToRemove(files, keep: KeepRule(count: 1), at: now).map(\.transfer) == [2])
    #expect(filesToRemove(files, keep: KeepRule(days: 4), at: now).map(\.transfer) == [2])
  }

  @Test(
    arguments: [
      ("without keep", nil, nil, nil, [nil, nil, nil, nil]),
      ("the newest two", 2, nil, nil, [.keep, .keep, nil, nil]),
      ("the age", nil, 3, nil, [.keep, .keep, nil, nil]),
      ("the age of the newest does not matter", nil, 0, nil, [.keep, .keep, .keep, nil]),
      ("the sizes, guessed by the file that is there", nil, nil, 25, [.keep, .keep, nil, nil]),
    ] as [(String, Int?, Int64?, Int64?, [OmissionRule?])])
  func `a queued file that keep would remove at once is not downloaded`(
    rule: String, count: Int?, days: Int64?, size: Int64?, omissions: [OmissionRule?]
  ) {
    var files = files([(9, 0), (5, 0), (3, 0), (1, 10)]).map(\.counted)
    for place in 0...2 { files[place].size = nil }

    let found = files.map {
      omission(of: $0.transfer, among: files, keep: KeepRule(count: count, days: days, size: size), at: now)
    }

    #expect(found == omissions, "\(rule)")
    #expect(omission(of: 17, among: files, keep: KeepRule(count: 1), at: now) == nil)
  }

  @Test func `of files that arrived together the later item is newer, and the first file of an item`() {
    var files = files([(1, 1), (1, 1), (1, 1)])
    for (place, (item, index)) in [(Int64(2), 1), (2, 2), (1, 1)].enumerated() {
      files[place].counted.item = item
      files[place].counted.index = index
    }

    #expect(filesToRemove(files, keep: KeepRule(count: 1), at: now).map(\.transfer) == [2, 1])
  }
}

extension KeepRule {
  /// A rule with bounds; the age in days, the size in bytes.
  init(count: Int? = nil, days: Int64? = nil, size: Int64? = nil) {
    self.init()
    (self.count, age, self.size) = (count, days.map { .days($0) }, size.map { ByteCount($0) })
  }
}

@Suite struct ShortageTests {
  @Test(
    arguments: [(1000, 1010), (90, nil), (91, 101), (-1, nil)] as [(Int64, Int64?)])
  func `a file waits for the space that it needs above the floor`(bytes: Int64, least: Int64?) {
    let free = ByteCount(100)
    let shortage = DocumentsProblem.shortage(in: "/docs", free: free, for: bytes, floor: ByteCount(10))

    #expect(shortage == least.map { .belowFreeSpace(path: "/docs", free: free, floor: ByteCount($0)) })
  }
}

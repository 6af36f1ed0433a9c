// Placed files and their directories.

import Core
import Testing

@testable import Store

@Suite final class PlacedFileTests: TransferSuite {
  private func placed(_ guid: String, _ name: String) async throws -> Transfer {
    let transfer = try #require(try await world.queued([guid]).first)
    try await world.settle(transfer, file: file(name))
    return transfer
  }

  @Test func `a directory is in use from its first file on`() async throws {
    #expect(try await store.usedDirectories().isEmpty)

    try await store.recordDirectory("/documents", at: now)
    try await store.recordDirectory("/documents", at: now + .days(1))
    try await store.recordDirectory("/mnt/nas", at: now)

    #expect(try await store.usedDirectories() == ["/documents", "/mnt/nas"])
  }

  @Test func `the files of a feed are listed by the date of their items, oldest first`() async throws {
    try await store.commit(
      fetch(
        world.planet,
        [item("young", published: now - .days(1)), item("old", published: now - .days(9)), item("undated")],
        wanting: (0..<3).map { found(.new($0), "\($0)") }))
    for transfer in try await store.unsettled() {
      try await world.settle(transfer, file: file(try #require(transfer.item?.id)))
    }

    let files = try await store.placedFiles(world.planet)

    #expect(files.map(\.file) == ["old", "young", "undated"].map { file($0) })
    #expect(files.map(\.counted.date) == [now - .days(9), now - .days(1), now])
  }

  @Test func `a file without an item has the date of its placing`() async throws {
    try await store.queueFeedBody(world.planet, description: "list.txt", round: nil, at: now)
    let transfer = try #require(try await store.unsettled().first)
    try await world.settle(transfer, file: file("list.txt", at: now + .hours(2)))

    #expect(try await store.placedFiles(world.planet).map(\.counted.date) == [now + .hours(2)])
  }

  @Test func `a removed file is stored as removed and not listed`() async throws {
    let transfer = try await placed("a", "a.mp3")
    #expect(try await store.feedsWithFiles() == [world.planet])

    try await store.markRemoved([transfer.number], at: now + .days(1))
    try await store.markRemoved([transfer.number], at: now + .days(2))

    #expect(try await store.placedFiles(world.planet).isEmpty)
    #expect(try await store.feedsWithFiles().isEmpty)
    #expect(try await store.owner("/documents", name: "a.mp3") == nil)
    let current = try await world.current(transfer)
    #expect(current.file?.removed == now + .days(1))
    #expect(current.status == .finished)
  }

  @Test(
    arguments: [
      ("Straße ς.mp3", "STRASSE Σ.MP3"), ("ÄRGER.mp3", "ärger.mp3"), ("planet/A.mp3", "Planet/a.MP3"),
      ("ǅ.mp3", "ǆ.mp3"), ("ẞẞ.mp3", "ßß.mp3"), ("ßß.mp3", "ẞẞ.mp3"), ("same", "same"),
    ])
  func `names are compared without regard to case`(names: (placed: String, asked: String)) async throws {
    _ = try await placed("a", names.placed)

    #expect(try await store.owner("/documents", name: names.asked) == world.planet)
    #expect(try await store.owner("/elsewhere", name: names.asked) == nil)
    #expect(try await store.owner("/documents", name: "other " + names.asked) == nil)
  }

  @Test func `files that the person asked for, or of items with a star, are exempt from retention`()
    async throws
  {
    let first = try await placed("a", "a.mp3")
    let starred = try await placed("b", "b.mp3")
    let asked = try await placed("c", "c.mp3")
    let waiting = try #require(try await world.queued(["d"]).first)
    let failed = try #require(try await world.queued(["e"]).first)
    try await world.settle(failed, .failed)
    let numbers = [asked, waiting].compactMap { $0.item?.number }

    _ = try await store.star([try #require(starred.item?.number)], isStarred: true)
    let added = try await store.addTransfers(world.planet, numbers, isAskedFor: true, at: now)
    try await store.retryTransfer(failed.number, at: now)

    #expect(added == [])
    let placed = try await store.placedFiles(world.planet).filter(\.counted.isExempt).map(\.transfer)
    #expect(placed == [starred.number, asked.number])
    #expect(try await store.queuedFiles(world.planet).filter(\.isExempt).count == 2)
    _ = try await store.star([try #require(starred.item?.number)], isStarred: false)
    let left = try await store.placedFiles(world.planet).filter { !$0.counted.isExempt }.map(\.transfer)
    #expect(left == [first.number, starred.number])
  }

  @Test func `what a push requests is not exempt`() async throws {
    let first = try await placed("a", "a.mp3")

    let again = try #require(try await store.addedAgain(first, in: world, isAskedFor: false))

    #expect(try await store.queuedFiles(world.planet).map(\.isExempt) == [false])
    #expect(again.status == .queued)
  }

  @Test func `a file that replaces another is the only one of its name`() async throws {
    let earlier = try await placed("a", "list.txt")
    let other = try await placed("b", "other.txt")

    let later = try await placed("c", "list.txt")

    #expect(Set(try await store.placedFiles(world.planet).map(\.transfer)) == [other.number, later.number])
    #expect(try await world.current(earlier).file?.removed == now)
  }

  @Test func `the last finished transfer of a URL is found by the whole URL`() async throws {
    let first = try await placed("a", "a.mp3")
    let second = try #require(try await store.addedAgain(first, in: world))
    try await world.settle(second, file: file("a (2).mp3"))
    let third = try #require(try await store.addedAgain(second, in: world))
    try await world.settle(third, .failed)

    #expect(try await store.lastFinished(world.planet, url: first.asset.url)?.number == second.number)
    #expect(try await store.lastFinished(world.planet, url: first.asset.url + "?t=1") == nil)
    #expect(try await store.lastFinished(try name("other"), url: first.asset.url) == nil)
  }
}

extension Store {
  /// A transfer of the same asset, after the first file was removed.
  fileprivate func addedAgain(
    _ transfer: Transfer, in world: TransferWorld, isAskedFor: Bool = true
  ) async throws -> Transfer? {
    try markRemoved([transfer.number], at: now)
    let items = [transfer.item?.number].compactMap(\.self)
    return try addTransfers(world.planet, items, isAskedFor: isAskedFor, at: now).first.flatMap {
      number in try self.transfer(number)
    }
  }
}

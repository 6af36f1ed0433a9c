// Changes to transfers by the person.

import Core
import Testing

@testable import Store

@Suite final class TransferAdministrationTests: TransferSuite {
  /// A transfer with a status.
  private func transfer(_ status: TransferStatus) async throws -> Transfer {
    let transfer = try await world.running("\(status)")
    switch status {
    case .running: break
    case .queued, .suspended:
      var leave = transfer.postponed(status, "later", partial: partial(500))
      leave.notBefore = now + .hours(1)
      leave.failures = 7
      leave.failingSince = now
      leave.cuts = 2
      try await store.requeue(leave)
    case .finished, .failed, .cancelled: try await world.settle(transfer, status)
    }
    return try await world.current(transfer)
  }

  @Test(
    arguments: [
      (.queued, true), (.running, false), (.suspended, true), (.finished, false),
      (.failed, true), (.cancelled, true),
    ] as [(TransferStatus, Bool)])
  func `retrying`(status: TransferStatus, isDone: Bool) async throws {
    let before = try await transfer(status)

    #expect(try await store.retryTransfer(before.number, at: now) == isDone)

    let after = try await world.current(before)
    guard isDone else { return #expect(after == before) }
    #expect(after.status == .queued)
    #expect(after.notBefore == nil)
    #expect(after.failures == 0)
    #expect(after.failingSince == nil)
    #expect(after.reason == Transfer.askedFor)
    #expect(after.partial == before.partial)
    #expect(after.cuts == before.cuts)
    #expect(try await store.unsettled().map(\.number) == [before.number])
  }

  @Test(
    arguments: [
      (.queued, true), (.running, true), (.suspended, true), (.finished, false),
      (.failed, false), (.cancelled, false),
    ] as [(TransferStatus, Bool)])
  func `suspending and resuming`(status: TransferStatus, isDone: Bool) async throws {
    let before = try await transfer(status)

    #expect(try await store.suspendTransfer(before.number) == isDone)
    guard isDone else { return #expect(try await world.current(before) == before) }
    let held = try await world.current(before)
    #expect(held.status == .suspended)
    #expect(held.isSuspendedByUser)
    #expect(try await store.suspendTransfer(before.number) == false)

    #expect(try await store.resumeTransfer(before.number))
    let resumed = try await world.current(before)
    #expect(resumed.status == .queued)
    #expect(!resumed.isSuspendedByUser)
    #expect(resumed.notBefore == nil)
    #expect(resumed.partial == before.partial)
    #expect(try await store.resumeTransfer(before.number) == false)
  }

  @Test(
    arguments: [
      (.queued, true), (.running, true), (.suspended, true), (.finished, false),
      (.cancelled, false),
    ] as [(TransferStatus, Bool)])
  func `cancelling`(status: TransferStatus, isDone: Bool) async throws {
    let before = try await transfer(status)
    let told = try await world.told()

    #expect(try await store.cancelTransfer(before.number, at: now, sessionFinished: finished) == isDone)
    guard isDone else {
      #expect(try await world.told() == told)
      return #expect(try await world.current(before) == before)
    }
    #expect(try await world.current(before).status == .cancelled)
    #expect(try await world.current(before).partial == PartialDownload())
    #expect(try await world.told() == told + ["session.\(before.session): 0+0+1"])
  }

  @Test func `a transfer that is being placed cannot be changed`() async throws {
    let transfer = try await transfer(.running)
    _ = try await store.recordIntent(transfer.number, intent("a.mp3"), partial(1000))
    let before = try await world.current(transfer)

    #expect(try await store.suspendTransfer(transfer.number) == false)
    #expect(
      try await store.cancelTransfer(transfer.number, at: now, sessionFinished: finished) == false)

    #expect(try await world.current(transfer) == before)
  }

  @Test func `an unknown number is not a transfer`() async throws {
    #expect(try await store.retryTransfer(1, at: now) == false)
    #expect(try await store.suspendTransfer(1) == false)
    #expect(try await store.resumeTransfer(1) == false)
    #expect(try await store.cancelTransfer(1, at: now, sessionFinished: finished) == false)
  }

  @Test func `a failed transfer is not retried beside another of the same asset`() async throws {
    let failed = try await transfer(.failed)
    let item = try #require(failed.item?.number)
    let added = try await store.addTransfers(world.planet, [item], isAskedFor: false, at: now)

    #expect(try await store.retryTransfer(failed.number, at: now) == false)
    try await world.settle(try #require(try await store.transfer(added[0])), file: file("a.mp3"))
    #expect(try await store.retryTransfer(failed.number, at: now) == false)
    try await store.markRemoved(added, at: now)
    #expect(try await store.retryTransfer(failed.number, at: now))
  }

  @Test func `a failed fetch by transfer is not retried beside an unfinished one`() async throws {
    try await store.queueFeedBody(world.planet, description: "list.txt", round: nil, at: now)
    let failed = try #require(try await store.unsettled().first)
    try await world.settle(failed, .failed)
    let next = try #require(
      try await store.queueFeedBody(world.planet, description: "list.txt", round: nil, at: now))

    #expect(try await store.retryTransfer(failed.number, at: now) == false)
    try await world.settle(try #require(try await store.transfer(next)), file: file("list.txt"))
    #expect(try await store.retryTransfer(failed.number, at: now))
  }

  @Test func `changes of another process to a transfer are visible`() async throws {
    let transfer = try await transfer(.running)
    let version = try await store.dataVersion()

    try await world.directory.open().suspendTransfer(transfer.number)

    #expect(try await store.dataVersion() != version)
  }
}

@Suite final class AddedTransferTests: TransferSuite {
  private var items: [Int64] = []

  /// Three items with known but unwanted assets, the second one with two.
  override init() async throws {
    try await super.init()
    var commit = fetch(
      world.planet,
      (1...4).map { item("\($0)", title: "Title of \($0)", published: now - .days(9 - Int64($0))) }
        + [item("filtered", isFiltered: true)])
    commit.assets.known = [
      found(.new(0), "1"), found(.new(1), "2b", index: 2), found(.new(1), "2"), found(.new(2), "3"),
      found(.new(4), "filtered"),
    ]
    items = try #require(try await world.store.commit(commit))
  }

  /// The numbers of the newest items with files.
  private func newest(_ limit: Int) async throws -> [Int64] {
    var query = ItemQuery(limit: limit)
    query.withFilesOnly = true
    return try await store.itemNumbers(query, among: [world.planet])
  }

  private func added(_ items: [Int64]) async throws -> [String] {
    let numbers = try await store.addTransfers(world.planet, items, isAskedFor: true, at: now)
    return try await store.unsettled().filter { numbers.contains($0.number) }.map(\.description)
  }

  @Test func `the assets of the newest items with assets are queued, oldest first`() async throws {
    #expect(try await added(newest(2)) == ["Title of 2", "Title of 2b", "Title of 3"])
    #expect(try await store.unsettled().allSatisfy { $0.item != nil })
  }

  @Test func `the assets of named items are queued, except of filtered and unknown ones`() async throws {
    #expect(try await added([items[0], items[3], items[4], 4711]) == ["Title of 1"])
    #expect(try await store.addTransfers(try name("other"), items, isAskedFor: true, at: now).isEmpty)
    #expect(try await added(newest(0)).isEmpty)
  }

  @Test func `a queued or placed asset is not queued again, a removed one is`() async throws {
    let first = try await store.addTransfers(world.planet, newest(1), isAskedFor: true, at: now)
    #expect(try await added(newest(1)).isEmpty)

    try await world.settle(try #require(try await store.transfer(first[0])), file: file("3.mp3"))
    #expect(try await added(newest(1)).isEmpty)

    try await store.markRemoved(first, at: now)
    #expect(try await added(newest(1)) == ["Title of 3"])
  }

  @Test(arguments: [TransferStatus.failed, .cancelled])
  func `an asset whose transfer ended without a file is queued again`(status: TransferStatus) async throws {
    let first = try await store.addTransfers(world.planet, newest(1), isAskedFor: true, at: now)
    try await world.settle(try #require(try await store.transfer(first[0])), status)

    #expect(try await store.addTransfers(world.planet, newest(1), isAskedFor: true, at: now) == first)
    #expect(try await store.unsettled().map(\.description) == ["Title of 3"])
  }

  @Test func `only assets that are wanted are queued`() async throws {
    let added = try await store.addTransfers(world.planet, newest(2), isAskedFor: true, at: now) { asset, _ in
      asset.index == 2
    }

    #expect(added.count == 1)
    #expect(try await store.unsettled().map(\.description) == ["Title of 2b"])
  }
}

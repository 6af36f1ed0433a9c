// The end of transfers and of their sessions.

import Core
import Testing

@testable import Store

@Suite final class SettlementTests: TransferSuite {
  @Test func `a settled transfer has its file and validators, and no intent`() async throws {
    let transfer = try await world.running()
    _ = try await store.recordIntent(transfer.number, intent("a.mp3"), partial(1000))
    var end = settlement(transfer, file: file("a.mp3"), at: now + .minutes(1))
    end.partial = partial(1000)

    #expect(try await store.end(end, round: nil, configured: []))

    let settled = try await world.current(transfer)
    #expect(settled.status == .finished)
    #expect(settled.file == file("a.mp3"))
    #expect(settled.partial == partial(1000))
    #expect(settled.intent == nil)
    #expect(try await store.unsettled().isEmpty)
  }

  @Test(arguments: [TransferStatus.finished, .failed, .cancelled])
  func `a transfer settles once, with one event`(status: TransferStatus) async throws {
    let transfer = try await world.running()

    #expect(try await world.settle(transfer, status))
    #expect(try await !world.settle(transfer, .failed))
    #expect(try await !world.settle(transfer, .finished, file: file("a.mp3")))

    #expect(try await world.current(transfer).status == status)
    #expect(try await store.placedFiles(world.planet).isEmpty)
    #expect(try await world.told().first == "\(status).\(transfer.number)")
    #expect(try await world.told().count == 2)
  }

  @Test(.onFile) func `a settlement that fails at its end stores nothing`() async throws {
    let transfer = try await world.running()
    try await store.execute(
      "CREATE TRIGGER no BEFORE UPDATE OF closed ON session BEGIN SELECT raise(ABORT, 'no'); END")

    await #expect(throws: StoreFailure.self) {
      try await world.settle(transfer, file: file("a.mp3"))
    }

    #expect(try await world.current(transfer).status == .running)
    #expect(try await store.placedFiles(world.planet).isEmpty)
    #expect(try await world.told().isEmpty)
  }

  @Test
  func `the fetch of a feed of kind asset is committed with its transfer, and its item is the transfer's`()
    async throws
  {
    try await store.queueFeedBody(world.planet, description: "list.txt", round: nil, at: now)
    let transfer = try #require(try await store.unsettled().first)
    var commit = fetch(world.planet, [item("list", title: "List")])
    commit.state.lastAsked = now
    commit.events = [event("new-data", .newData), event("message", .notification, newItems: [0])]
    var end = settlement(transfer, file: file("list.txt"))
    end.events[0].newItems = [0]
    end.commit = (commit, now + .hours(1))

    #expect(try await store.end(end, round: nil, configured: [world.planet]))

    #expect(try await world.current(transfer).item?.id == "list")
    var stored = commit.state
    stored.planned = now + .hours(1)
    #expect(try await store.writtenState(world.planet) == stored)
    #expect(try await store.fetches(of: world.planet, limit: 9).map(\.result) == [.newData])
    #expect(try await store.badge(configured: [world.planet]) == 1)
    #expect(
      try await world.told()
        == ["new-data", "message", "finished.\(transfer.number)", "session.\(transfer.session): 1+0+0"])
  }

  @Test func `a commit that lost the race for its transfer stores nothing`() async throws {
    try await store.queueFeedBody(world.planet, description: "list.txt", round: nil, at: now)
    let transfer = try #require(try await store.unsettled().first)
    try await world.settle(transfer, .cancelled)
    var late = settlement(transfer)
    late.commit = (fetch(world.planet, [item("list")]), nil)

    #expect(try await !store.end(late, round: nil, configured: [world.planet]))

    #expect(try await store.knownItems(world.planet).isEmpty)
    #expect(try await store.badge(configured: [world.planet]) == 0)
  }
}

@Suite final class SessionTests: TransferSuite {
  @Test func `transfers of a feed share a session while one is unsettled`() async throws {
    let first = try await world.queued(["a"])
    let second = try await world.queued(["b"])
    let other = try await world.queued(["c"], feed: try name("other"))

    #expect(first[0].session == second[0].session)
    #expect(first[0].session != other[0].session)
  }

  @Test func `a session finishes after the events of its last transfer, with totals`() async throws {
    let transfers = try await world.queued(["a", "b", "c"])

    try await world.settle(transfers[1], .failed)
    try await world.settle(transfers[0], .finished)
    try await world.settle(transfers[2], .cancelled)

    let numbers = transfers.map(\.number)
    #expect(
      try await world.told() == [
        "failed.\(numbers[1])", "finished.\(numbers[0])", "cancelled.\(numbers[2])",
        "session.\(transfers[0].session): 1+1+1",
      ])
  }

  @Test func `a suspended transfer keeps its session open`() async throws {
    let transfers = try await world.queued(["a", "b"])
    try await store.suspendTransfer(transfers[0].number)

    try await world.settle(transfers[1])

    #expect(try await world.told() == ["finished.\(transfers[1].number)"])
  }

  @Test func `a transfer queued after the end opens another session`() async throws {
    let first = try await world.queued(["a"])
    try await world.settle(first[0])

    let second = try await world.queued(["b"])
    try await world.settle(second[0], .failed)

    #expect(second[0].session > first[0].session)
    #expect(
      try await world.told().filter { $0.hasPrefix("session") }
        == ["session.\(first[0].session): 1+0+0", "session.\(second[0].session): 0+1+0"])
  }

  @Test func `a retry while others are unsettled counts once in its session`() async throws {
    let transfers = try await world.queued(["a", "b"])
    try await world.settle(transfers[0], .failed)

    #expect(try await store.retryTransfer(transfers[0].number, at: now))
    try await world.settle(transfers[1])
    try await world.settle(transfers[0])

    #expect(try await world.current(transfers[0]).session == transfers[0].session)
    #expect(try await world.told().last == "session.\(transfers[0].session): 2+0+0")
  }

  @Test func `a retry after the end opens another session`() async throws {
    let transfer = try await world.running()
    try await world.settle(transfer, .failed)

    try await store.retryTransfer(transfer.number, at: now)
    let again = try await world.current(transfer)
    try await world.settle(again)

    #expect(again.session > transfer.session)
    #expect(
      try await world.told().filter { $0.hasPrefix("session") }
        == ["session.\(transfer.session): 0+1+0", "session.\(again.session): 1+0+0"])
  }

  @Test func `sessions of hundreds of concurrent settlements from two stores finish once each`() async throws
  {
    let feeds = try (0..<5).map { try name("feed\($0)") }
    var transfers: [Transfer] = []
    for feed in feeds { transfers += try await world.queued((0..<20).map(String.init), feed: feed) }
    let stores = [store, try world.directory.open()]

    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, transfer) in transfers.enumerated() {
        for store in stores {
          group.addTask {
            _ = try await store.end(
              settlement(transfer, index % 3 == 0 ? .failed : .finished), round: nil, configured: [])
          }
        }
      }
      try await group.waitForAll()
    }

    let finished = try await world.told().filter { $0.hasPrefix("session") }
    #expect(finished.count == 5)
    #expect(finished.allSatisfy { $0.hasSuffix(": 13+7+0") || $0.hasSuffix(": 14+6+0") })
    #expect(try await world.told().count == 105)
  }
}

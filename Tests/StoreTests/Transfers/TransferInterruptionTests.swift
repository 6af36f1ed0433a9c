// Transfers of killed processes.

import Core
import Glibc
import Testing

@testable import Store

@Suite(.onFile) struct TransferInterruptionTests {
  private let world: TransferWorld
  private let transfer: Transfer
  private var store: Store { world.store }

  init() async throws {
    world = try TransferWorld()
    transfer = try #require(try await world.queued(["a"]).first)
  }

  /// The transfers that a later process must recover, and the state of this one.
  private func taken() async throws -> (Transfer, placing: [Int64]) {
    try await store.endHolds()
    let placing = try await store.reclaimInterrupted().map(\.number)
    return (try await world.current(transfer), placing)
  }

  @Test func `a process killed during a download leaves its transfer suspended, with its bytes`() async throws
  {
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = world.directory.path as String, number = transfer.number as Int64] in
      let store = try Store.open(path, mode: .writing)
      _ = try await store.begin(number, in: "/documents")
      _ = try await store.checkpoint(number, partial(500))
      kill(getpid(), SIGKILL)
    }
    #expect(try await world.current(transfer).status == .running)

    let (left, placing) = try await taken()

    #expect(placing.isEmpty)
    #expect(left.status == .suspended)
    #expect(!left.isSuspendedByUser)
    #expect(left.reason == FetchRecord.interrupted)
    #expect(left.partial == partial(500))
    #expect(left.failures == 1)
    #expect(left.crashes == 1)
    #expect(try await store.begin(transfer.number, in: "/documents"))
  }

  @Test func `a regular end resets the crashes, and received bytes reset the failures`() async throws {
    for crashes in 1...3 {
      _ = try await store.begin(transfer.number, in: "/documents")
      _ = try await taken()
      let left = try await world.current(transfer)
      #expect(left.failures == crashes)
      #expect(left.crashes == crashes)
    }
    _ = try await store.begin(transfer.number, in: "/documents")
    _ = try await store.checkpoint(transfer.number, partial(500), isProgress: true)
    let crashed = try await taken().0
    #expect(crashed.failures == 1)
    #expect(crashed.crashes == 4)

    _ = try await store.begin(transfer.number, in: "/documents")
    try await store.requeue(transfer.postponed(.queued, "", partial: partial(500)))

    #expect(try await world.current(transfer).crashes == 0)
  }

  @Test func `a process killed while placing leaves its intent to be settled`() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = world.directory.path as String, number = transfer.number as Int64] in
      let store = try Store.open(path, mode: .writing)
      _ = try await store.begin(number, in: "/documents")
      _ = try await store.recordIntent(number, intent("a.mp3"), partial(1000))
      kill(getpid(), SIGKILL)
    }

    let (left, placing) = try await taken()

    #expect(placing == [transfer.number])
    #expect(left.status == .running)
    #expect(left.intent == intent("a.mp3"))
    #expect(try await world.settle(left, file: file("a.mp3")))
    #expect(try await store.reclaimInterrupted().isEmpty)
    #expect(try await world.told().count == 2)
  }

  @Test(.onFile) func `without unfinished transfers nothing is written`() async throws {
    let other = try world.directory.open()
    _ = try await other.number("SELECT count(*) FROM transfer")
    let version = try await other.dataVersion()

    #expect(try await store.reclaimInterrupted().isEmpty)

    #expect(try await other.dataVersion() == version)
  }
}

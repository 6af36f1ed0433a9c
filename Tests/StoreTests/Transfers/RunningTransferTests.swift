// Transfers in a run: started, checkpointed, requeued and placed, each only by its owner.

import Core
import Testing

@testable import Store

@Suite final class RunningTransferTests: TransferSuite {
  @Test func `a transfer is started once`() async throws {
    let transfer = try await world.running()

    #expect(try await !store.begin(transfer.number, in: "/elsewhere"))

    let begun = try await world.current(transfer)
    #expect(begun.status == .running)
    #expect(begun.directory == "/documents")
  }

  @Test func `checkpoints are stored only of a running transfer`() async throws {
    let transfer = try #require(try await world.queued(["a"]).first)

    #expect(try await !store.checkpoint(transfer.number, partial(500)))
    #expect(try await !store.checkpoint(4711, partial(500)))
    #expect(try await world.current(transfer).partial == PartialDownload())

    #expect(try await store.begin(transfer.number, in: "/documents"))
    #expect(try await store.checkpoint(transfer.number, partial(500)))
    #expect(try await world.current(transfer).partial == partial(500))
  }

  @Test func `a left transfer has its reason, its time and its bytes`() async throws {
    let transfer = try await world.running()
    var leave = transfer.postponed(.suspended, "the budget ended", partial: partial(700))
    leave.notBefore = now + .minutes(5)
    leave.failures = 3
    leave.failingSince = now - .hours(1)
    leave.cuts = 2

    try await store.requeue(leave)

    let left = try await world.current(transfer)
    #expect(left.status == .suspended)
    #expect(left.reason == "the budget ended")
    #expect(left.notBefore == now + .minutes(5))
    #expect(left.failingSince == now - .hours(1))
    #expect((left.failures, left.cuts) == (3, 2))
    #expect(left.partial == partial(700))
    #expect(try await store.begin(transfer.number, in: "/documents"))
    let again = try await world.current(transfer)
    #expect(again.reason == nil)
    #expect(again.isHeld == Server.isUsed)
    #expect(again.failures == 3)
  }

  @Test func `leaving a settled transfer changes nothing`() async throws {
    let transfer = try await world.running()
    try await world.settle(transfer, .cancelled)
    let settled = try await world.current(transfer)

    try await store.requeue(transfer.postponed(.queued, "late", partial: partial(700)))

    #expect(try await world.current(transfer) == settled)
  }

  @Test func `an intent is stored only for a running transfer, and the last one counts`() async throws {
    let transfer = try await world.running()
    let queued = try #require(try await world.queued(["b"]).first)

    #expect(try await store.recordIntent(transfer.number, intent("first.mp3"), partial(1000)))
    #expect(try await store.recordIntent(transfer.number, intent("second.mp3"), partial(1000)))
    #expect(try await !store.recordIntent(queued.number, intent("b.mp3"), partial(1000)))

    let intended = try await world.current(transfer)
    #expect(intended.intent == intent("second.mp3"))
    #expect(intended.partial == partial(1000))
    #expect(try await world.current(queued).intent == nil)
    #expect(try await world.current(queued).partial == queued.partial)
  }

  @Test(.onFile) func `concurrent changes are answered one by one, with one sync to disk`()
    async throws
  {
    let first = try await world.running()
    let others = try await world.queued(["b", "c"])
    try await store.execute(
      """
      PRAGMA trusted_schema = ON;
      CREATE TABLE witness (synchronous INTEGER);
      CREATE TRIGGER begun AFTER UPDATE OF status ON transfer BEGIN
        INSERT INTO witness SELECT synchronous FROM pragma_synchronous;
      END
      """)

    let outcomes = try await store.atOnce([
      { try await $0.recordIntent(first.number, intent("a.mp3"), partial(1000)) },
      { try await $0.begin(others[0].number, in: "/documents") },
      { try await $0.recordIntent(others[1].number, intent("c.mp3"), partial(1000)) },
    ])

    #expect(outcomes == [true, true, false])
    #expect(try await world.current(first).intent == intent("a.mp3"))
    #expect(try await world.current(others[0]).status == .running)
    #expect(try await world.current(others[1]).intent == nil)
    // A change that alone would not be synced is as durable as the others.
    #expect(try await store.number("SELECT synchronous FROM witness") == 2)
  }

  @Test(.onFile) func `an intent is synced to disk before the call returns, a checkpoint may wait`()
    async throws
  {
    let transfer = try await world.running()
    try await store.execute(
      """
      PRAGMA trusted_schema = ON;
      CREATE TABLE witness (synchronous INTEGER);
      CREATE TRIGGER intended AFTER INSERT ON intent BEGIN
        INSERT INTO witness SELECT synchronous FROM pragma_synchronous;
      END;
      CREATE TRIGGER kept AFTER UPDATE OF bytes ON transfer BEGIN
        INSERT INTO witness SELECT synchronous FROM pragma_synchronous;
      END
      """)

    _ = try await store.checkpoint(transfer.number, partial(1))
    _ = try await store.recordIntent(transfer.number, intent("a.mp3"), partial(1000))

    // 1 is NORMAL, 2 is FULL: of the checkpoint and of the intent.
    #expect(try await store.number("SELECT group_concat(synchronous, '') + 0 FROM witness") == 122)
  }

  @Test func `a left transfer has no intent`() async throws {
    let transfer = try await world.running()
    _ = try await store.recordIntent(transfer.number, intent("a.mp3"), partial(1000))

    try await store.requeue(transfer.postponed(.queued, "not placed", partial: partial(1000)))

    #expect(try await world.current(transfer).intent == nil)
  }

  @Test func `a suspended transfer stores the bytes of its process, and stays suspended`() async throws {
    let transfer = try await world.running()
    #expect(try await store.suspendTransfer(transfer.number))

    #expect(try await !store.checkpoint(transfer.number, partial(500)))
    #expect(try await !store.recordIntent(transfer.number, intent("a.mp3"), partial(1000)))
    try await store.requeue(transfer.postponed(.queued, "stopped", partial: partial(700)))

    let held = try await world.current(transfer)
    #expect(held.isSuspendedByUser)
    #expect(held.status == .suspended)
    #expect(held.reason == nil)
    #expect(held.partial == partial(700))
    #expect(try await !store.begin(transfer.number, in: "/documents"))
  }

  @Test func `a transfer suspended and resumed meanwhile loses no bytes`() async throws {
    let transfer = try await world.running()
    try await store.suspendTransfer(transfer.number)
    try await store.resumeTransfer(transfer.number)

    try await store.requeue(transfer.postponed(.suspended, "stopped", partial: partial(700)))

    let resumed = try await world.current(transfer)
    #expect(resumed.status == .queued)
    #expect(resumed.partial == partial(700))
  }
}

extension Store {
  /// Requests changes before the store performs any of them.
  fileprivate func atOnce(_ changes: [@Sendable (isolated Store) async throws -> Bool]) async throws -> [Bool]
  {
    let tasks = changes.map { change in Task { try await change(self) } }
    var outcomes: [Bool] = []
    for task in tasks { outcomes.append(try await task.value) }
    return outcomes
  }
}

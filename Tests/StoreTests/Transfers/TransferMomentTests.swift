// The time at which a run can continue a transfer.

import Core
import Testing

@testable import Store

@Suite struct TransferMomentTests {
  private let world: TransferWorld
  private let transfer: Transfer
  private var store: Store { world.store }

  /// A feed with nothing to do for an hour except its transfer.
  init() async throws {
    world = try TransferWorld()
    transfer = try #require(try await world.queued(["a"]).first)
    try await world.store.recordConfigured([world.planet], at: now)
    try await world.store.recordQuiet(
      7, from: now, until: now + .hours(1), changes: try await world.store.changes())
  }

  private func leave(_ status: TransferStatus = .queued, notBefore: Instant?) async throws {
    _ = try await store.begin(transfer.number, in: "/documents")
    var leave = transfer.postponed(status, "later", partial: partial(1))
    leave.notBefore = notBefore
    try await store.requeue(leave)
  }

  @Test(arguments: ["queued", "running", "beyond the longest wait"])
  func `a queued transfer can continue now, as one of a dead process or of a wrong clock`(kind: String)
    async throws
  {
    if kind == "running" { _ = try await store.begin(transfer.number, in: "/documents") }
    try await store.endHolds()
    if kind.hasPrefix("beyond") { try await leave(notBefore: now + .days(7) + .seconds(1)) }

    #expect(try await store.nextTransferMoment(at: now) == now)
    #expect(try await !store.isQuiet(7, at: now))
  }

  @Test(arguments: [TransferStatus.queued, .suspended])
  func `a waiting transfer can continue at its time`(status: TransferStatus) async throws {
    try await leave(status, notBefore: now + .minutes(10))

    #expect(try await store.nextTransferMoment(at: now) == now + .minutes(10))
    #expect(try await store.isQuiet(7, at: now + .minutes(10) - .seconds(1)))
    #expect(try await !store.isQuiet(7, at: now + .minutes(10)))
    #expect(try await store.nextTransferMoment(at: now + .minutes(20)) == now + .minutes(20))
  }

  @Test func `the earliest time of several transfers counts`() async throws {
    try await leave(notBefore: now + .minutes(30))
    let other = try await world.queued(["b"])
    _ = try await store.begin(other[0].number, in: "/documents")
    var later = other[0].postponed(.queued, "later", partial: partial(1))
    later.notBefore = now + .minutes(20)
    try await store.requeue(later)

    #expect(try await store.nextTransferMoment(at: now) == now + .minutes(20))
  }

  @Test func `a transfer suspended by the person does not continue`() async throws {
    try await store.suspendTransfer(transfer.number)
    #expect(try await store.nextTransferMoment(at: now) == nil)
    #expect(try await store.isQuiet(7, at: now))

    try await store.resumeTransfer(transfer.number)
    #expect(try await !store.isQuiet(7, at: now))
  }

  @Test func `a finished transfer does not continue`() async throws {
    try await world.settleInSilence(transfer)

    #expect(try await store.nextTransferMoment(at: now) == nil)
    #expect(try await store.isQuiet(7, at: now))
  }

  @Test func `transfers of a dormant feed do not continue`() async throws {
    try await store.recordConfigured([], at: now + .days(1))

    #expect(try await store.nextTransferMoment(at: now + .days(1)) == nil)

    try await store.recordConfigured([world.planet], at: now + .days(3))
    #expect(try await store.nextTransferMoment(at: now + .days(3)) == now + .days(3))
  }

  @Test func `a notification that waits for files ends the quiet note when they are finished`() async throws {
    var message = event("files", .notification, knownItems: [try #require(transfer.item?.number)])
    message.readyBy = now + .hours(24)
    try await store.record([message], round: nil)
    try await store.suspendTransfer(transfer.number)
    #expect(try await store.isQuiet(7, at: now))

    try await store.cancelTransfer(transfer.number, at: now, sessionFinished: { _ in [] })

    #expect(try await !store.isQuiet(7, at: now))
  }

  @Test
  func
    `a transfer that waits for a condition is looked at by each run, and continues by itself at its moment`()
    async throws
  {
    var waiting = transfer
    waiting.status = .suspended
    waiting.reason = "waits for an unmetered network (phone)"
    waiting.notBefore = now + .days(2)
    // The transfer was queued before the clock was set back.
    waiting.queued = transfer.queued - .days(4000)

    #expect(try await store.recordWait(waiting))

    #expect(try await store.waitingTransfers().map(\.reason) == [waiting.reason])
    #expect(try await store.unsettled() == [waiting])
    #expect(try await store.nextTransferMoment(at: now) == now + .days(2))
    #expect(try await !store.isQuiet(7, at: now))
    try await store.retryTransfer(transfer.number, at: now)
    #expect(try await store.waitingTransfers() == [])
    #expect(try await store.unsettled().map(\.reason) == [Transfer.askedFor])
    _ = try await store.begin(transfer.number, in: "/documents")
    #expect(try await !store.recordWait(waiting))
  }
}

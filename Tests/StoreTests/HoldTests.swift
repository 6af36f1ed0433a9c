// The work of several machines that share a server: nobody takes over what a living process holds.

import Core
import Testing

@testable import Fleet
@testable import Store

@Suite(.enabled(if: Server.isUsed, "machines share only a server")) final class HoldTests: StoreSuite {
  private func claimed() async throws -> Delivery {
    try await store.record([event("1"), event("2", feed: "moon")], round: nil)
    return try #require(try await store.nextDelivery("desktop", at: now))
  }

  @Test func `no machine takes over a delivery or runs the next one while another one runs it`() async throws
  {
    let delivery = try await claimed()
    let other = try directory.open()

    try await other.resetRunning("desktop")
    #expect(try await other.nextDelivery("desktop", at: now) == nil)
    #expect(try await !other.finishDelivery(delivery.number, DeliveryEnd(.dead), at: now))

    #expect(try await store.finishDelivery(delivery.number, DeliveryEnd(.delivered), at: now))
  }

  @Test func `what was taken over is no longer changed by those who had it`() async throws {
    let delivery = try await claimed()
    let other = try directory.open()
    try await store.fallSilent()

    try await other.resetRunning("desktop")
    let again = try #require(try await other.nextDelivery("desktop", at: now))
    #expect(again.number == delivery.number)
    #expect(again.attempts == 2)
    #expect(try await !store.finishDelivery(delivery.number, DeliveryEnd(.dead), at: now))

    #expect(try await other.finishDelivery(again.number, DeliveryEnd(.delivered), at: now))
  }

  @Test func `a process that nobody has replaced keeps what it holds, however late its sign of life is`()
    async throws
  {
    let delivery = try await claimed()

    try await store.fallSilent()

    #expect(try await store.finishDelivery(delivery.number, DeliveryEnd(.delivered), at: now))
  }

  @Test func `a download is continued by another machine only when the first one is dead`() async throws {
    let world = try TransferWorld()
    let transfer = try #require(try await world.queued(["a"]).first)
    let (store, other) = (world.store, try world.directory.open())
    #expect(try await store.begin(transfer.number, in: "/documents"))

    _ = try await other.reclaimInterrupted()
    #expect(try await store.checkpoint(transfer.number, partial(500)))
    #expect(try await other.unsettled().map(\.isHeld) == [true])
    try await store.fallSilent()
    _ = try await other.reclaimInterrupted()
    #expect(try await other.unsettled().map(\.status) == [.suspended])
    #expect(try await other.begin(transfer.number, in: "/documents"))

    #expect(try await !store.checkpoint(transfer.number, partial(700)))
    #expect(try await !store.requeue(transfer.postponed(.queued, "late", partial: partial(700))))
    #expect(try await other.unsettled().map(\.partial) == [partial(500)])
  }

  /// The changes that a person may make to a download while a machine works on it, by another one.
  private static let changes: [(name: String, change: @Sendable (Store, Transfer) async throws -> Void)] = [
    (
      "its feed is run",
      { store, transfer in
        _ = try await store.queueFeedBody(transfer.feed, description: "again", round: nil, at: now)
      }
    ),
    (
      "it is paused and resumed",
      { store, transfer in
        try await store.suspendTransfer(transfer.number)
        try await store.resumeTransfer(transfer.number)
      }
    ),
    ("it is retried", { store, transfer in try await store.retryTransfer(transfer.number, at: now) }),
    (
      "it is cancelled and retried",
      { store, transfer in
        try await store.cancelTransfer(transfer.number, at: now) { _ in [] }
        try await store.retryTransfer(transfer.number, at: now)
      }
    ),
  ]

  @Test(arguments: changes.indices)
  func `nobody begins a download that another machine works on, whatever a person does to it`(row: Int)
    async throws
  {
    let (name, change) = Self.changes[row]
    let world = try TransferWorld()
    let (store, other) = (world.store, try world.directory.open())
    let number = try #require(
      try await store.queueFeedBody(world.planet, description: "list.txt", round: nil, at: now))
    let transfer = try #require(try await store.transfer(number))
    #expect(try await store.begin(number, in: "/documents"), "\(name)")

    try await change(other, transfer)
    _ = try await other.reclaimInterrupted()

    #expect(try await !other.begin(number, in: "/documents"), "\(name)")
    #expect(try await other.unsettled().map(\.isHeld) == [true], "\(name)")
    let time = try await other.pulse().time
    #expect(try await other.nextTransferMoment(at: time) ?? time > time, "\(name)")
    try await store.requeue(transfer.postponed(.queued, "later", partial: partial(500)))
    let left = try #require(try await other.transfer(number))
    #expect(left.partial == partial(500), "\(name)")
    #expect(left.crashes == 0, "\(name)")
    #expect(try await other.begin(number, in: "/documents"), "\(name)")
  }

  @Test func `a machine whose download was taken over does not end it`() async throws {
    let world = try TransferWorld()
    let transfer = try #require(try await world.queued(["a"]).first)
    let (store, other) = (world.store, try world.directory.open())
    #expect(try await store.begin(transfer.number, in: "/documents"))
    try await store.fallSilent()
    _ = try await other.reclaimInterrupted()
    #expect(try await other.begin(transfer.number, in: "/documents"))

    #expect(try await !world.settle(transfer, .failed))

    #expect(try await other.unsettled().map(\.status) == [.running])
    #expect(try await other.checkpoint(transfer.number, partial(900)))
  }

  @Test func `a machine whose download was made free does not end it, even before another one begins it`()
    async throws
  {
    let world = try TransferWorld()
    let transfer = try #require(try await world.queued(["a"]).first)
    let (store, other) = (world.store, try world.directory.open())
    #expect(try await store.begin(transfer.number, in: "/documents"))
    try await store.fallSilent()
    _ = try await other.reclaimInterrupted()

    #expect(try await !store.end(settlement(transfer, .failed), round: nil, configured: []))

    #expect(try await other.unsettled().map(\.status) == [.suspended])
    #expect(try await other.begin(transfer.number, in: "/documents"))
  }

  @Test func `a process that has just connected lets the others reach the server before it judges them`()
    async throws
  {
    let delivery = try await claimed()
    let other = try directory.open()
    try await store.fallSilent(since: .seconds(15))

    try await other.resetRunning("desktop")
    #expect(try await other.deliveries([.running], hook: nil, limit: 10).map(\.number) == [delivery.number])
    try await other.waitForSilent()
    try await other.resetRunning("desktop")

    #expect(try await other.nextDelivery("desktop", at: now)?.number == delivery.number)
  }

  @Test func `what one process has found dead another that has just connected takes over at once`()
    async throws
  {
    let world = try TransferWorld()
    let (store, directory) = (world.store, world.directory)
    let transfer = try #require(try await world.queued(["a"]).first)
    #expect(try await store.begin(transfer.number, in: "/documents"))
    try await store.record([event("1")], round: nil)
    let delivery = try #require(try await store.nextDelivery("desktop", at: now))
    let watching = try directory.open()
    try await store.fallSilent(since: .seconds(15))
    try await watching.waitForSilent()

    #expect(try await watching.pulse().isAbandoned)
    try await watching.freeAbandoned(at: now)
    #expect(try await !watching.pulse().isAbandoned)

    let other = try directory.open()
    #expect(try await other.nextDelivery("desktop", at: now)?.number == delivery.number)
    #expect(try await other.unsettled().map(\.status) == [.suspended])
    #expect(try await other.begin(transfer.number, in: "/documents"))
    #expect(try await !store.finishDelivery(delivery.number, DeliveryEnd(.delivered), at: now))
    #expect(try await !store.checkpoint(transfer.number, partial(700)))
  }

  @Test func `a process that was stopped takes nothing of its own for abandoned`() async throws {
    let delivery = try await claimed()
    try await store.fallSilent(since: .minutes(1))

    #expect(try await !store.pulse().isAbandoned)
    try await store.freeAbandoned(at: now)

    #expect(try await store.finishDelivery(delivery.number, DeliveryEnd(.delivered), at: now))
  }

  @Test func `a server that has forgotten a process learns of it again`() async throws {
    let delivery = try await claimed()
    let other = try directory.open()
    try await other.execute("DELETE FROM worker")

    // The signs of life have a connection of their own, and come every second.
    let end = ContinuousClock.now + .seconds(60)
    while try await other.number("SELECT count(*) FROM worker") == 0, ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(20))
    }

    try await other.resetRunning("desktop")
    #expect(try await store.finishDelivery(delivery.number, DeliveryEnd(.delivered), at: now))
  }
}

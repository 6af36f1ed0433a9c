// Notifications that wait for the files of their items.

import Core
import Testing

@testable import Store

@Suite final class ReadinessTests: TransferSuite {
  private var transfers: [Transfer] = []
  private let deadline = now + .hours(24)

  /// A notification of two items with running transfers and one without.
  override init() async throws {
    try await super.init()
    var commit = fetch(
      world.planet, [item("a"), item("b"), item("bare")], wanting: [found(.new(0), "a"), found(.new(1), "b")])
    var message = event("files", .notification, newItems: [0, 1])
    var bare = event("bare", .notification, hooks: ["mail"], newItems: [2])
    (message.readyBy, bare.readyBy) = (deadline, deadline)
    commit.events = [message, bare]
    try await store.commit(commit)
    transfers = try await store.unsettled()
  }

  /// Settles a transfer without events.
  private func settle(_ transfer: Transfer, _ status: TransferStatus = .finished) async throws {
    try await world.settleInSilence(
      transfer, status, file: status == .finished ? file(transfer.description) : nil)
  }

  private func message() async throws -> Delivery {
    try #require(try await store.deliveries([.pending], hook: "desktop", limit: 1).first)
  }

  /// Whether the notification is ready at a time; all queries must agree.
  private func isDue(at time: Instant = now) async throws -> Bool {
    let isPending = try await !store.pendingNotifications("desktop", at: time).isEmpty
    #expect(try await store.hooksWithWork(at: time).contains("desktop") == isPending)
    let other = try world.directory.open()
    let claimed = try await other.nextDelivery("desktop", at: time)
    #expect((claimed != nil) == isPending)
    if claimed != nil {
      try await other.execute("UPDATE delivery SET status = 'pending', attempts = 0 WHERE hook = 'desktop'")
    }
    return isPending
  }

  @Test func `a notification waits until its last file is finished`() async throws {
    #expect(try await !isDue())
    try await settle(transfers[0])
    #expect(try await !isDue())
    // It counts with its latest time until then.
    #expect(try await store.nextDeliveryMoment(after: now) == deadline)

    try await settle(transfers[1])

    #expect(try await isDue())
    #expect(try await store.nextDeliveryMoment(after: now) == nil)
  }

  @Test func `a failed or cancelled file is finished too`() async throws {
    try await settle(transfers[0], .failed)
    try await store.cancelTransfer(transfers[1].number, at: now, sessionFinished: { _ in [] })

    #expect(try await isDue())
  }

  @Test func `a notification of items without files does not wait`() async throws {
    #expect(try await store.nextDelivery("mail", at: now)?.event.id == "bare")
  }

  @Test func `a notification waits at most a day`() async throws {
    #expect(try await !isDue(at: deadline - .seconds(1)))
    #expect(try await isDue(at: deadline))
  }

  @Test func `a time from before the clock was set back does not delay it`() async throws {
    #expect(try await !isDue())
    try await store.execute("UPDATE delivery SET ready_by = ready_by + 1")

    #expect(try await isDue())
  }

  @Test func `a notification waits for suspended files too`() async throws {
    try await settle(transfers[0])
    try await store.suspendTransfer(transfers[1].number)

    #expect(try await !isDue())
  }

  @Test func `other notifications of the hook do not wait for it`() async throws {
    try await store.record([event("other", .notification)], round: nil)

    #expect(try await store.nextDelivery("desktop", at: now)?.event.id == "other")
  }

  @Test func `placed and all files are counted`() async throws {
    let message = try await message()
    func counts() async throws -> [Int] {
      let counts = try await store.readyCounts(message.number)
      return [counts.placed, counts.all]
    }
    #expect(try await counts() == [0, 2])

    try await settle(transfers[0])
    try await settle(transfers[1], .failed)

    #expect(try await counts() == [1, 2])
    #expect(try await store.readyCounts(4711).all == 0)
  }

  @Test func `an asset that was downloaded twice counts once`() async throws {
    let message = try await message()
    try await settle(transfers[0], .failed)
    let item = try #require(transfers[0].item?.number)

    try await store.addTransfers(world.planet, [item], isAskedFor: true, at: now)

    #expect(try await store.readyCounts(message.number).all == 2)
  }

  @Test func `the age of a notification counts from its last file`() async throws {
    #expect(try await store.expireDeliveries("desktop", before: deadline) == 0)
    let ready = now + .hours(20)
    for transfer in transfers { try await settle(transfer) }

    try await store.resetAges("desktop", at: ready)

    #expect(try await store.expireDeliveries("desktop", before: ready) == 0)
    #expect(try await isDue(at: ready))
    #expect(try await store.expireDeliveries("desktop", before: ready + .seconds(1)) == 1)
  }

  @Test func `a ready notification is known to have waited, even inside a summary`() async throws {
    try await settle(transfers[0])
    try await settle(transfers[1], .failed)
    try await store.record([event("other", .notification)], round: nil)

    try await store.resetAges("desktop", at: now + .hours(1))
    let waiting = try await store.pendingNotifications("desktop", at: now + .hours(1))
    let merged = try await store.merge(
      waiting.map(\.number), of: "desktop", into: event("all", .notification), round: nil)

    #expect(waiting.map { $0.readyBy != nil } == [true, false])
    #expect(merged?.readyBy != nil)
    #expect(try await isDue(at: now + .hours(1)))
  }

  @Test func `a waiting notification does not age`() async throws {
    try await store.resetAges("desktop", at: now + .hours(1))

    #expect(try await store.expireDeliveries("desktop", before: deadline) == 0)
    #expect(try await store.expireDeliveries("desktop", before: deadline + .seconds(1)) == 1)
  }

  @Test func `hours do not age a notification before its files`() async throws {
    for messages in try await store.waitingMessages() {
      try await store.postpone(messages, until: now + .hours(2), at: now)
    }

    #expect(try await store.expireDeliveries("desktop", before: deadline) == 0)
  }

  @Test func `a summary waits as long as its notifications`() async throws {
    let message = try await message()
    try await store.record([event("other", .notification)], round: nil)
    let waiting = try await store.pendingNotifications("desktop", at: now)
    let other = try #require(waiting.last)
    #expect(waiting.map(\.awaitsFiles) == [true, false])

    _ = try await store.merge(
      [message.number, other.number], of: "desktop", into: event("all", .notification), round: nil)

    #expect(try await !isDue())
    for transfer in transfers { try await settle(transfer) }
    #expect(try await store.nextDelivery("desktop", at: now)?.event.id == "all")
  }

  @Test func `a notification that was ready once stays ready after a retry`() async throws {
    for transfer in transfers { try await settle(transfer, .failed) }
    try await store.resetAges("desktop", at: now)

    try await store.retryTransfer(transfers[0].number, at: now)

    #expect(try await isDue())
  }
}

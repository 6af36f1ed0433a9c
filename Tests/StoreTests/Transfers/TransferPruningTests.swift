// Pruning of transfers and sessions.

import Core
import Testing

@testable import Store

@Suite final class TransferPruningTests: TransferSuite {
  private let later = now + .days(91)

  private func prune() async throws { try await store.prune(before: later - .days(90), limit: 100) }

  @Test func `old transfers without a file are pruned, and their assets stay known`() async throws {
    let transfers = try await world.queued(["failed", "cancelled", "removed"])
    try await world.settle(transfers[0], .failed)
    try await world.settle(transfers[1], .cancelled)
    try await world.settle(transfers[2], file: file("a.mp3"))
    try await store.markRemoved([transfers[2].number], at: now)
    let known = try await store.knownAssets(world.planet)

    try await prune()

    #expect(try await store.transfers(TransferFilter()).isEmpty)
    #expect(try await store.number("SELECT count(*) FROM session") == 0)
    #expect(try await store.knownAssets(world.planet) == known)
    var again = fetch(world.planet, at: later)
    again.assets.known = ["failed", "cancelled", "removed"].enumerated().map {
      found(.known(known[$0].item), $1)
    }
    again.assets.wanted = again.assets.known
    try await store.commit(again)
    #expect(try await store.unsettled().isEmpty)
  }

  @Test(.onFile) func `the oldest of very many transfers without a file are pruned at any age`() async throws
  {
    let transfers = try await world.queued(["failed", "queued"])
    try await world.settle(transfers[0], .failed)
    try await store.execute(
      """
      WITH RECURSIVE place (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM place WHERE n < \(Retention.mostEvents))
      INSERT INTO transfer (feed, session, asset_key, place, url, description, queued, settled, bare_since)
      SELECT feed, session, 1, 1, '', '', queued, settled + 1, settled + 1 FROM transfer CROSS JOIN place
      WHERE number = \(transfers[0].number)
      """)

    try await store.prune(before: now - .days(90), limit: 1)

    #expect(try await store.transfer(transfers[0].number) == nil)
    #expect(try await store.transfer(transfers[1].number) != nil)
    #expect(try await store.number("SELECT count(*) FROM transfer") == Retention.mostEvents + 1)
  }

  @Test(.onFile)
  func `a feed with very many unfinished transfers gets no more, and further assets stay known`() async throws
  {
    let transfer = try await world.queued(["a"])[0]
    try await store.execute(
      """
      WITH RECURSIVE place (n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM place WHERE n <= \(ItemBounds.transfers))
      INSERT INTO transfer (feed, session, asset_key, place, url, description, queued)
      SELECT feed, session, 1, 1, '', '', queued FROM transfer CROSS JOIN place WHERE number = \(transfer.number)
      """)

    _ = try await world.queued(["b", "c"])

    #expect(try await store.unsettled().count == ItemBounds.transfers)
    #expect(try await store.knownAssets(world.planet).count == 3)
  }

  @Test func `transfers with a file, unfinished ones and newer ones stay`() async throws {
    let transfers = try await world.queued(["placed", "queued", "held", "young", "removed late"])
    try await world.settle(transfers[0], file: file("a.mp3"))
    try await store.suspendTransfer(transfers[2].number)
    try await world.settle(transfers[3], .failed, at: now + .days(2))
    try await world.settle(transfers[4], file: file("b.mp3"))
    try await store.markRemoved([transfers[4].number], at: now + .days(2))

    try await prune()

    #expect(Set(try await store.transfers(TransferFilter()).map(\.number)) == Set(transfers.map(\.number)))
    #expect(try await store.number("SELECT count(*) FROM session") == 1)
  }

  @Test func `a running session keeps all transfers in its totals`() async throws {
    let transfers = try await world.queued(["a", "b"])
    try await world.settle(transfers[0], .failed)
    try await prune()

    try await world.settle(transfers[1], at: later)

    #expect(try await world.told().last == "session.\(transfers[0].session): 1+1+0")
  }

  @Test func `a retried transfer is not old`() async throws {
    let transfer = try await world.running()
    try await world.settle(transfer, .failed)
    try await store.retryTransfer(transfer.number, at: later)

    try await prune()

    #expect(try await store.unsettled().map(\.number) == [transfer.number])
  }

  @Test func `numbers of transfers and sessions are never reused`() async throws {
    let first = try await world.running("a")
    try await world.settle(first, .failed)
    try await prune()

    let second = try #require(try await world.queued(["b"]).first)

    #expect(second.number > first.number)
    #expect(second.session > first.session)
  }

  @Test func `transfers settled under a wrong clock are pruned too`() async throws {
    let transfer = try await world.running()
    try await world.settle(transfer, .failed, at: later + .days(3650))

    try await prune()

    #expect(try await store.transfers(TransferFilter()).isEmpty)
  }

  @Test func `pruning works in batches of the given size`() async throws {
    for transfer in try await world.queued((0..<5).map(String.init)) {
      try await world.settle(transfer, .failed)
    }

    try await store.prune(before: later - .days(90), limit: 2)

    #expect(try await store.transfers(TransferFilter()).count == 3)
  }
}

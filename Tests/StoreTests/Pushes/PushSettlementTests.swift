// Which pushes a fetch settles, which it leaves waiting.

import Core
import Testing

@testable import Store

@Suite final class PushSettlementTests: StoreSuite {
  private var pushes: [StoredPush] = []

  override init() async throws {
    try await super.init()
    for id in ["1", "2", "3"] {
      try await store.acceptPush(push(planet, id, payload: id), at: now)
    }
    pushes = try await store.waitingPushes()
  }

  @discardableResult
  private func commit(
    _ items: [ItemRecord] = [], settling settled: [StoredPush] = [], late: [Int64: Instant] = [:],
    causedAt: Instant? = nil
  ) async throws -> [Int64] {
    var commit = fetch(planet, items)
    commit.pushes.settled = settled.map(\.number)
    commit.pushes.late = late
    commit.pushes.causedAt = causedAt
    return try #require(try await store.commit(commit, configured: [planet]))
  }

  @Test func `a fetch settles pushes and leaves others for later`() async throws {
    try await commit(settling: [pushes[0]], late: [pushes[1].number: now + .seconds(60)])
    try await commit(late: [pushes[1].number: now + .seconds(120)])

    var late = pushes[1]
    late.tries = 2
    late.notBefore = now + .seconds(120)
    #expect(try await store.waitingPushes() == [late, pushes[2]])
  }

  @Test func `a push during the fetch is not settled together with the one it replaced`() async throws {
    try await store.acceptPush(push(planet, "1", payload: "newer"), at: now)

    try await commit(settling: pushes, late: [pushes[0].number: now + .seconds(60)])

    let left = try await store.waitingPushes()
    #expect(bodies(left) == ["newer"])
    #expect(left.first?.tries == 0)
    #expect(left.first?.notBefore == nil)
  }

  @Test func `the number of a settled push is never used again`() async throws {
    try await commit(settling: pushes)

    try await store.acceptPush(push(planet, "1"), at: now)
    try await commit(settling: pushes)

    #expect(try await store.waitingPushes().count == 1)
  }

  @Test func `the times of fetches by push are kept as long as the history`() async throws {
    let all = [now, now + .hours(1), now + .hours(2)]
    for time in all { try await commit(causedAt: time) }
    try await commit()

    #expect(try await store.pushFetches(since: now) == [planet: all])
    #expect(try await store.pushFetches(since: now + .hours(1)) == [planet: Array(all.dropFirst())])
    #expect(try await store.pushFetches(since: now + .hours(3)).isEmpty)

    try await store.prune(before: now + .hours(1), limit: 100)
    #expect(try await store.pushFetches(since: now - .days(365)) == [planet: Array(all.dropFirst())])
    // After the clock was set back they are in a far future.
    try await store.prune(before: now - .days(181), limit: 100)
    #expect(try await store.pushFetches(since: now - .days(365)).isEmpty)
  }

  /// The running transfer of a feed of kind asset, and its commit, which settles the first push.
  private func body() async throws -> (transfer: Int64, commit: FeedCommit) {
    let queued = try await store.queueFeedBody(planet, description: "body", round: nil, at: now)
    let transfer = try #require(queued)
    #expect(try await store.begin(transfer, in: "/documents"))
    var commit = fetch(planet, [item("a")])
    commit.pushes.settled = [pushes[0].number]
    commit.pushes.causedAt = now
    return (transfer, commit)
  }

  @Test(arguments: ["settle", "forget", "leave"])
  func `a fetch by transfer has the same effect on pushes`(end: String) async throws {
    let (transfer, commit) = try await body()

    let running = try #require(try await store.transfer(transfer))
    let outcome: TransferOutcome =
      switch end {
      case "settle": .placed(file("a"), isResumed: false)
      case "forget": .unchanged
      default: .postponed(running.postponed(.queued, "because", partial: partial(500)), nil)
      }
    var settlement = TransferEnd(transfer, outcome, ended: now, sessionFinished: finished)
    settlement.commit = (commit, nil)
    #expect(try await store.end(settlement, round: nil, configured: [planet]))

    #expect(try await store.waitingPushes() == Array(pushes.dropFirst()))
    #expect(try await store.pushFetches(since: now) == [planet: [now]])
  }

  @Test func `a commit keeps pushes that other processes stored meanwhile`() async throws {
    let other = try directory.open()
    try await other.acceptPush(push(planet, "4", payload: "4"), at: now)

    try await commit(settling: pushes, causedAt: now)

    #expect(bodies(try await other.waitingPushes()) == ["4"])
    #expect(try await other.pushFetches(since: now) == [planet: [now]])
  }
}

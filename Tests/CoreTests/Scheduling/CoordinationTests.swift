// The questions of a run to its neighbours: alone, and with claims that are read under a lock.

import Core
import Synchronization
import Testing

@Suite struct CoordinationTests {
  private struct Unreadable: Error {}

  /// Counts its releases.
  private final class CountedLock: Sendable {
    let releases = Atomic(0)
    var count: Int { releases.load(ordering: .relaxed) }

    func held() -> HeldLock { HeldLock { self.releases.add(1, ordering: .relaxed) } }
  }

  @Test func `a run that is alone has no neighbours, and may always plan`() async throws {
    let alone = Coordination(alone: { nil })
    let lock = try #require(try await alone.planLock())
    let claims = try await alone.claims(holding: lock)
    let wait = try await alone.reserve("a.example", .seconds(1), 300, 1)

    #expect(claims.hosts == nil)
    #expect(wait == nil)
    #expect(alone.roundLimit == nil)
    #expect(alone.queueLock.map { _ in true } == nil)
    #expect(!alone.isPaused())
  }

  @Test func `claims hold the lock under which they were read until they are unlocked`() async throws {
    var together = Coordination(alone: { nil })
    together.claimedHosts = { ["a.example"] }
    let lock = CountedLock()

    let claims = try await together.claims(holding: lock.held())

    #expect(claims.hosts == ["a.example"])
    #expect(lock.count == 0)
    claims.unlock()
    claims.unlock()
    #expect(lock.count == 1)
  }

  @Test func `claims that cannot be read leave no lock behind`() async throws {
    var together = Coordination(alone: { nil })
    together.claimedHosts = { throw Unreadable() }
    let lock = CountedLock()

    await #expect(throws: Unreadable.self) { _ = try await together.claims(holding: lock.held()) }

    #expect(lock.count == 1)
  }
}

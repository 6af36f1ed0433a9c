// What a fetch means for the pushes that rode along.

import Core
import Testing

@Suite struct PushVerdictTests {
  private let now = Instant(secondsSince1970: 1_800_000_000)

  private func push(_ number: Int64, tries: Int = 0) throws -> StoredPush {
    StoredPush(
      number: number, feed: try #require(FeedName("planet")), payload: "{}", received: now, tries: tries)
  }

  @Test(
    arguments: [
      (FetchResult.newData, [Int64(1), 2], [Int64]()), (.noData, [2], [1]), (.failed, [2], [1]),
    ])
  func `data settles every push, and no data the ones that were tried before`(
    result: FetchResult, settled: [Int64], late: [Int64]
  ) throws {
    let verdict = pushVerdict(
      [try push(1), try push(2, tries: 1)], result, isCounted: true, isCaused: true, at: now)
    #expect(verdict.settlement.settled == settled)
    #expect(verdict.shown.map(\.number) == settled)
    #expect(
      verdict.settlement.late == Dictionary(uniqueKeysWithValues: late.map { ($0, now + .seconds(60)) }))
  }

  @Test func `a fetch that says nothing about the feed leaves them waiting, and does not count`() throws {
    let verdict = pushVerdict([try push(1)], .failed, isCounted: false, isCaused: true, at: now)
    #expect(verdict == PushVerdict())
  }

  @Test(
    arguments: [(0, true, true), (0, false, false), (1, true, false)])
  func `only a first try that made the feed due counts against the limit`(
    tries: Int, isCaused: Bool, counts: Bool
  ) throws {
    let verdict = pushVerdict(
      [try push(1, tries: tries)], .newData, isCounted: true, isCaused: isCaused, at: now)
    #expect(verdict.settlement.causedAt == (counts ? now : nil))
  }

  @Test func `a fetch without pushes has nothing to write`() {
    #expect(pushVerdict([], .newData, isCounted: true, isCaused: true, at: now).settlement.isEmpty)
  }
}

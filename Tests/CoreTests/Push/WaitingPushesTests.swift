// Pushes that wait: when they may cause a fetch, and what a fetch settles.

import Testing

@testable import Core

@Suite struct PushDemandTests {
  /// The seconds from now until a demand is allowed.
  private func allowed(
    _ pushes: [StoredPush], fetches ago: [Int64],
    _ limit: PushLimit = PushLimit(count: 2, interval: .hours(1))
  ) -> Int64 {
    let demand = PushDemand(pushes: pushes, fetches: ago.map(before))
    return demand.allowedFrom(limit, at: now).secondsSince1970 - now.secondsSince1970
  }

  /// A moment before now, or after it for a negative number.
  private func before(_ seconds: Int64) -> Instant {
    Instant(secondsSince1970: now.secondsSince1970 - seconds)
  }

  @Test(
    arguments: [
      ([], 0, 2), ([10], 0, 1), ([3600, 3600, 3600], 0, 2), ([4000, 10], 0, 1), ([20, 10], 3580, 0),
      ([10, 20], 3580, 0), ([30, 20, 10], 3580, 0), ([3599, 10], 1, 0), ([3600, 3599, 10], 1, 0),
      ([3000, 2000, 1000], 1600, 0),
      // A later moment was stored before the clock was set back.
      ([-10, -20], 0, 2), ([-10, 20], 0, 1), ([-10, 20, 10], 3580, 0), ([0, 0], 3600, 0),
    ] as [([Int64], Int64, Int)])
  func `a push waits until the limit allows one fetch more, and the allowance is what it leaves`(
    ago: [Int64], seconds: Int64, count: Int
  ) throws {
    let demand = PushDemand(pushes: [try waiting()], fetches: ago.map(before))

    #expect(allowed([try waiting()], fetches: ago) == seconds)
    #expect(demand.allowance(PushLimit(count: 2, interval: .hours(1)), at: now) == count)
  }

  @Test func `a second try waits for its moment and for the limit, unless another push has come`() throws {
    let late = try waiting(1, .minutes(5), late: now + .seconds(60))
    let ahead = now + .days(300)
    let push = StoredPush(
      number: 1, feed: try name("planet"), payload: PushPayload(text: "{}"), received: ahead, tries: 1,
      notBefore: ahead + .seconds(60))

    #expect(allowed([try waiting(1, .minutes(5)), try waiting(2, .minutes(1))], fetches: []) == -300)
    #expect(allowed([late], fetches: []) == 60)
    #expect(allowed([late], fetches: [20, 10]) == 3580)
    #expect(allowed([late, try waiting(2)], fetches: []) == 0)
    #expect(allowed([late, try waiting(2)], fetches: [20, 10]) == 3580)
    #expect(allowed([try waiting(1, late: now - .hours(1))], fetches: [10]) == -3600)
    #expect(allowed([try waiting(1, late: now - .hours(1))], fetches: [20, 10]) == 3580)
    // With a clock set back it would be a minute ahead for as long as the clock is behind.
    #expect(allowed([push], fetches: []) == 0)
    #expect(PushDemand(pushes: [push]).ready(at: now) == [push])
  }

  @Test(arguments: [(1, 1), (2, 2), (3, 3), (5, 4)])
  func `pushes that bring nothing cause no more fetches than the limit allows, second tries included`(
    limit: Int, fetches: Int
  ) throws {
    let limit = PushLimit(count: limit, interval: .hours(1))
    var waiting = [try waiting(1), try waiting(2)]
    var caused: [Instant] = []
    // Two pushes that come one after the other: each with a first and a second try, a minute apart.
    for minute in 0..<59 {
      let moment = now + .minutes(Int64(minute))
      let demand = PushDemand(pushes: minute < 10 ? Array(waiting.prefix(1)) : waiting, fetches: caused)
      guard !demand.pushes.isEmpty, demand.allowedFrom(limit, at: moment) <= moment else { continue }
      let ready = demand.ready(at: moment)
      let verdict = pushVerdict(ready, .noData, isCounted: true, isCaused: true, at: moment)
      caused += [verdict.settlement.causedAt].compactMap(\.self)
      waiting.removeAll { verdict.settlement.settled.contains($0.number) }
      for place in waiting.indices where verdict.settlement.late[waiting[place].number] != nil {
        waiting[place].tries += 1
        waiting[place].notBefore = verdict.settlement.late[waiting[place].number]
      }
    }
    #expect(caused.count == fetches)
  }

  @Test func `pushes with a later moment are not ready`() throws {
    let pushes = [
      try waiting(1), try waiting(2, late: now), try waiting(3, late: now + .seconds(1)),
      try waiting(4, late: now + .seconds(60)), try waiting(5, late: now - .days(1)),
    ]

    #expect(PushDemand(pushes: pushes).ready(at: now).map(\.number) == [1, 2, 5])
  }

  @Test func `each feed with a push has its own demand and fetches`() throws {
    let pushes = [try waiting(1, feed: "a"), try waiting(2, feed: "b"), try waiting(3, feed: "a")]
    let demands = pushDemands(pushes, fetches: [try name("a"): [now], try name("c"): [now]])

    #expect(demands.count == 2)
    #expect(demands[try name("a")]?.pushes.map(\.number) == [1, 3])
    #expect(demands[try name("a")]?.fetches == [now])
    #expect(demands[try name("b")]?.fetches == [])
  }
}

@Suite struct PushVerdictTests {

  private func push(_ number: Int64, tries: Int = 0) throws -> StoredPush {
    StoredPush(
      number: number, feed: try #require(FeedName("planet")), payload: PushPayload(text: "{}"), received: now,
      tries: tries)
  }

  @Test(arguments: [
    (FetchResult.newData, [Int64(1), 2], [Int64]()), (.noData, [2], [1]), (.failed, [2], [1]),
  ])
  func `new data settles every push, and no data only second tries`(
    result: FetchResult, settled: [Int64], late: [Int64]
  ) throws {
    let verdict = pushVerdict(
      [try push(1), try push(2, tries: 1)], result, isCounted: true, isCaused: true, at: now)
    #expect(verdict.settlement.settled == settled)
    #expect(verdict.shown.map(\.number) == settled)
    #expect(
      verdict.settlement.late == Dictionary(uniqueKeysWithValues: late.map { ($0, now + .seconds(60)) }))
  }

  @Test
  func
    `a fetch that says nothing about the feed leaves them waiting, and only a try that made it due counts`()
    throws
  {
    #expect(pushVerdict([try push(1)], .failed, isCounted: false, isCaused: true, at: now) == PushVerdict())
    #expect(pushVerdict([], .newData, isCounted: true, isCaused: true, at: now).settlement.isEmpty)
    for (tries, isCaused) in [(0, true), (0, false), (1, true), (1, false)] {
      let verdict = pushVerdict(
        [try push(1, tries: tries)], .newData, isCounted: true, isCaused: isCaused, at: now)
      #expect(verdict.settlement.causedAt == (isCaused ? now : nil))
    }
  }
}

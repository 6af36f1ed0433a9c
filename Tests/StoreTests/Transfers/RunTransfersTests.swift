// The downloads of a run in the history.

import Core
import Testing

@testable import Store

@Suite final class RunTransfersTests: StoreSuite {
  @Test func `the totals of the downloads replace those of the fetch`() async throws {
    let round = try await store.beginRound(.timer, process: 1, at: now)
    var totals = RunTotals()
    totals.due = 12
    try await store.endRound(round, at: now + .minutes(1), totals: totals)
    let fetched = try #require(try await store.lastRun())
    #expect(fetched.totals == totals)
    #expect(fetched.transfersEnded == nil)

    totals.transfers.finished = 4
    totals.transfers.resumed = 2
    totals.transfers.failed = 1
    totals.transfers.left = 3
    totals.exitStatus = 3
    totals.ending = .budget
    try await store.endTransfers(round, at: now + .hours(6), totals: totals)

    let ended = try #require(try await store.lastRun())
    #expect(ended.totals == totals)
    #expect(ended.ended == now + .minutes(1))
    #expect(ended.transfersEnded == now + .hours(6))
  }

  @Test func `a run that ends its transfers after the start of another changes only its own record`()
    async throws
  {
    let first = try await store.beginRound(.timer, process: 1, at: now)
    try await store.endRound(first, at: now, totals: RunTotals())
    let second = try await store.beginRound(.timer, process: 2, at: now + .hours(1))
    var totals = RunTotals()
    totals.transfers.finished = 1

    try await store.endTransfers(first, at: now + .hours(2), totals: totals)

    #expect(try await store.runs(HistoryPart()).map(\.totals?.transfers.finished) == [1, nil])
    #expect(try await store.lastRun()?.number == second)
    #expect(try await store.lastRun()?.wasCut == false)
  }
}

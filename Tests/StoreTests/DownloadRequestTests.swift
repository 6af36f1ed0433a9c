// The requests of downloads among those of fetches.

import Core
import Testing

@testable import Store

@Suite final class DownloadRequestTests: TransferSuite {
  /// A fetch with one item and a transfer, whose attempts send these requests; the last attempt ends it.
  private func download(_ guid: String, _ attempts: [[String]], at time: Instant = now) async throws {
    guard let transfer = try await world.queued([guid], at: time).first else { throw Problem("not queued") }
    for (place, addresses) in attempts.enumerated() {
      _ = try await store.begin(transfer.number, in: "/documents")
      let requests = addresses.map { request($0, at: time) }
      if place < attempts.count - 1 {
        let left = transfer.postponed(.queued, "cut", partial: PartialDownload())
        _ = try await store.requeue(left, requests)
      } else {
        var settlement = TransferEnd(transfer.number, .unchanged, ended: time)
        settlement.requests = requests
        _ = try await store.end(settlement, round: nil, configured: [world.planet])
      }
    }
  }

  /// The history in order: `F` for a fetch, the address for a download.
  private func listed(_ part: HistoryPart = HistoryPart(), atMost count: Int = 1000) async throws -> [String]
  {
    var place: Int64? = try await store.beginning(of: part)
    var found: [String] = []
    for _ in 0..<1000 {
      guard let start = place else { return found }
      let (requestEntries, end) = try await store.requestEntries(part, after: start, atMost: count)
      found += requestEntries.map { asking in
        switch asking {
        case .fetch: "F"
        case .download(let download): "\(download.hop)\(download.record.address)"
        }
      }
      place = end
    }
    throw Problem("it does not end")
  }

  @Test(arguments: [1, 2, 3, 1000])
  func `requests of downloads are listed by their end among those of fetches`(count: Int) async throws {
    try await download("a", [["a", "b"], ["c"]])
    try await download("b", [["d"]])
    try await world.commit(["c"])
    try await world.commit(["d"])

    #expect(try await listed(atMost: count) == ["F", "0a", "1b", "0c", "F", "0d", "F", "F"])
  }

  @Test func `a part of the history has the last requests of its feeds since a time`() async throws {
    try await download("a", [["a", "b"], ["c"]])
    try await download("b", [["d"]], at: now + .hours(1))
    try await world.commit(["c"], at: now + .hours(1))

    let all = ["F", "0a", "1b", "0c", "F", "0d", "F"]
    for (limit, last) in [(1, 1), (2, 3), (3, 7), (99, 7)] {
      #expect(try await listed(HistoryPart(limit: limit)) == all.suffix(last), "\(limit)")
    }
    #expect(try await listed(HistoryPart(since: now + .hours(1))) == ["F", "0d", "F"])
    #expect(try await listed(HistoryPart(feeds: [try name("moon")])) == [])
  }

  @Test func `requests are kept when another process ended the transfer`() async throws {
    let transfer = try await world.running()
    _ = try await world.settle(transfer, .cancelled)

    var settlement = TransferEnd(transfer.number, .unchanged, ended: now)
    settlement.requests = [request("a")]
    #expect(try await !store.end(settlement, round: nil, configured: []))
    var lost = TransferEnd(transfer.number, .lost, ended: now)
    lost.requests = [request("b")]
    #expect(try await !store.end(lost, round: nil, configured: []))

    #expect(try await listed() == ["F", "0a", "0b"])
  }

  @Test func `old requests and those of a forgotten feed are pruned`() async throws {
    try await download("a", [["a"]])
    try await download("b", [["b"]], at: now + .days(2))

    _ = try await store.prune(before: now + .days(1), limit: 100)

    #expect(try await listed().suffix(1) == ["0b"])
    #expect(try await store.number("SELECT count(*) FROM download_request") == 1)
  }
}

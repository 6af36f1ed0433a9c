// The state of downloads: what starts, what waits, and the counts.

import Testing

@testable import Core

@Suite struct WaitingTransfersTests {
  private let now = Instant(secondsSince1970: 1_793_613_600)

  private func transfer(
    _ number: Int64, feed: String = "planet", change: (inout Transfer) -> Void = { _ in }
  ) throws -> Transfer {
    var transfer = Transfer(
      number: number, feed: try #require(FeedName(feed)), session: 1,
      asset: Asset(url: "https://cdn\(number).example/\(number).mp3"), item: nil, description: "\(number)",
      queued: now)
    change(&transfer)
    return transfer
  }

  /// The state with one feed that downloads, and some transfers.
  private func queue(_ transfers: [Transfer]) throws -> TransferQueue {
    var feed = FeedSpec(name: try #require(FeedName("planet")), url: .plain("https://planet.example/"))
    feed.download = DownloadSpec()
    var queue = TransferQueue([feed], network: NetworkSettings())
    #expect(queue.update(transfers) == [])
    return queue
  }

  private func postponed(until moment: Instant? = nil) throws -> TransferOutcome {
    let status = moment == nil ? TransferStatus.suspended : .queued
    return .postponed(
      try transfer(1).postponed(status, "cut", until: moment, partial: PartialDownload()), nil)
  }

  private static func placed(isResumed: Bool) -> TransferOutcome {
    let placed = Instant(secondsSince1970: 1_793_613_600)
    let file = PlacedFile(directory: "/d", name: "a", size: 1, sha256: "", placed: placed)
    return .placed(file, isResumed: isResumed)
  }

  private static let failed = TransferOutcome.failed(reason: "gone", needsCredentials: false)

  @Test(
    arguments: [
      (Self.placed(isResumed: false), [1, 0, 0, 0]), (Self.placed(isResumed: true), [1, 1, 0, 0]),
      (.unchanged, [1, 0, 0, 0]), (Self.failed, [0, 0, 1, 0]), (.lost, [0, 0, 0, 0]),
    ] as [(TransferOutcome, [Int])])
  func `each outcome is counted`(ending: TransferOutcome, counts: [Int]) throws {
    var queue = try queue([try transfer(1)])

    #expect(queue.next(at: now)?.0.number == 1)
    queue.end(1, ending, at: now)

    let totals = queue.totals
    #expect([totals.finished, totals.resumed, totals.failed, totals.left] == counts)
    #expect(queue.next(at: now) == nil)
  }

  @Test(arguments: [TransferOutcome.unchanged, Self.failed])
  func `a feed's fetch that ends without a file is not counted`(ending: TransferOutcome) throws {
    var queue = try queue([try transfer(1) { $0.asset = .feedBody }])

    _ = queue.next(at: now)
    queue.end(1, ending, at: now)

    #expect(queue.totals == TransferTotals())
  }

  @Test func `a transfer postponed without a time waits for a later run`() throws {
    var queue = try queue([try transfer(1)])

    _ = queue.next(at: now)
    queue.end(1, try postponed(), at: now)
    let atOnce = queue.next(at: now + .days(1))
    _ = queue.update([try transfer(1) { $0.status = .suspended }])

    #expect(atOnce == nil)
    #expect(queue.next(at: now + .days(1)) == nil)
    #expect(queue.totals.left == 1)
  }

  @Test func `a postponed transfer starts again after the person changed it`() throws {
    var queue = try queue([try transfer(1)])

    _ = queue.next(at: now)
    queue.end(1, try postponed(), at: now)
    _ = queue.update([try transfer(1)])

    #expect(queue.next(at: now)?.0.number == 1)
  }

  @Test func `a transfer postponed until a time starts then, in the same run`() throws {
    var queue = try queue([try transfer(1)])

    _ = queue.next(at: now)
    queue.end(1, try postponed(until: now + .minutes(5)), at: now)

    #expect(!queue.hasNext(at: now + .minutes(4)))
    #expect(queue.next(at: now + .minutes(5))?.0.number == 1)
  }

  @Test func `a transfer that another process took is known again after the store is read`() throws {
    var queue = try queue([try transfer(1)])

    _ = queue.next(at: now)
    queue.end(1, .lost, at: now)
    let before = queue.next(at: now)
    _ = queue.update([try transfer(1)])

    #expect(before == nil)
    #expect(queue.next(at: now)?.0.number == 1)
  }

  @Test(
    arguments: [(.running, false, []), (.suspended, true, [1]), (.queued, false, [1]), (nil, false, [1])]
      as [(TransferStatus?, Bool, [Int64])])
  func `active transfers that are not running in the store are stopped`(
    status: TransferStatus?, isSuspendedByUser: Bool, stopping: [Int64]
  ) throws {
    var queue = try queue([try transfer(1)])
    _ = queue.next(at: now)

    let stored = try status.map { status in
      [try transfer(1) { ($0.status, $0.isSuspendedByUser) = (status, isSuspendedByUser) }]
    }

    #expect(queue.update(stored ?? []) == stopping)
    #expect(queue.running == [1])
    #expect(!queue.hasNext(at: now))
  }

  @Test func `after closing nothing starts, and waiting transfers are left`() throws {
    var queue = try queue([try transfer(1), try transfer(2)])

    _ = queue.next(at: now)
    queue.close()

    #expect(queue.next(at: now) == nil)
    #expect(queue.totals.left == 2)
  }

  @Test func `suspended transfers and those of unknown feeds are not counted as left`() throws {
    let queue = try queue([try transfer(1) { $0.isSuspendedByUser = true }, try transfer(2, feed: "gone")])

    #expect(!queue.hasNext(at: now))
    #expect(queue.totals.left == 0)
  }
}

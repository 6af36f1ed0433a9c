// The order of downloads.

import Testing

@testable import Core

@Suite struct TransferQueueTests {
  private func queue(_ waiting: [Transfer], _ feeds: [FeedSpec], connections: Int? = nil) -> TransferQueue {
    let network = with(NetworkSettings()) { if let connections { $0.connections = connections } }
    return with(TransferQueue(FeedList(feeds), network: network)) { _ = $0.update(waiting) }
  }

  /// The numbers of the downloads in their order, each one ending before the next starts, or all at the same time.
  private func order(
    _ unsettled: [Transfer], _ feeds: [FeedSpec], together: Bool = false, connections: Int? = nil
  ) -> [Int64] {
    var queue = queue(unsettled, feeds, connections: connections)
    var numbers: [Int64] = []
    while let next = queue.start(at: now), numbers.count < 100 {
      numbers.append(next)
      if together {
        // Replacing the waiting downloads does not restart those under way.
        _ = queue.update(unsettled)
      } else {
        queue.end(next, .lost, at: now)
      }
    }
    return numbers
  }

  @Test func `feeds take turns, resumed downloads first, and what is not queued never starts`()
    throws
  {
    let (a, b) = (try podcast("a"), try podcast("b"))
    let turns =
      try (1...3).map { try transfer($0, feed: "a") } + (4...5).map { try transfer($0, feed: "b") }
      + [transfer(6, feed: "c")]
    let idle = [
      try transfer(1) { $0.isSuspendedByUser = true }, try transfer(2) { $0.status = .finished },
      try transfer(3) { $0.status = .running }, try transfer(4, feed: "gone"), try transfer(5, feed: "plain"),
      try transfer(6) { $0.status = .suspended },
    ]

    #expect(order(turns, [a, b, try podcast("c")]) == [1, 4, 6, 2, 5, 3])
    let resumed = [try transfer(1), try transfer(2) { $0.partial = partial() }, try transfer(3)]
    #expect(order(resumed, [try podcast()]) == [2, 1, 3])
    #expect(order(idle, [try podcast(), try feed("plain")]) == [6])
    // An impossibly late moment was stored under a wrong clock.
    #expect(order([try transfer(1) { $0.notBefore = now + .days(30) }], [try podcast()]) == [1])
  }

  @Test func `a download during which two processes in a row died starts last, alone, and only on demand`()
    throws
  {
    let queued = [
      try transfer(1) { $0.crashes = 4 }, try transfer(2) { ($0.crashes, $0.partial) = (2, partial()) },
      try transfer(3) { $0.crashes = 1 }, try transfer(4), try transfer(5) { $0.crashes = 2 },
    ]
    let feeds = [try podcast()]
    var queue = queue(queued, feeds)

    #expect(order(queued, feeds) == [3, 4])
    var started: [Int64] = []
    queue.takesCrashed = true
    while let next = queue.start(at: now) {
      started.append(next)
      #expect(next == 3 || next == 4 || queue.start(at: now) == nil)
      queue.end(next, .lost, at: now)
    }
    #expect(started == [3, 4, 2, 5, 1])
  }

  @Test func `a host has one connection, and all downloads as many as there are`() throws {
    let queued = [
      try transfer(1, feed: "a", url: "https://one.example/1"),
      try transfer(2, feed: "a", url: "https://ONE.example/2"),
      try transfer(3, feed: "b", url: "https://one.example/3"),
      try transfer(4, feed: "b", url: "https://two.example/4"),
    ]
    let many = try (1...9).map { try transfer($0, url: "https://h\($0).example/") }
    // The body of a feed counts for the feed's host.
    let body = with(try podcast("iso", url: "https://cdn.example/latest.iso")) { $0.kind = .asset }
    let bodies = [
      try transfer(1, feed: "iso", url: ""), try transfer(2, feed: "planet"),
      try transfer(3, feed: "planet", url: "https://other.example/"),
    ]

    #expect(order(queued, [try podcast("a"), try podcast("b")], together: true) == [1, 4])
    #expect(order(many, [try podcast()], together: true, connections: 3) == [1, 2, 3])
    #expect(order(bodies, [body, try podcast()], together: true) == [1, 3])
  }

  @Test func `a file that is placed needs no host, but no more of them wait than there are connections`()
    throws
  {
    var queue = queue(try (1...5).map { try transfer($0) }, [try podcast()], connections: 3)

    for number in 1...3 as ClosedRange<Int64> {
      #expect(queue.start(at: now) == number)
      #expect(queue.start(at: now) == nil)
      queue.recordReceived(number)
    }
    // Three files wait, although none uses the host.
    #expect(queue.start(at: now) == nil)
    queue.end(1, .postponed(try transfer(1) { $0.notBefore = now }), at: now)
    #expect(queue.start(at: now) == 1)
    // It needs the host again.
    queue.end(2, .lost, at: now)
    #expect(queue.start(at: now) == nil)
  }

  @Test func `a feed's limit counts each download that the run starts once`() throws {
    let queued =
      try [transfer(1, feed: "a") { $0.partial = partial() }]
      + (2...4).map { try transfer($0, feed: "a") } + [transfer(5, feed: "b")]
    let feeds = [try podcast("a") { $0.limit = 2 }, try podcast("b")]
    var queue = queue([queued[0]], feeds)

    #expect(order(queued, feeds) == [1, 5, 2])
    for _ in 1...4 {
      #expect(queue.start(at: now) == 1)
      queue.end(1, .postponed(with(queued[0]) { $0.notBefore = now }), at: now)
    }
  }

  @Test func `nothing starts before its moment, the first time or again`()
    throws
  {
    var queue = queue(
      [
        try transfer(1) { $0.notBefore = now + .minutes(9) },
        try transfer(2) { $0.notBefore = now + .minutes(5) },
        try transfer(3) { ($0.notBefore, $0.isSuspendedByUser) = (now + .minutes(1), true) },
      ], [try podcast()])
    var again = self.queue([try transfer(1), try transfer(2)], [try podcast()])

    #expect(queue.start(at: now) == nil)
    #expect(queue.start(at: now + .minutes(5)) == 2)
    #expect(queue.start(at: now + .minutes(8)) == nil)
    #expect(again.start(at: now) == 1)
    again.end(1, .postponed(try transfer(1) { $0.notBefore = now + .minutes(5) }), at: now)
    #expect(again.start(at: now) == 2)
    again.end(2, .lost, at: now)
    #expect(again.start(at: now) == nil)
    #expect(again.start(at: now + .minutes(5)) == 1)
  }

  @Test func `a rate limit applies to all downloads from its host, for an hour`() throws {
    let feeds = [try podcast("a"), try podcast("b")]
    let queued = [
      try transfer(1, feed: "a"), try transfer(2, feed: "a"), try transfer(3, feed: "b"),
      try transfer(4, feed: "a", url: "https://other.example/4.mp3"),
    ]
    /// The downloads that start at a moment after the first one met a limit of two hours.
    func started(at moment: Instant) -> [Int64] {
      var queue = self.queue([queued[0]], feeds)
      _ = queue.start(at: now)
      _ = queue.update(queued)
      queue.end(1, .postponed(queued[0], now + .hours(2)), at: now)
      var numbers: [Int64] = []
      while let next = queue.start(at: moment) {
        numbers.append(next)
        queue.end(next, .lost, at: now)
      }
      return numbers.sorted()
    }

    #expect(started(at: now) == [4])
    #expect(started(at: now + .hours(1)) == [2, 3, 4])
  }
}

extension TransferQueue {
  /// Starts the next download, and returns its number.
  fileprivate mutating func start(at moment: Instant) -> Int64? { next(at: moment)?.0.number }
}

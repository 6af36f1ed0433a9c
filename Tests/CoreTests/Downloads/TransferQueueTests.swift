// The order of downloads.

import Testing

@testable import Core

@Suite struct TransferQueueTests {
  /// The numbers of the downloads in their order, each one ending before the next starts.
  private func order(
    _ unsettled: [Transfer], _ feeds: [FeedSpec], network: NetworkSettings = NetworkSettings()
  ) -> [Int64] {
    var queue = TransferQueue(feeds, network: network)
    queue.replace(with: unsettled)
    var numbers: [Int64] = []
    while let next = queue.next(at: now), numbers.count < 100 {
      numbers.append(next)
      queue.noteEnd(of: next, waitsAs: nil)
    }
    return numbers
  }

  /// The numbers of the downloads that start at the same time.
  private func together(
    _ unsettled: [Transfer], _ feeds: [FeedSpec], network: NetworkSettings = NetworkSettings()
  ) -> [Int64] {
    var queue = TransferQueue(feeds, network: network)
    queue.replace(with: unsettled)
    var numbers: [Int64] = []
    while let next = queue.next(at: now), numbers.count < 100 {
      numbers.append(next)
      // Replacing the waiting downloads does not restart those under way.
      queue.replace(with: unsettled)
    }
    return numbers
  }

  @Test func `feeds take turns, each in the order in which it was queued`() throws {
    let queued =
      try (1...3).map { try transfer($0, feed: "a") } + (4...5).map { try transfer($0, feed: "b") }
      + [transfer(6, feed: "c")]

    #expect(order(queued, [try podcast("a"), try podcast("b"), try podcast("c")]) == [1, 4, 6, 2, 5, 3])
  }

  @Test func `the higher priority goes first`() throws {
    let queued = [try transfer(1, feed: "a"), try transfer(2, feed: "b"), try transfer(3, feed: "b")]

    #expect(order(queued, [try podcast("a"), try podcast("b") { $0.priority = 1 }]) == [2, 3, 1])
  }

  @Test func `resumed downloads start first`() throws {
    let queued = [try transfer(1), try transfer(2) { $0.partial = partial() }, try transfer(3)]

    #expect(order(queued, [try podcast()]) == [2, 1, 3])
  }

  @Test func `a download during which two processes in a row died starts last, alone, and only on demand`()
    throws
  {
    let queued = [
      try transfer(1) { $0.crashes = 4 }, try transfer(2) { ($0.crashes, $0.partial) = (2, partial()) },
      try transfer(3) { $0.crashes = 1 }, try transfer(4), try transfer(5) { $0.crashes = 2 },
    ]
    let feeds = [try podcast { $0.priority = 9 }]
    var queue = TransferQueue(feeds, network: NetworkSettings())
    queue.replace(with: queued)

    #expect(order(queued, feeds) == [3, 4])
    var started: [Int64] = []
    while let next = queue.next(at: now, takesCrashed: true) {
      started.append(next)
      #expect(next == 3 || next == 4 || queue.next(at: now, takesCrashed: true) == nil)
      queue.noteEnd(of: next, waitsAs: nil)
    }
    #expect(started == [3, 4, 2, 5, 1])
  }

  @Test func `a host has one connection, and the others go on`() throws {
    let queued = [
      try transfer(1, feed: "a", url: "https://one.example/1"),
      try transfer(2, feed: "a", url: "https://ONE.example/2"),
      try transfer(3, feed: "b", url: "https://one.example/3"),
      try transfer(4, feed: "b", url: "https://two.example/4"),
    ]

    #expect(together(queued, [try podcast("a"), try podcast("b")]) == [1, 4])
  }

  @Test(arguments: [(2, 2, [1, 3]), (2, 1, [1]), (3, 3, [1, 3, 2])])
  func `if feeds of one host differ, the fewest connections apply`(
    first: Int, second: Int, started: [Int64]
  ) throws {
    var one = try podcast("a")
    one.network.connectionsPerHost = first
    var two = try podcast("b")
    two.network.connectionsPerHost = second
    let queued = [try transfer(1, feed: "a"), try transfer(2, feed: "a"), try transfer(3, feed: "b")]

    let numbers = together(queued, [one, two])

    #expect(numbers.sorted() == started.sorted() || (first, second) == (2, 1) && numbers == [1, 2])
  }

  @Test func `no more downloads run than there are connections`() throws {
    var network = NetworkSettings()
    network.connections = 3
    let queued = try (1...9).map { try transfer($0, url: "https://h\($0).example/") }

    #expect(together(queued, [try podcast()], network: network) == [1, 2, 3])
  }

  @Test func `a file that is placed needs no host, but no more of them wait than there are connections`()
    throws
  {
    var network = NetworkSettings()
    network.connections = 3
    var queue = TransferQueue([try podcast()], network: network)
    queue.replace(with: try (1...5).map { try transfer($0) })

    #expect(queue.next(at: now) == 1)
    #expect(queue.next(at: now) == nil)
    queue.noteReceived(1)
    #expect(queue.next(at: now) == 2)
    #expect(queue.next(at: now) == nil)
    queue.noteReceived(2)
    #expect(queue.next(at: now) == 3)
    queue.noteReceived(3)
    // Three files wait, although none uses the host.
    #expect(queue.next(at: now) == nil)
    queue.noteEnd(of: 1, waitsAs: try transfer(1))
    #expect(queue.next(at: now) == 1)
    // It needs the host again.
    queue.noteEnd(of: 2, waitsAs: nil)
    #expect(queue.next(at: now) == nil)
  }

  @Test func `a feed's limit counts each download that the run starts once`() throws {
    let queued =
      try [transfer(1, feed: "a") { $0.partial = partial() }]
      + (2...4).map { try transfer($0, feed: "a") } + [transfer(5, feed: "b")]
    let feeds = [try podcast("a") { $0.limit = 2 }, try podcast("b")]

    #expect(order(queued, feeds) == [1, 5, 2])

    var queue = TransferQueue(feeds, network: NetworkSettings())
    queue.replace(with: [queued[0]])
    let attempts = (1...4).map { _ in
      let next = queue.next(at: now)
      if let next { queue.noteEnd(of: next, waitsAs: queued[0]) }
      return next
    }
    #expect(attempts == [1, 1, 1, 1])
  }

  @Test func `suspended, settled and running downloads never start, nor those of feeds without downloads`()
    throws
  {
    let queued = [
      try transfer(1) { $0.isSuspendedByUser = true }, try transfer(2) { $0.status = .finished },
      try transfer(3) { $0.status = .running }, try transfer(4, feed: "gone"),
      try transfer(5, feed: "plain"), try transfer(6) { $0.status = .suspended },
    ]

    #expect(order(queued, [try podcast(), try feed("plain")]) == [6])
  }

  @Test func `nothing starts before its moment, and the next moment is known`() throws {
    let queued = [
      try transfer(1) { $0.notBefore = now + .minutes(9) },
      try transfer(2) { $0.notBefore = now + .minutes(5) },
      try transfer(3) {
        $0.notBefore = now + .minutes(1)
        $0.isSuspendedByUser = true
      },
    ]
    var queue = TransferQueue([try podcast()], network: NetworkSettings())
    queue.replace(with: queued)

    #expect(queue.next(at: now) == nil)
    #expect(queue.nextMoment(after: now) == now + .minutes(5))
    #expect(queue.next(at: now + .minutes(5)) == 2)
    #expect(queue.nextMoment(after: now) == now + .minutes(9))
    queue.replace(with: [])
    #expect(queue.nextMoment(after: now) == nil)
  }

  @Test func `a download that waits again takes its turn when its moment has come`() throws {
    let queued = [try transfer(1), try transfer(2)]
    var queue = TransferQueue([try podcast()], network: NetworkSettings())
    queue.replace(with: queued)

    #expect(queue.next(at: now) == 1)
    queue.noteEnd(of: 1, waitsAs: try transfer(1) { $0.notBefore = now + .minutes(5) })
    #expect(queue.next(at: now) == 2)
    queue.noteEnd(of: 2, waitsAs: nil)
    #expect(queue.next(at: now) == nil)
    #expect(queue.next(at: now + .minutes(5)) == 1)
  }

  @Test func `a rate limit applies to its feed and host, and on a public host to all feeds for an hour`()
    throws
  {
    var feeds = [try podcast("a"), try podcast("b")]
    for index in feeds.indices { feeds[index].network.connectionsPerHost = 10 }
    let queued = [
      try transfer(1, feed: "a"), try transfer(2, feed: "a"), try transfer(3, feed: "b"),
      try transfer(4, feed: "a", url: "https://other.example/4.mp3"),
    ]
    /// The downloads that start at a moment after the first one met a limit of two hours.
    func started(isOfPublicHost: Bool, at moment: Instant) -> [Int64] {
      var queue = TransferQueue(feeds, network: NetworkSettings())
      queue.replace(with: [queued[0]])
      _ = queue.next(at: now)
      queue.replace(with: queued)
      queue.note(TransferRateLimit(until: now + .hours(2), isOfPublicHost: isOfPublicHost), of: 1, at: now)
      queue.noteEnd(of: 1, waitsAs: nil)
      #expect(queue.nextMoment(after: now) == now + (isOfPublicHost ? .hours(1) : .hours(2)))
      var numbers: [Int64] = []
      while let next = queue.next(at: moment) { numbers.append(next) }
      return numbers.sorted()
    }

    #expect(started(isOfPublicHost: false, at: now) == [3, 4])
    #expect(started(isOfPublicHost: false, at: now + .hours(2)) == [2, 3, 4])
    #expect(started(isOfPublicHost: true, at: now) == [4])
    #expect(started(isOfPublicHost: true, at: now + .hours(1)) == [3, 4])
  }

  @Test func `an impossibly late moment was stored under a wrong clock`() throws {
    let queued = [try transfer(1) { $0.notBefore = now + .days(30) }]

    #expect(order(queued, [try podcast()]) == [1])
  }

  @Test func `the body of a feed counts for the feed's host`() throws {
    var body = try podcast("iso", url: "https://cdn.example/latest.iso")
    body.kind = .asset
    let queued = [
      try transfer(1, feed: "iso", url: ""), try transfer(2, feed: "planet"),
      try transfer(3, feed: "planet", url: "https://other.example/"),
    ]

    #expect(together(queued, [body, try podcast()]) == [1, 3])
  }
}

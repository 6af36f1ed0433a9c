// Connections, delays and turns of the hosts of a run.

import Core
import Testing

@Suite struct HostQueueTests {
  private func queue(
    connections: Int = 32, delay: Interval = .seconds(1), hosts: [String: HostState] = [:],
    warning: Int64? = nil, _ feeds: [QueuedFeed] = []
  ) -> HostQueue {
    let network = with(NetworkSettings()) {
      ($0.connections, $0.delayPerHost) = (connections, delay)
    }
    var queue = HostQueue(network: network, hosts: hosts, roundStart: now, start: 1000, warning: warning)
    for feed in feeds { queue.add(feed) }
    return queue
  }

  /// A feed of the host that its first letter names.
  private func queued(
    _ text: String, isPublic: Bool = true, waits seconds: Int64? = nil
  ) throws -> QueuedFeed {
    QueuedFeed(
      name: try name(text), host: String(text.prefix(1)), isPublicHost: isPublic,
      waitUntil: seconds.map { now + .seconds($0) })
  }

  private func queued(_ feeds: [String], isPublic: Bool = true) throws -> [QueuedFeed] {
    try feeds.map { try queued($0, isPublic: isPublic) }
  }

  private func host(asked moment: Instant) -> [String: HostState] {
    ["a": with(HostState()) { $0.lastRequest = moment }]
  }

  /// Runs all feeds, each for its time, and returns when each started.
  private func starts(_ queue: HostQueue, taking time: Int64 = 10) -> [(feed: String, at: Int64)] {
    var queue = queue
    var clock: Int64 = 1000
    var ends: [(at: Int64, feed: FeedName)] = []
    var starts: [(feed: String, at: Int64)] = []
    while !queue.isFinished {
      for feed in queue.dequeue(at: clock) {
        starts.append((feed.text, clock))
        ends.append((clock + time, feed))
      }
      guard let next = [ends.first?.at, queue.nextStart].compactMap({ $0 }).min(), next >= clock else {
        break
      }
      clock = next
      while let end = ends.first, end.at <= clock {
        queue.finished(end.feed, at: clock)
        ends.removeFirst()
      }
    }
    return starts
  }

  /// Expects the feeds to start in an order, each at its time in milliseconds.
  private func expect(
    _ rule: Comment, _ queue: HostQueue, taking time: Int64 = 10, _ expected: KeyValuePairs<String, Int64>,
    at row: SourceLocation = #_sourceLocation
  ) {
    let starts = starts(queue, taking: time)
    #expect(starts.map(\.feed) == expected.map(\.key), rule, sourceLocation: row)
    #expect(starts.map(\.at) == expected.map(\.value), rule, sourceLocation: row)
  }

  private func expect(
    _ rule: Comment, _ queue: HostQueue, first expected: [String], at row: SourceLocation = #_sourceLocation
  ) {
    var queue = queue
    #expect(queue.dequeue(at: 1000).map(\.text) == expected, rule, sourceLocation: row)
  }

  @Test func `requests to one public host begin a delay apart`() throws {
    let two = try queued(["a1", "a2"])
    let three = try queued(["a1", "a2", "a3"])

    expect("a delay apart", queue(delay: .seconds(2), three), ["a1": 1000, "a2": 3000, "a3": 5000])
    expect(
      "a longer request delays no further", queue(delay: .seconds(2), two), taking: 5000,
      ["a1": 1000, "a2": 6000])
    expect(
      "to a private host at once", queue(try queued(["a1", "a2", "a3"], isPublic: false)),
      ["a1": 1000, "a2": 1010, "a3": 1020])
    // 4 s are left, and a second more because the stored moment is rounded down.
    expect(
      "after an earlier run, too", queue(delay: .seconds(5), hosts: host(asked: now - .seconds(1)), [two[0]]),
      ["a1": 6000])
    expect("not by another clock", queue(hosts: host(asked: now + .days(365)), two), first: ["a1"])
    expect(
      "not to other hosts", queue(delay: .seconds(5), try queued(["b1", "a1", "b2"])),
      ["b1": 1000, "a1": 1000, "b2": 6000])
  }

  @Test func `hosts take turns, and a feed that waits delays no other`() throws {
    let many = try queued((0..<5000).map { "a\($0)" }, isPublic: false) + [queued("b1")]
    let waits = [try queued("a50", waits: 50), try queued("a20", waits: 20), try queued("a40", waits: 40)]

    #expect(
      starts(queue(connections: 1, try queued(["a1", "a2", "a3", "b1", "b2"]))).map(\.feed)
        == ["a1", "b1", "a2", "b2", "a3"])
    expect(
      "the most overdue comes first", queue(connections: 1, try queued(["a1", "b1", "a2"])), first: ["a1"])
    expect("thousands delay no other host", queue(connections: 4, delay: .zero, many), first: ["a0", "b1"])
    expect(
      "others need not wait", queue([try queued("a1", waits: 30), try queued("a2")]),
      ["a2": 1000, "a1": 31_000])
    #expect(queue(waits).nextStart == 21_000)
    expect("the first to end its wait", queue(waits), ["a20": 21_000, "a40": 41_000, "a50": 51_000])
  }

  @Test func `connections are a limit`() throws {
    var few = queue(connections: 2, try queued(["a1", "b1", "c1"]))

    let first = few.dequeue(at: 1000)
    #expect(first.count == 2)
    #expect(few.nextStart == nil)
    few.finished(first[0], at: 1500)
    #expect(few.dequeue(at: 1500).map(\.text) == ["c1"])
  }

  @Test func `hosts run in parallel, each with one request at a time`() throws {
    var queue = queue(try queued(["a1", "a2", "b1", "c1"]))

    #expect(queue.dequeue(at: 1000).map(\.text) == ["a1", "b1", "c1"])
    #expect(queue.dequeue(at: 9999).isEmpty)
    #expect(queue.cancelAll().map(\.text) == ["a2"])
  }

  @Test func `cancelling a host removes only the feeds that wait for it, and it takes new ones`() throws {
    var queue = queue(
      try queued(["a1", "a2", "a3"]) + [queued("a4", waits: 9), queued("b1")])
    let running = queue.dequeue(at: 1000)

    #expect(running.map(\.text) == ["a1", "b1"])
    #expect(queue.cancel(host: "z").isEmpty)
    #expect(queue.cancel(host: "a").map(\.text) == ["a2", "a3", "a4"])
    #expect(queue.nextStart == nil)
    #expect(!queue.isFinished)
    for feed in running { queue.finished(feed, at: 1100) }
    #expect(queue.isFinished)
    queue.add(try queued("a6"))
    #expect(queue.dequeue(at: 9999).map(\.text) == ["a6"])
  }

  @Test func `cancelling all removes every waiting feed`() throws {
    var queue = queue(try queued(["a1", "a2", "a3"]))
    _ = queue.dequeue(at: 1000)

    #expect(queue.cancelAll().map(\.text) == ["a2", "a3"])
    queue.finished(try name("a1"), at: 1100)
    #expect(queue.isFinished)
    #expect(queue.dequeue(at: 9999).isEmpty)
  }

  @Test func `nothing new starts from the warning on`() throws {
    var queue = queue(warning: 2000, try queued(["a1", "a2"]))
    _ = queue.dequeue(at: 1999)
    queue.finished(try name("a1"), at: 1999)

    #expect(queue.nextStart == nil)
    #expect(queue.dequeue(at: 2999).isEmpty)
    #expect(queue.cancelAll().map(\.text) == ["a2"])
  }

  @Test func `feeds that crashed the run twice are fetched one at a time, whatever other rounds do`() throws {
    var queue = queue(try queued(["x1", "y1"]))
    queue.isOneByOne = true

    #expect(queue.dequeue(at: 1100, beside: 100).map(\.text) == ["x1"])
    #expect(queue.nextStart == nil)
    #expect(queue.dequeue(at: 1200).isEmpty)
    queue.finished(try name("x1"), at: 1300)
    #expect(queue.dequeue(at: 1300).map(\.text) == ["y1"])
  }

  @Test
  func `a redirect's request spaces the next one to that host, a finish without a start changes nothing`()
    throws
  {
    var queue = queue(try queued(["a1"]))
    var unstarted = queue
    queue.recordRequest(to: "a", at: 1500)
    unstarted.finished(try name("a1"), at: 1000)

    #expect(queue.dequeue(at: 1600).isEmpty)
    #expect(queue.nextStart == 2500)
    #expect(unstarted.dequeue(at: 1000).map(\.text) == ["a1"])
  }

  @Test func `any queue starts every feed once, within all its limits`() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      var numbers = SeededNumbers(state: seed)
      var queue = queue(connections: 5)
      var hostOf: [String: String] = [:]
      for number in 0..<200 {
        let waits =
          Int.random(in: 0..<4, using: &numbers) == 0 ? Int64.random(in: 0...60, using: &numbers) : nil
        let host = "abcdefghijkl".randomElement(using: &numbers) ?? "a"
        hostOf["\(host)\(number)"] = String(host)
        queue.add(try queued("\(host)\(number)", waits: waits))
      }
      let starts = starts(queue, taking: 1700)

      #expect(Set(starts.map(\.feed)).count == 200)
      #expect(starts.count == 200)
      for (place, start) in starts.enumerated() {
        let running = starts[..<place].filter { $0.at + 1700 > start.at }
        let host = hostOf[start.feed]
        #expect(running.count < 5, "\(place)")
        #expect(!running.contains { hostOf[$0.feed] == host }, "\(place)")
        let before = starts[..<place].last { hostOf[$0.feed] == host }
        #expect(before.map { start.at - $0.at >= 1000 } ?? true)
      }
    }
  }
}

// Connections, delays and turns of the hosts of a run.

import Core
import Testing

@Suite struct HostQueueTests {
  private func queue(
    connections: Int = 32, perHost: Int = 1, delay: Interval = .seconds(1), hosts: [String: HostState] = [:],
    deadline: Int64? = nil
  ) -> HostQueue {
    var network = NetworkSettings()
    network.connections = connections
    network.connectionsPerHost = perHost
    network.delayPerHost = delay
    return HostQueue(network: network, hosts: hosts, runStart: now, start: 1000, deadline: deadline)
  }

  private func queued(
    _ text: String, _ host: String = "a", isPublic: Bool = true, waitUntil: Instant? = nil,
    comesLast: Bool = false, connections: Int? = nil, delay: Interval? = nil
  ) throws -> QueuedFeed {
    QueuedFeed(
      name: try name(text), host: host, isPublicHost: isPublic, waitUntil: waitUntil, comesLast: comesLast,
      connections: connections, delay: delay)
  }

  private func host(asked moment: Instant) -> HostState {
    var state = HostState()
    state.lastRequest = moment
    return state
  }

  /// Runs all feeds, each for its time, and returns when each started.
  private func starts(_ queue: HostQueue, taking time: Int64 = 10) -> [(feed: String, at: Int64)] {
    var queue = queue
    var clock: Int64 = 1000
    var ends: [(at: Int64, feed: FeedName)] = []
    var starts: [(feed: String, at: Int64)] = []
    while !queue.isFinished {
      for feed in queue.take(at: clock) {
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

  @Test func `hosts run in parallel, each with one request at a time`() throws {
    var queue = queue()
    for (feed, host) in [("a1", "a"), ("a2", "a"), ("b1", "b"), ("c1", "c")] {
      queue.add(try queued(feed, host))
    }

    #expect(queue.take(at: 1000).map(\.text) == ["a1", "b1", "c1"])
    #expect(queue.take(at: 9999).isEmpty)
    #expect(queue.cancelAll().map(\.text) == ["a2"])
  }

  @Test func `requests to one public host begin a delay apart`() throws {
    var queue = queue(delay: .seconds(2))
    for number in 1...3 { queue.add(try queued("a\(number)")) }

    #expect(starts(queue).map(\.at) == [1000, 3000, 5000])
  }

  @Test func `a request that takes longer than the delay does not delay the next one further`() throws {
    var queue = queue(delay: .seconds(2))
    for number in 1...2 { queue.add(try queued("a\(number)")) }

    #expect(starts(queue, taking: 5000).map(\.at) == [1000, 6000])
  }

  @Test func `requests to a private host follow at once`() throws {
    var queue = queue()
    for number in 1...3 { queue.add(try queued("a\(number)", isPublic: false)) }

    #expect(starts(queue).map(\.at) == [1000, 1010, 1020])
  }

  @Test func `the delay also applies after the last request of an earlier run`() throws {
    var host = HostState()
    host.lastRequest = now - .seconds(1)
    var queue = queue(delay: .seconds(5), hosts: ["a": host])
    queue.add(try queued("a1"))

    // 4 s are left, and a second more because the stored moment is rounded down.
    #expect(starts(queue).map(\.at) == [6000])
  }

  @Test func `a request noted in the future is one of another clock`() throws {
    var host = HostState()
    host.lastRequest = now + .days(365)
    var queue = queue(hosts: ["a": host])
    queue.add(try queued("a1"))

    #expect(queue.take(at: 1000).count == 1)
  }

  @Test func `no more connections than configured`() throws {
    var queue = queue(connections: 2)
    for host in ["a", "b", "c"] { queue.add(try queued(host + "1", host)) }
    let first = queue.take(at: 1000)

    #expect(first.count == 2)
    #expect(queue.nextStart == nil)
    queue.finished(first[0], at: 1500)
    #expect(queue.take(at: 1500).map(\.text) == ["c1"])
  }

  @Test func `connections-per-host lets several feeds of a host run, still a delay apart`() throws {
    var queue = queue(perHost: 2)
    for number in 1...3 { queue.add(try queued("a\(number)")) }

    #expect(queue.take(at: 1000).map(\.text) == ["a1"])
    #expect(queue.nextStart == 2000)
    #expect(queue.take(at: 2000).map(\.text) == ["a2"])
    #expect(queue.take(at: 3000).isEmpty)
  }

  @Test func `hosts take turns`() throws {
    var queue = queue(connections: 1)
    for number in 1...3 { queue.add(try queued("a\(number)", "a")) }
    for number in 1...2 { queue.add(try queued("b\(number)", "b")) }

    #expect(starts(queue).map(\.feed) == ["a1", "b1", "a2", "b2", "a3"])
  }

  @Test func `without a delay, a host goes on with four feeds over its connection`() throws {
    var queue = queue(connections: 1, delay: .zero)
    for number in 1...6 { queue.add(try queued("a\(number)", "a")) }
    for number in 1...2 { queue.add(try queued("b\(number)", "b", isPublic: false)) }

    #expect(starts(queue).map(\.feed) == ["a1", "a2", "a3", "a4", "b1", "b2", "a5", "a6"])
  }

  @Test func `the host of the most overdue feed comes first, however many feeds follow`() throws {
    var queue = queue(connections: 1)
    for (feed, host) in [("a1", "a"), ("b1", "b"), ("a2", "a")] { queue.add(try queued(feed, host)) }

    #expect(queue.take(at: 1000).map(\.text) == ["a1"])
  }

  @Test func `a host with thousands of feeds delays no other host`() throws {
    var queue = queue(connections: 4, delay: .zero)
    for number in 0..<5000 { queue.add(try queued("a\(number)", "a", isPublic: false)) }
    queue.add(try queued("b1", "b"))

    #expect(queue.take(at: 1000).map(\.text) == ["a0", "b1"])
  }

  @Test func `a feed waits for its moment without delaying the feeds after it`() throws {
    var queue = queue()
    queue.add(try queued("waits", waitUntil: now + .seconds(30)))
    queue.add(try queued("ready"))

    #expect(starts(queue).map(\.feed) == ["ready", "waits"])
    #expect(starts(queue).map(\.at) == [1000, 31_000])
  }

  @Test func `the first feed to end its wait for a host starts first`() throws {
    var queue = queue()
    for seconds in [50, 20, 40] as [Int64] {
      queue.add(try queued("w\(seconds)", waitUntil: now + .seconds(seconds)))
    }

    #expect(queue.nextStart == 21_000)
    #expect(starts(queue).map(\.feed) == ["w20", "w40", "w50"])
  }

  @Test func `cancelling a host removes only the feeds that wait for it`() throws {
    var queue = queue()
    for number in 1...3 { queue.add(try queued("a\(number)", "a")) }
    queue.add(try queued("a4", "a", waitUntil: now + .seconds(9)))
    queue.add(try queued("b1", "b"))
    queue.add(try queued("a5", "a", comesLast: true))
    let running = queue.take(at: 1000)

    #expect(running.map(\.text) == ["a1", "b1"])
    #expect(queue.cancel(host: "a").map(\.text) == ["a2", "a3", "a4", "a5"])
    #expect(queue.nextStart == nil && !queue.isFinished)
    for feed in running { queue.finished(feed, at: 1100) }
    #expect(queue.isFinished)
  }

  @Test func `cancelling an unknown host removes nothing`() throws {
    var queue = queue()
    queue.add(try queued("a1"))

    #expect(queue.cancel(host: "z").isEmpty)
    #expect(queue.take(at: 1000).count == 1)
  }

  @Test func `a host that was cancelled takes new feeds`() throws {
    var queue = queue()
    queue.add(try queued("a1"))
    _ = queue.cancel(host: "a")
    queue.add(try queued("a2"))

    #expect(queue.take(at: 1000).map(\.text) == ["a2"])
  }

  @Test func `cancelling all removes every waiting feed`() throws {
    var queue = queue()
    for feed in ["a1", "a2", "a3"] { queue.add(try queued(feed)) }
    queue.add(try queued("last", "z", comesLast: true))
    _ = queue.take(at: 1000)

    #expect(queue.cancelAll().map(\.text) == ["a2", "a3", "last"])
    queue.finished(try name("a1"), at: 1100)
    #expect(queue.isFinished && queue.take(at: 9999).isEmpty)
  }

  @Test func `nothing new starts from the deadline on`() throws {
    var queue = queue(deadline: 2000)
    queue.add(try queued("a1"))
    queue.add(try queued("a2"))
    _ = queue.take(at: 1999)
    queue.finished(try name("a1"), at: 1999)

    #expect(queue.nextStart == nil)
    #expect(queue.take(at: 2999).isEmpty)
    #expect(queue.cancelAll().map(\.text) == ["a2"])
  }

  @Test func `a feed that crashed the run twice starts when all else is finished, alone`() throws {
    var queue = queue()
    queue.add(try queued("bad1", "x", comesLast: true))
    queue.add(try queued("bad2", "y", comesLast: true))
    queue.add(try queued("good", "a"))

    #expect(queue.take(at: 1000).map(\.text) == ["good"])
    #expect(queue.nextStart == nil)
    queue.finished(try name("good"), at: 1100)
    #expect(queue.take(at: 1100).map(\.text) == ["bad1"])
    #expect(queue.take(at: 1200).isEmpty)
    queue.finished(try name("bad1"), at: 1300)
    #expect(queue.take(at: 1300).map(\.text) == ["bad2"])
  }

  @Test func `a request of a redirect spaces the next one to that host`() throws {
    var queue = queue()
    queue.add(try queued("a1", "a"))
    queue.noteRequest(to: "a", at: 1500)

    #expect(queue.take(at: 1600).isEmpty)
    #expect(queue.nextStart == 2500)
  }

  @Test func `a feed finished that never ran changes nothing`() throws {
    var queue = queue()
    queue.add(try queued("a1"))
    queue.finished(try name("a1"), at: 1000)

    #expect(queue.take(at: 1000).map(\.text) == ["a1"])
  }

  @Test func `the longest delay of a host's feeds applies to all of them`() throws {
    var queue = queue()
    queue.add(try queued("a1", delay: .zero))
    queue.add(try queued("a2"))
    queue.add(try queued("a3", delay: .seconds(5)))
    queue.add(try queued("b1", "b", delay: .zero))
    queue.add(try queued("b2", "b", delay: .zero))

    let starts = starts(queue)

    #expect(starts.filter { $0.feed.hasPrefix("a") }.map(\.at) == [1000, 6000, 11_000])
    #expect(starts.filter { $0.feed.hasPrefix("b") }.map(\.at) == [1000, 1010])
  }

  @Test func `the fewest connections of a host's feeds apply to all of them`() throws {
    var queue = queue(perHost: 8, delay: .zero)
    for feed in ["a1", "a2", "a3"] { queue.add(try queued(feed, connections: feed == "a3" ? 2 : 4)) }
    queue.add(try queued("b1", "b", connections: 9))

    #expect(queue.take(at: 1000).map(\.text) == ["a1", "b1", "a2"])
  }

  @Test func `a longer delay that comes later counts from the last run's request, too`() throws {
    var queue = queue(hosts: ["a": host(asked: now - .seconds(3))])
    queue.add(try queued("a1"))
    queue.add(try queued("a2", delay: .seconds(20)))

    #expect(queue.take(at: 1000).isEmpty)
    #expect(starts(queue).map(\.at) == [19_000, 39_000])
  }

  @Test func `any queue starts every feed once, within all its limits`() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      var numbers = SeededNumbers(state: seed)
      var queue = queue(connections: 5, perHost: 2)
      var hostOf: [String: String] = [:]
      for number in 0..<200 {
        let host = "h\(Int.random(in: 0..<12, using: &numbers))"
        let wait =
          Int.random(in: 0..<4, using: &numbers) == 0
          ? now + .seconds(.random(in: 0...60, using: &numbers)) : nil
        hostOf["f\(number)"] = host
        queue.add(
          try queued(
            "f\(number)", host, waitUntil: wait, comesLast: Int.random(in: 0..<40, using: &numbers) == 0))
      }
      let starts = starts(queue, taking: 1700)

      #expect(Set(starts.map(\.feed)).count == 200 && starts.count == 200)
      for (place, start) in starts.enumerated() {
        let running = starts[..<place].filter { $0.at + 1700 > start.at }
        let host = hostOf[start.feed]
        #expect(running.count < 5)
        #expect(running.count { hostOf[$0.feed] == host } < 2)
        let before = starts[..<place].last { hostOf[$0.feed] == host }
        #expect(before.map { start.at - $0.at >= 1000 } ?? true)
      }
    }
  }
}

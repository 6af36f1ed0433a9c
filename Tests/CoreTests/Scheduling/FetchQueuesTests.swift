// The separate queues of files and of feeds of servers.

import Core
import Testing

@Suite struct FetchQueuesTests {
  private func queues(connections: Int, _ urls: [String]) throws -> FetchQueues {
    let network = with(NetworkSettings()) { $0.connections = connections }
    var queues = FetchQueues(network: network, hosts: [:], runStart: now, start: 0, deadline: 1000)
    for (index, url) in urls.enumerated() {
      let feed = try feed("f\(index)", url: url)
      var queued = QueuedFeed(name: feed.name, host: feed.host ?? feed.name.text, isPublicHost: false)
      queued.isLocal = feed.isLocal
      queues.add(queued)
    }
    return queues
  }

  @Test func `a file needs no connection`() throws {
    var queues = try queues(
      connections: 1, ["https://a.example/", "https://b.example/", "file:///1", "file:///2"])

    #expect(Set(queues.dequeue(at: 0).map(\.text)) == ["f0", "f2", "f3"])
    #expect(queues.dequeue(at: 0) == [])
    queues.finished(try name("f2"), at: 0)
    #expect(queues.dequeue(at: 0) == [])
    queues.finished(try name("f0"), at: 0)
    #expect(queues.dequeue(at: 0).map(\.text) == ["f1"])
    queues.finished(try name("f1"), at: 0)
    #expect(!queues.isFinished)
    queues.finished(try name("f3"), at: 0)
    #expect(queues.isFinished)
  }

  @Test func `connections that other rounds use are not free, except for files`() throws {
    var queues = try queues(
      connections: 2, ["https://a.example/", "https://b.example/", "file:///1"])

    #expect(queues.dequeue(at: 0, beside: 2).map(\.text) == ["f2"])
    #expect(queues.nextStart == nil)
    #expect(queues.dequeue(at: 0, beside: 1).map(\.text) == ["f0"])
    #expect(queues.connections == 1)
    #expect(queues.dequeue(at: 0, beside: 1) == [])
    #expect(queues.dequeue(at: 0).map(\.text) == ["f1"])
  }

  @Test func `the hosts of feeds are known until the feeds have ended`() throws {
    var queues = try queues(connections: 1, ["https://a.example/", "https://b.example/", "file:///1"])
    #expect(Set(queues.unfinishedHosts) == ["a.example", "b.example", "f2"])

    for name in queues.dequeue(at: 0) { queues.finished(name, at: 0) }
    #expect(queues.unfinishedHosts == ["b.example"])

    _ = queues.cancelAll()
    #expect(queues.unfinishedHosts == [])
  }

  @Test func `only a few files are read at one time`() throws {
    var queues = try queues(connections: 32, (0..<10).map { "file:///\($0)" })

    #expect(queues.dequeue(at: 0).count == 4)
    queues.finished(try name("f0"), at: 0)
    #expect(queues.nextStart == 0)
    #expect(queues.dequeue(at: 0).count == 1)
  }

  @Test func `nothing starts after the end of the budget`() throws {
    var queues = try queues(connections: 1, ["https://a.example/", "file:///1"])

    #expect(queues.dequeue(at: 1000) == [])
    #expect(Set(queues.cancelAll().map(\.text)) == ["f0", "f1"])
    #expect(queues.isFinished)
  }
}

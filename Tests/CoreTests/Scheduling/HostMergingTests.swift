// The states of one host that two fetches have.

import Core
import Testing

@Suite struct HostMergingTests {

  private func host(request: Int64? = nil, limit: Int64? = nil, by: String? = nil) -> HostState {
    var host = HostState()
    host.lastRequest = request.map { now + .seconds($0) }
    host.limitedUntil = limit.map { now + .seconds($0) }
    host.limitedBy = by.flatMap(FeedName.init)
    return host
  }

  @Test func `a limit only grows, with the feed that set it`() {
    let short = host(limit: 60, by: "one")
    let long = host(limit: 3600, by: "two")

    #expect(short.merged(over: long, at: now) == long)
    #expect(long.merged(over: short, at: now) == long)
  }

  @Test func `a limit that was set meanwhile is kept, and one that has ended is cleared`() {
    let limited = host(limit: 3600, by: "two")

    #expect(host().merged(over: limited, at: now) == limited)
    #expect(host().merged(over: host(limit: 0, by: "two"), at: now) == host())
  }

  @Test func `the later request counts`() {
    #expect(host(request: -5).merged(over: host(request: -1), at: now) == host(request: -1))
    #expect(host(request: -1).merged(over: host(request: -5), at: now) == host(request: -1))
    #expect(host().merged(over: host(request: -5), at: now) == host(request: -5))
  }

  @Test func `times stored under another clock do not count`() {
    let ahead = host(request: 86_400, limit: 30 * 86_400, by: "one")

    #expect(host(request: 0).merged(over: ahead, at: now) == host(request: 0))
  }
}

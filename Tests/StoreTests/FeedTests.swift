// States of feeds and hosts, and feeds that were removed from the configuration.

import Core
import Testing

@testable import Store

@Suite final class FeedTests: StoreSuite {
  /// A state with every value set.
  private func fullState() throws -> FeedState {
    var state = FeedState()
    state.requestFingerprint = .max
    state.configurationFingerprint = 1 << 63
    state.validators.address = "https://example.org/feed"
    // PostgreSQL stores no NUL, and no HTTP header has one.
    state.validators.entityTag = "W/\"\u{E9}\(Server.isUsed ? "" : "\u{0}")\""
    state.validators.lastModified = ""
    state.validators.since = now
    state.lastAsked = now + .seconds(1)
    state.lastCounted = now + .seconds(2)
    state.lastSuccess = now + .seconds(3)
    state.lastResult = .newData
    state.lastReason = "3 new"
    state.freshness = ServerFreshness(notBefore: now + .seconds(4), source: "Cache-Control: max-age=3600")
    state.hints.timeToLive = .minutes(60)
    state.hints.updateInterval = .zero
    state.hints.skipHours = [0, 7, 23]
    state.hints.skipDays = [0, 6]
    state.rateLimit = RateLimit(until: now + .seconds(5), withoutRetryAfter: 2, status: 429)
    state.failures = 4
    state.backoffClass = .refused
    state.backoffFailures = 3
    state.goneSince = now + .seconds(6)
    state.isGone = true
    state.failingAnnounced = true
    state.hasBaseline = true
    state.crashes = 5
    var learned = Move(address: "https://new.example/feed", firstSeen: now + .seconds(7))
    learned.sightings = 3
    learned.isLearned = true
    learned.isSuspect = true
    state.moves = [learned, Move(address: "https://a.example/feed", firstSeen: now + .seconds(8))]
    state.title = "Planet \u{1F30D}"
    state.link = "https://example.org/"
    state.identity.documentItems = 30
    state.identity.replacedAt = now + .seconds(7)
    state.identity.isRebuilt = true
    state.identity.quietItems = 29
    state.waitsSince = now + .seconds(9)
    state.innerAddress = NetworkAddress("fd00::5")
    return state
  }

  private func stored(_ state: FeedState) async throws -> FeedState? {
    var commit = fetch(planet)
    commit.state = state
    try await store.commit(commit)
    return try await store.writtenState(planet)
  }

  @Test func `a feed keeps the moment at which it was first found waiting, also after a fetch that failed`()
    async throws
  {
    func since() async throws -> Instant? { try await store.feedState(planet)?.waitsSince }

    try await store.recordWaiting([planet], since: now)
    try await store.recordWaiting([planet], since: now + .hours(1))
    #expect(try await since() == now)
    // The clock was set back.
    try await store.recordWaiting([planet], since: now - .days(1))
    #expect(try await since() == now - .days(1))
    #expect(try await store.feedState(planet)?.lastAsked == nil)
    var failed = try #require(try await store.feedState(planet))
    failed.lastAsked = now
    let read = try await stored(failed)
    #expect(read?.waitsSince == now - .days(1))
  }

  @Test func `every value of a feed's state is read as it was stored`() async throws {
    let state = try fullState()

    #expect(try await stored(state) == state)
  }

  @Test(arguments: [0, 1, 3, 9, 19, 20])
  func `states of some feeds are those of each, however many are asked for`(count: Int) async throws {
    let feeds = try (0..<20).map { try name("f\($0)") }
    for (number, feed) in feeds.dropLast().enumerated() {
      var commit = fetch(feed)
      if number.isMultiple(of: 3) { commit.state = try fullState() }
      try await store.commit(commit)
    }
    for feed in feeds.prefix(2) {
      try await store.queueFeedBody(feed, description: "a file", round: nil, at: now)
    }
    var each: [FeedName: FeedState] = [:]
    for feed in feeds.suffix(count) { each[feed] = try await store.feedState(feed) }

    #expect(try await store.feedStates(of: feeds.suffix(count)) == each)
    #expect(each.count == max(0, count - 1))
    #expect(each.values.count { $0.hasTransferUnderWay } == max(0, count - 18))
  }

  @Test func `a newer limit of a host is not overwritten`() async throws {
    func commit(_ feed: String, limit: Interval?) async throws {
      var commit = fetch(try name(feed))
      var host = HostState()
      host.limitedUntil = limit.map { now + $0 }
      host.limitedBy = limit == nil ? nil : commit.feed
      commit.hosts = ["planet.example": host]
      try await store.commit(commit)
    }
    try await commit("one", limit: .days(1))
    try await commit("two", limit: .hours(1))
    try await commit("three", limit: nil)

    let host = try await store.hostStates()["planet.example"]

    #expect(host?.limitedUntil == now + .days(1))
    #expect(host?.limitedBy?.text == "one")
  }

  @Test func `a later state replaces the earlier one completely`() async throws {
    var commit = fetch(planet)
    commit.state = try fullState()
    try await store.commit(commit)

    commit.state = FeedState()
    try await store.commit(commit)

    #expect(try await store.writtenState(planet) == FeedState())
    #expect(try await store.feedStates().count == 1)
  }

  @Test func `the records of hosts are read, with those stored meanwhile`() async throws {
    var first = HostState()
    first.limitedUntil = now + .hours(1)
    first.limitedBy = planet
    var second = HostState()
    second.lastRequest = now
    var commit = fetch(planet)
    commit.hosts = ["a.example": first, "b.example": first]
    try await store.commit(commit)

    commit.hosts = ["b.example": second]
    try await store.commit(commit)

    var both = first
    both.lastRequest = now
    #expect(try await store.hostStates() == ["a.example": first, "b.example": both])
  }
}

@Suite final class DormantFeedTests: StoreSuite {
  @Test func `a feed that left the configuration is forgotten with its items and history`() async throws {
    try await store.commit(fetch(planet, [item("1")]))

    #expect(try await store.forgetDormant(configured: [], before: now + .seconds(1)) == [planet])
    #expect(try await store.feedStates().isEmpty)
    #expect(try await store.number("SELECT (SELECT count(*) FROM item) + (SELECT count(*) FROM fetch)") == 0)
  }

  @Test func `a configured feed is kept however old its record is`() async throws {
    try await store.commit(fetch(planet))

    #expect(try await store.forgetDormant(configured: [planet], before: now + .days(90)).isEmpty)
  }

  @Test func `a feed in the configuration starts its time again`() async throws {
    try await store.commit(fetch(planet))

    try await store.recordConfigured([planet], at: now + .days(60))

    #expect(try await store.forgetDormant(configured: [], before: now + .days(59)).isEmpty)
    #expect(try await store.forgetDormant(configured: [], before: now + .days(61)) == [planet])
  }

  @Test func `a feed that is not configured is not recorded`() async throws {
    try await store.commit(fetch(planet))

    try await store.recordConfigured([], at: now + .days(60))

    #expect(try await store.forgetDormant(configured: [], before: now + .days(1)) == [planet])
  }

  @Test(.onFile) func `recording twice within a day writes once`() async throws {
    let other = try directory.open()
    try await store.recordConfigured([], at: now)
    let before = try await other.dataVersion()

    try await store.recordConfigured([], at: now + .hours(23))

    #expect(try await other.dataVersion() == before)
  }

  @Test func `a record from the future is replaced`() async throws {
    try await store.recordConfigured([], at: now + .days(3650))
    try await store.commit(fetch(planet))

    try await store.recordConfigured([planet], at: now + .days(60))

    #expect(try await store.forgetDormant(configured: [], before: now + .days(59)).isEmpty)
  }
}

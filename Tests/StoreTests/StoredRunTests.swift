// Runs, crashes of runs, and pruning of the history.

import Core
import Testing

@testable import Fleet
@testable import Store

@Suite final class StoredRunTests: StoreSuite {
  @Test func `before the first run there is no last run`() async throws {
    #expect(try await TemporaryDirectory().open().lastRun() == nil)
  }

  @Test func `a running run has no end and no totals`() async throws {
    let round = try await store.beginRound(.push, process: 4121, at: now)

    var record = RunRecord(
      number: round, cause: .push, process: 4121, started: now, ended: nil, wasCut: false)
    record.isAlive = Server.isUsed ? true : nil
    #expect(try await store.lastRun() == record)
  }

  @Test func `an ended run has its totals`() async throws {
    var totals = RunTotals()
    totals.due = 12
    totals.newData = 3
    totals.noData = 8
    totals.failed = 1
    totals.items = 17
    totals.exitStatus = 3
    totals.left = 2
    totals.ending = .budget
    let round = try await store.beginRound(.timer, process: 1, at: now)

    try await store.endRound(round, at: now + .seconds(5), totals: totals)

    let last = try #require(try await store.lastRun())
    #expect(last.ended == now + .seconds(5))
    #expect(last.totals == totals)
  }

  @Test func `fetches begin together, of feeds that are known or not, and so do requests to their hosts`()
    async throws
  {
    try await store.commit(fetch(planet))
    let third = try name("third")
    let feeds = [planet, try name("other"), third]
    var limited = HostState()
    limited.limitedUntil = now + .hours(1)
    var commit = fetch(third)
    commit.hosts = ["known.example": limited]
    try await store.commit(commit)
    let round = try await store.beginRound(.timer, process: 1, at: now)

    for time in [now, now + .seconds(5)] {
      try await store.recordAttempts(feeds, round: round, at: time, hosts: ["known.example", "new.example"])
      let begun = "SELECT count(*) FROM attempt WHERE started = \(time.secondsSince1970)"
      #expect(try await store.number(begun) == 3)
      let hosts = try await store.hostStates()
      #expect(hosts.mapValues(\.lastRequest) == ["known.example": time, "new.example": time])
      #expect(hosts["known.example"]?.limitedUntil == limited.limitedUntil)
    }
  }

  @Test func `a run beside another one of the same process leaves its fetches alone`() async throws {
    let round = try await store.beginRound(.timer, process: 1, at: now)
    try await store.recordAttempts([planet], round: round, at: now)

    let beside = try await store.beginRound(.push, process: 1, at: now)
    try await store.endRound(beside, at: now, totals: RunTotals())
    var commit = fetch(planet)
    commit.endsAttemptOf = round

    #expect(try await store.commit(commit, round: round, nextDue: nil, configured: [planet]) != nil)
    #expect(try await store.feedStates()[planet]?.crashes == 0)
  }
}

@Suite final class CrashTests: StoreSuite {
  /// Begins a run with a fetch of the feed.
  private func fetching(process: Int32 = 1) async throws -> Int64 {
    let round = try await store.beginRound(.timer, process: process, at: now)
    try await store.recordAttempts([planet], round: round, at: now)
    return round
  }

  /// Begins a run after the death of the earlier ones.
  private func afterCrash(at time: Instant = now) async throws {
    try await store.loseRuns()
    _ = try await store.beginRound(.timer, process: 2, at: time)
  }

  @Test func `a fetch cut by a crash is recorded once`() async throws {
    _ = try await fetching()

    for minutes in 1...2 { try await afterCrash(at: now + .minutes(Int64(minutes))) }

    var record = FetchRecord(
      started: now, ended: now + .minutes(1), result: .failed, reason: "interrupted",
      requests: [unanswered(at: now)])
    record.isCounted = false
    #expect(try await store.fetches(of: planet, limit: 10) == [record])
  }

  @Test func `crashes in a row add up, and are no failures`() async throws {
    for process in 1...2 {
      _ = try await fetching(process: Int32(process))
      try await store.loseRuns()
    }

    _ = try await store.beginRound(.timer, process: 3, at: now)

    let state = try #require(try await store.feedState(planet))
    #expect(state.crashes == 2)
    #expect(state.failures == 0)
  }

  @Test func `a committed fetch is not in flight`() async throws {
    let round = try await fetching()
    var commit = fetch(planet)
    commit.endsAttemptOf = round
    try await store.commit(commit, round: round, nextDue: nil, configured: [])

    try await afterCrash()

    #expect(try await store.feedState(planet)?.crashes == 0)
    #expect(try await store.fetches(of: planet, limit: 10).count == 1)
  }

  @Test func `a suspended fetch is not a crash, and keeps its record and requests`() async throws {
    let round = try await fetching()
    let record = suspended(requests: [request("http://a/", status: 302), request("http://b/")])
    try await store.suspendAttempt(planet, round: round, record: record, nextDue: now + .hours(1))

    try await afterCrash()

    #expect(try await store.feedState(planet)?.crashes == 0)
    #expect(try await store.fetches(of: planet, limit: 10) == [record])
  }

  @Test func `a run cannot suspend fetches of another run`() async throws {
    let round = try await fetching()
    try await store.suspendAttempt(planet, round: round + 1, record: suspended(requests: []), nextDue: nil)

    try await afterCrash()

    #expect(try await store.feedState(planet)?.crashes == 1)
    #expect(try await store.fetches(of: planet, limit: 10).map(\.reason) == ["interrupted"])
  }

  private func suspended(requests: [RequestRecord]) -> FetchRecord {
    FetchRecord(started: now, ended: now, result: .failed, reason: "suspended", requests: requests)
  }

  /// The request of a dead process, of which nothing is known.
  private func unanswered(at moment: Instant) -> RequestRecord {
    var request = RequestRecord(started: Timestamp(moment), address: "")
    request.failure = "interrupted"
    return request
  }
}

@Suite final class HistoryTests: StoreSuite {
  @Test func `fetches are listed newest first, up to a limit`() async throws {
    for minute in 0..<3 { try await store.commit(fetch(planet, at: now + .minutes(Int64(minute)))) }

    #expect(
      try await store.fetches(of: planet, limit: 2).map(\.ended) == [now + .minutes(2), now + .minutes(1)])
  }

  @Test func `a fetch record is read as it was stored, with requests in order`() async throws {
    var moved = request("https://example.org/?…", status: 301)
    moved.sentEntityTag = true
    moved.bytes = 1 << 40
    var failed = RequestRecord(
      started: Timestamp(millisecondsSince1970: 1_800_000_000_123), address: "https://b.example/")
    failed.sentModificationDate = true
    failed.milliseconds = 7
    failed.failure = "refused"
    let record = FetchRecord(
      started: now, ended: now + .seconds(2), result: .failed, reason: "refused", requests: [moved, failed],
      count: 7)
    try await store.commit(
      FeedCommit(feed: planet, state: FeedState(), record: record), round: 1, nextDue: nil, configured: [])

    #expect(try await store.fetches(of: planet, limit: 1) == [record])
  }

  @Test func `the history is read in batches, oldest first, and a limit selects the last`() async throws {
    for minute in 0..<5 { try await store.commit(fetch(planet, at: now + .minutes(Int64(minute)))) }
    let part = HistoryPart(limit: 3)

    let first = try await store.fetches(part, after: try await store.beginning(of: part), atMost: 2)
    let second = try await store.fetches(part, after: try #require(first.last).number, atMost: 2)

    #expect((first + second).map(\.record.ended) == (2...4).map { now + .minutes($0) })
  }

  @Test func `the history of some feeds since a time has nothing else`() async throws {
    for (feed, time) in [(planet, now), (other, now), (planet, now + .hours(1)), (other, now + .hours(1))] {
      try await store.commit(fetch(feed, at: time))
    }

    let found = try await store.fetches(
      HistoryPart(feeds: [other], since: now + .minutes(1)), after: 0, atMost: 10)

    #expect(found.map(\.feed) == [other])
    #expect(found.map(\.record.ended) == [now + .hours(1)])
  }

  @Test func `a fetch has its run and the time of the next fetch`() async throws {
    let round = try await store.beginRound(.manual, process: 1, named: true, forced: true, at: now)
    try await store.commit(fetch(planet), round: round, nextDue: now + .hours(1), configured: [])

    let found = try #require(try await store.fetches(HistoryPart(), after: 0, atMost: 10).first)

    #expect(found.round == round)
    #expect(found.cause == .manual)
    #expect(found.wasNamed)
    #expect(found.wasForced)
    #expect(found.nextDue == now + .hours(1))
  }

  @Test func `runs are listed oldest first, and a limit selects the last`() async throws {
    for hour in 0..<3 {
      try await store.loseRuns()
      _ = try await store.beginRound(.timer, process: 1, at: now + .hours(Int64(hour)))
    }

    #expect(try await store.runs(HistoryPart(limit: 2)).map(\.started) == [now + .hours(1), now + .hours(2)])
    #expect(try await store.runs(HistoryPart(since: now + .hours(2))).map(\.started) == [now + .hours(2)])
    #expect(try await store.runs(HistoryPart()).map(\.wasCut) == [true, true, false])
  }

  @Test func `pruning removes older fetches with their requests, and no others`() async throws {
    try await store.commit(fetch(planet, at: now))
    try await store.commit(fetch(planet, at: now + .days(1)))

    try await store.prune(before: now + .days(1), limit: 100)

    #expect(try await store.fetches(of: planet, limit: 10).map(\.ended) == [now + .days(1)])
    #expect(try await store.number("SELECT count(*) FROM request") == 1)
  }

  @Test func `pruning works in batches, oldest first`() async throws {
    for minute in 0..<5 { try await store.commit(fetch(planet, at: now + .minutes(Int64(minute)))) }

    #expect(try await store.prune(before: now + .days(1), limit: 2) == 2)
    #expect(try await store.fetches(of: planet, limit: 10).last?.ended == now + .minutes(2))
  }

  @Test func `the last run is never pruned`() async throws {
    _ = try await store.beginRound(.timer, process: 1, at: now)
    let last = try await store.beginRound(.timer, process: 2, at: now)

    #expect(try await store.prune(before: now + .days(1), limit: 100) == 1)
    #expect(try await store.lastRun()?.number == last)
  }

  @Test func `an old event stays while one of its deliveries is unfinished`() async throws {
    try await store.record([event("done"), event("open", hooks: ["mail"])], round: nil)
    try await store.endNext()

    try await store.prune(before: now + .days(1), limit: 100)

    #expect(try await store.number("SELECT count(*) FROM event") == 1)
    #expect(try await store.nextDelivery("mail", at: now)?.event.id == "open")
  }

  @Test(.onFile)
  func
    `of very many events the oldest go however young they are, but for those that a hook is still to hear of`()
    async throws
  {
    try await store.record([event("done"), event("open", hooks: ["mail"])], round: nil)
    try await store.endNext("desktop", DeliveryEnd(.dead))
    // With a gap between the numbers, as in a copy from a server.
    try await store.execute(
      """
      WITH RECURSIVE place (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM place WHERE n < \(Retention.mostEvents))
      INSERT INTO event (number, id, kind, time, cause, fields)
      SELECT 1000000000 + n, n, 'new-item', \(now.secondsSince1970), 'timer', '{}' FROM place
      """)

    for _ in 0..<2 { try await store.prune(before: now - .days(90), limit: 1) }

    #expect(try await store.number("SELECT count(*) FROM event WHERE id = 'done'") == 0)
    #expect(try await store.number("SELECT count(*) FROM event") == Retention.mostEvents + 1)
  }

  @Test func `the items of an event are removed after its last delivery`() async throws {
    var commit = fetch(planet, [item("a"), item("b")])
    commit.events = [event("n", .notification, hooks: ["desktop", "mail"], newItems: [0, 1])]
    try await store.commit(commit)

    for (hook, left) in [("desktop", 2), ("mail", 0)] {
      try await store.endNext(hook)
      #expect(try await store.number("SELECT count(*) FROM event_item") == left)
    }
  }

  @Test func `old hosts are forgotten, except those with a limit`() async throws {
    var old = HostState()
    old.lastRequest = now
    var limited = old
    limited.limitedUntil = now + .days(2)
    var commit = fetch(planet)
    commit.hosts = ["old.example": old, "limited.example": limited]
    try await store.commit(commit)

    try await store.prune(before: now + .days(1), limit: 100)

    #expect(try await store.hostStates().keys.sorted() == ["limited.example"])
  }

  @Test(.enabled(if: Server.isUsed, "machines share only a server"))
  func `requests to a host are reserved one after the other, and not forgotten`() async throws {
    let round = try await store.beginRound(.timer, process: 1, at: now)
    // A server that has just started may have forgotten a request.
    #expect(try await store.reserveRequest(to: "a.example", delay: .hours(1), round: round) <= 10_000)
    let second = try await store.reserveRequest(to: "a.example", delay: .hours(1), round: round)
    try await store.prune(before: Instant(secondsSince1970: 1), limit: 100)
    let third = try await store.reserveRequest(to: "a.example", delay: .hours(1), round: round)

    // The time that the test takes goes by meanwhile.
    #expect((3_000_000...3_610_000).contains(second))
    #expect((3_610_000...7_210_000).contains(third))
    #expect(try await store.hostStates()["a.example"] == HostState())
    // A request that may be late makes the next one wait, and not itself.
    _ = try await store.reserveRequest(to: "b.example", delay: .seconds(1), round: round)
    let late = try await store.reserveRequest(
      to: "b.example", delay: .hours(1), lateness: 1_800_000, round: round)
    let next = try await store.reserveRequest(to: "b.example", delay: .hours(1), round: round)
    #expect((3_000_000...3_610_000).contains(late))
    #expect((8_400_000...9_010_000).contains(next))

    // The server's clock was set back by a day.
    try await store.execute("UPDATE host SET reserved = reserved + 86400000")
    #expect(try await store.reserveRequest(to: "a.example", delay: .hours(1), round: round) <= 10_000)
  }

  @Test(.enabled(if: Server.isUsed, "machines share only a server"))
  func `a silent run goes on until others have taken its hosts, and then begins no request`() async throws {
    let round = try await store.beginRound(.timer, process: 1, hosts: ["a.example"], at: now)
    try await store.recordAttempts([planet], round: round, at: now)
    try await store.fallSilent()
    _ = try await store.reserveRequest(to: "a.example", delay: .seconds(1), round: round)
    try await directory.open().settleInterrupted(at: now)

    await #expect(throws: StoreFailure.self) {
      try await store.reserveRequest(to: "a.example", delay: .seconds(1), round: round)
    }
    await #expect(throws: StoreFailure.self) {
      try await store.recordAttempts([planet], round: round, at: now)
    }

    await #expect(throws: StoreFailure.self) { try await store.endRound(round, at: now, totals: RunTotals()) }
    #expect(try await store.claimedHosts() == [])
  }
}

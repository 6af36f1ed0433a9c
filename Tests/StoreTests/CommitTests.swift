// Commits of fetches: each writes everything or nothing, even if many share a transaction.

import Core
import Testing

@testable import Store

@Suite final class CommitTests: StoreSuite {
  @Test(.onFile) func `a commit that fails at its end stores nothing`() async throws {
    let round = try await store.beginRound(.timer, process: 1, at: now)
    try await store.recordAttempts([planet], round: round, at: now)
    try await store.execute("CREATE TRIGGER no BEFORE DELETE ON attempt BEGIN SELECT raise(ABORT, 'no'); END")
    var commit = fetch(planet, [item("1")])
    commit.events = [event("1", newItems: [0])]
    commit.hosts = ["example.org": HostState()]
    commit.endsAttemptOf = round

    await #expect(throws: StoreFailure.other(path: directory.database, code: 1811, detail: "no")) {
      try await store.commit(commit, round: round, nextDue: nil, configured: [planet])
    }

    #expect(try await store.writtenState(planet) == FeedState())
    #expect(try await store.knownItems(planet).isEmpty)
    #expect(try await store.fetches(of: planet, limit: 1).isEmpty)
    #expect(try await store.hostStates().isEmpty)
    #expect(try await store.hooksWithWork(at: now).isEmpty)
  }

  @Test(.onFile) func `a commit that fails does not keep those that share its transaction from being stored`()
    async throws
  {
    try await store.execute(
      "CREATE TRIGGER no BEFORE INSERT ON item WHEN new.title = 'bad' BEGIN SELECT raise(ABORT, 'no'); END")

    let stored = await withTaskGroup { group in
      for number in 0..<20 {
        group.addTask { [store] in
          guard let feed = FeedName("feed-\(number)") else { return 0 }
          let title = number % 7 == 3 ? "bad" : "good"
          let outcome = try? await store.commit(fetch(feed, [item("1", title: title)]), configured: [feed])
          return outcome?.count ?? 0
        }
      }
      return await group.reduce(0, +)
    }

    #expect(stored == 17)
    #expect(try await store.number("SELECT count(*) FROM item") == 17)
    #expect(try await store.number("SELECT count(*) FROM fetch") == 17)
  }

  @Test func `a fetch that was settled as interrupted, or belongs to another run, writes nothing`()
    async throws
  {
    let dead = try await store.beginRound(.timer, process: 1, at: now)
    try await store.recordAttempts([planet], round: dead, at: now)
    try await store.loseRuns()
    let round = try await store.beginRound(.timer, process: 2, at: now)
    var late = fetch(planet, [item("1")])
    late.endsAttemptOf = dead
    late.events = [event("1", newItems: [0])]

    #expect(try await store.commit(late, round: dead, nextDue: nil, configured: [planet]) == nil)
    try await store.recordAttempts([planet], round: round, at: now)
    #expect(try await store.commit(late, round: dead, nextDue: nil, configured: [planet]) == nil)

    #expect(try await store.knownItems(planet).isEmpty)
    #expect(try await store.hooksWithWork(at: now).isEmpty)
    #expect(try await store.number("SELECT count(*) FROM attempt") == 1)
    #expect(try await store.fetches(of: planet, limit: 9).map(\.reason) == ["interrupted"])
    late.endsAttemptOf = round
    #expect(try await store.commit(late, round: round, nextDue: nil, configured: [planet])?.count == 1)
    #expect(try await store.number("SELECT count(*) FROM attempt") == 0)
  }

  @Test func `a feed that was renamed since the plan gets no attempt, and no second row`() async throws {
    let round = try await store.beginRound(.timer, process: 1, at: now)
    try await store.commit(fetch(planet, [item("1")]), configured: [planet])
    let number = try await store.feedState(planet)?.number
    try await store.rename([FeedRename(planet, other)])
    let new = try name("new")

    let started = try await store.recordAttempts([(planet, number), (new, nil)], round: round, at: now)

    #expect(started == [new])
    var late = fetch(planet, [item("1")])
    late.endsAttemptOf = round
    #expect(try await store.commit(late, round: round, nextDue: nil, configured: [other]) == nil)
    #expect(try await store.number("SELECT count(*) FROM attempt") == 1)
    #expect(try await store.dormantFeeds(configured: [other, new]).isEmpty)
    #expect(try await store.knownItems(other).count == 1)
  }

  @Test(arguments: [false, true])
  func `feeds that exchange their names keep their items`(isUnderWay: Bool) async throws {
    let round = try await store.beginRound(.timer, process: 1, at: now)
    for feed in [planet, other] { try await store.commit(fetch(feed, [item(feed.text)])) }
    let numbers = try await store.feedStates().mapValues(\.number)
    let planned = [planet, other].map { (name: $0, number: numbers[$0] ?? nil) }
    func exchange() async throws {
      try await store.rename([FeedRename(planet, other), FeedRename(other, planet)])
    }

    if !isUnderWay { try await exchange() }
    let started = try await store.recordAttempts(planned, round: round, at: now)
    if isUnderWay { try await exchange() }

    #expect(started.count == (isUnderWay ? 2 : 0))
    for feed in [planet, other] {
      var late = fetch(feed, [item("late")])
      late.endsAttemptOf = round
      #expect(try await store.commit(late, round: round, nextDue: nil, configured: [planet, other]) == nil)
    }
    #expect(try await store.number("SELECT count(*) FROM attempt") == 0)
    #expect(try await store.feedState(planet)?.number == numbers[other])
    #expect(try await store.knownItems(planet).map(\.keys.guid) == [item(other.text).keys.guid])
  }

  @Test func `a feed that took the name of one that was never fetched gets no attempt`() async throws {
    let round = try await store.beginRound(.timer, process: 1, at: now)
    try await store.commit(fetch(planet, [item("1")]))
    try await store.rename([FeedRename(planet, other)])

    #expect(try await store.recordAttempts([(other, nil)], round: round, at: now).isEmpty)
  }

  @Test func `a feed that was paused since the plan gets its attempt`() async throws {
    let round = try await store.beginRound(.timer, process: 1, at: now)
    try await store.pause([planet], until: nil, at: now)

    #expect(try await store.recordAttempts([(planet, nil)], round: round, at: now) == [planet])
  }

  @Test func `a change without a request leaves the attempt of a fetch under way`() async throws {
    let round = try await store.beginRound(.timer, process: 1, at: now)
    try await store.recordAttempts([planet], round: round, at: now)

    try await store.commit(fetch(planet, [item("1")]), round: round, nextDue: nil, configured: [planet])

    #expect(try await store.number("SELECT count(*) FROM attempt") == 1)
  }

  @Test func `an event refers to new items by their index in the commit, and ignores wrong indexes`()
    async throws
  {
    var commit = fetch(planet, [item("1"), item("2")])
    commit.events = [event("n", .notification, newItems: [1, 2, -1])]

    try await store.commit(commit, configured: [planet])

    let delivery = try #require(try await store.nextDelivery("desktop", at: now))
    #expect(ids(try await store.notificationItems(delivery.number)) == ["2"])
  }

  @Test func `fifty tasks on two stores of one file lose nothing`() async throws {
    let stores = [try directory.open(), try directory.open()]

    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<50 {
        group.addTask { [planet] in
          for round in 0..<4 {
            let store = stores[(task + round) % 2]
            var commit = fetch(planet, [item("\(task)-\(round)")])
            commit.events = [event("\(task)-\(round)", newItems: [0])]
            try await store.commit(commit, configured: [planet])
            _ = try await store.items(ItemQuery(unseenOnly: true, limit: 5), among: [planet])
          }
        }
      }
      try await group.waitForAll()
    }

    #expect(try await stores[0].knownItems(planet).count == 200)
    #expect(try await stores[1].badge(configured: [planet]) == 200)
    #expect(try await stores[0].deliveries([.pending], hook: nil, limit: 1000).count == 200)
  }
}

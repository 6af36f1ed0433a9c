// The catalog: feeds that are added, changed and removed, and the changes since a version, from which machines make copies.

import Core
import Testing

@testable import Store

@Suite struct CatalogTests {
  private let store: Store

  init() throws {
    store = try TemporaryDirectory().open()
  }

  private func feed(
    _ name: String, _ path: String = "", profile: String? = nil, tags: [String] = []
  ) throws -> CatalogFeed {
    try CatalogFeed(name: name, url: "https://a.example/\(path)", profile: profile, tags: tags)
  }

  private func changes(since version: Int64 = 0, limit: Int = 100) async throws -> [CatalogChange] {
    try await store.catalogChanges(since: version, after: nil, limit: limit).changes
  }

  @Test func `feeds are read as they were added, in the order of their names`() async throws {
    let feeds = [try feed("b", profile: "slow", tags: ["x", "ünï"]), try feed("a", "?q=1,2%20\"")]

    #expect(try await store.catalogVersion() == 0)
    #expect(try await store.addToCatalog(feeds, at: now) == 2)

    #expect(try await changes().map(\.feed) == [feeds[1], feeds[0]])
    #expect(
      try await store.catalogFeeds(feeds.map(\.name)) == [feeds[0].name: feeds[0], feeds[1].name: feeds[1]])
    #expect(try await store.catalogVersion() == now.secondsSince1970 * 1000)
  }

  @Test func `only what has changed is a change`() async throws {
    try await store.addToCatalog([feed("a"), feed("b"), feed("c")], at: now)
    let version = try await store.catalogVersion()

    #expect(
      try await store.addToCatalog([feed("a"), feed("b", "new"), feed("c", tags: ["t"])], at: now) == 2)

    #expect(try await changes(since: version).map(\.name.text) == ["b", "c"])
    #expect(try await changes(since: version, limit: 1).map(\.name.text) == ["b"])
  }

  @Test func `a removed feed is a change, and can be added again`() async throws {
    try await store.addToCatalog([feed("a"), feed("b")], at: now)
    let version = try await store.catalogVersion()
    let name = try feed("a").name

    #expect(try await store.removeFromCatalog([name], at: now) == 1)
    #expect(try await store.removeFromCatalog([name], at: now) == 0)
    #expect(try await changes(since: version) == [CatalogChange(name: name, feed: nil)])
    #expect(try await store.catalogFeeds([name]) == [:])

    #expect(try await store.addToCatalog([feed("a")], at: now) == 1)
    #expect(try await changes(since: version).map(\.feed) == [try feed("a")])
  }

  @Test func `new and changed feeds are looked at, others and removed ones are not`() async throws {
    let (a, b) = (try feed("a"), try feed("b"))
    try await store.addToCatalog([a, b], at: now)
    try await store.beginLook()
    try await store.noteDue(ofPart: [a, b].map { FeedLook($0.name, dueAt: now + .days(1)) }, at: now)
    try await store.noteAllDue(7, configured: FeedNames([a.name, b.name]), at: now)
    #expect(try await store.mayBeDue(7, at: now) == [])

    try await store.addToCatalog([feed("a", "new"), b, feed("c")], at: now)
    #expect(Set(try await store.mayBeDue(7, at: now) ?? []) == [a.name, try feed("c").name])

    try await store.removeFromCatalog([a.name], at: now)
    #expect(Set(try await store.mayBeDue(7, at: now) ?? []) == [a.name, try feed("c").name])
    // A machine with an older copy of the catalog does not know the new feed either.
    try await store.noteUnknown([a.name, feed("c").name])
    #expect(try await store.mayBeDue(7, at: now) == [try feed("c").name])
    try await store.noteAllDue(7, configured: FeedNames([b.name]), at: now)
    #expect(try await store.mayBeDue(7, at: now) == [try feed("c").name])
  }

  @Test func `rows that no feed can be are left out`() async throws {
    try await store.addToCatalog([feed("a")], at: now)
    for (name, url) in [
      ("../x", "https://a.example/"), ("f", "file:///etc/passwd"), ("p", "https://u:p@a.example/"),
    ] {
      try await store.execute(
        "INSERT INTO catalog (name, url, tags, changed) VALUES ('\(name)', '\(url)', '', 1)")
    }

    #expect(try await changes().compactMap(\.feed) == [try feed("a")])
  }
}

@Suite struct OverviewTests {
  @Test func `feeds are counted by result, problem and lateness`() async throws {
    let store = try TemporaryDirectory().open()
    let names = try ["a", "b", "c", "d"].map(name)
    try await store.commit(fetch(names[0]), run: nil, nextDue: nil, configured: FeedNames(names))
    try await store.commit(
      fetch(names[1], [item("1")]), run: nil, nextDue: nil, configured: FeedNames(names))
    var failed = fetch(names[2])
    (failed.state.failures, failed.record.result, failed.state.lastResult) = (2, .failed, .failed)
    try await store.commit(failed, run: nil, nextDue: nil, configured: FeedNames(names))
    _ = try await store.pause([names[0]], until: nil, at: now)
    try await store.beginLook()
    let looks = zip(names, [10, 60, 600]).map {
      FeedLook($0, dueAt: now - .seconds($1), host: $1 == 600 ? "b.example" : "a.example")
    }
    try await store.noteDue(ofPart: looks + [FeedLook(names[3], dueAt: now + .days(1))], at: now)

    let overview = try await store.overview(at: now, limit: 10)

    #expect(overview.problems == 1 && overview.paused == 1 && overview.due == 3)
    #expect(overview.results[.failed] == 1)
    #expect(overview.lateness.map(\.percent) == [50, 90, 99, 100])
    #expect(overview.lateness.map(\.by.seconds) == [60, 600, 600, 600])
    #expect(
      overview.lateHosts == [
        LateHost(host: "a.example", feeds: 2, since: now - .seconds(60)),
        LateHost(host: "b.example", feeds: 1, since: now - .seconds(600)),
      ])
    #expect(try await store.problemFeeds(limit: 10) == [names[2]])
  }
}

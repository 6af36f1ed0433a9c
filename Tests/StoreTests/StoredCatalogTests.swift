// The catalog: feeds that are added, changed and removed, and the changes since a version, from which machines make copies.

import Core
import TestKit
import Testing

@testable import Fleet
@testable import Store

@Suite final class StoredCatalogTests: StoreSuite {
  private func feed(
    _ name: String, _ path: String = "", tags: [String] = []
  ) throws -> CatalogFeed {
    try CatalogFeed(name: name, url: "https://a.example/\(path)", tags: tags)
  }

  /// The changes since a version: names, and addresses of feeds that are not removed.
  private func changes(since version: Int64 = 0, limit: Int = 100) async throws -> [String] {
    try await store.catalogChanges(since: version, limit: limit)
  }

  @Test func `feeds are read as they were added, in the order of their names`() async throws {
    let feeds = [try feed("b", tags: ["x", "ünï"]), try feed("a", "?q=1,2%20\"")]

    #expect(try await store.catalogVersion() == 0)
    #expect(try await store.addToCatalog(feeds, at: now) == 2)

    #expect(try await store.catalogPage(after: nil, limit: 9).feeds == [feeds[1], feeds[0]])
    #expect(
      try await store.catalogFeeds(feeds.map(\.name)) == [feeds[0].name: feeds[0], feeds[1].name: feeds[1]])
    #expect(try await store.catalogVersion() == now.secondsSince1970 * 1000)
  }

  @Test func `only what has changed is a change`() async throws {
    try await store.addToCatalog([feed("a"), feed("b"), feed("c")], at: now)
    let version = try await store.catalogVersion()

    #expect(
      try await store.addToCatalog([feed("a"), feed("b", "new"), feed("c", tags: ["t"])], at: now) == 2)

    #expect(try await changes(since: version) == ["b https://a.example/new", "c https://a.example/"])
    #expect(try await changes(since: version, limit: 1) == ["b https://a.example/new"])
  }

  @Test func `a removed feed is a change, and can be added again`() async throws {
    try await store.addToCatalog([feed("a"), feed("b")], at: now)
    let version = try await store.catalogVersion()
    let name = try feed("a").name

    #expect(try await store.removeFromCatalog([name], at: now) == 1)
    #expect(try await store.removeFromCatalog([name], at: now) == 0)
    #expect(try await changes(since: version) == ["a removed"])
    #expect(try await store.catalogFeeds([name]) == [:])

    #expect(try await store.addToCatalog([feed("a")], at: now) == 1)
    #expect(try await changes(since: version) == ["a https://a.example/"])
  }

  @Test func `new and changed feeds are looked at, others and removed ones are not`() async throws {
    let (a, b) = (try feed("a"), try feed("b"))
    try await store.addToCatalog([a, b], at: now)
    try await store.beginScan()
    try await store.recordDue(ofPart: [a, b].map { FeedScan($0.name, dueAt: now + .days(1)) }, at: now)
    try await store.recordAllDue(7, configured: FeedNames([a.name, b.name]), at: now)
    #expect(try await store.mayBeDue(7, at: now) == [])

    try await store.addToCatalog([feed("a", "new"), b, feed("c")], at: now)
    #expect(Set(try await store.mayBeDue(7, at: now) ?? []) == [a.name, try feed("c").name])

    try await store.removeFromCatalog([a.name], at: now)
    #expect(Set(try await store.mayBeDue(7, at: now) ?? []) == [a.name, try feed("c").name])
    // A machine with an older copy of the catalog does not know the new feed either.
    try await store.recordUnknown([a.name, feed("c").name])
    #expect(try await store.mayBeDue(7, at: now) == [try feed("c").name])
    try await store.recordAllDue(7, configured: FeedNames([b.name]), at: now)
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

    #expect(try await store.catalogPage(after: nil, limit: 9).feeds == [try feed("a")])
  }

  @Test(.onFile) func `feeds of a file are read by name and in pages, as they are now`() async throws {
    #expect(try await store.catalog(copy: "/nowhere", at: now) == nil)
    let feeds = try (1...25).map { try feed("f\(100 + $0)", "\($0)", tags: ["t"]) }
    try await store.addToCatalog(feeds, at: now)
    let catalog = try #require(try await store.catalog(copy: "/nowhere", at: now))

    #expect(catalog.count == 25)
    #expect(catalog.feeds(named: [feeds[3].name, feeds[1].name]) == [feeds[1], feeds[3]])
    #expect(catalog.known(among: [feeds[7].name, try feed("other").name]) == [feeds[7].name])
    #expect(catalog.page(after: nil, limit: 10).feeds == Array(feeds[..<10]))
    #expect(catalog.page(after: feeds[19].name.text, limit: 10).feeds == Array(feeds[20...]))
    #expect(catalog.page(after: feeds[24].name.text, limit: 10).end == nil)

    try await store.removeFromCatalog([feeds[0].name], at: now)
    #expect(catalog.count == 24)
    #expect(catalog.known(among: [feeds[0].name]).isEmpty)
  }
}

extension Store {
  fileprivate func copiedCatalog(to path: String) throws -> StoredCatalog {
    try CatalogCopy.updated(path, of: database, mark, version: try catalogVersion(), at: now)
  }
}

/// The copy of the catalog on a machine: updated by changes, and made again if it is damaged, of another store, or
/// newer than the catalog.
@Suite final class CatalogCopyTests: StoreSuite {
  private var path: String { directory.path + "/catalog.db" }

  private func copy() async throws -> StoredCatalog {
    try await store.copiedCatalog(to: path)
  }

  private func feed(_ number: Int, _ text: String = "") throws -> CatalogFeed {
    try CatalogFeed(
      name: "feed-\(number)", url: "https://a.example/\(number)\(text)",
      tags: number % 5 == 0 ? ["five", "x"] : [])
  }

  @Test func `random changes give the same feeds as a dictionary`() async throws {
    var random = RandomNumbers(seed: 7)
    var known: [FeedName: CatalogFeed] = [:]
    for version in 1...20 {
      let changed = try (0..<Int.random(in: 1..<200, using: &random)).map { _ in
        try feed(Int.random(in: 0..<300, using: &random), Bool.random(using: &random) ? "" : "?v=\(version)")
      }
      let added = Dictionary(changed.map { ($0.name, $0) }) { $1 }
      try await store.addToCatalog(Array(added.values), at: now)
      known.merge(added) { $1 }
      let removed = known.keys.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
      try await store.removeFromCatalog(removed, at: now)
      for name in removed { known[name] = nil }

      let made = try await copy()

      let expected = known.values.sorted { $0.name < $1.name }
      #expect(made.page(after: nil, limit: 1000).feeds == expected)
      #expect(made.count == expected.count)
      #expect(made.known(among: (0..<300).compactMap { FeedName("feed-\($0)") }) == Set(known.keys))
    }
  }

  @Test func `a damaged copy, or one of another or an older store, is made again`() async throws {
    let feeds = try (1...200).map { try feed($0) }
    try await store.addToCatalog(feeds, at: now)
    for spoil in ["UPDATE source SET mark = 'other'", "UPDATE source SET version = version + 1", nil] {
      #expect(try await copy().count == 200)
      if let spoil {
        let spoiled = try Database(path: path, access: .write)
        try spoiled.execute("DELETE FROM catalog WHERE name > 'feed-5'; \(spoil)")
      } else {
        try directory.write([UInt8](repeating: 7, count: 20_000), to: "catalog.db")
      }
    }
    #expect(try await copy().page(after: nil, limit: 1000).feeds == feeds.sorted { $0.name < $1.name })
  }
}

@Suite final class OverviewTests: StoreSuite {
  @Test func `feeds are counted by result, problem and lateness`() async throws {
    let names = try ["a", "b", "c", "d"].map(name)
    try await store.commit(fetch(names[0]), configured: FeedNames(names))
    try await store.commit(fetch(names[1], [item("1")]), configured: FeedNames(names))
    var failed = fetch(names[2])
    failed.state.failures = 2
    failed.record.result = .failed
    failed.state.lastResult = .failed
    try await store.commit(failed, configured: FeedNames(names))
    _ = try await store.pause([names[0]], until: nil, at: now)
    try await store.beginScan()
    let looks = zip(names, [10, 60, 600]).map {
      FeedScan($0, dueAt: now - .seconds($1), host: $1 == 600 ? "b.example" : "a.example")
    }
    try await store.recordDue(ofPart: looks + [FeedScan(names[3], dueAt: now + .days(1))], at: now)

    let overview = try await store.overview(ofFiles: names, at: now, limit: 10)

    #expect(overview.problems == 1)
    #expect(overview.paused == 1)
    #expect(overview.due == 3)
    #expect(overview.results[.failed] == 1)
    #expect(overview.lateness.map(\.percent) == FeedOverview.percents)
    #expect(overview.lateness.map(\.by.seconds) == [60, 600, 600, 600, 600])
    #expect(
      overview.lateHosts == [
        LateHost(host: "a.example", feeds: 2, since: now - .seconds(60)),
        LateHost(host: "b.example", feeds: 1, since: now - .seconds(600)),
      ])
    #expect(try await store.problemFeeds(of: names, limit: 10) == [names[2]])
  }

  @Test func `a feed that has left the catalog is not counted, unless a file has it`() async throws {
    let names = try ["a", "b", "c"].map(name)
    try await store.addToCatalog(
      names.map { try CatalogFeed(name: $0.text, url: "https://\($0).example/", tags: []) },
      at: now)
    for name in names {
      var failed = fetch(name)
      failed.state.failures = 2
      failed.record.result = .failed
      failed.state.lastResult = .failed
      try await store.commit(failed, configured: FeedNames(names))
    }
    try await store.removeFromCatalog(Array(names.dropFirst()), at: now)

    let overview = try await store.overview(ofFiles: [names[1]], at: now, limit: 10)

    #expect(overview.results[.failed] == 2)
    #expect(overview.problems == 2)
    #expect(overview.due == 2)
    #expect(try await store.problemFeeds(of: [names[1]], limit: 10) == [names[0], names[1]])
  }
}

extension Store {
  fileprivate func catalogChanges(since version: Int64, limit: Int) throws -> [String] {
    try Self.catalogChanges(in: database, since: version, after: nil, limit: limit).changes.map {
      "\($0.name) \($0.feed?.address.text ?? "removed")"
    }
  }
}

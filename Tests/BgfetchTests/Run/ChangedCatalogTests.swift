// Runs in this process while others change the catalog.

import Core
import Machine
import Store
import Synchronization
import TestKit
import Testing

@testable import Running
@testable import bgfetch

/// A machine's copy of a catalog with one feed.
private final class CopiedCatalog: FeedCatalog {
  let version: Int64 = 1
  let count = 1
  private let feed: CatalogFeed

  init(_ feed: CatalogFeed) { self.feed = feed }

  func feeds(named names: [FeedName]) -> [CatalogFeed] { names.contains(feed.name) ? [feed] : [] }
  func known(among names: [FeedName]) -> Set<FeedName> { Set(names).intersection([feed.name]) }

  func page(after name: String?, limit: Int) -> (feeds: [CatalogFeed], end: String?) {
    name == nil ? ([feed], feed.name.text) : ([], nil)
  }
}

@Suite struct ChangedCatalogTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// The addresses that a run requests for a feed whose address in the catalog was `read` when the run began.
  private func requested(_ read: String, now present: String) async throws -> (addresses: [String], left: Int)
  {
    let state = try await newState(in: home, configuration: "feeds: {other: http://c.example/}\n")
    let copied = try CatalogFeed(name: "planet", url: read)
    var settings = state.settings
    settings.feeds = FeedList([]).joined(with: CopiedCatalog(copied), settings.catalog)
    let now = state.clock.now()
    var fetched = FeedState()
    (fetched.hasBaseline, fetched.requestFingerprint, fetched.configurationFingerprint) = (true, 1, 1)
    let record = FetchRecord(
      started: now - .days(1), ended: now - .days(1), result: .newData, reason: "", requests: [])
    try await state.store.commit(
      FeedCommit(feed: copied.name, state: fetched, record: record), round: nil, nextDue: nil,
      configured: settings.feedNames)
    try await state.store.addToCatalog([CatalogFeed(name: "planet", url: present)], at: now)
    let addresses = Mutex<[String]>([])

    let report = try await state.withEffects(report: { _ in }) { [settings] effects in
      var effects = effects
      effects.network.fetch = { request in
        addresses.withLock { $0.append(request.address.text) }
        return .failure(.suspended)
      }
      return try await Running.run(
        settings, RunOptions(), effects, RunLocks(fetching: HeldLock {}))
    }
    await state.store.close()
    return (addresses.withLock { $0 }, report.totals.left)
  }

  @Test func `a feed that has another address by now is left to the next run`() async throws {
    let (addresses, left) = try await requested("http://a.example/", now: "http://b.example/")

    #expect(addresses.isEmpty)
    #expect(left == 1)
  }

  @Test func `a feed whose address has changed before the run is fetched`() async throws {
    let (addresses, _) = try await requested("http://a.example/", now: "http://a.example/")

    #expect(addresses == ["http://a.example/"])
  }
}

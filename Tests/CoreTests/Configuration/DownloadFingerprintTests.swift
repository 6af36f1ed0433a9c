// Changes of `download` and of the kind, and a feed's fingerprints.

import Core
import Testing

@Suite struct DownloadFingerprintTests {
  private func feed(_ change: (inout DownloadSpec) throws -> Void) throws -> FeedSpec {
    var feed = try CoreTests.feed()
    var download = DownloadSpec()
    try change(&download)
    feed.download = download
    return feed
  }

  @Test func `any change of download changes the feed's fingerprint, but not that of its request`() throws {
    let changes: [(inout DownloadSpec) throws -> Void] = [
      { _ in }, { $0.select = .images }, { $0.directory = "/mnt" }, { $0.types = ["audio/*"] },
      { $0.filter.include = ["a"] }, { $0.filter.exclude = ["a"] },
      { $0.name = try Template(parsing: "{id}") },
      { $0.name = Template(literal: "") }, { $0.limit = 5 }, { $0.maxSize = ByteCount(5) },
      { $0.keep.count = 5 },
      { $0.keep.age = .seconds(5) }, { $0.keep.size = ByteCount(5) }, { $0.priority = 5 },
    ]
    let feeds = try changes.map { try feed($0) }

    #expect(Set(feeds.map(\.fingerprint)).count == changes.count)
    #expect(Set(feeds.map(\.requestFingerprint)).count == 1)
    #expect(!feeds.map(\.fingerprint).contains(try CoreTests.feed().fingerprint))
  }

  @Test func `first-run downloads and notification readiness change the fingerprint`() throws {
    let plain = try feed { _ in }
    var first = plain
    first.firstRunDownload = .all
    var second = plain
    second.firstRunDownload = .newest(3)
    var moment = plain
    moment.notify?.readiness = .atOnce

    #expect(Set([plain, first, second, moment].map(\.fingerprint)).count == 4)
  }

  @Test func `first-run downloads do not matter without downloads`() throws {
    let plain = try CoreTests.feed()
    var other = plain
    other.firstRunDownload = .none

    #expect(other.fingerprint == plain.fingerprint)
  }

  @Test func `a feed that becomes a file is fetched without its old validators`() throws {
    let plain = try CoreTests.feed()
    var asset = plain
    asset.kind = .asset

    #expect(asset.fingerprint != plain.fingerprint)
    #expect(asset.requestFingerprint != plain.requestFingerprint)
    #expect(asset.plainAccess?.kind == .asset)
  }

  @Test func `a file is never shared`() throws {
    var feeds = [
      try CoreTests.feed("one"), try CoreTests.feed("two"), try CoreTests.feed("three"),
    ]
    feeds[0].kind = .asset
    feeds[1].kind = .asset
    var plan = RoundPlan()
    _ = plan.add(feeds, [:], context())

    let shared = SharedRequests(plan.due)

    #expect(plan.due.count == 3)
    #expect(!feeds.contains { shared.isWaiting($0.name) })
  }
}
